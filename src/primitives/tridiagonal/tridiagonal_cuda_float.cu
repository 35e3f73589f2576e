#include "primitives/tridiagonal/tridiagonal_cuda.cuh"

namespace papilio::primitives {

template <>
void solve_on_cuda(const TridiagonalCall<float>& call, TridiagonalStatus* status, void* workspace, Device device,
                   void* cuda_stream) {
  launch_any(call, reinterpret_cast<std::uint8_t*>(status), workspace, device, cuda_stream);
}

}  // namespace papilio::primitives
