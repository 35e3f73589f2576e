#pragma once

#include <cstdint>

#include "collective/draw.h"
#include "collective/partial_sums/butterfly.h"
#include "collective/partial_sums/transposed.h"
#include "papilio/sampling.h"
#include "random/uniform_lanes.h"
#include "sampling/blocks/remnant.h"

// The methods of the papers, each chosen by its enumerator, for every warp.

namespace papilio::inline PAPILIO_TARGET::sampling_kernel {

// The table of a method, if draw_by_blocks draws by it.
template <PartialSums method, class W, class T>
struct TableOf;
template <class W, class T>
struct TableOf<PartialSums::transposed, W, T> {
  using Sums = collective::TransposedSums<W, T, collective::Transposition::in_registers>;
};
template <class W, class T>
struct TableOf<PartialSums::transposed_through_scratch, W, T> {
  using Sums = collective::TransposedSums<W, T, collective::Transposition::through_scratch>;
};
template <class W, class T>
struct TableOf<PartialSums::butterfly_swap, W, T> {
  using Sums = collective::ButterflySums<W, T, collective::ButterflyForm::swap>;
};
template <class W, class T>
struct TableOf<PartialSums::butterfly_add_subtract, W, T> {
  using Sums = collective::ButterflySums<W, T, collective::ButterflyForm::add_subtract>;
};

// The values in the table of W rows of at most `blocks` blocks, including the table of a remnant.
constexpr std::int64_t block_table_size(PartialSums method, std::int64_t blocks, int width) {
  return method == PartialSums::butterfly_two_pass ? blocks * width : (blocks + 1) * width * width;
}

// The values of the scratch through which lanes exchange a tile;
// it should be in near memory. 0 for methods that exchange none.
template <class W>
PAPILIO_LANEWISE constexpr int block_scratch_size(PartialSums method) {
  return method == PartialSums::transposed_through_scratch ? W::width * collective::scratch_stride<W>()
         : method == PartialSums::butterfly_two_pass       ? W::width * W::width
                                                           : 0;
}

// Draws from each row of a tile by `method`, in memory of the two sizes above. `remnant_first`
// is a bool, or a std::bool_constant where the choice is made at compile time.
template <PartialSums method, class W, class Rows, class First, class T = typename Rows::Weight>
PAPILIO_LANEWISE collective::BlockDraw<W, T> draw_by_method(const Rows& rows, warp::Lanes<W, T> u, T* table, T* scratch,
                                                            First remnant_first) {
  if constexpr (method == PartialSums::prefix) {
    return collective::draw_by_prefix<W>(rows, u, table);
  } else if constexpr (method == PartialSums::butterfly_two_pass) {
    return collective::draw_by_two_passes<W>(rows, u, table, scratch);
  } else {
    using Sums = typename TableOf<method, W, T>::Sums;
    T* const blocks = remnant_first ? table + W::width * W::width : table;
    const auto sums = [&] {
      if constexpr (requires { Sums(scratch, table); })
        return Sums(scratch, blocks);
      else
        return Sums(blocks);
    }();
    return collective::draw_by_blocks<W>(rows, u, sums, remnant_first ? table : nullptr);
  }
}

// As in the papers, u has as many bits as the significand of the weights' type: 24 or 53.
template <class W, class T>
PAPILIO_LANEWISE warp::Lanes<W, T> uniform_of_type(const random::BlockOf<warp::Lanes<W, std::uint32_t>>& block) {
  if constexpr (sizeof(T) == 8)
    return random::uniform53<W>(block.word[0], block.word[1]);
  else
    return W::template convert<float>(W::template convert<std::int32_t>(block.word[1] >> 8u)) * 0x1p-24f;
}

// Calls f.operator()<method>() for the given method. A method that
// puts the remnant first is called as the method with the same table.
template <class F>
auto with_block_method(PartialSums method, F f) {
  switch (method) {
    case PartialSums::transposed:
    case PartialSums::transposed_remnant_first:
      return f.template operator()<PartialSums::transposed>();
    case PartialSums::transposed_through_scratch:
      return f.template operator()<PartialSums::transposed_through_scratch>();
    case PartialSums::butterfly_swap:
    case PartialSums::butterfly_swap_remnant_first:
      return f.template operator()<PartialSums::butterfly_swap>();
    case PartialSums::butterfly_add_subtract:
    case PartialSums::butterfly_add_subtract_remnant_first:
      return f.template operator()<PartialSums::butterfly_add_subtract>();
    case PartialSums::butterfly_two_pass:
      return f.template operator()<PartialSums::butterfly_two_pass>();
    case PartialSums::slots:
    case PartialSums::prefix:
      break;
  }
  return f.template operator()<PartialSums::prefix>();
}

// Calls f.operator()<method, remnant_first>() for the given method.
template <class F>
auto with_block_form(PartialSums wanted, F f) {
  return with_block_method(wanted, [&]<PartialSums method>() {
    if constexpr (method == PartialSums::transposed || method == PartialSums::butterfly_swap ||
                  method == PartialSums::butterfly_add_subtract) {
      if (papilio::sampling::has_remnant_first(wanted)) return f.template operator()<method, true>();
    }
    return f.template operator()<method, false>();
  });
}

}  // namespace papilio::inline PAPILIO_TARGET::sampling_kernel
