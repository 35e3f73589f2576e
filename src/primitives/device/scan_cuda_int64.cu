#include "primitives/device/queue_scan_cuda.cuh"

namespace papilio::primitives {

PAPILIO_INSTANTIATE_SCANS(std::int64_t);

}  // namespace papilio::primitives
