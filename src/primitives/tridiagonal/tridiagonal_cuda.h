#pragma once

#include <cstdint>

#include "papilio/device.h"
#include "papilio/tridiagonal.h"
#include "primitives/tridiagonal/systems.h"

// The border between the public functions and their CUDA kernels: plain data, taken by value.

namespace papilio::primitives {

// Queues the call; it needs at least one system and one row. `status` is null or receives what a check finds.
template <class T>
void solve_on_cuda(const TridiagonalCall<T>& call, TridiagonalStatus* status, void* workspace, Device device,
                   void* cuda_stream);

// The workspace of a call with this x.
std::int64_t tridiagonal_workspace_on_cuda(std::int64_t systems, std::int64_t rows, bool interleaved,
                                           std::int64_t number_bytes, Device device);

// Whether neighbouring threads should have neighbouring systems rather than neighbouring chunks.
template <class T>
bool is_interleaved(const Diagonal<T>& x) {
  const auto size = [](std::int64_t stride) { return stride < 0 ? -stride : stride; };
  return size(x.system_stride) < size(x.row_stride);
}

}  // namespace papilio::primitives
