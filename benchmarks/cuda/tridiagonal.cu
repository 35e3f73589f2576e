#include "tridiagonal.h"

#include <algorithm>

#include "check.cuh"

namespace {

template <class T>
__global__ void fill_kernel(T* a, T* b, T* c, T* d, std::int64_t entries) {
  const std::int64_t stride = std::int64_t{gridDim.x} * blockDim.x;
  for (std::int64_t i = std::int64_t{blockIdx.x} * blockDim.x + threadIdx.x; i < entries; i += stride) {
    const auto number = [&](unsigned int which) {
      return static_cast<T>(mix(static_cast<unsigned int>(i) ^ mix(which)) >> 8) * T(0x1p-23) - 1;
    };
    a[i] = number(1), c[i] = number(2), d[i] = number(3), b[i] = T(2.1) + number(4) * number(4);
  }
}

template <class T>
__global__ void residual_kernel(const T* a, const T* b, const T* c, const T* d, const T* x, std::int64_t systems,
                                std::int64_t rows, bool interleaved, unsigned long long* largest) {
  const std::int64_t stride = std::int64_t{gridDim.x} * blockDim.x, step = interleaved ? systems : 1;
  double worst = 0;
  for (std::int64_t i = std::int64_t{blockIdx.x} * blockDim.x + threadIdx.x; i < systems * rows; i += stride) {
    const std::int64_t row = interleaved ? i / systems : i % rows;
    double r = static_cast<double>(b[i]) * static_cast<double>(x[i]) - static_cast<double>(d[i]);
    if (row > 0) r += static_cast<double>(a[i]) * static_cast<double>(x[i - step]);
    if (row + 1 < rows) r += static_cast<double>(c[i]) * static_cast<double>(x[i + step]);
    r = r < 0 ? -r : r;
    worst = r <= worst ? worst : r;  // NaN counts
  }
  // Of doubles that are not negative, the order is that of their bits.
  atomicMax(largest, static_cast<unsigned long long>(__double_as_longlong(worst)));
}

template <class T>
__global__ void ends_kernel(T* a, T* c, std::int64_t systems, std::int64_t rows, bool interleaved) {
  const std::int64_t s = std::int64_t{blockIdx.x} * blockDim.x + threadIdx.x;
  if (s >= systems) return;
  a[interleaved ? s : s * rows] = 0;
  c[interleaved ? s + (rows - 1) * systems : s * rows + rows - 1] = 0;
}

}  // namespace

template <class T>
void clear_ends(T* a, T* c, std::int64_t systems, std::int64_t rows, bool interleaved) {
  ends_kernel<<<static_cast<unsigned>((systems + 255) / 256), 256, 0, cuda_stream()>>>(a, c, systems, rows,
                                                                                       interleaved);
  check(cudaGetLastError());
}

template <class T>
void fill_systems(T* a, T* b, T* c, T* d, std::int64_t entries) {
  fill_kernel<<<2048, 256, 0, cuda_stream()>>>(a, b, c, d, entries);
  check(cudaGetLastError());
}

template <class T>
double largest_residual(const T* a, const T* b, const T* c, const T* d, const T* x, std::int64_t systems,
                        std::int64_t rows, bool interleaved) {
  static DeviceVector<unsigned long long> largest(1);
  check(cudaMemsetAsync(largest.data(), 0, 8, cuda_stream()));
  residual_kernel<<<2048, 256, 0, cuda_stream()>>>(a, b, c, d, x, systems, rows, interleaved, largest.data());
  check(cudaGetLastError());
  double found = 0;
  download(&found, largest.data(), 8);
  return found;
}

#define INSTANTIATE(T)                                                \
  template void clear_ends(T*, T*, std::int64_t, std::int64_t, bool); \
  template void fill_systems(T*, T*, T*, T*, std::int64_t);           \
  template double largest_residual(const T*, const T*, const T*, const T*, const T*, std::int64_t, std::int64_t, bool);
INSTANTIATE(float)
INSTANTIATE(double)

void copy_on_device(void* to, const void* from, std::int64_t bytes) {
  check(cudaMemcpyAsync(to, from, static_cast<std::size_t>(bytes), cudaMemcpyDeviceToDevice, cuda_stream()));
}

Timing time_prepared(const std::function<void()>& prepare, const std::function<void()>& launch, const Effort& effort) {
  cudaEvent_t begin, end;
  check(cudaEventCreate(&begin));
  check(cudaEventCreate(&end));
  const auto once = [&] {
    prepare();
    check(cudaEventRecord(begin, cuda_stream()));
    launch();
    check(cudaEventRecord(end, cuda_stream()));
    check(cudaStreamSynchronize(cuda_stream()));
    float ms = 0;
    check(cudaEventElapsedTime(&ms, begin, end));
    return static_cast<double>(ms);
  };
  once();
  const double guess = std::max(once(), 1e-3);
  Timing timing;
  timing.launches = std::clamp(static_cast<int>(effort.seconds * 1e3 / guess), effort.at_least, effort.at_most);
  std::vector<double> ms;
  for (int i = 0; i < timing.launches; ++i) ms.push_back(once());
  std::sort(ms.begin(), ms.end());
  timing.median_ms = ms[ms.size() / 2];
  timing.best_ms = ms.front();
  cudaEventDestroy(begin);
  cudaEventDestroy(end);
  return timing;
}
