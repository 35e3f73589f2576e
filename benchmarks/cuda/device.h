#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "papilio/array_view.h"

// The device as the benchmarks see it. Calls of CUDA are in the .cu files; they
// throw std::runtime_error.

// The stream that everything is queued on, a cudaStream_t.
void* stream();

papilio::Device device();

// A line of JSON members: the device, its driver and its runtime.
std::string describe_device();

void* allocate(std::int64_t bytes);
void release(void* memory) noexcept;
void upload(void* to, const void* from, std::int64_t bytes);
void download(void* to, const void* from, std::int64_t bytes);

// Copies rows of `from_bytes` each to rows of `to_bytes` and fills them up with zeros.
void copy_rows(void* to, std::int64_t to_bytes, const void* from, std::int64_t from_bytes, std::int64_t rows);

// An array on the device.
template <class T>
class DeviceVector {
 public:
  DeviceVector() = default;
  explicit DeviceVector(std::int64_t size)
      : data_(static_cast<T*>(allocate(size * static_cast<std::int64_t>(sizeof(T))))), size_(size) {}
  explicit DeviceVector(const std::vector<T>& values) : DeviceVector(static_cast<std::int64_t>(values.size())) {
    upload(data_, values.data(), size_ * static_cast<std::int64_t>(sizeof(T)));
  }
  ~DeviceVector() { release(data_); }
  DeviceVector(DeviceVector&& other) noexcept { *this = std::move(other); }
  DeviceVector& operator=(DeviceVector&& other) noexcept {
    std::swap(data_, other.data_);
    std::swap(size_, other.size_);
    return *this;
  }

  T* data() { return data_; }
  const T* data() const { return data_; }
  std::int64_t size() const { return size_; }
  papilio::VectorView<T> view() { return {data_, size_, device()}; }
  papilio::VectorView<const T> view() const { return {data_, size_, device()}; }

  std::vector<T> to_host(std::int64_t first, std::int64_t count) const {
    std::vector<T> values(static_cast<std::size_t>(count));
    download(values.data(), data_ + first, count * static_cast<std::int64_t>(sizeof(T)));
    return values;
  }

 private:
  T* data_ = nullptr;
  std::int64_t size_ = 0;
};

struct Timing {
  double median_ms = 0;
  double best_ms = 0;
  int launches = 0;
};

// How often a case is run: until `seconds` are spent, but within these bounds.
struct Effort {
  double seconds = 0.1;
  int at_least = 20;
  int at_most = 60;
};

// The time on the device of launch(0), launch(1), ... after two for warming up.
// All are queued after a kernel that waits, with an event between each two, so
// that what the host needs for a launch is not in it.
Timing time_launches(const std::function<void(int)>& launch, const Effort& effort = {});

// What a call queues, captured as a CUDA graph. The call has been made before, so that its kernels are loaded.
class Graph {
 public:
  explicit Graph(const std::function<void()>& call);
  ~Graph();
  Graph(const Graph&) = delete;
  Graph& operator=(const Graph&) = delete;

  void replay() const;

 private:
  void* ready_ = nullptr;  // a cudaGraphExec_t
};
