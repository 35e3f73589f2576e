#pragma once

#include <cstdint>

#include "sampling/rows/draw_cuda.h"

namespace papilio::sampling {

// How a draw by a method of the papers is spread over a device. The choice never
// changes a result.
struct BlocksPlan {
  std::int64_t warps = 1;       // in flight at once, each with a table of its own
  std::int64_t table_size = 0;  // values of a table
};

// For the current device. Throws InvalidArgument where rows are too long for a table.
BlocksPlan plan_blocks(const DeviceRows& rows, PartialSums method);

// One function a stored type, compiled apart: queues the draw, and says how many of
// its warps a multiprocessor of the current device holds.
template <class S>
void queue_blocks_of(const DeviceDraw& draw, const BlocksPlan& plan);
template <class S>
int warps_per_multiprocessor_of(PartialSums method, bool product);

}  // namespace papilio::sampling
