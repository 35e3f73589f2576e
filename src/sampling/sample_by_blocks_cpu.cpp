// Compiled once for every instruction-set target; see cmake/simd_targets.cmake.

#include "sampling/sample_by_blocks_kernel.h"

namespace papilio::PAPILIO_TARGET::sampling_kernel {
namespace {

template <PartialSums method, class T>
void draw(const RowBatch<T>& batch, std::int64_t* drawn, DrawStatus* status) {
  if (batch.right != nullptr)
    draw_batch_by_blocks<method>(collective::ProductRows<T>{batch.left, batch.right, batch.sizes}, batch, drawn,
                                 status);
  else
    draw_batch_by_blocks<method>(collective::PlainRows<T>{batch.left, batch.sizes}, batch, drawn, status);
}

// Calls f.operator()<method>() for the method that is meant.
template <class F>
auto with_method(PartialSums method, F f) {
  switch (method) {
    case PartialSums::transposed:
      return f.template operator()<PartialSums::transposed>();
    case PartialSums::transposed_through_scratch:
      return f.template operator()<PartialSums::transposed_through_scratch>();
    case PartialSums::butterfly_swap:
      return f.template operator()<PartialSums::butterfly_swap>();
    case PartialSums::butterfly_add_subtract:
      return f.template operator()<PartialSums::butterfly_add_subtract>();
    case PartialSums::butterfly_two_pass:
      return f.template operator()<PartialSums::butterfly_two_pass>();
    case PartialSums::slots:
    case PartialSums::prefix:
      break;
  }
  return f.template operator()<PartialSums::prefix>();
}

}  // namespace

template <class T>
void draw_by_blocks(const RowBatch<T>& batch, std::int64_t* drawn, DrawStatus* status) {
  with_method(batch.method, [&]<PartialSums method>() { draw<method>(batch, drawn, status); });
}
template void draw_by_blocks(const RowBatch<float>& batch, std::int64_t* drawn, DrawStatus* status);
template void draw_by_blocks(const RowBatch<double>& batch, std::int64_t* drawn, DrawStatus* status);

std::int64_t block_scratch_bytes(PartialSums method, std::int64_t longest_row, std::int64_t weight_bytes) {
  const std::int64_t blocks = collective::blocks_of(longest_row, block_lanes);
  return weight_bytes * with_method(method, [&]<PartialSums m>() { return BlockMethod<m, float>::table_size(blocks); });
}

}  // namespace papilio::PAPILIO_TARGET::sampling_kernel
