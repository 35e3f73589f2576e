// Elements of any type in the shared memory of a block: one array of bytes, used for tuples of a float and an int and
// then for 2 x 2 matrices, each scanned in log2(n) rounds. 15_shared_tuples.cpp performs the same rounds on a CPU.
//
// A struct is copied whole; nothing needs to be volatile, since __syncthreads() orders what threads write and read.
// About 32 bytes per thread cost nothing: a multiprocessor of 2,048 threads and 228 KiB has more than 100 for each.

#include <cstdlib>
#include <type_traits>

#include "support/tuples.h"

namespace {

constexpr int threads = 256, bytes_per_thread = 32;

// Thread i has element i of `count`; all threads synchronise in every round.
template <class T, class Op>
__device__ T scan_in_rounds(unsigned char* bytes, T own, int count, Op op) {
  static_assert(std::is_trivially_copyable_v<T> && sizeof(T) <= bytes_per_thread && alignof(T) <= 16);
  T* const shared = reinterpret_cast<T*>(bytes);
  const int i = static_cast<int>(threadIdx.x);
  shared[i] = own;
  for (int distance = 1; distance < count; distance *= 2) {
    __syncthreads();
    if (i >= distance && i < count) own = op(shared[i - distance], own);
    __syncthreads();
    shared[i] = own;
  }
  return own;
}

template <class T, class Op>
__global__ void scan(T* x, int count, Op op) {
  __shared__ alignas(16) unsigned char bytes[threads * bytes_per_thread];
  const int i = static_cast<int>(threadIdx.x);
  const T scanned = scan_in_rounds(bytes, x[i < count ? i : 0], count, op);
  if (i < count) x[i] = scanned;
}

void check(cudaError_t error) {
  if (error == cudaSuccess) return;
  std::fprintf(stderr, "CUDA: %s\n", cudaGetErrorString(error));
  std::exit(1);
}

template <class T, class Op>
std::vector<T> scan_on_device(std::vector<T> x, Op op) {
  const std::size_t bytes = x.size() * sizeof(T);
  void* memory = nullptr;
  check(cudaMalloc(&memory, bytes));
  check(cudaMemcpy(memory, x.data(), bytes, cudaMemcpyHostToDevice));
  scan<<<1, threads>>>(static_cast<T*>(memory), static_cast<int>(x.size()), op);
  check(cudaGetLastError());
  check(cudaMemcpy(x.data(), memory, bytes, cudaMemcpyDeviceToHost));
  check(cudaFree(memory));
  return x;
}

}  // namespace

int main() {
  print_scans([](const auto& x, auto op) { return scan_on_device(x, op); });
}
