#include "sampling/blocks/sample_by_blocks_cuda.h"

#include <algorithm>
#include <cstdint>

#include "base/check.h"
#include "base/math.h"
#include "execution/cuda/memory.h"
#include "sampling/blocks/remnant.h"

namespace papilio::sampling {
namespace {

constexpr std::int64_t width = 32;                        // rows per warp, categories per block
constexpr std::int64_t most_table_bytes = 1 << 30;        // of all warps; one warp may need more
constexpr std::int64_t most_categories = (1 << 26) - 32;  // places in a table are numbered with 32 bits

// Lengths of ragged rows are known only on the device; none is longer than all of them.
std::int64_t longest_row(const DeviceRows& rows) { return rows.offsets != nullptr ? rows.values : rows.categories; }

int warps_per_multiprocessor(const DeviceRows& rows, PartialSums method) {
  const bool product = rows.right != nullptr;
  switch (rows.storage) {
    case Storage::float32:
      return warps_per_multiprocessor_of<float>(method, product);
    case Storage::float64:
      return warps_per_multiprocessor_of<double>(method, product);
    case Storage::half:
      return warps_per_multiprocessor_of<Half>(method, product);
    case Storage::bfloat16:
      return warps_per_multiprocessor_of<BFloat16>(method, product);
    case Storage::float8_e4m3fn:
      return warps_per_multiprocessor_of<Float8E4M3FN>(method, product);
    case Storage::float8_e5m2:
      return warps_per_multiprocessor_of<Float8E5M2>(method, product);
  }
  return 0;
}

}  // namespace

BlocksPlan plan_blocks(const DeviceRows& rows, PartialSums method) {
  base::require(longest_row(rows) <= most_categories,
                "papilio::sample_categorical: method {} takes at most {} {} on a CUDA device; got {}; use slots",
                name(method), most_categories, rows.offsets != nullptr ? "values in all its rows" : "categories",
                longest_row(rows));
  const std::int64_t blocks = std::max<std::int64_t>(1, base::ceil_div(longest_row(rows), width));
  BlocksPlan plan;
  const std::int64_t squares = blocks + (has_remnant_first(method) ? 1 : 0);
  plan.table_size = method == PartialSums::butterfly_two_pass ? blocks * width : squares * width * width;
  const std::int64_t room = most_table_bytes / (plan.table_size * sum_bytes(rows.storage));
  const std::int64_t useful = std::min(base::ceil_div(rows.rows, width), std::int64_t{execution::multiprocessors()} *
                                                                             warps_per_multiprocessor(rows, method));
  plan.warps = std::max<std::int64_t>(1, std::min(useful, room));
  return plan;
}

std::int64_t blocks_workspace_on_cuda(const DeviceRows& rows, PartialSums method, Device device) {
  if (rows.rows == 0) return 0;
  const execution::OnDevice here(device);
  const BlocksPlan plan = plan_blocks(rows, method);
  return plan.warps * plan.table_size * sum_bytes(rows.storage);
}

void draw_by_blocks_on_cuda(const DeviceDraw& draw) {
  const execution::OnDevice here(draw.device);
  const BlocksPlan plan = plan_blocks(draw.rows, draw.method);
  switch (draw.rows.storage) {
    case Storage::float32:
      return queue_blocks_of<float>(draw, plan);
    case Storage::float64:
      return queue_blocks_of<double>(draw, plan);
    case Storage::half:
      return queue_blocks_of<Half>(draw, plan);
    case Storage::bfloat16:
      return queue_blocks_of<BFloat16>(draw, plan);
    case Storage::float8_e4m3fn:
      return queue_blocks_of<Float8E4M3FN>(draw, plan);
    case Storage::float8_e5m2:
      return queue_blocks_of<Float8E5M2>(draw, plan);
  }
}

}  // namespace papilio::sampling
