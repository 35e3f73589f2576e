#include "lda/training/parameters/topic_counts_cuda.h"

#include <algorithm>

#include "base/math.h"
#include "collective/block.cuh"
#include "lda/training/parameters/document_counts_cuda.cuh"
#include "lda/training/parameters/estimates.h"
#include "random/philox.h"
#include "random/uniform.h"

namespace papilio::lda {
namespace {

using cuda::collective::atomic_add;

// The number of blocks of threads_per_block for `work` units of work: one unit per thread, or several if one would
// fill the device more than `waves` times.
unsigned blocks_for(std::int64_t work, int waves) {
  const std::int64_t wanted = base::ceil_div<std::int64_t>(work, threads_per_block);
  return static_cast<unsigned>(std::clamp<std::int64_t>(wanted, 1, std::int64_t{execution::multiprocessors()} * waves));
}

__device__ std::int64_t this_thread() { return std::int64_t{blockIdx.x} * blockDim.x + threadIdx.x; }
__device__ std::int64_t thread_count() { return std::int64_t{gridDim.x} * blockDim.x; }

template <class Number>
__global__ void draw_initial_topics(Number* z, std::int64_t tokens, std::uint64_t first_token, std::int32_t topics,
                                    std::uint64_t seed, std::uint64_t random_stream) {
  for (std::int64_t i = this_thread(); i < tokens; i += thread_count()) {
    const random::Block block = random::draw_block(seed, random_stream, first_token + static_cast<std::uint64_t>(i));
    z[i] = static_cast<Number>(random::uniform53(block.word[0], block.word[1]) * topics);
  }
}

__global__ void count_words(DocumentRange range, std::int32_t* n_wk, std::int64_t stride) {
  for (std::int64_t i = this_thread(); i < range.tokens; i += thread_count()) {
    atomicAdd(n_wk + range.words[i] * stride + range.z[i], 1);
  }
}

// Each block first counts in shared memory, unless there are too many topics for that.
__global__ void count_topics(DocumentRange range, std::int32_t topics, bool in_shared, std::int64_t* n_k) {
  extern __shared__ unsigned counters[];
  if (!in_shared) {
    for (std::int64_t i = this_thread(); i < range.tokens; i += thread_count()) atomic_add(n_k + range.z[i], 1);
    return;
  }
  for (int k = static_cast<int>(threadIdx.x); k < topics; k += threads_per_block) counters[k] = 0;
  __syncthreads();
  for (std::int64_t i = this_thread(); i < range.tokens; i += thread_count()) atomicAdd(counters + range.z[i], 1u);
  __syncthreads();
  for (int k = static_cast<int>(threadIdx.x); k < topics; k += threads_per_block) {
    if (counters[k] != 0) atomic_add(n_k + k, counters[k]);
  }
}

struct WriteTheta {
  EstimatedThetaTable table;

  __device__ float theta(std::int32_t k, int n, float at_zero) const {
    return n == 0 ? at_zero : estimated_theta(n, table.alpha[k]);
  }
  __device__ void operator()(std::int64_t document, std::int32_t k, int4 n) const {
    const float4 zero = *reinterpret_cast<const float4*>(table.at_zero + k);
    *reinterpret_cast<float4*>(table.theta + document * table.stride + k) = make_float4(
        theta(k, n.x, zero.x), theta(k + 1, n.y, zero.y), theta(k + 2, n.z, zero.z), theta(k + 3, n.w, zero.w));
  }
  __device__ void finish() const {}
};

__global__ void weigh_topics_for_removal(const std::int64_t* n_k, std::int32_t topics, double prior_mass,
                                         RemovalMass* masses) {
  for (std::int64_t k = this_thread(); k < topics; k += thread_count()) {
    masses[k] = removal_mass(mass_of_topic(n_k[k], prior_mass));
  }
}

// A thread has four neighbouring topics, keeps their denominators, and goes from word to word.
__global__ void divide_counts(EstimatedPhiTable table, std::int64_t quads) {
  const std::int64_t threads = thread_count() / quads * quads;
  if (this_thread() >= threads) return;
  const std::int64_t k = this_thread() % quads * 4;
  double mass[4];
  for (int e = 0; e < 4; ++e) {
    mass[e] = k + e < table.topics ? mass_of_topic(table.n_k[k + e], table.prior_mass) : 1;
  }
  for (std::int64_t w = this_thread() / quads; w < table.words; w += threads / quads) {
    const int4 n = *reinterpret_cast<const int4*>(table.n_wk + w * table.n_wk_stride + k);
    float4 phi;
    phi.x = estimated_phi(n.x, table.beta, mass[0]);
    phi.y = k + 1 < table.topics ? estimated_phi(n.y, table.beta, mass[1]) : 0.0f;
    phi.z = k + 2 < table.topics ? estimated_phi(n.z, table.beta, mass[2]) : 0.0f;
    phi.w = k + 3 < table.topics ? estimated_phi(n.w, table.beta, mass[3]) : 0.0f;
    *reinterpret_cast<float4*>(table.phi + w * table.stride + k) = phi;
  }
}

}  // namespace

void queue_initial_topics(const DocumentRange& range, std::int32_t topics, std::uint64_t seed,
                          std::uint64_t random_stream) {
  queue_initial_topics(range.z, range.tokens, static_cast<std::uint64_t>(range.first_token), topics, seed,
                       random_stream, range.stream);
}

template <class Number>
void queue_initial_topics(Number* z, std::int64_t tokens, std::uint64_t first_token, std::int32_t topics,
                          std::uint64_t seed, std::uint64_t random_stream, cudaStream_t stream) {
  if (tokens == 0) return;
  draw_initial_topics<<<blocks_for(tokens, 16), threads_per_block, 0, stream>>>(z, tokens, first_token, topics, seed,
                                                                                random_stream);
  execution::check_launch("drawing initial topics");
}

template void queue_initial_topics(std::uint16_t*, std::int64_t, std::uint64_t, std::int32_t, std::uint64_t,
                                   std::uint64_t, cudaStream_t);
template void queue_initial_topics(std::uint32_t*, std::int64_t, std::uint64_t, std::int32_t, std::uint64_t,
                                   std::uint64_t, cudaStream_t);

void queue_word_counts(const DocumentRange& range, std::int32_t* n_wk, std::int64_t stride) {
  if (range.tokens == 0) return;
  count_words<<<blocks_for(range.tokens, 16), threads_per_block, 0, range.stream>>>(range, n_wk, stride);
  execution::check_launch("counting topics of words");
}

void queue_topic_counts(const DocumentRange& range, std::int32_t topics, std::int64_t* n_k) {
  if (range.tokens == 0) return;
  const bool in_shared = topics <= counters_per_block;
  const std::size_t bytes = in_shared ? static_cast<std::size_t>(topics) * sizeof(unsigned) : 0;
  // At least 32 tokens per thread if there are enough, because each block adds all its counters to n_k.
  const unsigned blocks = blocks_for(base::ceil_div<std::int64_t>(range.tokens, 32), 4);
  count_topics<<<blocks, threads_per_block, bytes, range.stream>>>(range, topics, in_shared, n_k);
  execution::check_launch("counting topics");
}

void queue_estimated_theta(const DocumentRange& range, const EstimatedThetaTable& table) {
  // Writes zeros after the last topic, too, because the memory may have held anything before.
  queue_on_documents(range, table.stride, WriteTheta{table});
}

void queue_removal_masses(const std::int64_t* n_k, std::int32_t topics, double prior_mass, RemovalMass* masses,
                          cudaStream_t stream) {
  weigh_topics_for_removal<<<blocks_for(topics, 4), threads_per_block, 0, stream>>>(n_k, topics, prior_mass, masses);
  execution::check_launch("weighing topics");
}

void queue_estimated_phi(const EstimatedPhiTable& table, cudaStream_t stream) {
  const std::int64_t quads = base::ceil_div<std::int64_t>(table.topics, 4);
  const unsigned least = static_cast<unsigned>(base::ceil_div<std::int64_t>(quads, threads_per_block));
  const unsigned blocks = std::max(least, blocks_for(quads * table.words, 16));
  divide_counts<<<blocks, threads_per_block, 0, stream>>>(table, quads);
  execution::check_launch("estimating phi");
}

}  // namespace papilio::lda
