#pragma once

#include <cstdint>

#include "papilio/device.h"

// The border between papilio::sample_gamma and its CUDA kernel: plain data, taken by value.

namespace papilio::sampling {

struct DeviceGammas {
  const float* shapes = nullptr;
  std::int64_t shapes_row_stride = 0;
  std::int64_t shapes_column_stride = 0;
  float* drawn = nullptr;
  std::int64_t drawn_stride = 0;
  std::int64_t rows = 0;
  std::int32_t columns = 0;
  std::uint64_t seed = 0;
  std::uint64_t stream = 0;
  std::uint64_t first_row_id = 0;
  const std::int64_t* row_ids = nullptr;  // null: none
};

// Queues the draws; there must be at least one row and one column.
void draw_gammas_on_cuda(const DeviceGammas& gammas, Device device, void* cuda_stream);

}  // namespace papilio::sampling
