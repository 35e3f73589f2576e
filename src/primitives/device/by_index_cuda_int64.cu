#include "primitives/device/queue_by_index_cuda.cuh"

namespace papilio::primitives {

PAPILIO_INSTANTIATE_BY_INDEX(std::int32_t, std::int64_t);
PAPILIO_INSTANTIATE_BY_INDEX(std::int64_t, std::int64_t);

}  // namespace papilio::primitives
