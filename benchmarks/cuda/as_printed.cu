#include <stdexcept>

#include "as_printed.h"
#include "check.cuh"
#include "printed_draw.h"
#include "warp/cuda_warp.cuh"

namespace {

using papers::Printed;
using papers::PrintedDraw;
using Warp = papilio::warp::CudaWarp<32>;

constexpr std::int64_t most_shared_bytes = 227 * 1024;  // of a block, on an H100 or H200
constexpr std::int64_t most_shared_bytes_of_all = 48 * 1024;

template <class T>
constexpr std::int64_t theta_bytes(std::int32_t topics) {
  return std::int64_t{32} * topics * static_cast<std::int64_t>(sizeof(T));
}

template <Printed how, class T>
__global__ __launch_bounds__(32) void draw_kernel(PrintedDraw<T> draw) {
  constexpr bool shared_theta = how == Printed::algorithm_7_shared;
  constexpr bool no_theta = how == Printed::algorithm_1;
  extern __shared__ double shared[];
  T theta_local[shared_theta || no_theta ? 1 : most_printed_topics];
  T p[most_printed_topics];
  const papers::LaneArray<Warp, T, true> sums(p);
  const auto q = static_cast<std::int32_t>(blockIdx.x);
  if constexpr (shared_theta)
    papers::draw_group<how, Warp>(draw, q, papers::LaneArray<Warp, T, false>(reinterpret_cast<T*>(shared)), sums);
  else
    papers::draw_group<how, Warp>(draw, q, papers::LaneArray<Warp, T, true>(theta_local), sums);
}

template <Printed how, class T>
void queue(const PrintedDraw<T>& draw) {
  std::int64_t bytes = 0;
  if constexpr (how == Printed::algorithm_7_shared) {
    bytes = theta_bytes<T>(draw.topics);
    if (bytes > most_shared_bytes_of_all)
      check(cudaFuncSetAttribute(draw_kernel<how, T>, cudaFuncAttributeMaxDynamicSharedMemorySize,
                                 static_cast<int>(bytes)));
  }
  draw_kernel<how, T><<<static_cast<unsigned>(draw.groups), 32, static_cast<std::size_t>(bytes), cuda_stream()>>>(draw);
  check(cudaGetLastError());
}

__global__ void widen_kernel(double* to, std::int64_t to_stride, const float* from, std::int64_t from_stride,
                             std::int64_t rows, std::int64_t columns) {
  const std::int64_t step = std::int64_t{gridDim.x} * blockDim.x;
  for (std::int64_t i = std::int64_t{blockIdx.x} * blockDim.x + threadIdx.x; i < rows * columns; i += step)
    to[i / columns * to_stride + i % columns] = static_cast<double>(from[i / columns * from_stride + i % columns]);
}

template <class T>
__global__ void whole_numbers_kernel(T* to, std::int64_t count, std::uint32_t seed, std::uint32_t below) {
  const std::int64_t step = std::int64_t{gridDim.x} * blockDim.x;
  for (std::int64_t i = std::int64_t{blockIdx.x} * blockDim.x + threadIdx.x; i < count; i += step)
    to[i] = static_cast<T>(mix(static_cast<std::uint32_t>(i) * 0x9E3779B9u + seed) % below + (i % 4 == 1 ? 1 : 0));
}

constexpr unsigned many_blocks = 132 * 16;

}  // namespace

const char* name_of(Printed algorithm) {
  switch (algorithm) {
    case Printed::algorithm_1:
      return "Algorithm 1 as printed";
    case Printed::algorithm_4:
      return "Algorithm 4 as printed";
    case Printed::algorithm_7:
      return "Algorithm 7 as printed";
    case Printed::algorithm_7_shared:
      return "Algorithm 7 as printed, theta in shared memory";
  }
  return "unknown";
}

bool has_room(Printed algorithm, std::int32_t topics, std::int64_t bytes_per_weight) {
  return topics <= most_printed_topics &&
         (algorithm != Printed::algorithm_7_shared || 32 * topics * bytes_per_weight <= most_shared_bytes);
}

template <class T>
void queue_printed(Printed algorithm, const PrintedDraw<T>& draw) {
  if (!has_room(algorithm, draw.topics, sizeof(T))) throw std::runtime_error("too many topics for this algorithm");
  switch (algorithm) {
    case Printed::algorithm_1:
      return queue<Printed::algorithm_1>(draw);
    case Printed::algorithm_4:
      return queue<Printed::algorithm_4>(draw);
    case Printed::algorithm_7:
      return queue<Printed::algorithm_7>(draw);
    case Printed::algorithm_7_shared:
      return queue<Printed::algorithm_7_shared>(draw);
  }
}

void queue_widening(double* to, std::int64_t to_stride, const float* from, std::int64_t from_stride, std::int64_t rows,
                    std::int64_t columns) {
  widen_kernel<<<many_blocks, 256, 0, cuda_stream()>>>(to, to_stride, from, from_stride, rows, columns);
  check(cudaGetLastError());
}

template <class T>
void queue_whole_numbers(T* to, std::int64_t count, std::uint32_t seed, std::uint32_t below) {
  whole_numbers_kernel<<<many_blocks, 256, 0, cuda_stream()>>>(to, count, seed, below);
  check(cudaGetLastError());
}

template void queue_printed(Printed, const PrintedDraw<float>&);
template void queue_printed(Printed, const PrintedDraw<double>&);
template void queue_whole_numbers(float*, std::int64_t, std::uint32_t, std::uint32_t);
template void queue_whole_numbers(double*, std::int64_t, std::uint32_t, std::uint32_t);
