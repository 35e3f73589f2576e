// Compiled once for every instruction-set target; see cmake/simd_targets.cmake.

#include "sampling/blocks/sample_by_blocks_cpu.h"

#include "sampling/blocks/sample_by_blocks_kernel.h"

namespace papilio::inline PAPILIO_TARGET::sampling_kernel {
namespace {

template <PartialSums method, class T>
void draw(const RowBatch<T>& batch, std::int64_t* drawn, DrawStatus* status) {
  if (batch.right != nullptr)
    draw_batch_by_blocks<method>(collective::ProductRows<T>{batch.left, batch.right, batch.sizes}, batch, drawn,
                                 status);
  else
    draw_batch_by_blocks<method>(collective::PlainRows<T>{batch.left, batch.sizes}, batch, drawn, status);
}

}  // namespace

template <class T>
void draw_by_blocks(const RowBatch<T>& batch, std::int64_t* drawn, DrawStatus* status) {
  with_block_method(batch.method, [&]<PartialSums method>() { draw<method>(batch, drawn, status); });
}
template void draw_by_blocks(const RowBatch<float>& batch, std::int64_t* drawn, DrawStatus* status);
template void draw_by_blocks(const RowBatch<double>& batch, std::int64_t* drawn, DrawStatus* status);

std::int64_t block_scratch_bytes(PartialSums method, std::int64_t longest_row, std::int64_t weight_bytes) {
  const std::int64_t blocks = collective::blocks_of(longest_row, block_lanes);
  return weight_bytes * (block_scratch_size<BlockWarp>(method) + block_table_size(method, blocks, block_lanes));
}

}  // namespace papilio::inline PAPILIO_TARGET::sampling_kernel
