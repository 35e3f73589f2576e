#pragma once

#include <cuda_runtime_api.h>

#include <cstddef>
#include <cstdint>
#include <utility>

#include "execution/cuda/check.h"
#include "papilio/device.h"

namespace papilio::execution {

// Makes a device the current one for a scope.
class OnDevice {
 public:
  explicit OnDevice(Device device);
  ~OnDevice();
  OnDevice(const OnDevice&) = delete;
  OnDevice& operator=(const OnDevice&) = delete;

 private:
  int before_ = 0;
};

// Allocates bytes on the current device. If there is no room, throws
// OutOfDeviceMemory with the bytes needed and free; the process can continue.
void* allocate_on_device(std::int64_t bytes, const char* what);
void free_on_device(void* memory) noexcept;

// How many bytes of the current device are free.
std::int64_t free_device_bytes();

// Copies bytes of the current device to the host in the order of a stream, and waits for them.
void download_bytes(void* to, const void* from, std::int64_t bytes, cudaStream_t stream);

// An array on the device that was current when it was made.
template <class T>
class DeviceArray {
 public:
  DeviceArray() = default;
  DeviceArray(std::int64_t size, const char* what)
      : data_(static_cast<T*>(allocate_on_device(size * static_cast<std::int64_t>(sizeof(T)), what))), size_(size) {}
  ~DeviceArray() { free_on_device(data_); }
  DeviceArray(DeviceArray&& other) noexcept
      : data_(std::exchange(other.data_, nullptr)), size_(std::exchange(other.size_, 0)) {}
  DeviceArray& operator=(DeviceArray&& other) noexcept {
    std::swap(data_, other.data_);
    std::swap(size_, other.size_);
    return *this;
  }

  T* data() { return data_; }
  const T* data() const { return data_; }
  std::int64_t size() const { return size_; }
  std::int64_t bytes() const { return size_ * static_cast<std::int64_t>(sizeof(T)); }

  // Copies `count` entries from or to host memory, in the order of the stream.
  // Pageable memory makes the call wait.
  void upload(const T* from, std::int64_t count, cudaStream_t stream) {
    check(cudaMemcpyAsync(data_, from, static_cast<std::size_t>(count) * sizeof(T), cudaMemcpyHostToDevice, stream),
          "a copy to the device");
  }
  void download(T* to, std::int64_t count, cudaStream_t stream) const {
    check(cudaMemcpyAsync(to, data_, static_cast<std::size_t>(count) * sizeof(T), cudaMemcpyDeviceToHost, stream),
          "a copy from the device");
  }
  void clear(cudaStream_t stream) {
    check(cudaMemsetAsync(data_, 0, static_cast<std::size_t>(size_) * sizeof(T), stream), "clearing device memory");
  }

 private:
  T* data_ = nullptr;
  std::int64_t size_ = 0;
};

// A queue of work on the device that was current when it was made. If
// several queues have work waiting, that of an urgent queue goes first.
enum class Urgency : std::uint8_t { usual, urgent };
class Stream {
 public:
  explicit Stream(Urgency urgency = Urgency::usual);
  ~Stream();
  Stream(const Stream&) = delete;
  Stream& operator=(const Stream&) = delete;

  cudaStream_t get() const { return stream_; }

  // Waits until all of its work is done; throws what went wrong in it.
  void wait() const { check(cudaStreamSynchronize(stream_), "work on the device"); }

 private:
  cudaStream_t stream_ = nullptr;
};

// What the current device can do.
int device_attribute(cudaDeviceAttr which);

// How many multiprocessors the current device has.
int multiprocessors();

}  // namespace papilio::execution
