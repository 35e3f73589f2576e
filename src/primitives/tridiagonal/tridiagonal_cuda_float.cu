#include "primitives/tridiagonal/tridiagonal_cuda.cuh"

namespace papilio::primitives {

bool has_clusters(Device device) {
  const execution::OnDevice here(device);
  cudaFuncAttributes attributes = {};
  execution::check(cudaFuncGetAttributes(&attributes, write_statuses), "asking for a kernel");
  return attributes.binaryVersion >= 90 && attributes.ptxVersion >= 90;
}

template <>
void solve_on_cuda(const TridiagonalCall<float>& call, TridiagonalStatus* status, void* workspace, Device device,
                   void* cuda_stream) {
  launch_any(call, reinterpret_cast<std::uint8_t*>(status), workspace, device, cuda_stream);
}

}  // namespace papilio::primitives
