#include "sampling/slots/sample_by_slots_cuda.cuh"

namespace papilio::sampling {

template <>
void queue_slots_of<BFloat16>(const DeviceDraw& draw, const SlotsPlan& plan) {
  sampling_kernel::queue_slots<BFloat16, false>(draw, plan);
}

}  // namespace papilio::sampling
