#pragma once

#include <cstdint>

#include "papilio/sampling.h"

// The border between the driver and the CUDA kernels: plain data
// that a kernel takes by value. row_batch.h is the same for the CPU.

namespace papilio::sampling {

enum class Storage : std::uint8_t { float32, float64, half, bfloat16, float8_e4m3fn, float8_e5m2 };

constexpr std::int64_t stored_bytes(Storage storage) {
  switch (storage) {
    case Storage::float64:
      return 8;
    case Storage::float32:
      return 4;
    case Storage::half:
    case Storage::bfloat16:
      return 2;
    default:
      return 1;
  }
}
// The bytes of the type in which such weights are summed.
constexpr std::int64_t sum_bytes(Storage storage) { return storage == Storage::float64 ? 8 : 4; }

// Rows of weights on a device. Row i has the categories
//   left[l * left_stride + k * column_stride] (times right[r * right_stride + k]),
// l = left_rows[i] or i, r = right_rows[i] or i; ragged rows are in
// left[offsets[l]] ... left[offsets[l + 1] - 1].
struct DeviceRows {
  Storage storage = Storage::float32;
  const void* left = nullptr;
  const void* right = nullptr;  // null: no products
  const std::int32_t* left_rows = nullptr;
  const std::int32_t* right_rows = nullptr;
  const std::int64_t* offsets = nullptr;  // null: not ragged
  std::int64_t left_count = 0;            // rows that there are to pick from
  std::int64_t right_count = 0;
  std::int64_t left_stride = 0;
  std::int64_t right_stride = 0;
  std::int64_t column_stride = 1;
  std::int64_t values = 0;      // entries of `left` where rows are ragged
  std::int64_t rows = 0;        // of the draw
  std::int64_t categories = 0;  // of every row, where rows are not ragged
};

struct DeviceDraw {
  DeviceRows rows;
  Device device = Device::cpu();
  PartialSums method = PartialSums::slots;
  std::uint64_t seed = 0;
  std::uint64_t stream = 0;
  std::uint64_t first_row_id = 0;
  const std::int64_t* row_ids = nullptr;
  const std::int64_t* seeds = nullptr;
  void* drawn = nullptr;
  bool drawn_is_wide = false;  // int64 rather than int32
  DrawStatus* status = nullptr;
  bool check_negative = true;
  void* workspace = nullptr;
  void* cuda_stream = nullptr;
};

}  // namespace papilio::sampling
