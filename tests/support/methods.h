#pragma once

#include <cstddef>
#include <iterator>

#include "papilio/sampling.h"

namespace papilio::testing {

// Every enumerator of PartialSums, in order.
inline constexpr PartialSums all_methods[] = {PartialSums::slots,
                                              PartialSums::prefix,
                                              PartialSums::transposed,
                                              PartialSums::transposed_through_scratch,
                                              PartialSums::butterfly_swap,
                                              PartialSums::butterfly_add_subtract,
                                              PartialSums::butterfly_two_pass,
                                              PartialSums::transposed_remnant_first,
                                              PartialSums::butterfly_swap_remnant_first,
                                              PartialSums::butterfly_add_subtract_remnant_first};

// None is left out: tests/sampling/methods_test.cpp shows that there is none after the last.
static_assert([] {
  for (std::size_t i = 0; i < std::size(all_methods); ++i)
    if (all_methods[i] != static_cast<PartialSums>(i)) return false;
  return true;
}());

// Whether a tile may hold rows of different lengths.
constexpr bool takes_ragged_rows(PartialSums method) { return method < PartialSums::transposed_remnant_first; }

}  // namespace papilio::testing
