// Compiled once for every instruction-set target; see cmake/simd_targets.cmake.
// Includes no container: inline library code compiled for one target must not
// be merged into code for another.

#include "sampling/slots/sample_by_slots_kernel.h"
#include "warp/native_warp.h"

namespace papilio::PAPILIO_TARGET {

namespace sampling_kernel {
// The methods of the papers; see sample_by_blocks_cpu.cpp.
template <class T>
void draw_by_blocks(const RowBatch<T>& batch, std::int64_t* drawn, DrawStatus* status);
std::int64_t block_scratch_bytes(PartialSums method, std::int64_t longest_row, std::int64_t weight_bytes);
// See gamma_rows_cpu.cpp.
void draw_gamma(const sampling::GammaColumns& columns);
// See logit_rows_cpu.cpp.
void weigh_logits(float* row, std::int64_t count, float scale);
}  // namespace sampling_kernel

namespace {

using sampling::RowBatch;

template <class T>
void draw(const RowBatch<T>& batch, std::int64_t* drawn, DrawStatus* status) {
  using W = warp::NativeWarp<T>;
  using namespace sampling_kernel;
  if (batch.method != PartialSums::slots) return draw_by_blocks(batch, drawn, status);
  const auto by_signs = [&](const auto& rows) {
    if (batch.check_negative)
      draw_batch_by_slots<W, collective::CollectSigns<W, T>>(rows, batch, drawn, status);
    else
      draw_batch_by_slots<W, collective::IgnoreSigns>(rows, batch, drawn, status);
  };
  if (batch.right != nullptr)
    by_signs(collective::ProductRows<T>{batch.left, batch.right, batch.sizes});
  else
    by_signs(collective::PlainRows<T>{batch.left, batch.sizes});
}

std::int64_t scratch_bytes(PartialSums method, std::int64_t longest_row, std::int64_t weight_bytes) {
  if (method != PartialSums::slots) return sampling_kernel::block_scratch_bytes(method, longest_row, weight_bytes);
  const std::int64_t segments = collective::segments_of(longest_row);
  const std::int64_t width = weight_bytes == 4 ? warp::NativeWarp<float>::width : warp::NativeWarp<double>::width;
  return segments * width * (collective::logical_lanes * weight_bytes + 8);
}

}  // namespace

extern const sampling::Kernels sampling_kernels;
const sampling::Kernels sampling_kernels = {draw<float>, draw<double>, scratch_bytes, sampling_kernel::draw_gamma,
                                            sampling_kernel::weigh_logits};

}  // namespace papilio::PAPILIO_TARGET
