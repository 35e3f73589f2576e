#include "lda/training/dense/blocks_cuda.h"

#include <algorithm>

#include "base/math.h"
#include "execution/cuda/check.h"
#include "lda/training/dense/block_rows_cuda.cuh"
#include "lda/training/parameters/estimates.h"
#include "sampling/blocks/sample_by_blocks_cuda.h"

namespace papilio::lda {
namespace {

constexpr int warps_per_block = 4;
constexpr int block_threads = 32 * warps_per_block;

__device__ std::int64_t this_warp() { return std::int64_t{blockIdx.x} * warps_per_block + threadIdx.x / 32; }

__device__ __forceinline__ TopicBlockRows::Place place_of(const float* theta, const TopicDraw& draw,
                                                          std::int32_t word) {
  return {theta, draw.phi + word * draw.phi_stride};
}

// A warp has an item, 32 tokens at a time; tokens that are refused are drawn once more, together.
template <PartialSums method, bool remnant_first>
__global__ void __launch_bounds__(block_threads)
    draw_topics_by_blocks(const __grid_constant__ TopicDraw draw, const BlockTables tables) {
  using Tile = TopicTile<method, remnant_first>;
  __shared__ typename Tile::Shared shared[warps_per_block];
  if (this_warp() >= tables.warps) return;
  const Tile tile(shared[threadIdx.x / 32], tables.tables + this_warp() * tables.table_size, draw.topics);
  const int lane = static_cast<int>(threadIdx.x) % 32;
  const bool removes = draw.removal.masses != nullptr && draw.topics > 1;

  for (std::int64_t i = this_warp(); i < draw.item_count; i += tables.warps) {
    const TopicItem item = draw.items[i];
    const float* const theta = draw.theta + item.document * draw.theta_stride;
    for (int run = 0; run < item.count; run += 32) {
      const bool is_there = run + lane < item.count;
      const std::int64_t token = item.first + (is_there ? run + lane : run);
      const std::int32_t word = draw.words[token], old = draw.z[token];
      const auto place = place_of(theta, draw, word);
      const BlockUniforms u = block_uniforms_of(draw, draw.stream, token);
      std::int32_t topic = tile.draw(u.draw, is_there ? place : TopicBlockRows::Place{});

      bool refused = false;
      TopicBlockRows::Change change = {-1, 0};
      if (is_there && removes && topic == old) {
        const double r = weight_without_token(draw, theta[old], place.phi[old], old);
        refused = !(u.accept < r);
        change = {old, theta_without_token(theta[old], r)};
      }
      if (thread::ballot(refused) != 0) {
        const float again = block_uniforms_of(draw, draw.removal.stream, token).draw;
        const std::int32_t other = tile.draw(again, refused ? place : TopicBlockRows::Place{}, change);
        if (refused) topic = other;
      }
      if (is_there && topic >= 0 && topic != old) move_token(draw, token, word, old, topic);
    }
  }
}

// A document's counts and its row of theta, in global memory.
struct BlocksDocument {
  float* theta;  // n_dk + alpha_k
  int* counts;   // n_dk
  const double* alpha;

  __device__ __forceinline__ void add(std::int32_t topic, int n) const {
    counts[topic] += n;
    theta[topic] = estimated_theta(counts[topic], alpha[topic]);
  }
  // A whole warp counts the tokens of the item.
  __device__ void count(const TopicDraw& draw, const TopicItem& item) const {
    const int lane = static_cast<int>(threadIdx.x) % 32;
    for (std::int64_t k = lane; k < draw.topics; k += 32) counts[k] = 0;
    __syncwarp();
    for (int i = lane; i < item.count; i += 32) atomicAdd(counts + draw.z[item.first + i], 1);
    __syncwarp();
    for (std::int64_t k = lane; k < draw.topics; k += 32) theta[k] = estimated_theta(counts[k], alpha[k]);
    __syncwarp();
  }
};

// A warp has 32 documents, which proceed in step: their first tokens are drawn, then their second ones, and so on.
template <PartialSums method, bool remnant_first>
__global__ void __launch_bounds__(block_threads)
    draw_by_document_by_blocks(const __grid_constant__ TopicDraw draw, const double* alpha, float* rows,
                               const BlockTables tables) {
  using Tile = TopicTile<method, remnant_first>;
  __shared__ typename Tile::Shared shared[warps_per_block];
  if (this_warp() >= tables.warps) return;
  const Tile tile(shared[threadIdx.x / 32], tables.tables + this_warp() * tables.table_size, draw.topics);
  const int lane = static_cast<int>(threadIdx.x) % 32;
  const auto document_of = [&](const TopicItem& item) -> BlocksDocument {
    float* const theta = rows + item.document * 2 * draw.phi_stride;
    return {theta, reinterpret_cast<int*>(theta + draw.phi_stride), alpha};
  };

  for (std::int64_t first = 32 * this_warp(); first < draw.item_count; first += 32 * tables.warps) {
    const int here = static_cast<int>(min(std::int64_t{32}, draw.item_count - first));
    for (int q = 0; q < here; ++q) document_of(draw.items[first + q]).count(draw, draw.items[first + q]);
    const TopicItem item = draw.items[first + (lane < here ? lane : 0)];
    const BlocksDocument document = document_of(item);
    const int count = lane < here ? item.count : 0;
    const int longest = __reduce_max_sync(all_threads, count);
    for (int i = 0; i < longest; ++i) {
      const bool is_there = i < count;
      const std::int64_t token = item.first + (is_there ? i : 0);
      const std::int32_t word = draw.words[token], old = draw.z[token];
      if (is_there) document.add(old, -1);
      const std::int32_t drawn = tile.draw(block_uniforms_of(draw, draw.stream, token).draw,
                                           is_there ? place_of(document.theta, draw, word) : TopicBlockRows::Place{});
      __syncwarp();  // all threads have read theta
      if (!is_there) continue;
      const std::int32_t topic = drawn >= 0 ? drawn : old;
      document.add(topic, 1);
      if (topic != old) move_token(draw, token, word, old, topic);
    }
  }
}

// The number of blocks, given the number of warps for which there is work.
unsigned blocks_for(const BlockTables& tables, std::int64_t work) {
  return static_cast<unsigned>(base::ceil_div<std::int64_t>(std::min(tables.warps, work), warps_per_block));
}

sampling::BlocksPlan plan_of(PartialSums method, std::int32_t topics, std::int64_t tokens) {
  sampling::DeviceRows rows;
  rows.right = &rows;  // any table will do: what matters is that these are products
  rows.rows = tokens;
  rows.categories = topics;
  return sampling::plan_blocks(rows, method);
}

}  // namespace

std::int64_t BlockTablesOnDevice::bytes_needed(PartialSums method, std::int32_t topics, std::int64_t tokens) {
  if (method == PartialSums::slots) return 0;
  const sampling::BlocksPlan plan = plan_of(method, topics, tokens);
  return plan.warps * plan.table_size * static_cast<std::int64_t>(sizeof(float));
}

BlockTablesOnDevice::BlockTablesOnDevice(PartialSums method, std::int32_t topics, std::int64_t tokens) {
  if (method == PartialSums::slots) return;
  const sampling::BlocksPlan plan = plan_of(method, topics, tokens);
  memory_ = execution::DeviceArray<float>(plan.warps * plan.table_size, "tables of partial sums");
  tables_ = {method, memory_.data(), plan.table_size, plan.warps};
}

void queue_parallel_draws_by_blocks(const TopicDraw& draw, const BlockTables& tables, void* cuda_stream) {
  if (draw.item_count == 0) return;
  const unsigned blocks = blocks_for(tables, draw.item_count);
  kernel::with_block_form(tables.method, [&]<PartialSums method, bool remnant_first>() {
    draw_topics_by_blocks<method, remnant_first>
        <<<blocks, block_threads, 0, static_cast<cudaStream_t>(cuda_stream)>>>(draw, tables);
  });
  execution::check_launch("drawing topics by blocks");
}

void queue_by_document_draws_by_blocks(const TopicDraw& draw, const double* alpha, float* rows,
                                       const BlockTables& tables, void* cuda_stream) {
  if (draw.item_count == 0) return;
  const unsigned blocks = blocks_for(tables, base::ceil_div<std::int64_t>(draw.item_count, 32));
  kernel::with_block_form(tables.method, [&]<PartialSums method, bool remnant_first>() {
    draw_by_document_by_blocks<method, remnant_first>
        <<<blocks, block_threads, 0, static_cast<cudaStream_t>(cuda_stream)>>>(draw, alpha, rows, tables);
  });
  execution::check_launch("drawing topics in order by blocks");
}

}  // namespace papilio::lda
