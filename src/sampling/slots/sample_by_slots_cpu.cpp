// Compiled once for every instruction-set target; see cmake/simd_targets.cmake.

#include "sampling/slots/sample_by_slots_cpu.h"

#include "sampling/logits/logit_rows_kernel.h"
#include "sampling/slots/sample_by_slots_kernel.h"
#include "warp/native_warp.h"

namespace papilio::inline PAPILIO_TARGET::sampling_kernel {

template <class T>
void draw_by_slots(const RowBatch<T>& batch, std::int64_t* drawn, DrawStatus* status) {
  using W = warp::NativeWarp<T>;
  const auto by_signs = [&](const auto& rows) {
    if (batch.check_negative)
      draw_batch_by_slots<W, collective::CollectSigns<W, T>>(rows, batch, drawn, status);
    else
      draw_batch_by_slots<W, collective::IgnoreSigns>(rows, batch, drawn, status);
  };
  if (batch.left_are_logits) {
    typename LogitRows<W, T>::Tile tile;
    const LogitRows<W, T> rows = {batch.left, batch.sizes, batch.logit_scale, &tile};
    draw_batch_by_slots<W, collective::IgnoreSigns>(rows, batch, drawn, status);
  } else if (batch.right != nullptr) {
    by_signs(collective::ProductRows<T>{batch.left, batch.right, batch.sizes});
  } else {
    by_signs(collective::PlainRows<T>{batch.left, batch.sizes});
  }
}
template void draw_by_slots(const RowBatch<float>& batch, std::int64_t* drawn, DrawStatus* status);
template void draw_by_slots(const RowBatch<double>& batch, std::int64_t* drawn, DrawStatus* status);

std::int64_t slot_scratch_bytes(std::int64_t longest_row, std::int64_t weight_bytes) {
  const std::int64_t segments = collective::segments_of(longest_row);
  const std::int64_t width = weight_bytes == 4 ? warp::NativeWarp<float>::width : warp::NativeWarp<double>::width;
  return segments * width * (collective::logical_lanes * weight_bytes + 8);
}

}  // namespace papilio::inline PAPILIO_TARGET::sampling_kernel
