#include "weights.h"

#include <type_traits>

#include "check.cuh"
#include "device.h"
#include "papilio/half.h"

namespace {

using papilio::BFloat16;
using papilio::Float8E4M3FN;
using papilio::Float8E5M2;

template <class T>
__device__ T stored(float x) {
  if constexpr (std::is_same_v<T, BFloat16>)
    return papilio::to_bfloat16(x);
  else if constexpr (std::is_same_v<T, Float8E4M3FN>)
    return papilio::to_float8_e4m3fn(x);
  else if constexpr (std::is_same_v<T, Float8E5M2>)
    return papilio::to_float8_e5m2(x);
  else
    return static_cast<T>(x);
}
template <class T>
__device__ bool positive(T x) {
  if constexpr (sizeof(T) <= 2)
    return papilio::to_float(x) > 0;
  else
    return x > 0;
}

template <class T>
__global__ void fill_kernel(T* weights, std::int64_t rows, std::int64_t categories, std::uint32_t seed) {
  const std::int64_t stride = std::int64_t{gridDim.x} * blockDim.x;
  for (std::int64_t i = std::int64_t{blockIdx.x} * blockDim.x + threadIdx.x; i < rows * categories; i += stride) {
    const auto row = static_cast<std::uint32_t>(i / categories), k = static_cast<std::uint32_t>(i % categories);
    const float u = static_cast<float>(mix(mix(row ^ seed) + k) >> 8) * 0x1p-24f;
    const bool zero = categories >= 16 && k % 16 == mix(row * 31 + k / 16 + seed) % 16;
    weights[i] = stored<T>(zero ? 0.0f : u * u * u + 1e-6f);
  }
}

template <class T>
__global__ void gather_kernel(T* to, const T* matrix, std::int64_t categories, const std::int32_t* picked) {
  const T* from = matrix + picked[blockIdx.x] * categories;
  for (std::int64_t k = threadIdx.x; k < categories; k += blockDim.x) to[blockIdx.x * categories + k] = from[k];
}

template <class T>
__global__ void bad_dense_kernel(const T* weights, std::int64_t rows, std::int64_t categories,
                                 const std::int32_t* drawn, unsigned long long* bad) {
  const std::int64_t i = std::int64_t{blockIdx.x} * blockDim.x + threadIdx.x;
  if (i >= rows) return;
  const std::int32_t k = drawn[i];
  if (k < 0 || k >= categories || !positive(weights[i * categories + k])) atomicAdd(bad, 1ull);
}

template <class T>
__global__ void bad_token_kernel(const T* theta, const T* phi, std::int64_t topics, const std::int32_t* documents,
                                 const std::int32_t* words, std::int64_t tokens, const std::int32_t* drawn,
                                 unsigned long long* bad) {
  const std::int64_t i = std::int64_t{blockIdx.x} * blockDim.x + threadIdx.x;
  if (i >= tokens) return;
  const std::int32_t k = drawn[i];
  if (k < 0 || k >= topics || !positive(theta[documents[i] * topics + k]) || !positive(phi[words[i] * topics + k]))
    atomicAdd(bad, 1ull);
}

unsigned int blocks(std::int64_t threads) { return static_cast<unsigned int>((threads + 255) / 256); }

}  // namespace

template <class T>
void fill_weights(T* weights, std::int64_t rows, std::int64_t categories, std::uint32_t seed) {
  fill_kernel<<<4096, 256, 0, cuda_stream()>>>(weights, rows, categories, seed);
  check(cudaGetLastError());
}

template <class T>
void gather_rows(T* to, const T* matrix, std::int64_t categories, const std::int32_t* picked, std::int64_t count) {
  gather_kernel<<<static_cast<unsigned int>(count), 128, 0, cuda_stream()>>>(to, matrix, categories, picked);
  check(cudaGetLastError());
}

template <class T>
std::int64_t bad_dense_draws(const T* weights, std::int64_t rows, std::int64_t categories, const std::int32_t* drawn) {
  DeviceVector<unsigned long long> bad(std::vector<unsigned long long>{0});
  bad_dense_kernel<<<blocks(rows), 256, 0, cuda_stream()>>>(weights, rows, categories, drawn, bad.data());
  check(cudaGetLastError());
  return static_cast<std::int64_t>(bad.to_host(0, 1)[0]);
}

template <class T>
std::int64_t bad_token_draws(const T* theta, const T* phi, std::int64_t topics, const std::int32_t* documents,
                             const std::int32_t* words, std::int64_t tokens, const std::int32_t* drawn) {
  DeviceVector<unsigned long long> bad(std::vector<unsigned long long>{0});
  bad_token_kernel<<<blocks(tokens), 256, 0, cuda_stream()>>>(theta, phi, topics, documents, words, tokens, drawn,
                                                              bad.data());
  check(cudaGetLastError());
  return static_cast<std::int64_t>(bad.to_host(0, 1)[0]);
}

#define PAPILIO_BENCH_WEIGHTS(T)                                                                                    \
  template void fill_weights(T*, std::int64_t, std::int64_t, std::uint32_t);                                        \
  template void gather_rows(T*, const T*, std::int64_t, const std::int32_t*, std::int64_t);                         \
  template std::int64_t bad_dense_draws(const T*, std::int64_t, std::int64_t, const std::int32_t*);                 \
  template std::int64_t bad_token_draws(const T*, const T*, std::int64_t, const std::int32_t*, const std::int32_t*, \
                                        std::int64_t, const std::int32_t*);
PAPILIO_BENCH_WEIGHTS(float)
PAPILIO_BENCH_WEIGHTS(double)
PAPILIO_BENCH_WEIGHTS(BFloat16)
PAPILIO_BENCH_WEIGHTS(Float8E4M3FN)
PAPILIO_BENCH_WEIGHTS(Float8E5M2)
#undef PAPILIO_BENCH_WEIGHTS
