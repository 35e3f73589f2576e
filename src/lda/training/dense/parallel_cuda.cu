#include "lda/training/dense/parallel_cuda.h"

#include <algorithm>

#include "base/math.h"
#include "execution/cuda/check.h"
#include "lda/training/dense/rows_cuda.cuh"
#include "lda/training/dense/shapes_cuda.h"

// Draws the topics of documents' tokens. A group of threads keeps a document's row of theta in registers for all of
// its tokens, so that only phi is read.

namespace papilio::lda {
namespace {

constexpr int block_threads = 128;

// Stores the topic that a token drew. If tokens are taken out of the counts, a token may be
// refused instead; it is then marked.
template <bool removes>
__device__ __forceinline__ void finish(const TopicDraw& draw, const float* theta_row, std::int64_t token,
                                       std::int32_t word, double accept, std::int32_t topic) {
  if (removes || draw.n_wk != nullptr) {
    const std::int32_t old = draw.z[token];
    if (topic != old) return move_token(draw, token, word, old, topic);
    if constexpr (removes) {
      const float theta = theta_row[old], phi = draw.phi[word * draw.phi_stride + old];
      if (!(accept < weight_without_token(draw, theta, phi, old))) draw.z[token] = ~old;
    }
  } else {
    draw.z[token] = topic;
  }
}

// Each group of G threads has an item; topics are laid out as in TopicRows, with T tokens per batch.
template <int G, int N, int T, int blocks, int together, PastEnd past_end, bool removes>
__global__ void __launch_bounds__(block_threads, blocks) draw_topics(const TopicDraw draw) {
  using Rows = TopicRows<G, N, T, past_end>;
  const int l = static_cast<int>(threadIdx.x) % G, t = l / (G / T);
  const std::int64_t group = (std::int64_t{blockIdx.x} * block_threads + threadIdx.x) / G;
  const TopicItem item = draw.items[group < draw.item_count ? group : draw.item_count - 1];
  const int count = group < draw.item_count ? item.count : 0;
  const int longest = __reduce_max_sync(all_threads, count);  // tells the compiler that loops are uniform in the warp

  const float* const theta_row = draw.theta + item.document * draw.theta_stride;
  float theta[N][4];
  Rows::load_theta(draw, theta_row, 0, theta);

  for (int run = 0; run < longest; run += G) {
    const int own = run + l < item.count ? run + l : item.count - 1;
    const int word = draw.words[item.first + own];
    const TokenUniforms uniforms = uniforms_of(draw, draw.stream, item.first + own);
#pragma unroll 1
    for (int first = 0; first < G && run + first < longest; first += T) {
      const int my_word = __shfl_sync(all_threads, word, first + t, G);
      const Rows rows = {draw, theta, theta_row, Rows::phi_of(draw, my_word, 0), 0, word, first, longest - run - first};
      const double u = __shfl_sync(all_threads, uniforms.draw, first + t, G);
      const double accept = removes ? __shfl_sync(all_threads, uniforms.accept, first + t, G) : 0;
      collective::DrawnRow drawn;
      if constexpr (G == 32 && N > 1)
        drawn = collective::draw_rows<N, T, together>(rows, u);
      else
        drawn = collective::draw_short_rows<G, N, T>(rows, u);
      if (drawn.owner && run + first + t < count)
        finish<removes>(draw, theta_row, item.first + run + first + t, my_word, accept,
                        static_cast<std::int32_t>(drawn.category));
    }
  }
}

// For more than 1,024 topics, at most 1,024 + 128 N: a warp has an item.
template <int N, int T, int blocks, bool removes>
__global__ void __launch_bounds__(block_threads, blocks) draw_topics_of_two_segments(const TopicDraw draw) {
  using Rows = TopicRows<32, collective::depths, T, PastEnd::none>;
  using Last = TopicRows<32, N, T, PastEnd::any>;
  const int thread = static_cast<int>(threadIdx.x) % 32, t = thread / (32 / T);
  const std::int64_t group = (std::int64_t{blockIdx.x} * block_threads + threadIdx.x) / 32;
  if (group >= draw.item_count) return;
  const TopicItem item = draw.items[group];
  const float* const theta_row = draw.theta + item.document * draw.theta_stride;
  float theta[collective::depths][4], last_theta[N][4];
  Rows::load_theta(draw, theta_row, 0, theta);
  Last::load_theta(draw, theta_row + collective::segment_size, 1, last_theta);

  const int count = __reduce_max_sync(all_threads, item.count);  // uniform in the warp, as in draw_topics
  for (int run = 0; run < count; run += 32) {
    const int own = run + thread < item.count ? run + thread : item.count - 1;
    const int word = draw.words[item.first + own];
    const TokenUniforms uniforms = uniforms_of(draw, draw.stream, item.first + own);
#pragma unroll 1
    for (int first = 0; first < 32 && run + first < count; first += T) {
      const int my_word = __shfl_sync(all_threads, word, first + t), here = count - run - first;
      const Rows rows = {draw, theta, theta_row, Rows::phi_of(draw, my_word, 0), 0, word, first, here};
      const Last last = {
          draw, last_theta, theta_row + collective::segment_size, Last::phi_of(draw, my_word, 1), 1, word, first, here};
      const double u = __shfl_sync(all_threads, uniforms.draw, first + t);
      const double accept = removes ? __shfl_sync(all_threads, uniforms.accept, first + t) : 0;
      const collective::DrawnRow drawn = collective::draw_two_segments<N, T>(rows, last, u);
      if (drawn.owner && run + first + t < count)
        finish<removes>(draw, theta_row, item.first + run + first + t, my_word, accept,
                        static_cast<std::int32_t>(drawn.category));
    }
  }
}

// For more topics: a block has an item, with a warp for each segment of a row.
template <int T, bool removes>
__global__ void __launch_bounds__(32 * collective::most_segments_at_once, 2)
    draw_topics_by_segments(const TopicDraw draw) {
  using Rows = TopicRows<32, collective::depths, T, PastEnd::any>;
  __shared__ float totals[2][collective::most_segments_at_once][T];
  const int thread = static_cast<int>(threadIdx.x) % 32, t = thread / (32 / T);
  const unsigned segment = threadIdx.x / 32, segments = blockDim.x / 32;
  const TopicItem item = draw.items[blockIdx.x];
  const float* const theta_row = draw.theta + item.document * draw.theta_stride + segment * collective::segment_size;
  float theta[collective::depths][4];
  Rows::load_theta(draw, theta_row, segment, theta);

  const int count = __reduce_max_sync(all_threads, item.count);  // uniform in the warp, as in draw_topics
  int turn = 0;
  for (int run = 0; run < count; run += 32) {
    const int own = run + thread < item.count ? run + thread : item.count - 1;
    const int word = draw.words[item.first + own];
    const TokenUniforms uniforms = uniforms_of(draw, draw.stream, item.first + own);
#pragma unroll 1
    for (int first = 0; first < 32 && run + first < count; first += T) {
      const int my_word = __shfl_sync(all_threads, word, first + t);
      const Rows rows = {draw,    theta, theta_row, Rows::phi_of(draw, my_word, segment),
                         segment, word,  first,     count - run - first};
      const double u = __shfl_sync(all_threads, uniforms.draw, first + t);
      const double accept = removes ? __shfl_sync(all_threads, uniforms.accept, first + t) : 0;
      turn ^= 1;  // use the other half of the totals, so that one barrier per batch is enough
      const collective::DrawnRow drawn =
          collective::draw_by_segments<T, 1, true>(rows, segment, segments, u, totals[turn]);
      if (drawn.owner && run + first + t < count)
        finish<removes>(draw, theta_row - segment * collective::segment_size, item.first + run + first + t, my_word,
                        accept, static_cast<std::int32_t>(drawn.category));
    }
  }
}

// For even more topics: a warp draws one token after another.
template <bool removes>
__global__ void __launch_bounds__(block_threads, 4) draw_many_topics(const TopicDraw draw) {
  const std::int64_t group = (std::int64_t{blockIdx.x} * block_threads + threadIdx.x) / 32;
  if (group >= draw.item_count) return;
  const TopicItem item = draw.items[group];
  for (int i = 0; i < item.count; ++i) {
    const std::int32_t word = draw.words[item.first + i];
    const kernel::MemoryRow<float, true> row = {draw.theta + item.document * draw.theta_stride,
                                                draw.phi + word * draw.phi_stride, 1, draw.topics};
    unsigned signs = 0;
    const kernel::MemoryRows<float, true, true, false, 32, 1> rows(row, signs);
    const TokenUniforms uniforms = uniforms_of(draw, draw.stream, item.first + i);
    const collective::DrawnRow drawn = collective::draw_long_row(rows, uniforms.draw);
    if (drawn.owner)
      finish<removes>(draw, row.left, item.first + i, word, uniforms.accept, static_cast<std::int32_t>(drawn.category));
  }
}

template <bool removes>
bool queue_by_shape(const TopicDraw& draw, cudaStream_t stream) {
  return with_shape<parallel_shapes>(draw.topics, [&]<std::size_t i>() {
    constexpr ParallelShape s = parallel_shapes[i];
    const auto blocks = static_cast<unsigned>(base::ceil_div<std::int64_t>(draw.item_count * s.G, block_threads));
    if (draw.phi_stride == 4 * s.G * s.N) {
      draw_topics<s.G, s.N, s.T, s.blocks, s.together, PastEnd::none, removes>
          <<<blocks, block_threads, 0, stream>>>(draw);
    } else {
      draw_topics<s.G, s.N, s.T, s.blocks, s.together, PastEnd::last, removes>
          <<<blocks, block_threads, 0, stream>>>(draw);
    }
  });
}

template <bool removes>
bool queue_by_two_segments(const TopicDraw& draw, cudaStream_t stream) {
  return with_shape<two_segment_shapes>(draw.topics, [&]<std::size_t i>() {
    constexpr TwoSegmentShape s = two_segment_shapes[i];
    const auto blocks = static_cast<unsigned>(base::ceil_div<std::int64_t>(draw.item_count * 32, block_threads));
    draw_topics_of_two_segments<s.N, 8, s.blocks, removes><<<blocks, block_threads, 0, stream>>>(draw);
  });
}

template <bool removes>
void queue_draws(const TopicDraw& draw, cudaStream_t stream) {
  if (!queue_by_shape<removes>(draw, stream) && !queue_by_two_segments<removes>(draw, stream)) {
    const int segments = (draw.topics + collective::segment_size - 1) / collective::segment_size;
    if (segments <= collective::most_segments_at_once) {
      draw_topics_by_segments<8, removes><<<static_cast<unsigned>(draw.item_count), 32 * segments, 0, stream>>>(draw);
    } else {
      const auto blocks = static_cast<unsigned>(base::ceil_div<std::int64_t>(32 * draw.item_count, block_threads));
      draw_many_topics<removes><<<blocks, block_threads, 0, stream>>>(draw);
    }
  }
  execution::check_launch("drawing topics");
}

}  // namespace

void queue_parallel_draws(const TopicDraw& draw, void* cuda_stream) {
  if (draw.item_count == 0) return;
  const auto stream = static_cast<cudaStream_t>(cuda_stream);
  if (draw.removal.masses == nullptr || draw.topics == 1) return queue_draws<false>(draw, stream);
  queue_draws<true>(draw, stream);
  queue_second_draws(draw, stream);
}

}  // namespace papilio::lda
