#include "sampling/tokens/tokens_cuda.h"

#include <algorithm>
#include <type_traits>

#include "base/math.h"
#include "execution/cuda/check.h"
#include "execution/cuda/memory.h"
#include "sampling/tokens/filtered_tokens_cuda.cuh"
#include "sampling/tokens/first_tokens_cuda.h"
#include "sampling/tokens/interval_tokens_cuda.h"
#include "sampling/tokens/on_chip_tokens_cuda.cuh"
#include "sampling/tokens/row_stream_cuda.h"
#include "sampling/tokens/token_launch_cuda.h"

namespace papilio::sampling {
namespace {

// Three blocks fit on a multiprocessor, so that one part is loaded while the weights of others are computed.
template <class S>
TokenShape on_chip_shape(const TokenCall& call) {
  using namespace sampling_kernel;
  constexpr std::int64_t least = 4096, most = 65536 / sizeof(S);
  const int parts = parts_for(call.rows, call.categories, least, most);
  const std::int64_t in_slice =
      base::round_up<std::int64_t>(base::ceil_div<std::int64_t>(call.categories, parts), 16 / sizeof(S));
  const bool lines = reinterpret_cast<std::uintptr_t>(call.logits) % 16 == 0 &&
                     call.row_stride * static_cast<std::int64_t>(sizeof(S)) % 16 == 0;
  return {parts, in_slice, StagedPart<S>::bytes(in_slice, on_chip_group, lines), false};
}

template <class S>
bool fits_on_chip(const TokenCall& call, const TokenShape& shape) {
  const bool has_sums = std::is_same_v<S, float> || call.bias_offsets == nullptr;
  const std::int64_t room =
      execution::device_attribute(cudaDevAttrMaxSharedMemoryPerBlockOptin) -
      static_cast<std::int64_t>(sizeof(sampling_kernel::OnChipRankMemory<sampling_kernel::OnChipCutMemory>)) - 1024;
  return has_sums && call.column_stride == 1 && call.categories > 1 && call.rows <= most_token_rows &&
         shape.shared_bytes <= room;
}

// Chooses and launches the kernels of a call.
template <class S>
class TokenQueue {
 public:
  TokenQueue(Storage storage, const TokenCall& call, const TokenShape& slices, cudaStream_t stream)
      : storage_(storage), call_(call), slices_(slices), on_chip_(on_chip_shape<S>(call)), stream_(stream) {
    call_.on_chip = fits_on_chip<S>(call_, on_chip_);
    call_.near = near_rows(call_);
    call_.by_intervals = has_intervals(storage, call_);
  }

  void draw() {
    using namespace sampling_kernel;
    const TokenFilter filter = {call_.temperature.value, call_.top_k.value, call_.top_p.value, call_.min_p.value};
    if (one_filter() && is_by_intervals(call_, filter) && draw_in_stream(storage_, call_, true, stream_)) return;
    if (call_.by_intervals && (!one_filter() || is_by_intervals(call_, filter))) {
      draw_by_intervals(storage_, call_, stream_);
      if (one_filter()) return;
    }
    if (one_filter() && draw_bounded_on_cuda<S>(call_, stream_)) return;
    if (call_.near != NearRows::none && (!one_filter() || is_near(call_, filter)))
      draw_near_tokens_on_cuda<S>(call_, stream_);
    if (one_filter() && is_near(call_, filter)) return draw_left_over();
    const bool few = among_few(call_, filter);
    if (few || !one_filter()) draw_first_tokens_on_cuda<S>(call_, one_filter(), stream_);
    if (few && one_filter()) return;
    if (one_filter() && call_.room == 0 && is_unordered(call_, filter) && is_on_chip(call_, filter)) {
      if (!is_filtered() && is_plain() && draw_in_stream(storage_, call_, false, stream_)) return;
      return is_filtered() ? on_chip<OnChip::filter>() : on_chip<OnChip::draw>();
    }
    if (call_.on_chip) on_chip<OnChip::cut>();
    any();
  }

  void find_raw() const {
    TokenCall raw = call_;
    raw.allowed = nullptr;
    raw.bias_offsets = nullptr;
    launch_on_rows(sampling_kernel::find_raw_logs<S>, shaped(raw, slices_), raw.rows, slices_,
                   sampling_kernel::slice_threads, stream_, "finding logarithms of probabilities");
  }

 private:
  // Whether all rows have the same filters. Otherwise all kernels are launched, and each takes its rows.
  bool one_filter() const {
    return call_.temperature.values == nullptr && call_.top_k.values == nullptr && call_.top_p.values == nullptr &&
           call_.min_p.values == nullptr;
  }

  bool is_filtered() const {
    return call_.min_p.value != 0 || call_.kept_counts != nullptr || call_.kept_masses != nullptr;
  }

  bool is_plain() const { return call_.allowed == nullptr && call_.bias_offsets == nullptr && call_.ranks == nullptr; }

  template <sampling_kernel::OnChip kind>
  void on_chip() const {
    using namespace sampling_kernel;
    launch_on_rows(is_plain() ? draw_tokens_on_chip<S, kind, true> : draw_tokens_on_chip<S, kind, false>,
                   shaped(call_, on_chip_), call_.rows, on_chip_, on_chip_threads, stream_,
                   "drawing from tokens on chip");
  }

  // Rows for which the logits near their largest were not enough: as many clusters look for them as there is room for.
  void draw_left_over() {
    using namespace sampling_kernel;
    constexpr const char* what = "drawing from tokens that are left over";
    const auto kernel = is_plain() ? draw_left_on_chip<S, true> : draw_left_on_chip<S, false>;
    const std::int64_t at_once = std::max<std::int64_t>(1, rows_at_once(kernel, on_chip_, on_chip_threads, what));
    launch_on_rows(kernel, shaped(call_, on_chip_), std::min(call_.rows, at_once), on_chip_, on_chip_threads, stream_,
                   what, Begin::early);
    any(Begin::early);
  }

  // Draws from rows of every kind. If only rows that were left over remain, a few clusters look for them.
  void any(Begin begin = Begin::after) {
    call_.left = call_.on_chip;
    const std::int64_t clusters =
        std::max<std::int64_t>(1, 2 * std::int64_t{execution::multiprocessors()} / slices_.parts);
    launch_on_rows(sampling_kernel::draw_filtered_tokens<S>, shaped(call_, slices_),
                   call_.left ? std::min(call_.rows, clusters) : call_.rows, slices_, sampling_kernel::slice_threads,
                   stream_, "drawing from filtered tokens", begin);
  }

  Storage storage_;
  TokenCall call_;
  TokenShape slices_, on_chip_;
  cudaStream_t stream_;
};

template <class S>
void queue(Storage storage, const TokenCall& call, const TokenShape& slices, cudaStream_t stream) {
  TokenQueue<S> rows(storage, call, slices, stream);
  rows.draw();
  if (call.raw_log_probabilities != nullptr) rows.find_raw();
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
  const TokenShape slices = slice_shape(logits.rows, logits.categories, sizeof(sampling_kernel::SliceMemory));
  TokenCall call = call_of(logits, results, filters, options);
  call.few = most_first_tokens(logits.rows, logits.categories);
  if (slices.staged) call.staged = reinterpret_cast<float*>(options.workspace.data);
  const auto stream = static_cast<cudaStream_t>(options.cuda_stream);
  switch (logits.storage) {
    case Storage::half:
      return queue<Half>(logits.storage, call, slices, stream);
    case Storage::bfloat16:
      return queue<BFloat16>(logits.storage, call, slices, stream);
    default:
      return queue<float>(logits.storage, call, slices, stream);
  }
}

std::int64_t tokens_workspace_on_cuda(std::int64_t rows, std::int64_t categories, Device device) {
  const execution::OnDevice here(device);
  if (rows == 0 || categories == 0 || !slice_shape(rows, categories, sizeof(sampling_kernel::SliceMemory)).staged)
    return 0;
  return base::round_up<std::int64_t>(rows * categories * static_cast<std::int64_t>(sizeof(float)), 256);
}

}  // namespace papilio::sampling
