#include <algorithm>

#include "base/math.h"
#include "papilio/half.h"
#include "sampling/tokens/on_chip/on_chip_rows_cuda.cuh"
#include "sampling/tokens/on_chip_tokens_cuda.h"
#include "sampling/tokens/token_launch_cuda.h"

namespace papilio::sampling {
namespace {

// Three blocks fit on a multiprocessor, so that one part is loaded while the weights of others are computed.
template <class S>
TokenShape on_chip_shape(const TokenCall& call) {
  using namespace sampling_kernel;
  constexpr std::int64_t least = 4096, group = on_chip_group(on_chip_threads);
  const bool widened = are_widened<S>(call);
  const auto most = static_cast<std::int64_t>(65536 / (widened ? sizeof(float) : sizeof(S)));
  const int parts = parts_for(call.rows, call.categories, least, most);
  const std::int64_t in_slice =
      base::round_up<std::int64_t>(base::ceil_div<std::int64_t>(call.categories, parts), 16 / sizeof(S));
  const std::int64_t before = most_before<S>(call);
  return {parts, in_slice,
          widened ? StagedPart<float>::bytes(in_slice, group, before) : StagedPart<S>::bytes(in_slice, group, before),
          false};
}

using Kernel = void (*)(TokenCall);

template <class S, sampling_kernel::OnChip kind>
Kernel kernel_of(const TokenCall& call) {
  using namespace sampling_kernel;
  if constexpr (sizeof(S) == 2) {
    if (are_widened<S>(call)) return draw_tokens_on_chip<S, kind, false, float>;
  }
  return is_plain(call) ? draw_tokens_on_chip<S, kind, true> : draw_tokens_on_chip<S, kind, false>;
}
template <class S>
Kernel kernel_of_rows(const TokenCall& call) {
  using namespace sampling_kernel;
  if constexpr (sizeof(S) == 2) {
    if (are_widened<S>(call)) return draw_rows_on_chip<S, false, float>;
  }
  return is_plain(call) ? draw_rows_on_chip<S, true> : draw_rows_on_chip<S, false>;
}

template <class S, sampling_kernel::OnChip kind>
void draw_as(const TokenCall& call, cudaStream_t stream) {
  const TokenShape shape = on_chip_shape<S>(call);
  launch_on_rows(kernel_of<S, kind>(call), shaped(call, shape), call.rows, shape, sampling_kernel::on_chip_threads,
                 stream, "drawing from tokens on chip");
}

}  // namespace

template <class S>
bool fits_on_chip(const TokenCall& call) {
  using namespace sampling_kernel;
  const std::int64_t room = execution::device_attribute(cudaDevAttrMaxSharedMemoryPerBlockOptin) -
                            static_cast<std::int64_t>(sizeof(OnChipRankMemory<OnChipCutMemory<on_chip_threads>>)) -
                            1024;
  return call.column_stride == 1 && call.categories > 1 && call.rows <= most_token_rows &&
         on_chip_shape<S>(call).shared_bytes <= room;
}

template <class S>
void draw_on_chip(const TokenCall& call, cudaStream_t stream) {
  using sampling_kernel::OnChip;
  const TokenFilter filter = {call.temperature.value, call.top_k.value, call.top_p.value, call.min_p.value};
  if (needs_cut(call, filter)) return draw_as<S, OnChip::cut>(call, stream);
  return is_filtered(call) ? draw_as<S, OnChip::filter>(call, stream) : draw_as<S, OnChip::draw>(call, stream);
}

// As many clusters look for rows as there is room for. If rows have filters of their own, twice as many, because some
// of them find no rows, and an odd number, so that requests that alternate do not fall to the same clusters.
template <class S>
void draw_others_on_chip(const TokenCall& call, cudaStream_t stream) {
  using namespace sampling_kernel;
  constexpr const char* what = "drawing from other tokens on chip";
  const Kernel kernel = kernel_of_rows<S>(call);
  const TokenShape shape = on_chip_shape<S>(call);
  // A few clusters fit for certain; to ask would take longer.
  const bool few = call.rows * shape.parts <= execution::multiprocessors();
  const std::int64_t at_once = few ? call.rows : rows_at_once(kernel, shape, on_chip_threads, what);
  const std::int64_t clusters = std::max<std::int64_t>(1, call.way == TokenWay::of_filter ? 2 * at_once - 1 : at_once);
  launch_on_rows(kernel, shaped(call, shape), std::min(call.rows, clusters), shape, on_chip_threads, stream, what,
                 Begin::early);
}

template bool fits_on_chip<float>(const TokenCall&);
template bool fits_on_chip<Half>(const TokenCall&);
template bool fits_on_chip<BFloat16>(const TokenCall&);
template void draw_on_chip<float>(const TokenCall&, cudaStream_t);
template void draw_on_chip<Half>(const TokenCall&, cudaStream_t);
template void draw_on_chip<BFloat16>(const TokenCall&, cudaStream_t);
template void draw_others_on_chip<float>(const TokenCall&, cudaStream_t);
template void draw_others_on_chip<Half>(const TokenCall&, cudaStream_t);
template void draw_others_on_chip<BFloat16>(const TokenCall&, cudaStream_t);

}  // namespace papilio::sampling
