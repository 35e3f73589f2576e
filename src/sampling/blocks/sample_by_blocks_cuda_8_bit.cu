#include "sampling/blocks/sample_by_blocks_cuda.cuh"

namespace papilio::sampling {

template <>
void queue_blocks_of<Float8E4M3FN>(const DeviceDraw& draw, const BlocksPlan& plan) {
  sampling_kernel::queue_blocks<Float8E4M3FN, false>(draw, plan);
}
template <>
int warps_per_multiprocessor_of<Float8E4M3FN>(PartialSums method, bool) {
  return sampling_kernel::block_warps_per_multiprocessor<Float8E4M3FN, false>(method);
}

template <>
void queue_blocks_of<Float8E5M2>(const DeviceDraw& draw, const BlocksPlan& plan) {
  sampling_kernel::queue_blocks<Float8E5M2, false>(draw, plan);
}
template <>
int warps_per_multiprocessor_of<Float8E5M2>(PartialSums method, bool) {
  return sampling_kernel::block_warps_per_multiprocessor<Float8E5M2, false>(method);
}

}  // namespace papilio::sampling
