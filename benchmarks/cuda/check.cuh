#pragma once

#include <stdexcept>
#include <string>

// For the .cu files of the benchmarks.

inline void check(cudaError_t error) {
  if (error != cudaSuccess) throw std::runtime_error(std::string("CUDA: ") + cudaGetErrorString(error));
}

cudaStream_t cuda_stream();

// A finaliser of 32 bits, by which weights and places are picked.
__host__ __device__ inline unsigned int mix(unsigned int x) {
  x = (x ^ x >> 16) * 0x7FEB352Du;
  x = (x ^ x >> 15) * 0x846CA68Bu;
  return x ^ x >> 16;
}
