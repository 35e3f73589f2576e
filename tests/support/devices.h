#pragma once

#include <bit>
#include <cstdint>

#include "papilio/array_view.h"

namespace papilio::testing {

// The first CUDA device, be there one or not: for calls that must refuse it.
inline Device cuda_device() { return std::bit_cast<Device>(0); }

// Four elements there, at an address that the CPU cannot read.
template <class T>
VectorView<T> vector_on_cuda() {
  return {std::bit_cast<T*>(std::uintptr_t{64}), 4, cuda_device()};
}
template <class T>
MatrixView<T> matrix_on_cuda() {
  return {std::bit_cast<T*>(std::uintptr_t{64}), 2, 2, 2, 1, cuda_device()};
}

}  // namespace papilio::testing
