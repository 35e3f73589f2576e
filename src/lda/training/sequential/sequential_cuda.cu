#include "lda/training/sequential/sequential_cuda.h"

#include "execution/cuda/check.h"
#include "lda/training/dense/block_rows_cuda.cuh"
#include "lda/training/parameters/estimates.h"

namespace papilio::lda {
namespace {

constexpr int block_threads = 256;

// Adds a token to all counts, or takes it out. Called by one thread.
__device__ void count(const SequentialDraw& s, float* theta, std::int32_t word, std::int32_t k, int change) {
  s.draw.n_wk[word * s.draw.n_wk_stride + k] += change;
  s.n_k[k] += change;
  s.masses[k] = mass_of_topic(s.n_k[k], s.prior_mass);
  s.n_dk[k] += change;
  if (s.alpha != nullptr) theta[k] = estimated_theta(s.n_dk[k], s.alpha[k]);
}

// Computes the counts of a document. Called by the block.
__device__ void count_document(const SequentialDraw& s, const std::int32_t* z, std::int64_t tokens) {
  for (std::int64_t k = threadIdx.x; k < s.draw.topics; k += block_threads) s.n_dk[k] = 0;
  __syncthreads();
  for (std::int64_t i = threadIdx.x; i < tokens; i += block_threads) atomicAdd(s.n_dk + z[i], 1);
  __syncthreads();
}

// Computes phi of one word. Called by the block.
__device__ void estimate_phi(const SequentialDraw& s, std::int32_t word) {
  const std::int32_t* const n_wk = s.draw.n_wk + word * s.draw.n_wk_stride;
  for (std::int64_t k = threadIdx.x; k < s.draw.phi_stride; k += block_threads) {
    s.phi[k] = k < s.draw.topics ? estimated_phi(n_wk[k], s.beta, s.masses[k]) : 0.0f;
  }
}

// A warp's draws, by slots or by a method of the papers; -1 if no weight is positive.
struct BySlots {
  struct Shared {};
  __device__ BySlots(const SequentialDraw& draw, Shared&) : s(draw) {}
  __device__ std::int32_t operator()(const float* theta, std::int64_t token) const {
    const LongTopicRow row = {theta, s.phi, s.draw.topics, s.draw.phi_stride, -1, 0};
    const auto drawn = collective::draw_long_row(row, uniforms_of(s.draw, s.draw.stream, token).draw);
    return drawn.total > 0 ? static_cast<std::int32_t>(drawn.category) : -1;
  }
  const SequentialDraw& s;
};

template <PartialSums method, bool remnant_first>
struct ByBlocks {
  using Tile = TopicTile<method, remnant_first>;
  using Shared = typename Tile::Shared;
  __device__ ByBlocks(const SequentialDraw& draw, Shared& shared)
      : s(draw), tile(shared, draw.tables.tables, draw.draw.topics) {}
  __device__ std::int32_t operator()(const float* theta, std::int64_t token) const {
    const bool is_first = threadIdx.x == 0;  // it has the token; the other threads have none
    return tile.draw(block_uniforms_of(s.draw, s.draw.stream, token).draw,
                     is_first ? TopicBlockRows::Place{theta, s.phi} : TopicBlockRows::Place{});
  }
  const SequentialDraw& s;
  const Tile tile;
};

template <class Draws>
__global__ void __launch_bounds__(block_threads)
    draw_in_sequence(const DocumentRange range, const __grid_constant__ SequentialDraw s) {
  __shared__ typename Draws::Shared shared;
  const Draws draws(s, shared);
  for (std::int64_t k = threadIdx.x; k < s.draw.topics; k += block_threads) {
    s.masses[k] = mass_of_topic(s.n_k[k], s.prior_mass);
  }
  for (std::int64_t d = 0; d < range.documents; ++d) {
    const std::int64_t begin = range.offsets[d] - range.first_token, end = range.offsets[d + 1] - range.first_token;
    float* const theta = const_cast<float*>(s.draw.theta) + d * s.draw.theta_stride;
    count_document(s, range.z + begin, end - begin);
    for (std::int64_t i = begin; i < end; ++i) {
      const std::int32_t word = range.words[i], old = range.z[i];
      if (threadIdx.x == 0) count(s, theta, word, old, -1);
      __syncthreads();
      estimate_phi(s, word);
      __syncthreads();
      if (threadIdx.x < 32) {
        const std::int32_t drawn = draws(theta, i);
        __syncwarp();  // all threads have read theta
        if (threadIdx.x == 0) {
          const std::int32_t topic = drawn >= 0 ? drawn : old;
          range.z[i] = topic;
          count(s, theta, word, topic, 1);
        }
      }
      __syncthreads();
    }
  }
}

}  // namespace

void queue_sequential_draws(const DocumentRange& range, const SequentialDraw& draw, bool by_slots) {
  if (range.tokens == 0) return;
  if (by_slots) {
    draw_in_sequence<BySlots><<<1, block_threads, 0, range.stream>>>(range, draw);
  } else {
    kernel::with_block_form(draw.tables.method, [&]<PartialSums method, bool remnant_first>() {
      draw_in_sequence<ByBlocks<method, remnant_first>><<<1, block_threads, 0, range.stream>>>(range, draw);
    });
  }
  execution::check_launch("drawing topics one after the other");
}

}  // namespace papilio::lda
