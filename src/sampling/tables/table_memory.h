#pragma once

#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "papilio/device.h"

namespace papilio::sampling {

// A copy of `bytes` bytes of host memory in the memory of a CUDA device, complete
// when the call returns. If there is no room, the error calls it `what`.
std::shared_ptr<const void> copy_to_cuda(const void* from, std::int64_t bytes, Device device, const char* what);

// Copies bytes of a device's memory to the host, in the order of a stream, and waits for them.
void copy_from_cuda(void* to, const void* from, std::int64_t bytes, Device device, void* cuda_stream);

// The entries of a table, on the CPU or in the memory of a CUDA device. They never change, and copies share them.
template <class T>
class TableEntries {
 public:
  TableEntries(std::vector<T> entries, Device where)
      : size_(static_cast<std::int64_t>(entries.size())), device_(where) {
    if (device_.is_cpu()) {
      const auto kept = std::make_shared<const std::vector<T>>(std::move(entries));
      memory_ = std::shared_ptr<const void>(kept, kept->data());
    } else {
      memory_ = copy_to_cuda(entries.data(), size_ * static_cast<std::int64_t>(sizeof(T)), device_, "a table");
    }
  }

  const T* data() const { return static_cast<const T*>(memory_.get()); }
  std::int64_t size() const { return size_; }
  Device device() const { return device_; }

  // The same entries on another device.
  TableEntries on(Device where) const {
    if (where == device_) return *this;
    std::vector<T> entries(static_cast<std::size_t>(size_));
    const std::int64_t bytes = size_ * static_cast<std::int64_t>(sizeof(T));
    if (device_.is_cpu())
      entries.assign(data(), data() + size_);
    else
      copy_from_cuda(entries.data(), data(), bytes, device_, nullptr);
    return TableEntries(std::move(entries), where);
  }

 private:
  std::shared_ptr<const void> memory_;
  std::int64_t size_;
  Device device_;
};

}  // namespace papilio::sampling
