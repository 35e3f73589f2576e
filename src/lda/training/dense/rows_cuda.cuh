#pragma once

#include <cstdint>

#include "collective/draw_long_rows.cuh"
#include "collective/draw_slots.cuh"
#include "lda/training/dense/parallel_cuda.h"
#include "random/philox.h"
#include "random/uniform.h"
#include "sampling/rows/memory_rows_cuda.cuh"

// Rows of weights theta_dk * phi_wk in the slot order, as sample_categorical draws from them, and what all
// kernels that draw topics do for a token.

namespace papilio::lda {

namespace collective = cuda::collective;
namespace kernel = cuda::sampling_kernel;
using collective::all_threads;

// Which vectors of a row of 4 G N topics may extend past its end.
enum class PastEnd : std::uint8_t { none, last, any };

// The provider of a batch of tokens of one document: rows of up to 4 G N topics, or the segments of longer rows. Rows
// are padded with zeros up to their strides.
template <int G, int N, int T, PastEnd past_end>
struct TopicRows {
  using Sum = float;
  using Element = kernel::Product<float>;
  // When weights are read again, theta comes from the registers of the thread that owns it if that saves enough
  // memory sectors, otherwise from memory.
  static constexpr bool theta_by_shuffle = N >= 4 && G == 32;

  const TopicDraw& draw;
  const float (&theta)[N][4];  // of this thread's logical lanes
  const float* theta_row;
  const float* phi_row;   // of the token for which this thread searches
  std::uint32_t segment;  // the segment of these topics
  int word;               // of token l of the run
  int first;              // number in the run of the batch's first token
  int here;               // if G = 32: how many tokens the batch has

  __device__ __forceinline__ static const float* phi_of(const TopicDraw& draw, int word, std::uint32_t segment) {
    const auto stride = static_cast<unsigned>(draw.phi_stride);
    return draw.phi + std::uint64_t{static_cast<unsigned>(word)} * stride + segment * collective::segment_size;
  }
  __device__ __forceinline__ static bool inside(const TopicDraw& draw, std::uint32_t segment, int v, unsigned k) {
    if (past_end == PastEnd::none || (past_end == PastEnd::last && v < N - 1)) return true;
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

// A row of any length in which the weight of one topic is changed, for one warp (G = 32, T = 1). theta and phi
// may be memory that the kernel writes.
struct LongTopicRow {
  using Sum = float;
  using Element = kernel::Product<float>;

  const float* theta;
  const float* phi;
  std::int64_t topics;
  std::int64_t padded;     // zeros from `topics` to here, a multiple of 4
  std::int64_t changed;    // the topic whose weight is changed
  float changed_theta;     // theta of this topic
  std::int64_t begin = 0;  // of the segment

  __device__ __forceinline__ static void plain_load(const float* from, float (&to)[4]) {
    const float4 four = *reinterpret_cast<const float4*>(from);
    to[0] = four.x, to[1] = four.y, to[2] = four.z, to[3] = four.w;
  }
  __device__ __forceinline__ void read(std::int64_t k, Element (&e)[4]) const {
    float x[4] = {}, y[4] = {};
    if (k < padded) {
      plain_load(phi + k, x);
      plain_load(theta + k, y);
    }
#pragma unroll
    for (int i = 0; i < 4; ++i) e[i] = {x[i], k + i == changed ? changed_theta : y[i]};
  }

  struct Cursor {
    using Element = kernel::Product<float>;
    const LongTopicRow& row;
    __device__ __forceinline__ void quad(int v, Element (&e)[4]) const {
      row.read(row.begin + 4 * (32 * v + static_cast<int>(threadIdx.x) % 32), e);
    }
  };
  __device__ __forceinline__ Cursor batch_row(int) const { return {*this}; }

  template <int n>
  __device__ __forceinline__ void mine(int v, int lane, int, Element (&e)[n]) const {
    static_assert(n == 4);
    read(begin + 4 * (32 * v + lane), e);
  }

  __device__ __forceinline__ std::int64_t size() const { return topics; }
  __device__ __forceinline__ float weight(std::int64_t k) const {
    return phi[k] * (k == changed ? changed_theta : theta[k]);
  }
  __device__ __forceinline__ const LongTopicRow& row() const { return *this; }

  __device__ __forceinline__ LongTopicRow segment(std::int64_t s) const {
    LongTopicRow later = *this;
    later.begin = s * collective::segment_size;
    return later;
  }
};

// The random numbers of a token: one for its draw, one that decides whether a draw of its old topic is accepted.
struct TokenUniforms {
  double draw;
  double accept;
};
__device__ __forceinline__ TokenUniforms uniforms_of(const TopicDraw& draw, std::uint64_t stream, std::int64_t token) {
  const random::Block block =
      cuda::random::draw_block(draw.seed, stream, static_cast<std::uint64_t>(draw.first_token + token));
  return {cuda::random::uniform53(block.word[0], block.word[1]), cuda::random::uniform53(block.word[2], block.word[3])};
}

// While a token's draw is refused and not yet repeated, z holds its old topic as ~topic.
__device__ __forceinline__ bool is_refused(std::int32_t z) { return z < 0; }

// The weight of a token's old topic without the token, divided by the weight with it.
__device__ __forceinline__ double weight_without_token(const TopicDraw& draw, float theta, float phi,
                                                       std::int32_t topic) {
  const TokenRemoval& removal = draw.removal;
  const double2 mass = reinterpret_cast<const double2*>(removal.masses)[topic];
  const double ratio = phi_ratio(phi, {mass.x, mass.y}, removal.beta);
  return removal.alpha != nullptr ? theta_ratio(theta, removal.alpha[topic]) * ratio : ratio;
}

// Gives a token a new topic, and moves its count.
__device__ __forceinline__ void move_token(const TopicDraw& draw, std::int64_t token, std::int32_t word,
                                           std::int32_t old, std::int32_t topic) {
  std::int32_t* const counts = draw.n_wk + word * draw.n_wk_stride;
  atomicAdd(counts + old, -1);
  atomicAdd(counts + topic, 1);
  draw.z[token] = topic;
}

}  // namespace papilio::lda
