#include "ceilings.h"

#include <stdexcept>

#include "check.cuh"

namespace {

constexpr unsigned int all_lanes = 0xFFFFFFFFu;

__device__ void keep(unsigned int value, std::uint32_t* sink) {
  if (value == 0x9E3779B9u) *sink = value;  // practically never
}

__device__ unsigned int fold(uint4 v) { return v.x ^ v.y ^ v.z ^ v.w; }

__global__ __launch_bounds__(512) void copy_kernel(uint4* to, const uint4* from, std::int64_t count) {
  const std::int64_t stride = std::int64_t{gridDim.x} * blockDim.x;
  for (std::int64_t i = std::int64_t{blockIdx.x} * blockDim.x + threadIdx.x; i < count; i += 4 * stride) {
    uint4 held[4];
#pragma unroll
    for (int j = 0; j < 4; ++j)
      if (i + j * stride < count) held[j] = __ldcs(from + i + j * stride);
#pragma unroll
    for (int j = 0; j < 4; ++j)
      if (i + j * stride < count) __stcs(to + i + j * stride, held[j]);
  }
}

template <int vectors>  // 16-byte vectors of a lane
__global__ __launch_bounds__(256) void random_rows_kernel(const uint4* from, unsigned int rows, unsigned int count,
                                                          std::uint32_t* sink) {
  const unsigned int warps = gridDim.x * blockDim.x / 32, lane = threadIdx.x % 32;
  unsigned int folded = 0;
  for (unsigned int i = (blockIdx.x * blockDim.x + threadIdx.x) / 32; i < count; i += warps) {
    const auto row = static_cast<std::int64_t>(std::uint64_t{mix(i)} * rows >> 32);
    const uint4* at = from + row * 32 * vectors + lane;
#pragma unroll
    for (int j = 0; j < vectors; ++j) folded ^= fold(__ldcg(at + j * 32));
  }
  keep(folded, sink);
}

// A group of lanes takes `batch` tokens at a time and has a load of each in flight.
template <int lanes, int batch>
__global__ __launch_bounds__(128) void token_rows_kernel(const uint4* matrix, int vectors, const std::int32_t* words,
                                                         std::int64_t tokens, std::uint32_t* sink) {
  constexpr int groups = 32 / lanes, tokens_of_a_warp = 128;
  const int lane = threadIdx.x % 32, group = lane / lanes, member = lane % lanes;
  const std::int64_t warp = (std::int64_t{blockIdx.x} * blockDim.x + threadIdx.x) / 32;
  const std::int64_t begin = warp * tokens_of_a_warp;
  if (begin >= tokens) return;
  const int count = static_cast<int>(min(tokens - begin, std::int64_t{tokens_of_a_warp}));
  unsigned int folded = 0;
  for (int first = 0; first < count; first += 32) {
    const std::int32_t word = __ldg(words + begin + min(first + lane, count - 1));
    for (int t = 0; t < 32 / groups; t += batch) {
      const uint4* row[batch];
#pragma unroll
      for (int j = 0; j < batch; ++j)
        row[j] = matrix + std::int64_t{__shfl_sync(all_lanes, word, (t + j) * groups + group)} * vectors;
      for (int v = member; v < vectors; v += lanes) {
        uint4 held[batch];
#pragma unroll
        for (int j = 0; j < batch; ++j) held[j] = __ldg(row[j] + v);
#pragma unroll
        for (int j = 0; j < batch; ++j) folded ^= fold(held[j]);
      }
    }
  }
  keep(folded, sink);
}

int multiprocessors() {
  int count = 0;
  check(cudaDeviceGetAttribute(&count, cudaDevAttrMultiProcessorCount, 0));
  return count;
}

}  // namespace

void queue_copy(void* to, const void* from, std::int64_t bytes) {
  copy_kernel<<<8 * multiprocessors(), 512, 0, cuda_stream()>>>(static_cast<uint4*>(to),
                                                                static_cast<const uint4*>(from), bytes / 16);
  check(cudaGetLastError());
}

void queue_random_rows(const void* from, std::int64_t row_bytes, std::int64_t rows, std::int64_t count,
                       std::uint32_t* sink) {
  const auto kernel = row_bytes == 512    ? random_rows_kernel<1>
                      : row_bytes == 1024 ? random_rows_kernel<2>
                      : row_bytes == 4096 ? random_rows_kernel<8>
                                          : throw std::runtime_error("no kernel for rows of this size");
  kernel<<<8 * multiprocessors(), 256, 0, cuda_stream()>>>(
      static_cast<const uint4*>(from), static_cast<unsigned int>(rows), static_cast<unsigned int>(count), sink);
  check(cudaGetLastError());
}

void queue_token_rows(const void* matrix, std::int64_t row_bytes, const std::int32_t* words, std::int64_t tokens,
                      int lanes, std::uint32_t* sink) {
  const auto kernel = lanes == 4    ? token_rows_kernel<4, 4>
                      : lanes == 8  ? token_rows_kernel<8, 8>
                      : lanes == 16 ? token_rows_kernel<16, 8>
                      : lanes == 32 ? token_rows_kernel<32, 8>
                                    : throw std::runtime_error("a row takes 4, 8, 16 or 32 lanes");
  const auto blocks = static_cast<unsigned int>((tokens + 511) / 512);
  kernel<<<blocks, 128, 0, cuda_stream()>>>(static_cast<const uint4*>(matrix), static_cast<int>(row_bytes / 16), words,
                                            tokens, sink);
  check(cudaGetLastError());
}
