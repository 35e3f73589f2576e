#include "base/math.h"
#include "execution/cuda/check.h"
#include "lda/training/dense/rows_cuda.cuh"
#include "lda/training/dense/shapes_cuda.h"

// The second draws of tokens that drew their old topic and were refused: they are made
// from the row without the token. A group of threads first finds the refused tokens of an
// item, then draws them together.

namespace papilio::lda {
namespace {

constexpr int block_threads = 128;

// The provider of a batch: like TopicRows, but theta of each token's old topic is changed.
template <int G, int N, int T, PastEnd past_end>
struct RowsWithoutToken {
  using Sum = float;
  using Element = kernel::Product<float>;
  using Rows = TopicRows<G, N, T, past_end>;
  static constexpr int threads_per_row = G / T;

  const TopicDraw& draw;
  const float (&theta)[N][4];
  const float* theta_row;  // of this segment
  std::uint32_t segment;
  int word;  // of the token for which this thread searches
  int old;   // its place in the segment, if it is in it
  float old_theta;
  int here;

  struct Cursor {
    using Element = kernel::Product<float>;
    const RowsWithoutToken& rows;
    const float* phi_row;
    int old;
    float old_theta;
    __device__ __forceinline__ void quad(int v, Element (&e)[4]) const {
      const int k = 4 * (v * G + static_cast<int>(threadIdx.x) % G);
      float x[4] = {};
      if (rows.inside(v, k)) kernel::load<4>(phi_row + k, x);
#pragma unroll
      for (int i = 0; i < 4; ++i) e[i] = {x[i], k + i == old ? old_theta : rows.theta[v][i]};
    }
  };

  __device__ __forceinline__ bool inside(int v, int k) const {
    return Rows::inside(draw, segment, v, static_cast<unsigned>(k));
  }
  __device__ __forceinline__ bool has(int q) const { return q < here; }

  __device__ __forceinline__ Cursor batch_row(int q) const {
    const int from = q * threads_per_row;
    return {*this, Rows::phi_of(draw, __shfl_sync(all_threads, word, from, G), segment),
            __shfl_sync(all_threads, old, from, G), __shfl_sync(all_threads, old_theta, from, G)};
  }

  template <int n>
  __device__ __forceinline__ void mine(int v, int lane, int part, Element (&e)[n]) const {
    const int k = 4 * (v * G + lane) + n * part;
    float x[n] = {}, y[n] = {};
    if (inside(v, k)) {
      kernel::load<n>(Rows::phi_of(draw, word, segment) + k, x);
      kernel::load<n>(theta_row + k, y);
    }
#pragma unroll
    for (int i = 0; i < n; ++i) e[i] = {x[i], k + i == old ? old_theta : y[i]};
  }

  __device__ __forceinline__ LongTopicRow row() const {
    const int first = static_cast<int>(segment) * collective::segment_size;
    return {theta_row - first, Rows::phi_of(draw, word, 0), draw.topics, draw.phi_stride, old + first, old_theta};
  }
};

__device__ __forceinline__ float old_theta_without_token(const TopicDraw& draw, float theta, std::int32_t word,
                                                         std::int32_t old) {
  const float phi = draw.phi[word * draw.phi_stride + old];
  return theta_without_token(theta, weight_without_token(draw, theta, phi, old));
}

// Sets the token's final topic, which is the old one if the row has no positive weight.
__device__ __forceinline__ void finish(const TopicDraw& draw, std::int64_t token, std::int32_t word, std::int32_t old,
                                       const collective::DrawnRow& drawn) {
  const auto topic = drawn.total > 0 ? static_cast<std::int32_t>(drawn.category) : old;
  if (topic == old)
    draw.z[token] = old;
  else
    move_token(draw, token, word, old, topic);
}

// The threads of a group write the places of an item's refused tokens to `places`,
// and return how many there are.
template <int G>
__device__ __forceinline__ int refused_tokens(const TopicDraw& draw, const TopicItem& item, int count, int longest,
                                              std::uint8_t* places) {
  const int thread = static_cast<int>(threadIdx.x) % 32, l = thread % G;
  int refused = 0;
  for (int run = 0; run < longest; run += G) {
    const bool is = run + l < count && is_refused(draw.z[item.first + run + l]);
    const unsigned group = __ballot_sync(all_threads, is) >> (thread - l) & (all_threads >> (32 - G));
    if (is) places[refused + __popc(group & ((1u << l) - 1))] = static_cast<std::uint8_t>(run + l);
    refused += __popc(group);
  }
  __syncwarp();
  return refused;
}

// The refused token for which a thread searches, or any token of the item if there are too few refused ones.
struct RefusedToken {
  bool is_there;
  std::int64_t token;
  int word, old;
  float old_theta;

  __device__ __forceinline__ RefusedToken(const TopicDraw& draw, const TopicItem& item, const float* theta_row,
                                          const std::uint8_t* places, int place, int refused)
      : is_there(place < refused),
        token(item.first + (is_there ? places[place] : 0)),
        word(draw.words[token]),
        old(is_there ? ~draw.z[token] : 0),
        old_theta(old_theta_without_token(draw, theta_row[old], word, old)) {}
};

// Each group of G threads has an item of at most `tokens` <= 256 tokens; topics are laid out as in
// TopicRows, with T tokens per batch.
template <int G, int N, int T, int tokens>
__global__ void __launch_bounds__(block_threads) draw_refused(const TopicDraw draw) {
  __shared__ std::uint8_t places_of_groups[block_threads / G][tokens];
  std::uint8_t* const places = places_of_groups[threadIdx.x / G];
  const int l = static_cast<int>(threadIdx.x) % G, t = l / (G / T);
  const std::int64_t group = (std::int64_t{blockIdx.x} * block_threads + threadIdx.x) / G;
  const TopicItem item = draw.items[group < draw.item_count ? group : draw.item_count - 1];
  const int count = group < draw.item_count ? item.count : 0;
  const int longest = __reduce_max_sync(all_threads, count);
  const int refused = refused_tokens<G>(draw, item, count, longest, places);
  const int most_refused = __reduce_max_sync(all_threads, refused);
  if (most_refused == 0) return;

  const float* const theta_row = draw.theta + item.document * draw.theta_stride;
  float theta[N][4];
  TopicRows<G, N, T, PastEnd::any>::load_theta(draw, theta_row, 0, theta);
#pragma unroll 1
  for (int first = 0; first < most_refused; first += T) {
    const RefusedToken mine(draw, item, theta_row, places, first + t, refused);
    const RowsWithoutToken<G, N, T, PastEnd::any> rows = {draw,      theta,    theta_row,      0,
                                                          mine.word, mine.old, mine.old_theta, most_refused - first};
    const double u = uniforms_of(draw, draw.removal.stream, mine.token).draw;
    collective::DrawnRow drawn;
    if constexpr (G == 32)
      drawn = collective::draw_rows<N, T, 1>(rows, u);
    else
      drawn = collective::draw_short_rows<G, N, T>(rows, u);
    if (drawn.owner && mine.is_there) finish(draw, mine.token, mine.word, mine.old, drawn);
  }
}

// For more than 1,024 topics, at most 1,024 + 128 N: a warp has an item.
template <int N, int T, int tokens, int blocks>
__global__ void __launch_bounds__(block_threads, blocks) draw_refused_of_two_segments(const TopicDraw draw) {
  using Rows = RowsWithoutToken<32, collective::depths, T, PastEnd::none>;
  using Last = RowsWithoutToken<32, N, T, PastEnd::any>;
  __shared__ std::uint8_t places_of_warps[block_threads / 32][tokens];
  std::uint8_t* const places = places_of_warps[threadIdx.x / 32];
  const int t = static_cast<int>(threadIdx.x) % 32 / (32 / T);
  const std::int64_t group = (std::int64_t{blockIdx.x} * block_threads + threadIdx.x) / 32;
  if (group >= draw.item_count) return;
  const TopicItem item = draw.items[group];
  const int count = __reduce_max_sync(all_threads, item.count);
  const int refused = __reduce_max_sync(all_threads, refused_tokens<32>(draw, item, count, count, places));
  if (refused == 0) return;

  const float* const theta_row = draw.theta + item.document * draw.theta_stride;
  const float* const last_theta_row = theta_row + collective::segment_size;
  float theta[collective::depths][4], last_theta[N][4];
  Rows::Rows::load_theta(draw, theta_row, 0, theta);
  Last::Rows::load_theta(draw, last_theta_row, 1, last_theta);
#pragma unroll 1
  for (int first = 0; first < refused; first += T) {
    const RefusedToken mine(draw, item, theta_row, places, first + t, refused);
    const Rows rows = {draw, theta, theta_row, 0, mine.word, mine.old, mine.old_theta, refused - first};
    const int old_in_last = mine.old - collective::segment_size;
    const Last last = {draw, last_theta, last_theta_row, 1, mine.word, old_in_last, mine.old_theta, refused - first};
    const collective::DrawnRow drawn =
        collective::draw_two_segments<N, T>(rows, last, uniforms_of(draw, draw.removal.stream, mine.token).draw);
    if (drawn.owner && mine.is_there) finish(draw, mine.token, mine.word, mine.old, drawn);
  }
}

// For more topics: a warp has an item, and draws token by token.
__global__ void __launch_bounds__(block_threads) draw_refused_of_many_topics(const TopicDraw draw) {
  const int thread = static_cast<int>(threadIdx.x) % 32;
  const std::int64_t group = (std::int64_t{blockIdx.x} * block_threads + threadIdx.x) / 32;
  if (group >= draw.item_count) return;
  const TopicItem item = draw.items[group];
  const float* const theta_row = draw.theta + item.document * draw.theta_stride;
  const int count = __reduce_max_sync(all_threads, item.count);
  for (int run = 0; run < count; run += 32) {
    const bool is = run + thread < count && is_refused(draw.z[item.first + run + thread]);
    for (unsigned left = __ballot_sync(all_threads, is); left != 0; left &= left - 1) {
      const std::int64_t token = item.first + run + __ffs(static_cast<int>(left)) - 1;
      const std::int32_t word = draw.words[token], old = ~draw.z[token];
      const LongTopicRow row = {theta_row,   draw.phi + word * draw.phi_stride,
                                draw.topics, draw.phi_stride,
                                old,         old_theta_without_token(draw, theta_row[old], word, old)};
      const collective::DrawnRow drawn =
          collective::draw_long_row(row, uniforms_of(draw, draw.removal.stream, token).draw);
      __syncwarp();  // all threads have read z
      if (drawn.owner) finish(draw, token, word, old, drawn);
    }
  }
}

unsigned blocks_for(std::int64_t threads) {
  return static_cast<unsigned>(base::ceil_div<std::int64_t>(threads, block_threads));
}

bool queue_refused_by_shape(const TopicDraw& draw, cudaStream_t stream) {
  return with_shape<removal_shapes>(draw.topics, [&]<std::size_t i>() {
    constexpr RemovalShape s = removal_shapes[i];
    draw_refused<s.G, s.N, s.T, tokens_per_item(s.topics)>
        <<<blocks_for(draw.item_count * s.G), block_threads, 0, stream>>>(draw);
  });
}

bool queue_refused_by_two_segments(const TopicDraw& draw, cudaStream_t stream) {
  return with_shape<two_segment_shapes>(draw.topics, [&]<std::size_t i>() {
    constexpr TwoSegmentShape s = two_segment_shapes[i];
    draw_refused_of_two_segments<s.N, 8, tokens_per_item_of_many_topics, s.blocks_of_second_draws>
        <<<blocks_for(draw.item_count * 32), block_threads, 0, stream>>>(draw);
  });
}

}  // namespace

void queue_second_draws(const TopicDraw& draw, void* cuda_stream) {
  const auto stream = static_cast<cudaStream_t>(cuda_stream);
  if (!queue_refused_by_shape(draw, stream) && !queue_refused_by_two_segments(draw, stream)) {
    draw_refused_of_many_topics<<<blocks_for(draw.item_count * 32), block_threads, 0, stream>>>(draw);
  }
  execution::check_launch("drawing topics once more");
}

}  // namespace papilio::lda
