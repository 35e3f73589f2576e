#pragma once

#include <cstdint>

#include "sampling/rows/device_rows.h"

// Draws by the methods of the papers on a device.

namespace papilio::sampling {

// Queues a draw.
void draw_by_blocks_on_cuda(const DeviceDraw& draw);

// Bytes of workspace that it needs.
std::int64_t blocks_workspace_on_cuda(const DeviceRows& rows, PartialSums method, Device device);

// How a draw is spread over a device.
// This choice never changes a result.
struct BlocksPlan {
  std::int64_t warps = 1;       // in flight at once, each with a table of its own
  std::int64_t table_size = 0;  // values of a table
};

// The plan for the current device. Throws InvalidArgument if rows are too long for a table.
BlocksPlan plan_blocks(const DeviceRows& rows, PartialSums method);

// One function per stored type, each compiled separately: queues the draw, and
// says how many of its warps fit on a multiprocessor of the current device.
template <class S>
void queue_blocks_of(const DeviceDraw& draw, const BlocksPlan& plan);
template <class S>
int warps_per_multiprocessor_of(PartialSums method, bool product);

}  // namespace papilio::sampling
