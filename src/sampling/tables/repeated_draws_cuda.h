#pragma once

#include <cstdint>

#include "papilio/sampling.h"
#include "sampling/tables/repeated_draws.h"

// The border between the tables of repeated draws and their CUDA kernels: plain data, taken by value.

namespace papilio::sampling {

// A table's entries, in the memory of the device that makes the draws.
struct DeviceAliasTable {
  const AliasColumn* columns = nullptr;
  std::int64_t K = 0;
};
struct DeviceCumulativeTable {
  const double* sums = nullptr;
  std::int64_t K = 0;
  double total = 0, below_total = 0;
};

// Each queues one or more draws.
void draw_by_alias_on_cuda(const DeviceAliasTable& table, VectorView<std::int32_t> drawn,
                           const RepeatedDrawOptions& options);
void draw_by_alias_on_cuda(const DeviceAliasTable& table, VectorView<std::int64_t> drawn,
                           const RepeatedDrawOptions& options);
void draw_by_sums_on_cuda(const DeviceCumulativeTable& table, VectorView<std::int32_t> drawn,
                          const RepeatedDrawOptions& options);
void draw_by_sums_on_cuda(const DeviceCumulativeTable& table, VectorView<std::int64_t> drawn,
                          const RepeatedDrawOptions& options);

}  // namespace papilio::sampling
