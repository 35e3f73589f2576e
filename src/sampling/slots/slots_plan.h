#pragma once

#include <cstdint>

#include "sampling/rows/draw_cuda.h"

namespace papilio::sampling {

// So many segments are added up by the warps of a block.
inline constexpr std::int64_t segments_at_once = 8;

// Which kernel draws from rows on a device. The choice never changes a result.
struct SlotsPlan {
  enum class Kind : std::uint8_t {
    batches,              // up to 1,024 categories: some threads of a warp for several rows
    batches_by_segments,  // up to 8,192 categories, many rows: a block for several rows
    warp_per_row,         // ragged rows; any length
    split_rows,           // many segments: several blocks a row, and a workspace
  };
  Kind kind = Kind::batches;
  bool aligned = false;       // four neighbouring categories can be loaded at once
  std::int64_t segments = 1;  // of 1,024 categories, of a row
};

SlotsPlan plan_slots(const DeviceRows& rows, int multiprocessors);

// Queues the draw: one function a stored type, compiled apart.
template <class S>
void queue_slots_of(const DeviceDraw& draw, const SlotsPlan& plan);

}  // namespace papilio::sampling
