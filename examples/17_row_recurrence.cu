// A recurrence along rows on a GPU, a thread per row. In the matrix as it is given, neighbouring threads read memory
// that is a row apart: each load of a warp touches 32 lines. Transposed, they read neighbours, at the price of two
// transpositions, each of which reads and writes by whole lines through a tile in shared memory. Interchanging the two
// loops does not help: consecutive columns depend on each other, so threads cannot share them. With --time: both ways,
// timed.

#include <cstdlib>
#include <cstring>

#include "support/row_recurrence.h"

namespace {

// Row i of the matrix, whose entries are `stride` apart; rows are `next` apart.
__global__ void recur(float* a, std::int64_t rows, std::int64_t next, std::int64_t stride) {
  const std::int64_t i = std::int64_t{blockIdx.x} * blockDim.x + threadIdx.x;
  if (i >= rows) return;
  float b = 0;
  for (std::int64_t j = 0; j < columns; ++j) {
    const float x = a[i * next + j * stride];
    a[i * next + j * stride] = b = b * b + x * x;
  }
}

constexpr int T = 32, rows_at_once = 8;

// out[j, i] = in[i, j]. A row of the tile has one entry more than there are memory banks; otherwise a column would lie
// in one bank, and its 32 entries would be read one after the other.
__global__ void transpose(const float* in, float* out, std::int64_t in_rows, std::int64_t in_columns) {
  __shared__ float tile[T][T + 1];
  const std::int64_t row = std::int64_t{blockIdx.y} * T, column = std::int64_t{blockIdx.x} * T;
  for (int y = static_cast<int>(threadIdx.y); y < T; y += rows_at_once)
    if (row + y < in_rows && column + threadIdx.x < in_columns)
      tile[y][threadIdx.x] = in[(row + y) * in_columns + column + threadIdx.x];
  __syncthreads();
  for (int y = static_cast<int>(threadIdx.y); y < T; y += rows_at_once)
    if (column + y < in_columns && row + threadIdx.x < in_rows)
      out[(column + y) * in_rows + row + threadIdx.x] = tile[threadIdx.x][y];
}

void check(cudaError_t error) {
  if (error == cudaSuccess) return;
  std::fprintf(stderr, "CUDA: %s\n", cudaGetErrorString(error));
  std::exit(1);
}

unsigned blocks(std::int64_t count, std::int64_t each) { return static_cast<unsigned>((count + each - 1) / each); }

// `turned` is memory for the transposed matrix.
void by_rows(float* a, float*, std::int64_t rows) { recur<<<blocks(rows, 128), 128>>>(a, rows, columns, 1); }

// The rows are the long side: they are the grid's x, of which there may be 2^31 - 1, where they are columns; as rows
// of the first transposition they are its y, of which there may be 65,535 blocks of 32.
void by_transposition(float* a, float* turned, std::int64_t rows) {
  transpose<<<dim3(blocks(columns, T), blocks(rows, T)), dim3(T, rows_at_once)>>>(a, turned, rows, columns);
  recur<<<blocks(rows, 128), 128>>>(turned, rows, 1, rows);
  transpose<<<dim3(blocks(rows, T), blocks(columns, T)), dim3(T, rows_at_once)>>>(turned, a, columns, rows);
}

using Way = void (*)(float*, float*, std::int64_t);

// Runs a way on a copy of `a`; the milliseconds of the best of `runs`, if they are asked for.
std::vector<float> run(Way way, std::vector<float> a, std::int64_t rows, int runs = 1, float* best = nullptr) {
  const std::size_t bytes = a.size() * sizeof(float);
  void *memory = nullptr, *turned = nullptr;
  cudaEvent_t begin, end;
  check(cudaMalloc(&memory, bytes));
  check(cudaMalloc(&turned, bytes));
  check(cudaEventCreate(&begin));
  check(cudaEventCreate(&end));
  for (int repeat = 0; repeat < runs; ++repeat) {
    check(cudaMemcpy(memory, a.data(), bytes, cudaMemcpyHostToDevice));
    check(cudaEventRecord(begin));
    way(static_cast<float*>(memory), static_cast<float*>(turned), rows);
    check(cudaGetLastError());
    check(cudaEventRecord(end));
    check(cudaEventSynchronize(end));
    float time = 0;
    check(cudaEventElapsedTime(&time, begin, end));
    if (best != nullptr && (repeat == 0 || time < *best)) *best = time;
  }
  check(cudaMemcpy(a.data(), memory, bytes, cudaMemcpyDeviceToHost));
  check(cudaEventDestroy(begin));
  check(cudaEventDestroy(end));
  check(cudaFree(memory));
  check(cudaFree(turned));
  return a;
}

}  // namespace

int main(int count, char** arguments) {
  print_comparison([](const auto& a, std::int64_t rows) { return run(by_rows, a, rows); },
                   [](const auto& a, std::int64_t rows) { return run(by_transposition, a, rows); });
  if (count > 1 && std::strcmp(arguments[1], "--time") == 0) {
    constexpr std::int64_t rows = 1 << 20;
    const std::vector<float> a = matrix(rows);
    float as_given = 0, transposed = 0;
    run(by_rows, a, rows, 5, &as_given);
    run(by_transposition, a, rows, 5, &transposed);
    std::printf("%lld rows: by rows %.3f ms, by transposition %.3f ms, ratio %.2f\n", static_cast<long long>(rows),
                as_given, transposed, as_given / transposed);
  }
}
