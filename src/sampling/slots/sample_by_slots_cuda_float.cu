#include "sampling/slots/sample_by_slots_cuda.cuh"

namespace papilio::sampling {

template <>
void queue_slots_of<float>(const DeviceDraw& draw, const SlotsPlan& plan) {
  draw.rows.right != nullptr ? sampling_kernel::queue_slots<float, true>(draw, plan)
                             : sampling_kernel::queue_slots<float, false>(draw, plan);
}

}  // namespace papilio::sampling
