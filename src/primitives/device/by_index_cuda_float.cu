#include "primitives/device/queue_by_index_cuda.cuh"

namespace papilio::primitives {

PAPILIO_INSTANTIATE_BY_INDEX(std::int32_t, float);
PAPILIO_INSTANTIATE_BY_INDEX(std::int64_t, float);

}  // namespace papilio::primitives
