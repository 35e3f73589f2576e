#pragma once

#include "execution/cuda/check.h"
#include "sampling/tokens/token_call_cuda.h"

// Draws from rows that a cluster's blocks hold in their shared memory.

namespace papilio::sampling {

// Whether rows fit on chip.
template <class S>
bool fits_on_chip(const TokenCall& call);

// Whether 16-bit logits are held as floats: with a bias their sums are floats.
template <class S>
bool are_widened(const TokenCall& call) {
  return sizeof(S) == 2 && call.bias_offsets != nullptr;
}

// Queues draws from all rows, which have TokenWay::on_chip and one filter. Rows may be left over if the draw depends on
// the order of the categories, or if the kept set is asked for.
template <class S>
void draw_on_chip(const TokenCall& call, cudaStream_t stream);

// Queues draws from the rows with TokenWay::on_chip, and from those that were left over near the largest. The kernel
// begins early.
template <class S>
void draw_others_on_chip(const TokenCall& call, cudaStream_t stream);

// Whether a filter cuts the order of the categories, or the kept set is asked for.
inline bool needs_cut(const TokenCall& call, const TokenFilter& filter) {
  return call.room > 0 || !sampling_kernel::is_unordered(call, filter);
}
// Whether min_p is set, or what is kept is asked for.
inline bool is_filtered(const TokenCall& call) {
  return call.min_p.value != 0 || call.kept_counts != nullptr || call.kept_masses != nullptr;
}
// Whether rows have neither a mask nor a bias, and ranks are not asked for.
inline bool is_plain(const TokenCall& call) {
  return call.allowed == nullptr && call.bias_offsets == nullptr && call.ranks == nullptr;
}

}  // namespace papilio::sampling
