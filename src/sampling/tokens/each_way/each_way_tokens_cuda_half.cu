#include "papilio/half.h"
#include "sampling/tokens/each_way/each_way_launch_cuda.cuh"

namespace papilio::sampling {

template bool draw_each_way_on_cuda<Half>(const TokenCall&, cudaStream_t);

}  // namespace papilio::sampling
