#include "sampling/slots/sample_by_slots_cuda.h"

#include <algorithm>
#include <cstdint>

#include "base/math.h"
#include "collective/partial_sums/slots.h"
#include "execution/cuda/memory.h"
#include "sampling/slots/launch_shapes_cuda.h"

namespace papilio::sampling {
namespace {

// Whether groups of four categories are whole and can be loaded at once, or by 16 bytes.
bool is_aligned(const DeviceRows& rows) {
  const auto bytes = static_cast<std::uintptr_t>(std::min<std::int64_t>(4 * stored_bytes(rows.storage), 16));
  const auto fits = [&](const void* first, std::int64_t stride) {
    return reinterpret_cast<std::uintptr_t>(first) % bytes == 0 && stride % 4 == 0;
  };
  return rows.offsets == nullptr && rows.column_stride == 1 && rows.categories % 4 == 0 &&
         fits(rows.left, rows.left_stride) && (rows.right == nullptr || fits(rows.right, rows.right_stride));
}

}  // namespace

SlotsPlan plan_slots(const DeviceRows& rows, int multiprocessors) {
  SlotsPlan plan;
  plan.aligned = is_aligned(rows);
  plan.segments = base::ceil_div<std::int64_t>(rows.categories, collective::segment_size);
  if (rows.offsets != nullptr || plan.segments > slots_launch::most_split_segments)
    plan.kind = SlotsPlan::Kind::warp_per_row;
  else if (plan.segments > slots_launch::most_segments_of_block)
    plan.kind = SlotsPlan::Kind::split_rows;
  else if (plan.segments > 1)
    plan.kind = rows.rows >= slots_launch::least_segment_rows * multiprocessors ? SlotsPlan::Kind::batches_by_segments
                                                                                : SlotsPlan::Kind::warp_per_row;
  return plan;
}

std::int64_t slots_workspace_on_cuda(const DeviceRows& rows, Device device) {
  const execution::OnDevice here(device);
  const SlotsPlan plan = plan_slots(rows, execution::multiprocessors());
  if (plan.kind != SlotsPlan::Kind::split_rows) return 0;
  return rows.rows * plan.segments * (sum_bytes(rows.storage) + 1);  // plus a byte for the sign
}

void draw_by_slots_on_cuda(const DeviceDraw& draw) {
  const execution::OnDevice here(draw.device);
  DeviceDraw checked = draw;
  if (draw.rows.left_count == 0 || (draw.rows.right != nullptr && draw.rows.right_count == 0))
    checked.rows.categories = 0;  // a wrong index must not lead to a read: there is no row
  const SlotsPlan plan = plan_slots(checked.rows, execution::multiprocessors());
  switch (draw.rows.storage) {
    case Storage::float32:
      return queue_slots_of<float>(checked, plan);
    case Storage::float64:
      return queue_slots_of<double>(checked, plan);
    case Storage::half:
      return queue_slots_of<Half>(checked, plan);
    case Storage::bfloat16:
      return queue_slots_of<BFloat16>(checked, plan);
    case Storage::float8_e4m3fn:
      return queue_slots_of<Float8E4M3FN>(checked, plan);
    case Storage::float8_e5m2:
      return queue_slots_of<Float8E5M2>(checked, plan);
  }
}

}  // namespace papilio::sampling
