// Constant memory is read through a small cache that gives a warp one word at a time. In A[i, j] %= C[i], with row i in
// one block, all threads read the same word, which is broadcast. For the transposed matrix, A[j, i] %= C[i], each
// thread i of a block reads another word, and the warp waits for 32 words, one after the other. The results are the
// same. With --time: both, and C in ordinary memory, where neighbours are read at once.

#include <cstdlib>
#include <cstring>

#include "support/remainders.h"

namespace {

constexpr int repeats = 64;  // of a remainder, for the times: what is read is read again

__constant__ std::int32_t c_constant[rows];  // of 64 KiB that a program has

struct InConstantMemory {
  __device__ std::int32_t operator[](int i) const { return c_constant[i]; }
};
struct InMemory {
  const std::int32_t* c;
  __device__ std::int32_t operator[](int i) const { return __ldg(c + i); }
};

// Block b has row b, thread t the columns t, t + blockDim.x, ... A remainder of a remainder is the remainder.
template <bool by_row, class Divisors>
__global__ void take_remainders(std::int32_t* a, Divisors c, int times) {
  const int i = static_cast<int>(blockIdx.x);
  for (int j = static_cast<int>(threadIdx.x); j < columns; j += static_cast<int>(blockDim.x)) {
    std::int32_t x = a[i * columns + j];
    for (int r = 0; r < times; ++r) {
      const int shift = r * (x < 0 ? 1 : 0);  // 0, but the compiler does not know: it reads C anew each time
      x %= c[(by_row ? i : j) + shift];
    }
    a[i * columns + j] = x;
  }
}

void check(cudaError_t error) {
  if (error == cudaSuccess) return;
  std::fprintf(stderr, "CUDA: %s\n", cudaGetErrorString(error));
  std::exit(1);
}

// Takes the remainders in place; returns the milliseconds.
template <bool by_row, class Divisors>
float run(std::vector<std::int32_t>& a, Divisors c, int times) {
  const std::size_t bytes = a.size() * sizeof(std::int32_t);
  void* memory = nullptr;
  cudaEvent_t begin, end;
  check(cudaMalloc(&memory, bytes));
  check(cudaEventCreate(&begin));
  check(cudaEventCreate(&end));
  float best = 0;
  for (int repeat = 0; repeat < 3; ++repeat) {
    check(cudaMemcpy(memory, a.data(), bytes, cudaMemcpyHostToDevice));
    check(cudaEventRecord(begin));
    take_remainders<by_row><<<rows, 256>>>(static_cast<std::int32_t*>(memory), c, times);
    check(cudaGetLastError());
    check(cudaEventRecord(end));
    check(cudaEventSynchronize(end));
    float time = 0;
    check(cudaEventElapsedTime(&time, begin, end));
    if (repeat == 0 || time < best) best = time;
  }
  check(cudaMemcpy(a.data(), memory, bytes, cudaMemcpyDeviceToHost));
  check(cudaEventDestroy(begin));
  check(cudaEventDestroy(end));
  check(cudaFree(memory));
  return best;
}

template <class Divisors>
void print_times(const char* where, Divisors c) {
  std::vector<std::int32_t> a = matrix(false), transposed = matrix(true);
  const float broadcast = run<true>(a, c, repeats), own = run<false>(transposed, c, repeats);
  std::printf("%-16s C[i] by block %8.3f ms, C[j] by thread %8.3f ms, ratio %.2f\n", where, broadcast, own,
              own / broadcast);
}

}  // namespace

int main(int count, char** arguments) {
  const std::vector<std::int32_t> c = divisors();
  check(cudaMemcpyToSymbol(c_constant, c.data(), sizeof c_constant));
  std::vector<std::int32_t> by_row = matrix(false), by_column = matrix(true);
  run<true>(by_row, InConstantMemory{}, 1);
  run<false>(by_column, InConstantMemory{}, 1);
  print_comparison(by_row, by_column);
  if (count > 1 && std::strcmp(arguments[1], "--time") == 0) {
    void* memory = nullptr;
    check(cudaMalloc(&memory, sizeof c_constant));
    check(cudaMemcpy(memory, c.data(), sizeof c_constant, cudaMemcpyHostToDevice));
    print_times("constant memory", InConstantMemory{});
    print_times("ordinary memory", InMemory{static_cast<const std::int32_t*>(memory)});
    check(cudaFree(memory));
  }
}
