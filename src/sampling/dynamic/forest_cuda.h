#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>

#include "papilio/array_view.h"
#include "papilio/sampling.h"

// The border between papilio::DynamicForest and its kernels: plain data, taken by value.

namespace papilio::sampling {

// A batch of updates in device memory; `status` has an entry per update.
struct DeviceUpdates {
  std::int64_t count = 0;
  const std::int64_t* rows = nullptr;
  const std::int64_t* categories = nullptr;
  const double* weights = nullptr;
  DrawStatus* status = nullptr;
  std::byte* workspace = nullptr;
  void* cuda_stream = nullptr;
};

// Draws in device memory. Either `drawn_32` or `drawn_64` is not null.
struct DeviceForestDraws {
  std::int64_t count = 0;
  const std::int64_t* rows = nullptr;
  std::int32_t* drawn_32 = nullptr;
  std::int64_t* drawn_64 = nullptr;
  DrawStatus* status = nullptr;  // null: none
  std::uint64_t seed = 0;
  std::uint64_t stream = 0;
  std::uint64_t first_draw = 0;
  void* cuda_stream = nullptr;
};

// What is wrong with the weights of a new forest; `row` is the first row with a fault of this kind.
struct ForestFault {
  enum class Kind : std::uint8_t { none, weight, total };
  Kind kind = Kind::none;
  std::int64_t row = 0;
  std::int64_t category = 0;  // of a weight
  double weight = 0;
};

// The trees of SumForest in the memory of a device, with the same sums and the same draws.
class ForestOnCuda {
 public:
  // Waits for the stream. Use the forest only if there is no fault.
  ForestOnCuda(const MatrixView<const double>& weights, void* cuda_stream, ForestFault& fault);
  // Making a copy waits for the default stream.
  ForestOnCuda(const ForestOnCuda& other);
  ForestOnCuda(ForestOnCuda&& other) noexcept;
  ForestOnCuda& operator=(const ForestOnCuda& other);
  ForestOnCuda& operator=(ForestOnCuda&& other) noexcept;
  ~ForestOnCuda();

  Device device() const;
  std::int64_t rows() const;
  std::int64_t categories() const;

  // Copies a number to the host, in the order of the stream, and waits for it.
  double weight(std::int64_t row, std::int64_t category, void* cuda_stream) const;
  double total(std::int64_t row, void* cuda_stream) const;

  std::int64_t workspace_bytes(std::int64_t updates) const;

  // Both queue their work, and return.
  void set(const DeviceUpdates& updates);
  void sample(const DeviceForestDraws& draws) const;

 private:
  struct Memory;
  std::unique_ptr<Memory> memory_;
};

}  // namespace papilio::sampling
