#include "sampling/slots/sample_by_slots_cuda.cuh"

namespace papilio::sampling {

template <>
void queue_slots_of<Float8E4M3FN>(const DeviceDraw& draw, const SlotsPlan& plan) {
  sampling_kernel::queue_slots<Float8E4M3FN, false>(draw, plan);
}

}  // namespace papilio::sampling
