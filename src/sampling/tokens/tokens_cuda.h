#pragma once

#include <cstdint>

#include "papilio/tokens.h"
#include "sampling/rows/device_rows.h"

namespace papilio::sampling {

// Logits on a device.
struct DeviceLogits {
  Storage storage;
  const void* logits;
  std::int64_t rows;
  std::int64_t categories;
  std::int64_t row_stride;
  std::int64_t column_stride;
  Device device;
};

// Queues draws from rows on a device; everything about the arrays has been checked except their contents.
void sample_tokens_on_cuda(const DeviceLogits& logits, const TokenResults& results, const TokenFilters& filters,
                           const TokenOptions& options);

// How many bytes of workspace they take.
std::int64_t tokens_workspace_on_cuda(std::int64_t rows, std::int64_t categories, Device device);

}  // namespace papilio::sampling
