// The table of kernels of one instruction-set target; compiled once for each, see
// cmake/simd_targets.cmake. Includes no container: inline library code compiled for one
// target must not be merged into code for another.

#include "sampling/blocks/sample_by_blocks_cpu.h"
#include "sampling/gamma/gamma_rows_cpu.h"
#include "sampling/logits/logit_rows_cpu.h"
#include "sampling/rows/kernels.h"
#include "sampling/slots/sample_by_slots_cpu.h"
#include "sampling/tokens/token_rows_cpu.h"
#include "sampling/without_replacement/race_cpu.h"

namespace papilio::inline PAPILIO_TARGET {
namespace {

using sampling::RowBatch;

template <class T>
void draw(const RowBatch<T>& batch, std::int64_t* drawn, DrawStatus* status) {
  batch.method == PartialSums::slots ? sampling_kernel::draw_by_slots(batch, drawn, status)
                                     : sampling_kernel::draw_by_blocks(batch, drawn, status);
}

std::int64_t scratch_bytes(PartialSums method, std::int64_t longest_row, std::int64_t weight_bytes) {
  return method == PartialSums::slots ? sampling_kernel::slot_scratch_bytes(longest_row, weight_bytes)
                                      : sampling_kernel::block_scratch_bytes(method, longest_row, weight_bytes);
}

}  // namespace

extern const sampling::Kernels sampling_kernels;
const sampling::Kernels sampling_kernels = {draw<float>,
                                            draw<double>,
                                            scratch_bytes,
                                            sampling_kernel::draw_gamma,
                                            sampling_kernel::weigh_logits,
                                            sampling_kernel::race_weights,
                                            sampling_kernel::race_weights,
                                            sampling_kernel::race_logits,
                                            sampling_kernel::race_logits,
                                            sampling_kernel::stage_tokens,
                                            sampling_kernel::mask_tokens,
                                            sampling_kernel::scan_tokens,
                                            sampling_kernel::collect_tokens,
                                            sampling_kernel::weigh_tokens,
                                            sampling_kernel::sum_tokens};

}  // namespace papilio::inline PAPILIO_TARGET
