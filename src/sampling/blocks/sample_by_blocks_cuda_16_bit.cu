#include "sampling/blocks/sample_by_blocks_cuda.cuh"

namespace papilio::sampling {

template <>
void queue_blocks_of<Half>(const DeviceDraw& draw, const BlocksPlan& plan) {
  sampling_kernel::queue_blocks<Half, false>(draw, plan);
}
template <>
int warps_per_multiprocessor_of<Half>(PartialSums method, bool) {
  return sampling_kernel::block_warps_per_multiprocessor<Half, false>(method);
}

template <>
void queue_blocks_of<BFloat16>(const DeviceDraw& draw, const BlocksPlan& plan) {
  sampling_kernel::queue_blocks<BFloat16, false>(draw, plan);
}
template <>
int warps_per_multiprocessor_of<BFloat16>(PartialSums method, bool) {
  return sampling_kernel::block_warps_per_multiprocessor<BFloat16, false>(method);
}

}  // namespace papilio::sampling
