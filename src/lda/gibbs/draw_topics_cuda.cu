#include "lda/gibbs/draw_topics_cuda.h"

#include <algorithm>

#include "collective/draw_long_rows.cuh"
#include "collective/draw_slots.cuh"
#include "execution/cuda/check.h"
#include "random/philox.h"
#include "random/uniform.h"
#include "sampling/memory_rows.cuh"

// Topics of the tokens of documents: weights theta_dk * phi_wk in the slot order, as
// sample_categorical draws them. A group of threads keeps a document's row of theta
// in registers for all of its tokens, so that only phi is read.

namespace papilio::lda {
namespace {

namespace collective = cuda::collective;
namespace kernel = cuda::sampling_kernel;
using collective::all_threads;

constexpr int block_threads = 128;

// Which vectors of a row of 4 G N topics may reach behind its end.
enum class Behind : std::uint8_t { none, last, any };

// Provider of a batch of tokens of one document: rows of up to 4 G N topics, or the
// segments of longer rows. Rows are padded with zeros up to their strides.
template <int G, int N, int T, Behind behind>
struct TopicRows {
  using Sum = float;
  using Element = kernel::Product<float>;
  // Theta's part of what is read again comes from the registers of the thread that
  // owns it where that saves enough sectors, else from memory.
  static constexpr bool theta_by_shuffle = N >= 4 && G == 32;

  const TopicDraw& draw;
  const float (&theta)[N][4];  // of the logical lanes of this thread
  const float* theta_row;
  const float* phi_row;   // of the token that this thread searches
  std::uint32_t segment;  // whose topics these are
  int word;               // of token l of the run
  int first;              // token of the run with which the batch begins
  int here;               // where G = 32: tokens of the batch that are there

  __device__ __forceinline__ static const float* phi_of(const TopicDraw& draw, int word, std::uint32_t segment) {
    const auto stride = static_cast<unsigned>(draw.phi_stride);
    return draw.phi + std::uint64_t{static_cast<unsigned>(word)} * stride + segment * collective::segment_size;
  }
  __device__ __forceinline__ static bool inside(const TopicDraw& draw, std::uint32_t segment, int v, unsigned k) {
    if (behind == Behind::none || (behind == Behind::last && v < N - 1)) return true;
    return k + segment * collective::segment_size < static_cast<unsigned>(draw.phi_stride);
  }

  __device__ __forceinline__ static void load_theta(const TopicDraw& draw, const float* theta_row,
                                                    std::uint32_t segment, float (&theta)[N][4]) {
    const unsigned l = threadIdx.x % G;
#pragma unroll
    for (int v = 0; v < N; ++v) {
      if (inside(draw, segment, v, 4 * (v * G + l)))
        kernel::load<4>(theta_row + 4 * l + 4 * G * v, theta[v]);
      else
        theta[v][0] = theta[v][1] = theta[v][2] = theta[v][3] = 0;
    }
  }

  struct Cursor {
    using Element = kernel::Product<float>;
    const TopicRows& rows;
    const float* phi_row;
    __device__ __forceinline__ void quad(int v, Element (&e)[4]) const {
      const unsigned l = threadIdx.x % G;
      float x[4] = {};
      if (inside(rows.draw, rows.segment, v, 4 * (v * G + l))) kernel::load<4>(phi_row + 4 * l + 4 * G * v, x);
#pragma unroll
      for (int i = 0; i < 4; ++i) e[i] = {x[i], rows.theta[v][i]};
    }
  };

  __device__ __forceinline__ bool has(int q) const { return q < here; }

  __device__ __forceinline__ Cursor batch_row(int q) const {
    return {*this, phi_of(draw, __shfl_sync(all_threads, word, first + q, G), segment)};
  }

  template <int n>
  __device__ __forceinline__ void mine(int v, int lane, int part, Element (&e)[n]) const {
    const unsigned at = 4 * static_cast<unsigned>(lane) + n * static_cast<unsigned>(part);
    const bool there = inside(draw, segment, v, 4 * G * v + at);
    float x[n] = {}, y[n] = {};
    if (there) kernel::load<n>(phi_row + at + 4 * G * v, x);
    if constexpr (theta_by_shuffle) {
      float four[4];
#pragma unroll
      for (int i = 0; i < 4; ++i) four[i] = __shfl_sync(all_threads, theta[v][i], lane, G);
#pragma unroll
      for (int i = 0; i < n; ++i)
#pragma unroll
        for (int p = 0; p < 4 / n; ++p)
          if (part == p) y[i] = four[n * p + i];
    } else {
      if (there) kernel::load<n>(theta_row + at + 4 * G * v, y);
    }
#pragma unroll
    for (int i = 0; i < n; ++i) e[i] = {x[i], y[i]};
  }

  __device__ __forceinline__ kernel::MemoryRow<float, true> row() const {
    const std::uint32_t first = segment * collective::segment_size;
    return {theta_row - first, phi_row - first, 1, draw.topics};
  }
};

__device__ __forceinline__ double uniform_of(const TopicDraw& draw, std::int64_t token) {
  const random::Block block =
      cuda::random::draw_block(draw.seed, draw.stream, static_cast<std::uint64_t>(draw.first_token + token));
  return cuda::random::uniform53(block.word[0], block.word[1]);
}

// Gives a token its new topic, and moves its count where that differs from the old one.
__device__ __forceinline__ void assign(const TopicDraw& draw, std::int64_t token, std::int32_t word,
                                       std::int32_t topic) {
  if (draw.n_wk != nullptr) {
    const std::int32_t old = draw.z[token];
    if (old == topic) return;
    std::int32_t* const counts = draw.n_wk + word * draw.n_wk_stride;
    atomicAdd(counts + old, -1);
    atomicAdd(counts + topic, 1);
  }
  draw.z[token] = topic;
}

// How many blocks a multiprocessor is to hold at once: registers against work in flight.
constexpr int blocks_a_multiprocessor(int G, int N) {
  if (G < 16) return G == 8 && N == 2 ? 6 : 1;
  return G == 32 && N <= 2 ? 8 : N <= 4 ? 7 : 5;
}

// Rows of phi that are loaded before the first is added up.
constexpr int rows_together(int N) { return N <= 3 ? 2 : 1; }

// An item for every group of G threads; topics as in TopicRows, T tokens a batch.
template <int G, int N, int T, Behind behind>
__global__ void __launch_bounds__(block_threads, blocks_a_multiprocessor(G, N)) draw_topics(const TopicDraw draw) {
  using Rows = TopicRows<G, N, T, behind>;
  const int l = static_cast<int>(threadIdx.x) % G, t = l / (G / T);
  const std::int64_t group = (std::int64_t{blockIdx.x} * block_threads + threadIdx.x) / G;
  const TopicItem item = draw.items[group < draw.item_count ? group : draw.item_count - 1];
  const int count = group < draw.item_count ? item.count : 0;
  const int longest = __reduce_max_sync(all_threads, count);  // tells the compiler that the loops are the warp's

  const float* const theta_row = draw.theta + item.document * draw.theta_stride;
  float theta[N][4];
  Rows::load_theta(draw, theta_row, 0, theta);

  for (int run = 0; run < longest; run += G) {
    const int own = run + l < item.count ? run + l : item.count - 1;
    const int word = draw.words[item.first + own];
    const double uniform = uniform_of(draw, item.first + own);
#pragma unroll 1
    for (int first = 0; first < G && run + first < longest; first += T) {
      const int my_word = __shfl_sync(all_threads, word, first + t, G);
      const Rows rows = {draw, theta, theta_row, Rows::phi_of(draw, my_word, 0), 0, word, first, longest - run - first};
      const double u = __shfl_sync(all_threads, uniform, first + t, G);
      collective::DrawnRow drawn;
      if constexpr (G == 32 && N > 1)
        drawn = collective::draw_rows<N, T, rows_together(N)>(rows, u);
      else
        drawn = collective::draw_short_rows<G, N, T>(rows, u);
      if (drawn.owner && run + first + t < count)
        assign(draw, item.first + run + first + t, my_word, static_cast<std::int32_t>(drawn.category));
    }
  }
}

// More than 1,024 topics: an item for a block with a warp for each segment of a row.
template <int T>
__global__ void __launch_bounds__(32 * collective::most_segments_at_once, 2)
    draw_topics_by_segments(const TopicDraw draw) {
  using Rows = TopicRows<32, collective::depths, T, Behind::any>;
  __shared__ float totals[2][collective::most_segments_at_once][T];
  const int thread = static_cast<int>(threadIdx.x) % 32, t = thread / (32 / T);
  const unsigned segment = threadIdx.x / 32, segments = blockDim.x / 32;
  const TopicItem item = draw.items[blockIdx.x];
  const float* const theta_row = draw.theta + item.document * draw.theta_stride + segment * collective::segment_size;
  float theta[collective::depths][4];
  Rows::load_theta(draw, theta_row, segment, theta);

  const int count = __reduce_max_sync(all_threads, item.count);  // the warp's, as in draw_topics
  int turn = 0;
  for (int run = 0; run < count; run += 32) {
    const int own = run + thread < item.count ? run + thread : item.count - 1;
    const int word = draw.words[item.first + own];
    const double uniform = uniform_of(draw, item.first + own);
#pragma unroll 1
    for (int first = 0; first < 32 && run + first < count; first += T) {
      const int my_word = __shfl_sync(all_threads, word, first + t);
      const Rows rows = {draw,    theta, theta_row, Rows::phi_of(draw, my_word, segment),
                         segment, word,  first,     count - run - first};
      const double u = __shfl_sync(all_threads, uniform, first + t);
      turn ^= 1;  // the other half of the totals, so that one barrier a batch is enough
      const collective::DrawnRow drawn = collective::draw_by_segments<T, 1>(rows, segment, segments, u, totals[turn]);
      if (drawn.owner && run + first + t < count)
        assign(draw, item.first + run + first + t, my_word, static_cast<std::int32_t>(drawn.category));
    }
  }
}

// Still more topics: a token after the other, by a whole warp.
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
    const collective::DrawnRow drawn = collective::draw_long_row(rows, uniform_of(draw, item.first + i));
    if (drawn.owner) assign(draw, item.first + i, word, static_cast<std::int32_t>(drawn.category));
  }
}

template <int G, int N, int T>
void queue(const TopicDraw& draw, cudaStream_t stream) {
  const std::int64_t threads = draw.item_count * G;
  const auto blocks = static_cast<unsigned>((threads + block_threads - 1) / block_threads);
  if (draw.phi_stride == 4 * G * N)
    draw_topics<G, N, T, Behind::none><<<blocks, block_threads, 0, stream>>>(draw);
  else
    draw_topics<G, N, T, Behind::last><<<blocks, block_threads, 0, stream>>>(draw);
}

// The measured choice of threads a token, vectors a thread and tokens a batch.
void queue_by_topics(const TopicDraw& draw, cudaStream_t stream) {
  if (draw.topics <= 16) return queue<4, 1, 4>(draw, stream);
  if (draw.topics <= 32) return queue<8, 1, 8>(draw, stream);
  if (draw.topics <= 48) return queue<4, 3, 4>(draw, stream);
  if (draw.topics <= 64) return queue<8, 2, 8>(draw, stream);
  if (draw.topics <= 128) return queue<16, 2, 16>(draw, stream);
  switch ((draw.topics + collective::slots - 1) / collective::slots) {
    case 2:
      return queue<32, 2, 16>(draw, stream);
    case 3:
      return queue<32, 3, 16>(draw, stream);
    case 4:
      return queue<32, 4, 16>(draw, stream);
    case 5:
      return queue<32, 5, 8>(draw, stream);
    case 6:
      return queue<32, 6, 8>(draw, stream);
    case 7:
      return queue<32, 7, 8>(draw, stream);
    default:
      return queue<32, 8, 8>(draw, stream);
  }
}

}  // namespace

std::int32_t tokens_an_item(std::int32_t topics) { return topics <= 16 ? 32 : topics <= 64 ? 64 : 128; }

void order_items(TopicItem* items, std::int64_t count) {
  std::stable_sort(items, items + count, [](const TopicItem& a, const TopicItem& b) { return a.count > b.count; });
}

void queue_topic_draws(const TopicDraw& draw, void* cuda_stream) {
  if (draw.item_count == 0) return;
  const auto stream = static_cast<cudaStream_t>(cuda_stream);
  const int segments = (draw.topics + collective::segment_size - 1) / collective::segment_size;
  if (segments == 1) {
    queue_by_topics(draw, stream);
  } else if (segments <= collective::most_segments_at_once) {
    draw_topics_by_segments<8><<<static_cast<unsigned>(draw.item_count), 32 * segments, 0, stream>>>(draw);
  } else {
    const auto blocks = static_cast<unsigned>((32 * draw.item_count + block_threads - 1) / block_threads);
    draw_many_topics<<<blocks, block_threads, 0, stream>>>(draw);
  }
  execution::check_launch("drawing topics");
}

}  // namespace papilio::lda
