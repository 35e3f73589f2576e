#include <algorithm>
#include <cstddef>

#include "base/math.h"
#include "execution/cuda/check.h"
#include "execution/cuda/memory.h"
#include "lda/training/sparse/parallel/token_cuda.cuh"
#include "lda/training/sparse/parallel/word_part_cuda.cuh"

namespace papilio::lda {
namespace {

// Of a multiprocessor: more of them with fewer registers each hide the latency of lists and searches better.
constexpr int threads_at_once = 1152;
constexpr int most_blocks_at_once = 32;

// All tokens of an item.
template <class Packing, int threads>
__device__ __forceinline__ void draw_tokens(const SparseDraw<Packing>& draw, const SparseItem& item,
                                            const SparseWord<Packing>& word, Tally& tally) {
  for (int t = static_cast<int>(threadIdx.x); t < item.count; t += threads) {
    const SparseToken<Packing> token(draw, std::int64_t{item.first} + t);
    const Drawn drawn = draw_token(draw, word, token);
    if (draw.counts) tally.add(drawn.part);
    if (drawn.topic == token.list.old) continue;
    draw.z[token.number] = static_cast<typename Packing::Topic>(drawn.topic);
    if (item.row >= 0) {
      std::int32_t* const next = draw.frequent_next + std::int64_t{item.row} * draw.topics.padded;
      atomicAdd(next + token.list.old, -1);
      atomicAdd(next + drawn.topic, 1);
    }
  }
}

// An item for a block, or several where rows are in global memory.
template <class Packing, int threads, bool in_shared>
__global__ void __launch_bounds__(threads, std::min(threads_at_once / threads, most_blocks_at_once))
    draw_sparsely(const __grid_constant__ SparseDraw<Packing> draw) {
  extern __shared__ float4 shared[];
  const std::int32_t padded = draw.topics.padded;
  void* memory = shared;
  if constexpr (!in_shared) {
    memory = reinterpret_cast<std::byte*>(draw.rows) + blockIdx.x * sparse_row_bytes(padded);
  }
  WordRow row(memory, padded);
  Tally tally;
  for (std::int64_t i = blockIdx.x; i < draw.item_count; i += gridDim.x) {
    const SparseItem item = draw.items[i];
    const std::int32_t* frequent = nullptr;
    if (item.row >= 0)
      frequent = draw.frequent + std::int64_t{item.row} * padded;
    else
      count_word<Packing, threads>(draw, item, row);
    weigh_word<threads>(draw.topics, frequent, row);
    const SparseWord<Packing> word = {draw.topics, row.phi, row.ends, frequent, row.ends[padded / chunk_topics - 1]};
    draw_tokens<Packing, threads>(draw, item, word, tally);
    wait_for_the_block<threads>();
  }
  if (draw.counts) tally.give_to(draw.counters);
}

template <class Packing>
__global__ void count_frequent(const SparseDraw<Packing> draw) {
  const SparseItem item = draw.items[blockIdx.x];
  std::int32_t* const next = draw.frequent_next + std::int64_t{item.row} * draw.topics.padded;
  for (int t = static_cast<int>(threadIdx.x); t < item.count; t += static_cast<int>(blockDim.x)) {
    atomicAdd(next + draw.z[token_number(draw, std::int64_t{item.first} + t)], 1);
  }
}

int most_shared_bytes() {
  int device = 0, bytes = 0;
  execution::check(cudaGetDevice(&device), "asking for the device");
  execution::check(cudaDeviceGetAttribute(&bytes, cudaDevAttrMaxSharedMemoryPerBlockOptin, device),
                   "asking for shared memory");
  return bytes;
}

template <class Packing, int threads>
void launch(const SparseDraw<Packing>& draw, cudaStream_t stream) {
  const auto bytes = static_cast<std::size_t>(sparse_row_bytes(draw.topics.padded));
  execution::check(cudaFuncSetAttribute(draw_sparsely<Packing, threads, true>,
                                        cudaFuncAttributeMaxDynamicSharedMemorySize, static_cast<int>(bytes)),
                   "asking for shared memory");
  draw_sparsely<Packing, threads, true><<<static_cast<unsigned>(draw.item_count), threads, bytes, stream>>>(draw);
}

}  // namespace

bool row_fits_in_shared(std::int32_t padded) { return sparse_row_bytes(padded) <= most_shared_bytes(); }

std::int64_t blocks_with_global_rows() { return std::int64_t{execution::multiprocessors()} * 2; }

template <class Packing>
void queue_sparse_parallel_draws(const SparseDraw<Packing>& draw, int threads, cudaStream_t stream) {
  if (draw.item_count == 0) return;
  if (draw.rows != nullptr) {
    const auto blocks = static_cast<unsigned>(std::min(draw.item_count, blocks_with_global_rows()));
    draw_sparsely<Packing, 512, false><<<blocks, 512, 0, stream>>>(draw);
  } else if (threads == 32) {
    launch<Packing, 32>(draw, stream);
  } else if (threads == 128) {
    launch<Packing, 128>(draw, stream);
  } else {
    launch<Packing, 512>(draw, stream);
  }
  execution::check_launch("drawing topics sparsely");
}

template <class Packing>
void queue_frequent_counts(const SparseDraw<Packing>& draw, cudaStream_t stream) {
  if (draw.item_count == 0) return;
  count_frequent<<<static_cast<unsigned>(draw.item_count), 256, 0, stream>>>(draw);
  execution::check_launch("counting topics of frequent words");
}

template void queue_sparse_parallel_draws(const SparseDraw<NarrowPacking>&, int, cudaStream_t);
template void queue_sparse_parallel_draws(const SparseDraw<WidePacking>&, int, cudaStream_t);
template void queue_frequent_counts(const SparseDraw<NarrowPacking>&, cudaStream_t);
template void queue_frequent_counts(const SparseDraw<WidePacking>&, cudaStream_t);

}  // namespace papilio::lda
