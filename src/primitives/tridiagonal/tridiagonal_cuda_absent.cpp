// Replaces the CUDA kernels in a build without CUDA. There, no view
// can say that it is on a CUDA device, so nothing here is ever called.

#include "primitives/tridiagonal/tridiagonal_cuda.h"

namespace papilio::primitives {

template <class T>
void solve_on_cuda(const TridiagonalCall<T>&, TridiagonalStatus*, void*, Device, void*) {
  __builtin_unreachable();
}
template void solve_on_cuda(const TridiagonalCall<float>&, TridiagonalStatus*, void*, Device, void*);
template void solve_on_cuda(const TridiagonalCall<double>&, TridiagonalStatus*, void*, Device, void*);

std::int64_t tridiagonal_workspace_on_cuda(std::int64_t, std::int64_t, bool, std::int64_t, Device) {
  __builtin_unreachable();
}

}  // namespace papilio::primitives
