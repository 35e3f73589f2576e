// Compiled once for every instruction-set target; see cmake/simd_targets.cmake.

#include "lda/training/sequential/kernels.h"
#include "lda/training/sequential/word_draws_kernel.h"

namespace papilio::inline PAPILIO_TARGET {

template <class Number>
inline constexpr lda::SequentialKernels<Number> sequential_kernels_of = {&sequential_kernel::take_up_word<Number>,
                                                                         &sequential_kernel::draw_tokens<Number>,
                                                                         &sequential_kernel::weigh_topics<Number>};

extern const lda::SequentialKernelTable sequential_kernels;
const lda::SequentialKernelTable sequential_kernels = {
    sequential_kernels_of<std::uint8_t>, sequential_kernels_of<std::uint16_t>, sequential_kernels_of<std::int32_t>};

}  // namespace papilio::inline PAPILIO_TARGET
