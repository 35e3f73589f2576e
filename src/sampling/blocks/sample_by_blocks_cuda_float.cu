#include "sampling/blocks/sample_by_blocks_cuda.cuh"

namespace papilio::sampling {

template <>
void queue_blocks_of<float>(const DeviceDraw& draw, const BlocksPlan& plan) {
  draw.rows.right != nullptr ? sampling_kernel::queue_blocks<float, true>(draw, plan)
                             : sampling_kernel::queue_blocks<float, false>(draw, plan);
}

template <>
int warps_per_multiprocessor_of<float>(PartialSums method, bool product) {
  return product ? sampling_kernel::block_warps_per_multiprocessor<float, true>(method)
                 : sampling_kernel::block_warps_per_multiprocessor<float, false>(method);
}

}  // namespace papilio::sampling
