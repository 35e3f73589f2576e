// The table of exact sums for one instruction-set target; compiled once for each, see cmake/simd_targets.cmake.

#include "primitives/exact_sums_kernel.h"
#include "primitives/fixed_grid_kernel.h"

namespace papilio::inline PAPILIO_TARGET {
namespace {

template <class T>
constexpr primitives::ExactSums<T> exact_sums_of() {
  return {primitive_kernel::sum_segments<T>, primitive_kernel::add_values<T>, primitive_kernel::scan_block<T>,
          primitive_kernel::magnitudes<T>,   primitive_kernel::fixed_64<T>,   primitive_kernel::fixed_128<T>};
}

}  // namespace

extern const primitives::Kernels primitive_kernels;
const primitives::Kernels primitive_kernels = {exact_sums_of<float>(), exact_sums_of<double>()};

}  // namespace papilio::inline PAPILIO_TARGET
