#pragma once

#include <cstdint>

#include "collective/draw.h"
#include "collective/partial_sums/butterfly.h"
#include "collective/partial_sums/transposed.h"
#include "random/uniform_lanes.h"
#include "sampling/row_batch.h"
#include "sampling/sample_categorical_kernel.h"
#include "warp/native_warp.h"

// Draws a batch by the methods of the papers, 32 rows at a time in blocks of 32
// categories on every target.

namespace papilio::inline PAPILIO_TARGET::sampling_kernel {

// Lanes of the papers' warps, on every target.
inline constexpr int block_lanes = 32;
using BlockWarp = warp::SimdWarp<block_lanes, warp::register_bytes>;

// Where a method lists its table; see collective/draw.h.
template <PartialSums method, class T>
struct BlockMethod;
template <class T>
struct BlockMethod<PartialSums::prefix, T> {
  static constexpr std::int64_t table_size(std::int64_t blocks) {
    return collective::PrefixSums<BlockWarp, T>::table_size(blocks);
  }
  template <class Rows, class U>
  PAPILIO_LANEWISE static auto draw(const Rows& rows, U u, T* memory) {
    return collective::draw_by_prefix<BlockWarp>(rows, u, memory);
  }
};
template <class T>
struct BlockMethod<PartialSums::butterfly_two_pass, T> {
  static constexpr std::int64_t table_size(std::int64_t blocks) { return collective::two_pass_size<BlockWarp>(blocks); }
  template <class Rows, class U>
  PAPILIO_LANEWISE static auto draw(const Rows& rows, U u, T* memory) {
    return collective::draw_by_two_passes<BlockWarp>(rows, u, memory);
  }
};
template <class Sums, class T>
struct TableMethod {
  static constexpr std::int64_t table_size(std::int64_t blocks) { return Sums::table_size(blocks); }
  template <class Rows, class U>
  PAPILIO_LANEWISE static auto draw(const Rows& rows, U u, T* memory) {
    return collective::draw_by_blocks<BlockWarp, Sums>(rows, u, memory);
  }
};
template <class T>
struct BlockMethod<PartialSums::transposed, T>
    : TableMethod<collective::TransposedSums<BlockWarp, T, collective::Transposition::in_registers>, T> {};
template <class T>
struct BlockMethod<PartialSums::transposed_through_scratch, T>
    : TableMethod<collective::TransposedSums<BlockWarp, T, collective::Transposition::through_scratch>, T> {};
template <class T>
struct BlockMethod<PartialSums::butterfly_swap, T>
    : TableMethod<collective::ButterflySums<BlockWarp, T, collective::ButterflyForm::swap>, T> {};
template <class T>
struct BlockMethod<PartialSums::butterfly_add_subtract, T>
    : TableMethod<collective::ButterflySums<BlockWarp, T, collective::ButterflyForm::add_subtract>, T> {};

// As in the papers, u has the bits of the weights' type: 24 or 53.
template <class W, class T>
PAPILIO_LANEWISE warp::Lanes<W, T> uniforms_of_type(std::uint64_t seed, std::uint64_t stream,
                                                    const std::uint64_t* ids) {
  if constexpr (sizeof(T) == 8) {
    return uniforms<W>(seed, stream, ids);
  } else {
    const auto high = random_words<W>(seed, stream, ids).word[1];
    return W::template convert<float>(W::template convert<std::int32_t>(high >> 8u)) * 0x1p-24f;
  }
}

template <PartialSums method, class Rows, class T = typename Rows::Weight>
[[gnu::noinline]] void draw_batch_by_blocks(const Rows& rows, const RowBatch<T>& batch, std::int64_t* drawn,
                                            DrawStatus* status) {
  using W = BlockWarp;
  for (std::int64_t tile = 0; tile < batch.count; tile += W::width) {
    const Rows here = rows.from(tile);
    const auto u = uniforms_of_type<W, T>(batch.seed, batch.stream, batch.ids + tile);
    const auto draw = BlockMethod<method, T>::draw(here, u, static_cast<T*>(batch.scratch));
    std::int32_t category[W::width];
    T total[W::width];
    W::store(category, draw.category);
    W::store(total, draw.total);
    for (int q = 0; q < W::width && tile + q < batch.count; ++q) {
      const bool look = batch.check_negative || !(total[q] > 0) || total[q] - total[q] != 0;
      const DrawStatus state = look ? examine(here, q, static_cast<double>(total[q])) : DrawStatus::ok;
      status[tile + q] = state;
      drawn[tile + q] =
          state == DrawStatus::ok ? collective::positive_at_or_before(here, q, std::int64_t{category[q]}) : -1;
    }
  }
}

}  // namespace papilio::inline PAPILIO_TARGET::sampling_kernel
