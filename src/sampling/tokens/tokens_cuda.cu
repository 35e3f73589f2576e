#include "sampling/tokens/tokens_cuda.h"

#include <algorithm>

#include "base/math.h"
#include "execution/cuda/check.h"
#include "execution/cuda/memory.h"
#include "sampling/tokens/filtered_tokens_cuda.cuh"
#include "sampling/tokens/first_tokens_cuda.cuh"
#include "sampling/tokens/token_launch_cuda.h"

namespace papilio::sampling {
namespace {

TokenShape first_shape(std::int64_t rows, std::int64_t categories, Storage storage) {
  constexpr std::int64_t any = std::int64_t{1} << 31;
  const int parts = parts_for(rows, categories, sampling_kernel::first_tile, any);
  return {parts, base::round_up<std::int64_t>(base::ceil_div<std::int64_t>(categories, parts), 8),
          2 * sampling_kernel::first_tile * stored_bytes(storage), false};
}

template <class S>
void queue(const TokenCall& call, const TokenShape& first, const TokenShape& slices, cudaStream_t stream) {
  using namespace sampling_kernel;
  // Rows that both kernels may find to be theirs, unless the call has the same filters for all.
  const bool one_filter =
      call.temperature.values == nullptr && call.top_k.values == nullptr && call.top_p.values == nullptr;
  const TokenFilter filter = {call.temperature.value, call.top_k.value, call.top_p.value, call.min_p.value};
  const bool few = among_few(call, filter);
  if (few || !one_filter)
    launch_on_rows(draw_first_tokens<S>, shaped(call, first), call.rows, first, first_threads, stream,
                   "drawing from the first tokens");
  if (!few || !one_filter)
    launch_on_rows(draw_filtered_tokens<S>, shaped(call, slices), call.rows, slices, slice_threads, stream,
                   "drawing from filtered tokens");
  if (call.raw_log_probabilities == nullptr) return;
  TokenCall raw = call;
  raw.allowed = nullptr;
  raw.bias_offsets = nullptr;
  launch_on_rows(find_raw_logs<S>, shaped(raw, slices), raw.rows, slices, slice_threads, stream,
                 "finding logarithms of probabilities");
}

TokenCall call_of(const DeviceLogits& logits, const TokenResults& results, const TokenFilters& f,
                  const TokenOptions& options) {
  TokenCall call = call_on_rows(logits, f, options);
  const auto asked = [](const auto& view) { return view.empty() ? nullptr : view.data; };
  call.tokens = results.tokens.data;
  call.log_probabilities = asked(results.log_probabilities);
  call.raw_log_probabilities = asked(results.raw_log_probabilities);
  call.ranks = asked(results.ranks);
  call.kept_counts = asked(results.kept_counts);
  call.kept_masses = asked(results.kept_masses);
  call.status = asked(results.status);
  call.kept_categories = results.kept_categories.data;
  call.kept_stride = results.kept_categories.row_stride;
  call.room = results.kept_categories.columns;
  call.kept_logs = results.kept_log_probabilities.columns > 0 ? results.kept_log_probabilities.data : nullptr;
  call.kept_logs_stride = results.kept_log_probabilities.row_stride;
  return call;
}

}  // namespace

void sample_tokens_on_cuda(const DeviceLogits& logits, const TokenResults& results, const TokenFilters& filters,
                           const TokenOptions& options) {
  const execution::OnDevice here(logits.device);
  const TokenShape first = first_shape(logits.rows, logits.categories, logits.storage);
  const TokenShape slices = slice_shape(logits.rows, logits.categories, sizeof(sampling_kernel::SliceMemory));
  TokenCall call = call_of(logits, results, filters, options);
  call.few = std::min(sampling_kernel::first_most, sampling_kernel::first_capacity / first.parts);
  if (slices.staged) call.staged = reinterpret_cast<float*>(options.workspace.data);
  const auto stream = static_cast<cudaStream_t>(options.cuda_stream);
  switch (logits.storage) {
    case Storage::half:
      return queue<Half>(call, first, slices, stream);
    case Storage::bfloat16:
      return queue<BFloat16>(call, first, slices, stream);
    default:
      return queue<float>(call, first, slices, stream);
  }
}

std::int64_t tokens_workspace_on_cuda(std::int64_t rows, std::int64_t categories, Device device) {
  const execution::OnDevice here(device);
  if (rows == 0 || categories == 0 || !slice_shape(rows, categories, sizeof(sampling_kernel::SliceMemory)).staged)
    return 0;
  return base::round_up<std::int64_t>(rows * categories * static_cast<std::int64_t>(sizeof(float)), 256);
}

}  // namespace papilio::sampling
