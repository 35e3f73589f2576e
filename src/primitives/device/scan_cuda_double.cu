#include "primitives/device/queue_scan_cuda.cuh"

namespace papilio::primitives {

PAPILIO_INSTANTIATE_SCANS(double);

}  // namespace papilio::primitives
