#pragma once

#include <cstdint>

#include "lda/training/sequential/word_draws.h"

// The table of kernels that are compiled once for every instruction-set target (targets/sequential_kernels_cpu.cpp).

namespace papilio::lda {

// Kernels for lists whose numbers have one width: see word_draws_kernel.h.
template <class Number>
struct SequentialKernels {
  void (*take_up_word)(const SequentialWord<Number>& word);
  std::int64_t (*draw_tokens)(const SequentialWord<Number>& word, std::int64_t begin, std::int64_t end,
                              const double* u);
  void (*weigh_topics)(const SequentialWord<Number>& word, const std::int32_t* counts);
};

// What one instruction-set target offers.
struct SequentialKernelTable {
  SequentialKernels<std::uint8_t> of_8_bits;
  SequentialKernels<std::uint16_t> of_16_bits;
  SequentialKernels<std::int32_t> of_32_bits;
};

// The table of the instruction-set target in use (see papilio::cpu_target).
const SequentialKernelTable& sequential_kernel_table();

template <class Number>
const SequentialKernels<Number>& sequential_kernels() {
  if constexpr (sizeof(Number) == 1) {
    return sequential_kernel_table().of_8_bits;
  } else if constexpr (sizeof(Number) == 2) {
    return sequential_kernel_table().of_16_bits;
  } else {
    return sequential_kernel_table().of_32_bits;
  }
}

}  // namespace papilio::lda
