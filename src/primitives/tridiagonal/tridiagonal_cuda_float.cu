#include <atomic>
#include <cstddef>

#include "primitives/tridiagonal/tridiagonal_cuda.cuh"

namespace papilio::primitives {

bool has_clusters(Device device) {
  constexpr int most = 64;  // devices whose answers are kept
  static std::atomic<signed char> known[most] = {};
  const auto index = static_cast<std::size_t>(device.ordinal());
  if (index < most && known[index] != 0) return known[index] > 0;
  const execution::OnDevice here(device);
  cudaFuncAttributes attributes = {};
  execution::check(cudaFuncGetAttributes(&attributes, write_statuses), "asking for a kernel");
  const bool has = attributes.binaryVersion >= 90 && attributes.ptxVersion >= 90;
  if (index < most) known[index] = has ? 1 : -1;
  return has;
}

template <>
void solve_on_cuda(const TridiagonalCall<float>& call, TridiagonalStatus* status, void* workspace, Device device,
                   void* cuda_stream) {
  launch_any(call, reinterpret_cast<std::uint8_t*>(status), workspace, device, cuda_stream);
}

}  // namespace papilio::primitives
