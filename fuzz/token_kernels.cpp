// The kernels of tokens alone, for the fuzzer: what draws otherwise need not be compiled.

#include "sampling/rows/kernels.h"
#include "sampling/tokens/token_rows_cpu.h"

namespace papilio::inline PAPILIO_TARGET {

extern const sampling::Kernels sampling_kernels;
const sampling::Kernels sampling_kernels = {.draw_float = nullptr,
                                            .draw_double = nullptr,
                                            .scratch_bytes = nullptr,
                                            .draw_gamma = nullptr,
                                            .weigh_logits = nullptr,
                                            .race_float_weights = nullptr,
                                            .race_double_weights = nullptr,
                                            .race_float_logits = nullptr,
                                            .race_double_logits = nullptr,
                                            .stage_tokens = sampling_kernel::stage_tokens,
                                            .mask_tokens = sampling_kernel::mask_tokens,
                                            .scan_tokens = sampling_kernel::scan_tokens,
                                            .collect_tokens = sampling_kernel::collect_tokens,
                                            .weigh_tokens = sampling_kernel::weigh_tokens,
                                            .sum_tokens = sampling_kernel::sum_tokens};

}  // namespace papilio::inline PAPILIO_TARGET
