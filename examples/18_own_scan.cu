// A kernel of your own with the segmented scan of the device headers: exponential averages of many series, one after
// the other in memory. A block of threads composes the maps x -> a + b x, 256 at a time, and carries the last value
// over to the next 256. 18_own_scan.cpp performs the same steps on a CPU, and prints the same bits.
//
// Uses the kernel headers, which are unstable before 1.0. Compile such code with --fmad=false; otherwise
// the maps are rounded differently than on the host.

#include <papilio/collective/block_scan.cuh>

#include <cstdlib>
#include <memory>

#include "support/recurrence.h"

namespace {

namespace collective = papilio::collective;
using Map = collective::AffineMap<float>;

constexpr int block_threads = 256;

// One block processes all series. Element i is the map of observation i; a head begins a series.
__global__ void average(const float* shift, const float* factor, const std::uint8_t* begins, float* result) {
  __shared__ collective::BlockTotals<Map, collective::block_warps<block_threads>> shared;
  const collective::Compose compose;
  const collective::JoinRuns<collective::Compose> join = {compose};
  collective::RunEnd<Map> before = {{0, 1}, 0};  // how the elements before these end
  for (std::int64_t first = 0; first < count; first += block_threads) {
    const std::int64_t i = first + threadIdx.x;
    const Map map = i < count ? Map{shift[i], factor[i]} : Map{0, 1};  // past the end, the neutral map
    const bool head = i < count && begins[i] != 0;
    const auto scanned = collective::segmented_scan_block<block_threads>(map, head, compose, shared);
    if (i < count) result[i] = join(before, scanned.value).value(0.0f);
    before = join(before, scanned.total);
  }
}

void check(cudaError_t error) {
  if (error == cudaSuccess) return;
  std::fprintf(stderr, "CUDA: %s\n", cudaGetErrorString(error));
  std::exit(1);
}

struct Free {
  void operator()(void* memory) const { cudaFree(memory); }
};
template <class T>
std::unique_ptr<T[], Free> on_device(const std::vector<T>& x) {
  void* memory = nullptr;
  check(cudaMalloc(&memory, x.size() * sizeof(T)));
  check(cudaMemcpy(memory, x.data(), x.size() * sizeof(T), cudaMemcpyHostToDevice));
  return std::unique_ptr<T[], Free>(static_cast<T*>(memory));
}

}  // namespace

int main() {
  const Observations o = observations();
  std::vector<float> result(count);
  const auto shift = on_device(o.shift), factor = on_device(o.factor), device_result = on_device(result);
  const auto begins = on_device(o.begins);
  average<<<1, block_threads>>>(shift.get(), factor.get(), begins.get(), device_result.get());
  check(cudaGetLastError());
  check(cudaMemcpy(result.data(), device_result.get(), result.size() * sizeof(float), cudaMemcpyDeviceToHost));
  print_averages(o, result);
}
