#include "papilio/device.h"

#include <cuda_runtime_api.h>
#include <fmt/format.h>

#include "execution/cuda.h"
#include "execution/cuda/memory.h"
#include "execution/out_of_device_memory.h"
#include "papilio/error.h"

namespace papilio {
namespace execution {
namespace {

// The devices, or the driver's words for why there are none.
struct Census {
  int count = 0;
  std::string absence;
};

Census census() {
  Census found;
  const cudaError_t error = cudaGetDeviceCount(&found.count);
  if (error == cudaSuccess && found.count > 0) return found;
  cudaGetLastError();  // or a later call would report this error
  found.count = 0;
  found.absence = error == cudaSuccess || error == cudaErrorNoDevice ? "the driver finds no device"
                  : error == cudaErrorInsufficientDriver
                      ? "this machine has no NVIDIA driver, or one older than this build needs"
                      : cudaGetErrorString(error);
  return found;
}

}  // namespace

int cuda_device_count() { return census().count; }

void throw_device_error(cudaError_t error, const char* what) {
  cudaGetLastError();
  int device = -1;
  const bool known = cudaGetDevice(&device) == cudaSuccess;
  throw DeviceError(fmt::format("papilio: {} failed on {}: {}", what,
                                known ? fmt::format("cuda:{}", device) : "a CUDA device", cudaGetErrorString(error)));
}

OnDevice::OnDevice(Device device) {
  check(cudaGetDevice(&before_), "finding the current device");
  if (before_ != device.ordinal()) check(cudaSetDevice(device.ordinal()), "choosing a device");
}

OnDevice::~OnDevice() { cudaSetDevice(before_); }

void* allocate_on_device(std::int64_t bytes, const char* what) {
  if (bytes == 0) return nullptr;
  void* memory = nullptr;
  const cudaError_t error = cudaMalloc(&memory, static_cast<std::size_t>(bytes));
  if (error == cudaErrorMemoryAllocation) {
    cudaGetLastError();
    throw OutOfDeviceMemory(
        fmt::format("papilio: {} needs {} bytes of device memory, {} are free", what, bytes, free_device_bytes()));
  }
  check(error, "allocating device memory");
  return memory;
}

void free_on_device(void* memory) noexcept { cudaFree(memory); }

std::int64_t free_device_bytes() {
  std::size_t free = 0, all = 0;
  check(cudaMemGetInfo(&free, &all), "querying free device memory");
  return static_cast<std::int64_t>(free);
}

void download_bytes(void* to, const void* from, std::int64_t bytes, cudaStream_t stream) {
  check(cudaMemcpyAsync(to, from, static_cast<std::size_t>(bytes), cudaMemcpyDeviceToHost, stream),
        "a copy from the device");
  check(cudaStreamSynchronize(stream), "a copy from the device");
}

Stream::Stream(Urgency urgency) {
  int least = 0, greatest = 0;
  check(cudaDeviceGetStreamPriorityRange(&least, &greatest), "querying the priorities of streams");
  check(cudaStreamCreateWithPriority(&stream_, cudaStreamNonBlocking, urgency == Urgency::urgent ? greatest : least),
        "making a stream");
}

Stream::~Stream() { cudaStreamDestroy(stream_); }

int device_attribute(cudaDeviceAttr which) {
  int device = 0, value = 0;
  check(cudaGetDevice(&device), "finding the current device");
  check(cudaDeviceGetAttribute(&value, which, device), "asking for what a device can do");
  return value;
}

int multiprocessors() { return device_attribute(cudaDevAttrMultiProcessorCount); }

}  // namespace execution

Device Device::cuda(int ordinal) {
  const execution::Census found = execution::census();
  if (ordinal < 0 || ordinal >= found.count) {
    throw DeviceUnavailable(
        found.count == 0
            ? fmt::format("papilio::Device::cuda: CUDA device {} was asked for, but {}; use Device::cpu()", ordinal,
                          found.absence)
            : fmt::format(
                  "papilio::Device::cuda: CUDA device {} was asked for, but this machine has {}, counted from 0",
                  ordinal, found.count));
  }
  return Device(ordinal);
}

std::vector<std::string> describe_cuda_devices() {
  const execution::Census found = execution::census();
  if (found.count == 0) return {"none: " + found.absence};
  std::vector<std::string> lines;
  for (int i = 0; i < found.count; ++i) {
    cudaDeviceProp properties;
    execution::check(cudaGetDeviceProperties(&properties, i), "querying a device's properties");
    lines.push_back(fmt::format("cuda:{}  {}, {:.1f} GiB, compute capability {}.{}", i, properties.name,
                                static_cast<double>(properties.totalGlobalMem) / (1 << 30), properties.major,
                                properties.minor));
  }
  return lines;
}

}  // namespace papilio
