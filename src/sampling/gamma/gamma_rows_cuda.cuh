#pragma once

#include <cstdint>

#include "random/gamma.h"
#include "warp/cuda_warp.cuh"

// Rows of gamma draws by the warps of a CUDA device, with the same bits as those of sampling/gamma/gamma_rows.h.

namespace papilio::inline PAPILIO_TARGET::sampling_kernel {

// A warp's entries whose candidate the squeeze has not accepted, gathered until they fill its
// lanes. This is in shared memory; the caller keeps their count, which is the same in all lanes.
struct PendingGammas {
  static constexpr int room = random::gamma_tile + 32;
  std::uint32_t column[room];
  std::uint32_t attempt[room];
  float d[room];
  float y[room];
  float u[room];
  float power[room];
};

namespace gamma_rows {

using W = warp::CudaWarp<32>;

// Adds the entries of the lanes with `wait` to those that are pending.
__device__ __forceinline__ void add(PendingGammas& pending, int& count, bool wait, std::uint32_t column,
                                    std::uint32_t attempt, const random::GammaCandidate<W>& candidate, float power) {
  const auto waiting = static_cast<std::uint32_t>(W::bits({wait}));
  if (wait) {
    const int at = count + __popc(waiting & ((1u << W::lane_id()) - 1));
    pending.column[at] = column;
    pending.attempt[at] = attempt;
    pending.d[at] = candidate.d;
    pending.y[at] = candidate.y;
    pending.u[at] = candidate.u;
    pending.power[at] = power;
  }
  count += __popc(waiting);
}

// Decides the candidates of up to 32 entries. An entry whose candidate is
// refused gets its next candidate, and stays unless the squeeze accepts that.
__device__ __forceinline__ void decide(PendingGammas& pending, int& count, const random::GammaBlocks& blocks,
                                       float* drawn) {
  const int used = min(count, 32);
  count -= used;
  __syncwarp();
  const int at = count + W::lane_id();
  const std::uint32_t column = pending.column[at], attempt = pending.attempt[at] + 1;
  const random::GammaCandidate<W> candidate = {pending.d[at], pending.y[at], pending.u[at]};
  const float power = pending.power[at];
  __syncwarp();
  const bool accepted = random::accepted_exactly<W>(candidate).on;
  const auto block = random::gamma_retry_block<W>(blocks, column, attempt);
  const float normal = random::normal_pair<W>(block.word[0], block.word[1]).first;
  const auto next = random::gamma_candidate<W>(candidate.d, normal, block.word[2]);
  const bool done = accepted || random::accepted_by_squeeze<W>(next).on;
  const bool mine = W::lane_id() < used;
  const float value = accepted ? random::gamma_value<W>(candidate) : random::gamma_value<W>(next);
  if (mine && done) drawn[column] = value * power;
  add(pending, count, mine && !done, column, attempt, next, power);
}

}  // namespace gamma_rows

// One warp draws the tiles of 128 columns first_tile, first_tile + tile_step, ... of
// a row: drawn[k] for first <= k < columns, where first = 128 first_tile. shape(k) is
// called once per column, before anything is written to drawn[k]; inverse(k) is gamma_inverse of the shape if that is
// below 1. A shape that is NaN gives NaN.
template <class Shape, class Inverse>
__device__ __forceinline__ void draw_gamma_tiles(const random::GammaBlocks& blocks, std::int32_t first_tile,
                                                 std::int32_t tile_step, std::int32_t columns, PendingGammas& pending,
                                                 const Shape& shape, const Inverse& inverse, float* drawn) {
  using gamma_rows::W;
  using random::GammaPart;
  const int lane = W::lane_id();
  int count = 0;
  const std::int64_t step = std::int64_t{tile_step} * random::gamma_tile;  // past 2^31 - 1 columns in 64 bits
  for (std::int64_t tile = std::int64_t{first_tile} * random::gamma_tile; tile < columns; tile += step) {
    const auto first = static_cast<std::int32_t>(tile);
    float a[4], power[4];
    bool below_one = false;
    PAPILIO_UNROLL
    for (int i = 0; i < 4; ++i) {
      const std::int32_t k = first + 32 * i + lane;
      const float given = k < columns ? shape(k) : 1.0f;
      const bool is_number = given == given;
      a[i] = is_number ? given : 1.0f;
      power[i] = is_number ? 1.0f : given;
      below_one |= a[i] < 1;
    }
    const auto group = static_cast<std::uint32_t>(first / 4 + lane);
    const auto normals = random::four_normals<W>(random::gamma_block<W>(blocks, GammaPart::normal, group));
    const auto acceptance = random::gamma_block<W>(blocks, GammaPart::acceptance, group);
    if (__any_sync(warp::all_threads, below_one)) {
      const auto words = random::gamma_block<W>(blocks, GammaPart::power, group);
      PAPILIO_UNROLL
      for (int i = 0; i < 4; ++i) {
        const std::int32_t k = first + 32 * i + lane;
        const float factor = random::gamma_power<W>(inverse(k < columns ? k : columns - 1), words.word[i]);
        if (a[i] < 1) power[i] = factor;
      }
    }
    PAPILIO_UNROLL
    for (int i = 0; i < 4; ++i) {
      const std::int32_t k = first + 32 * i + lane;
      const auto candidate = random::gamma_candidate<W>(random::gamma_d<W>(a[i]), normals.at[i], acceptance.word[i]);
      const bool accepted = random::accepted_by_squeeze<W>(candidate).on;
      if (k < columns && accepted) drawn[k] = random::gamma_value<W>(candidate) * power[i];
      gamma_rows::add(pending, count, k < columns && !accepted, static_cast<std::uint32_t>(k), 0, candidate, power[i]);
    }
    const bool last = tile + step >= columns;
    while (count >= (last ? 1 : 32)) gamma_rows::decide(pending, count, blocks, drawn);
  }
}

}  // namespace papilio::inline PAPILIO_TARGET::sampling_kernel
