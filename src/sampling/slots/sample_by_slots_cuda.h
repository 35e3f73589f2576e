#pragma once

#include <cstdint>

#include "sampling/rows/device_rows.h"

// Draws in the slot order on a device.

namespace papilio::sampling {

// Queues a draw.
void draw_by_slots_on_cuda(const DeviceDraw& draw);

// Bytes of workspace that it needs.
std::int64_t slots_workspace_on_cuda(const DeviceRows& rows, Device device);

// Which kernel draws from rows on a device. The choice never changes a result.
struct SlotsPlan {
  enum class Kind : std::uint8_t {
    batches,              // up to 1,024 categories: some threads of a warp for several rows
    batches_by_segments,  // up to 8,192 categories, many rows: a block for several rows
    warp_per_row,         // ragged rows; any length
    split_rows,           // many segments: several blocks per row, and a workspace
  };
  Kind kind = Kind::batches;
  bool aligned = false;       // four neighbouring categories can be loaded at once
  std::int64_t segments = 1;  // of 1,024 categories, of a row
};

SlotsPlan plan_slots(const DeviceRows& rows, int multiprocessors);

// Queues the draw. There is one function per stored type, each compiled separately.
template <class S>
void queue_slots_of(const DeviceDraw& draw, const SlotsPlan& plan);

}  // namespace papilio::sampling
