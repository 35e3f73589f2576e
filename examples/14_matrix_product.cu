// A matrix product in tiles, on a GPU: a block of threads computes a tile of C from tiles of A and B that it copies to
// shared memory, padded with zeros at the edges. Two kernels: the textbook one with one entry of C per thread, and one
// with 8 x 8 entries per thread in registers, which reads shared memory an eighth as often. 14_matrix_product.cpp is
// the same on a CPU. With --time: the speed of both, and of cuBLAS if this program was linked with it.

#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <memory>

#include "support/matrix_product.h"

#if defined(WITH_CUBLAS)
#include <cublas_v2.h>
#endif

namespace {

struct Shape {
  int M, N, U;  // C is M x N, A is M x U, B is U x N
};

// --- One entry per thread -----------------------------------------------------

constexpr int T = 32;

// The loops over ii and jj are the grid, those over i and j the threads; kk carries the sums. All threads load, whether
// their entry of C exists or not, and synchronise twice per tile.
__global__ void product_by_entries(const float* a, const float* b, float* c, Shape s) {
  __shared__ float a_tile[T][T], b_tile[T][T];
  const int i = static_cast<int>(blockIdx.y) * T + static_cast<int>(threadIdx.y);
  const int j = static_cast<int>(blockIdx.x) * T + static_cast<int>(threadIdx.x);
  float sum = 0;
  for (int kk = 0; kk < s.U; kk += T) {
    const int k_of_a = kk + static_cast<int>(threadIdx.x), k_of_b = kk + static_cast<int>(threadIdx.y);
    a_tile[threadIdx.y][threadIdx.x] = i < s.M && k_of_a < s.U ? a[std::int64_t{i} * s.U + k_of_a] : 0.0f;
    b_tile[threadIdx.y][threadIdx.x] = k_of_b < s.U && j < s.N ? b[std::int64_t{k_of_b} * s.N + j] : 0.0f;
    __syncthreads();
#pragma unroll
    for (int k = 0; k < T; ++k) sum = fmaf(a_tile[threadIdx.y][k], b_tile[k][threadIdx.x], sum);
    __syncthreads();
  }
  if (i < s.M && j < s.N) c[std::int64_t{i} * s.N + j] = sum;
}

// --- Eight by eight entries per thread ------------------------------------------

constexpr int side = 128, depth = 16, own = 8, threads = (side / own) * (side / own);

__global__ __launch_bounds__(threads) void product_by_registers(const float* a, const float* b, float* c, Shape s) {
  __shared__ float a_tile[depth][side + 4], b_tile[depth][side];  // A is kept transposed; the gap spreads its stores
  const int thread = static_cast<int>(threadIdx.x);
  const int ii = static_cast<int>(blockIdx.y) * side, jj = static_cast<int>(blockIdx.x) * side;
  const int row = thread / (side / own), column = thread % (side / own);  // its entries: row + 16 y, column + 16 x
  float sum[own][own] = {};
  for (int kk = 0; kk < s.U; kk += depth) {
    for (int e = thread; e < side * depth; e += threads) {
      const int i = ii + e / depth, k = kk + e % depth;
      a_tile[e % depth][e / depth] = i < s.M && k < s.U ? a[std::int64_t{i} * s.U + k] : 0.0f;
    }
    for (int e = thread; e < side * depth; e += threads) {
      const int k = kk + e / side, j = jj + e % side;
      b_tile[e / side][e % side] = k < s.U && j < s.N ? b[std::int64_t{k} * s.N + j] : 0.0f;
    }
    __syncthreads();
#pragma unroll
    for (int k = 0; k < depth; ++k) {
      float left[own], right[own];
#pragma unroll
      for (int y = 0; y < own; ++y) left[y] = a_tile[k][row + side / own * y];
#pragma unroll
      for (int x = 0; x < own; ++x) right[x] = b_tile[k][column + side / own * x];
#pragma unroll
      for (int y = 0; y < own; ++y) {
#pragma unroll
        for (int x = 0; x < own; ++x) sum[y][x] = fmaf(left[y], right[x], sum[y][x]);
      }
    }
    __syncthreads();
  }
#pragma unroll
  for (int y = 0; y < own; ++y) {
#pragma unroll
    for (int x = 0; x < own; ++x) {
      const int i = ii + row + side / own * y, j = jj + column + side / own * x;
      if (i < s.M && j < s.N) c[std::int64_t{i} * s.N + j] = sum[y][x];
    }
  }
}

// --- The host --------------------------------------------------------------------

void check(cudaError_t error) {
  if (error == cudaSuccess) return;
  std::fprintf(stderr, "CUDA: %s\n", cudaGetErrorString(error));
  std::exit(1);
}

struct Free {
  void operator()(float* memory) const { cudaFree(memory); }
};
using DeviceMatrix = std::unique_ptr<float, Free>;

DeviceMatrix on_device(const Matrix& m) {
  void* memory = nullptr;
  check(cudaMalloc(&memory, m.values.size() * sizeof(float)));
  check(cudaMemcpy(memory, m.values.data(), m.values.size() * sizeof(float), cudaMemcpyHostToDevice));
  return DeviceMatrix(static_cast<float*>(memory));
}

unsigned tiles(int size, int tile) { return static_cast<unsigned>((size + tile - 1) / tile); }

void by_entries(const float* a, const float* b, float* c, Shape s) {
  product_by_entries<<<dim3(tiles(s.N, T), tiles(s.M, T)), dim3(T, T)>>>(a, b, c, s);
}
void by_registers(const float* a, const float* b, float* c, Shape s) {
  product_by_registers<<<dim3(tiles(s.N, side), tiles(s.M, side)), threads>>>(a, b, c, s);
}

template <class Launch>
auto product_by(Launch launch) {
  return [launch](const Matrix& a, const Matrix& b) {
    Matrix c = {a.rows, b.columns};
    const DeviceMatrix device_a = on_device(a), device_b = on_device(b), device_c = on_device(c);
    launch(device_a.get(), device_b.get(), device_c.get(), {a.rows, b.columns, a.columns});
    check(cudaGetLastError());
    check(cudaMemcpy(c.values.data(), device_c.get(), c.values.size() * sizeof(float), cudaMemcpyDeviceToHost));
    return c;
  };
}

// The best of five runs, timed by events on the device, because a launch returns long before its kernel is done.
template <class Launch>
double measured(int n, Launch launch) {
  const DeviceMatrix a = on_device(whole_numbers(n, n, 1)), b = on_device(whole_numbers(n, n, 2));
  const DeviceMatrix c = on_device({n, n});
  cudaEvent_t begin, end;
  check(cudaEventCreate(&begin));
  check(cudaEventCreate(&end));
  float best = 0;
  for (int run = 0; run < 6; ++run) {  // the first loads the kernel
    check(cudaEventRecord(begin));
    launch(a.get(), b.get(), c.get(), Shape{n, n, n});
    check(cudaEventRecord(end));
    check(cudaEventSynchronize(end));
    float milliseconds = 0;
    check(cudaEventElapsedTime(&milliseconds, begin, end));
    if (run > 0 && (best == 0 || milliseconds < best)) best = milliseconds;
  }
  check(cudaEventDestroy(begin));
  check(cudaEventDestroy(end));
  return gflops(n, n, n, 1000 * double{best});
}

#if defined(WITH_CUBLAS)
// Single precision, without tensor cores. cuBLAS takes matrices by columns, so it computes C^T = B^T A^T.
struct Cublas {
  cublasHandle_t handle = nullptr;

  Cublas() { require(cublasCreate(&handle)); }
  ~Cublas() { cublasDestroy(handle); }
  static void require(cublasStatus_t status) {
    if (status != CUBLAS_STATUS_SUCCESS) std::exit(1);
  }
  void operator()(const float* a, const float* b, float* c, Shape s) const {
    const float one = 1, zero = 0;
    require(cublasSetMathMode(handle, CUBLAS_PEDANTIC_MATH));
    require(cublasSgemm(handle, CUBLAS_OP_N, CUBLAS_OP_N, s.N, s.M, s.U, &one, b, s.N, a, s.U, &zero, c, s.N));
  }
};
#endif

void print_times() {
  std::printf("%6s %12s %12s %12s   GFlop/s\n", "n", "by entries", "by registers", "cuBLAS");
  for (const int n : {256, 512, 1024, 2048, 4096, 8192}) {
    std::printf("%6d %12.0f %12.0f", n, measured(n, by_entries), measured(n, by_registers));
#if defined(WITH_CUBLAS)
    const Cublas cublas;
    const auto launch = [&](const float* a, const float* b, float* c, Shape s) { cublas(a, b, c, s); };
    std::printf(" %12.0f\n", measured(n, launch));
#else
    std::printf(" %12s\n", "not linked");
#endif
  }
}

}  // namespace

int main(int count, char** arguments) {
  print_small_product(product_by(by_registers));
  check_all_shapes(T, T, product_by(by_entries));
  check_all_shapes(side, depth, product_by(by_registers));
  print_measure();
  if (count > 1 && std::strcmp(arguments[1], "--time") == 0) print_times();
}
