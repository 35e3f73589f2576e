#include "sampling/blocks/sample_by_blocks_cuda.cuh"

namespace papilio::sampling {

template <>
void queue_blocks_of<double>(const DeviceDraw& draw, const BlocksPlan& plan) {
  draw.rows.right != nullptr ? sampling_kernel::queue_blocks<double, true>(draw, plan)
                             : sampling_kernel::queue_blocks<double, false>(draw, plan);
}

template <>
int warps_per_multiprocessor_of<double>(PartialSums method, bool product) {
  return product ? sampling_kernel::block_warps_per_multiprocessor<double, true>(method)
                 : sampling_kernel::block_warps_per_multiprocessor<double, false>(method);
}

}  // namespace papilio::sampling
