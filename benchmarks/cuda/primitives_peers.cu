#include "primitives_peers.h"

#include <dlfcn.h>

#include <algorithm>
#include <cub/cub.cuh>
#if __has_include(<cub/device/device_segmented_scan.cuh>)
#include <cub/device/device_segmented_scan.cuh>
#define PAPILIO_HAS_SEGMENTED_SCAN 1
#endif
#include <stdexcept>

#include "check.cuh"

namespace {

template <class Call>
std::int64_t run(void* temporary, std::int64_t bytes, const Call& call) {
  auto size = static_cast<std::size_t>(bytes);
  check(call(temporary, size));
  return static_cast<std::int64_t>(size);
}

__global__ __launch_bounds__(256) void count_kernel(const std::int32_t* keys, std::int64_t count, std::int32_t* out) {
  const std::int64_t stride = std::int64_t{gridDim.x} * blockDim.x;
#pragma unroll 8
  for (std::int64_t i = std::int64_t{blockIdx.x} * blockDim.x + threadIdx.x; i < count; i += stride)
    atomicAdd(out + keys[i], 1);
}

template <class T>
__global__ __launch_bounds__(256) void sum_kernel(const std::int32_t* keys, const T* values, std::int64_t count,
                                                  T* out) {
  const std::int64_t stride = std::int64_t{gridDim.x} * blockDim.x;
#pragma unroll 8
  for (std::int64_t i = std::int64_t{blockIdx.x} * blockDim.x + threadIdx.x; i < count; i += stride)
    atomicAdd(out + keys[i], values[i]);
}

template <class T>
__global__ void transpose_kernel(const T* in, T* out, std::int64_t rows, std::int64_t columns) {
  __shared__ T tile[32][33];
  const std::int64_t column_tiles = (columns + 31) / 32;
  const std::int64_t row = blockIdx.x / column_tiles * 32, column = blockIdx.x % column_tiles * 32;
  const std::int64_t matrix = std::int64_t{blockIdx.y} * rows * columns;
  for (int r = static_cast<int>(threadIdx.y); r < 32; r += 8)
    if (row + r < rows && column + threadIdx.x < columns)
      tile[r][threadIdx.x] = in[matrix + (row + r) * columns + column + threadIdx.x];
  __syncthreads();
  for (int r = static_cast<int>(threadIdx.y); r < 32; r += 8)
    if (column + r < columns && row + threadIdx.x < rows)
      out[matrix + (column + r) * rows + row + threadIdx.x] = tile[threadIdx.x][r];
}

using Handle = void*;

// As cublas_v2.h declares it; status 0 is success.
template <class T>
using Geam = int (*)(Handle, int, int, int, int, const T*, const T*, int, const T*, const T*, int, T*, int);

void require_success(int status, const char* what) {
  if (status != 0) throw std::runtime_error(std::string("cuBLAS: ") + what + " gave status " + std::to_string(status));
}

constexpr int as_it_is = 0, transposed = 1;

}  // namespace

template <class T>
std::int64_t cub_scan(void* temporary, std::int64_t bytes, const T* values, T* out, std::int64_t count) {
  return run(temporary, bytes, [&](void* memory, std::size_t& size) {
    return cub::DeviceScan::InclusiveSum(memory, size, values, out, count, cuda_stream());
  });
}
template <class T>
std::int64_t cub_scan_by_key(void* temporary, std::int64_t bytes, const std::int32_t* keys, const T* values, T* out,
                             std::int64_t count) {
  return run(temporary, bytes, [&](void* memory, std::size_t& size) {
    return cub::DeviceScan::InclusiveSumByKey(memory, size, keys, values, out, count, ::cuda::std::equal_to<>{},
                                              cuda_stream());
  });
}
template <class T>
std::int64_t cub_reduce_by_key(void* temporary, std::int64_t bytes, const std::int32_t* keys, const T* values,
                               std::int32_t* keys_out, T* out, std::int64_t* runs, std::int64_t count) {
  return run(temporary, bytes, [&](void* memory, std::size_t& size) {
    return cub::DeviceReduce::ReduceByKey(memory, size, keys, keys_out, values, out, runs, ::cuda::std::plus<>{}, count,
                                          cuda_stream());
  });
}
template <class T>
std::int64_t cub_segmented_reduce(void* temporary, std::int64_t bytes, const std::int64_t* offsets,
                                  std::int64_t segments, const T* values, T* out) {
  return run(temporary, bytes, [&](void* memory, std::size_t& size) {
    return cub::DeviceSegmentedReduce::Sum(memory, size, values, out, segments, offsets, offsets + 1, cuda_stream());
  });
}
template <class T>
std::int64_t cub_segmented_scan(void* temporary, std::int64_t bytes, const std::int64_t* offsets, std::int64_t segments,
                                const T* values, T* out) {
#ifdef PAPILIO_HAS_SEGMENTED_SCAN
  return run(temporary, bytes, [&](void* memory, std::size_t& size) {
    return cub::DeviceSegmentedScan::InclusiveSegmentedSum(memory, size, values, out, offsets, offsets + 1, segments,
                                                           cuda_stream());
  });
#else
  static_cast<void>(temporary), static_cast<void>(bytes), static_cast<void>(offsets), static_cast<void>(segments);
  static_cast<void>(values), static_cast<void>(out);
  return 0;
#endif
}
int cub_version() { return CUB_VERSION; }
std::int64_t cub_histogram(void* temporary, std::int64_t bytes, const std::int32_t* keys, std::int64_t count,
                           std::int32_t* counts, int bins) {
  return run(temporary, bytes, [&](void* memory, std::size_t& size) {
    return cub::DeviceHistogram::HistogramEven(memory, size, keys, counts, bins + 1, 0, bins, count, cuda_stream());
  });
}
template <class T>
std::int64_t cub_select(void* temporary, std::int64_t bytes, const std::uint8_t* flags, const T* values, T* out,
                        std::int64_t* kept, std::int64_t count) {
  return run(temporary, bytes, [&](void* memory, std::size_t& size) {
    return cub::DeviceSelect::Flagged(memory, size, values, flags, out, kept, count, cuda_stream());
  });
}

void queue_atomic_counts(const std::int32_t* keys, std::int64_t count, std::int32_t* out) {
  count_kernel<<<132 * 8, 256, 0, cuda_stream()>>>(keys, count, out);
  check(cudaGetLastError());
}
template <class T>
void queue_atomic_sums(const std::int32_t* keys, const T* values, std::int64_t count, T* out) {
  sum_kernel<<<132 * 8, 256, 0, cuda_stream()>>>(keys, values, count, out);
  check(cudaGetLastError());
}

template <class T>
void queue_plain_transposition(const T* in, T* out, std::int64_t rows, std::int64_t columns, std::int64_t batch) {
  const auto tiles = static_cast<unsigned>((rows + 31) / 32 * ((columns + 31) / 32));
  for (std::int64_t first = 0; first < batch; first += 65'535) {
    const auto some = static_cast<unsigned>(std::min<std::int64_t>(65'535, batch - first));
    transpose_kernel<<<dim3(tiles, some), dim3(32, 8), 0, cuda_stream()>>>(in + first * rows * columns,
                                                                           out + first * rows * columns, rows, columns);
    check(cudaGetLastError());
  }
}

#define INSTANTIATE(T)                                                                                              \
  template std::int64_t cub_scan(void*, std::int64_t, const T*, T*, std::int64_t);                                  \
  template std::int64_t cub_scan_by_key(void*, std::int64_t, const std::int32_t*, const T*, T*, std::int64_t);      \
  template std::int64_t cub_reduce_by_key(void*, std::int64_t, const std::int32_t*, const T*, std::int32_t*, T*,    \
                                          std::int64_t*, std::int64_t);                                             \
  template std::int64_t cub_segmented_reduce(void*, std::int64_t, const std::int64_t*, std::int64_t, const T*, T*); \
  template std::int64_t cub_segmented_scan(void*, std::int64_t, const std::int64_t*, std::int64_t, const T*, T*);   \
  template std::int64_t cub_select(void*, std::int64_t, const std::uint8_t*, const T*, T*, std::int64_t*,           \
                                   std::int64_t);                                                                   \
  template void queue_atomic_sums(const std::int32_t*, const T*, std::int64_t, T*)
INSTANTIATE(std::int32_t);
INSTANTIATE(float);
template void queue_atomic_sums(const std::int32_t*, const double*, std::int64_t, double*);
template void queue_plain_transposition(const float*, float*, std::int64_t, std::int64_t, std::int64_t);
template void queue_plain_transposition(const double*, double*, std::int64_t, std::int64_t, std::int64_t);

struct Cublas::Functions {
  void* library = nullptr;
  Handle handle = nullptr;
  int (*create)(Handle*) = nullptr;
  int (*destroy)(Handle) = nullptr;
  int (*set_stream)(Handle, void*) = nullptr;
  Geam<float> of_float = nullptr;
  Geam<double> of_double = nullptr;

  template <class F>
  void find(F& function, const char* name) {
    function = reinterpret_cast<F>(dlsym(library, name));
    if (function == nullptr) throw std::runtime_error(std::string("cuBLAS has no ") + name);
  }
};

Cublas::Cublas() : functions_(std::make_unique<Functions>()) {
  Functions& f = *functions_;
  for (const char* name : {"libcublas.so.13", "libcublas.so.12", "libcublas.so"})
    if (f.library == nullptr) f.library = dlopen(name, RTLD_NOW);
  if (f.library == nullptr) {
    absence_ = dlerror();
    return;
  }
  try {
    f.find(f.create, "cublasCreate_v2");
    f.find(f.destroy, "cublasDestroy_v2");
    f.find(f.set_stream, "cublasSetStream_v2");
    f.find(f.of_float, "cublasSgeam");
    f.find(f.of_double, "cublasDgeam");
    require_success(f.create(&f.handle), "cublasCreate");
    require_success(f.set_stream(f.handle, cuda_stream()), "cublasSetStream");
  } catch (const std::runtime_error& error) {
    absence_ = error.what();
  }
}

Cublas::~Cublas() {
  if (functions_->handle != nullptr) functions_->destroy(functions_->handle);
}

// cuBLAS goes down columns: to it, `in` is columns x rows, and `out` rows x columns.
template <class T>
void Cublas::transpose(const T* in, T* out, std::int64_t rows, std::int64_t columns) {
  const auto m = static_cast<int>(rows), n = static_cast<int>(columns);
  const T one = 1, zero = 0;
  const auto call = [&](Geam<T> geam) {
    require_success(geam(functions_->handle, transposed, as_it_is, m, n, &one, in, n, &zero, out, m, out, m), "geam");
  };
  if constexpr (sizeof(T) == sizeof(float))
    call(functions_->of_float);
  else
    call(functions_->of_double);
}

template void Cublas::transpose(const float*, float*, std::int64_t, std::int64_t);
template void Cublas::transpose(const double*, double*, std::int64_t, std::int64_t);
