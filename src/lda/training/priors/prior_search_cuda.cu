#include "lda/training/priors/prior_search_cuda.h"

#include "collective/warp_scan.cuh"
#include "lda/model/prior_steps.h"

namespace papilio::lda {
namespace {

constexpr int total_threads = 256;  // per block, in kernels of one block
constexpr int topic_threads = 128;  // per block, in kernels with a block per topic
constexpr int chunk = 1024;         // number of terms that a block computes before they are added up

// Adds up chunks of terms in order. All threads of a block take part; thread 0 has the sum.
struct OrderedSum {
  double* terms;  // `chunk` doubles of shared memory
  double sum = 0;

  template <class Term>
  __device__ void add(std::int64_t count, Term term) {
    for (std::int64_t first = 0; first < count; first += chunk) {
      const int here = static_cast<int>(count - first < chunk ? count - first : chunk);
      for (int i = static_cast<int>(threadIdx.x); i < here; i += static_cast<int>(blockDim.x)) {
        terms[i] = term(first + i);
      }
      __syncthreads();
      if (threadIdx.x == 0) {
#pragma unroll 8
        for (int i = 0; i < here; ++i) sum += terms[i];
      }
      __syncthreads();
    }
  }
};

// CountHistogram::digamma_rise, in thread 0.
template <class Count>
__device__ double digamma_rise(const FinishedHistogram<Count>& counts, double prior, double* terms) {
  OrderedSum rise{terms};
  rise.add(counts.terms,
           [&](std::int64_t j) { return digamma_term(static_cast<std::int64_t>(counts.from[j + 1]), prior, j); });
  rise.add(counts.large_count, [&](std::int64_t i) { return large_digamma_term(counts.large[i], prior); });
  return rise.sum;
}

// Replaces each entry by the sum of it and all later ones. A warp does this, from the end to the beginning.
template <class T>
__device__ __forceinline__ void add_from_end(T* row, std::int64_t size) {
  const int lane = static_cast<int>(threadIdx.x) % 32;
  T behind = 0;
  for (std::int64_t last = size - 1; last >= 0; last -= 32) {
    const std::int64_t n = last - lane;  // lane 0 has the last entry
    const T sum = cuda::collective::warp_scan(n >= 0 ? row[n] : T{0}) + behind;
    behind = __shfl_sync(0xffffffffu, sum, 31);
    if (n >= 0) row[n] = sum;
  }
}

// A warp has a row.
__global__ void finish_topics(std::uint32_t* rows, std::int64_t stride, std::int32_t topics) {
  const std::int64_t topic = (std::int64_t{blockIdx.x} * blockDim.x + threadIdx.x) / 32;
  if (topic < topics) add_from_end(rows + topic * stride, stride);
}

// One block.
__global__ void finish_words(const std::uint32_t* rows, std::uint32_t copies, std::int64_t stride,
                             std::uint64_t* from) {
  for (std::int64_t n = threadIdx.x; n < stride; n += blockDim.x) {
    std::uint64_t sum = 0;
    for (std::uint32_t copy = 0; copy < copies; ++copy) sum += rows[copy * stride + n];
    from[n] = sum;
  }
  __syncthreads();
  if (threadIdx.x < 32) add_from_end(from, stride);
}

// One block: decides whether the search has ended, and computes what all topics share in a step.
__global__ void __launch_bounds__(total_threads) begin_alpha_step(AlphaSearch search, bool is_first) {
  __shared__ double terms[chunk];
  __shared__ double alpha_sum;
  AlphaSearchState& state = *search.state;
  if (!is_first && (state.is_found != 0 || state.has_moved == 0)) {
    __syncthreads();  // all threads have read it
    if (threadIdx.x == 0) state.is_found = 1;
    return;
  }
  OrderedSum sum{terms};
  sum.add(search.topics, [&](std::int64_t k) { return search.alpha[k]; });
  if (threadIdx.x == 0) alpha_sum = sum.sum;
  __syncthreads();
  const double rise = digamma_rise(search.lengths, alpha_sum, terms);
  if (threadIdx.x == 0) state = {rise, 0, 0};
}

// A block has a topic.
__global__ void __launch_bounds__(topic_threads) step_topic(AlphaSearch search) {
  __shared__ double terms[chunk];
  AlphaSearchState& state = *search.state;
  if (state.is_found != 0) return;
  for (std::int64_t k = blockIdx.x; k < search.topics; k += gridDim.x) {
    const TopicHistograms& all = search.counts;
    const std::int64_t begin = all.large_offsets[k], end = all.large_offsets[k + 1];
    const FinishedHistogram<std::uint32_t> counts = {all.from + k * all.stride, 0, all.large + begin, end - begin};
    const double prior = search.alpha[k];
    // Terms without counts add 0, which changes no sum; from the first of these on, terms are left out chunk by chunk.
    std::int64_t terms_here = all.stride - 1;
    while (terms_here > 32 && counts.from[terms_here / 2 + 1] == 0) terms_here /= 2;
    FinishedHistogram<std::uint32_t> used = counts;
    used.terms = terms_here;
    const double rise = digamma_rise(used, prior, terms);
    if (threadIdx.x == 0) {
      const double next = next_prior(prior, rise / state.total_rise);
      if (!is_near(next, prior, search.tolerance)) atomicExch(&state.has_moved, 1);
      search.alpha[k] = next;
    }
    __syncthreads();
  }
}

// One block.
__global__ void __launch_bounds__(total_threads) search_beta(BetaSearch search) {
  __shared__ double terms[chunk];
  __shared__ double prior;
  __shared__ bool is_found;
  if (threadIdx.x == 0) {
    prior = *search.beta;
    is_found = false;
  }
  __syncthreads();
  for (int iteration = 0; iteration < search.most_iterations && !is_found; ++iteration) {
    const double here = prior;
    const double total_prior = search.words * here;
    const double of_words = digamma_rise(search.of_words, here, terms);
    const double of_seed_words = digamma_rise(search.seed_words, here, terms);
    const double of_topics = digamma_rise(search.of_topics, total_prior, terms);
    const double of_seed_topics = digamma_rise(search.seed_topics, total_prior, terms);
    __syncthreads();  // all threads have read the prior
    if (threadIdx.x == 0) {
      const double rise = of_words - of_seed_words;
      const double total_rise = of_topics - of_seed_topics;
      const double next = next_prior(here, rise / (search.words * total_rise));
      is_found = is_near(next, here, search.tolerance);
      prior = next;
    }
    __syncthreads();
  }
  if (threadIdx.x == 0) *search.beta = prior;
}

}  // namespace

void queue_finished_topics(std::uint32_t* rows, std::int64_t stride, std::int32_t topics, cudaStream_t stream) {
  const unsigned blocks = (static_cast<unsigned>(topics) + 3) / 4;
  finish_topics<<<blocks, 128, 0, stream>>>(rows, stride, topics);
  execution::check_launch("adding up counts of counts");
}

void queue_finished_words(const std::uint32_t* rows, std::uint32_t copies, std::int64_t stride, std::uint64_t* from,
                          cudaStream_t stream) {
  finish_words<<<1, 1024, 0, stream>>>(rows, copies, stride, from);
  execution::check_launch("adding up counts of counts");
}

void queue_alpha_search(const AlphaSearch& search, int most_iterations, cudaStream_t stream) {
  const auto blocks = static_cast<unsigned>(search.topics < 65535 ? search.topics : 65535);
  for (int iteration = 0; iteration < most_iterations; ++iteration) {
    begin_alpha_step<<<1, total_threads, 0, stream>>>(search, iteration == 0);
    step_topic<<<blocks, topic_threads, 0, stream>>>(search);
  }
  execution::check_launch("searching priors");
}

void queue_beta_search(const BetaSearch& search, cudaStream_t stream) {
  search_beta<<<1, total_threads, 0, stream>>>(search);
  execution::check_launch("searching priors");
}

}  // namespace papilio::lda
