#include "sampling/tokens/tokens_cuda.h"

#include <algorithm>

#include "base/math.h"
#include "execution/cuda/check.h"
#include "execution/cuda/memory.h"
#include "sampling/tokens/each_way_tokens_cuda.h"
#include "sampling/tokens/filtered_tokens_cuda.cuh"
#include "sampling/tokens/first_tokens_cuda.h"
#include "sampling/tokens/flat_tokens_cuda.h"
#include "sampling/tokens/interval_tokens_cuda.h"
#include "sampling/tokens/on_chip_tokens_cuda.h"
#include "sampling/tokens/row_stream_cuda.h"
#include "sampling/tokens/token_launch_cuda.h"
#include "sampling/tokens/top_p_tokens_cuda.h"

namespace papilio::sampling {
namespace {

// Chooses and launches the kernels of a call.
template <class S>
class TokenQueue {
 public:
  TokenQueue(Storage storage, const TokenCall& call, const TokenShape& slices, cudaStream_t stream)
      : storage_(storage), call_(call), slices_(slices), stream_(stream) {
    const std::int64_t cached = execution::device_attribute(cudaDevAttrL2CacheSize);
    call_.streams = call_.rows * call_.categories > cached / static_cast<std::int64_t>(sizeof(S));
    call_.on_chip = fits_on_chip<S>(call_);
    call_.near = near_rows(call_);
    call_.flat = has_flat_rows(call_);
    call_.bounded = can_be_bounded<S>(call_);
    call_.by_top_p = call_.near < NearRows::of_top_p && can_be_drawn_by_top_p<S>(call_);
    call_.by_intervals = has_intervals(storage, call_);
  }

  void draw() {
    const bool one_filter = call_.temperature.values == nullptr && call_.top_k.values == nullptr &&
                            call_.top_p.values == nullptr && call_.min_p.values == nullptr;
    one_filter ? draw_by_one_filter() : draw_by_own_filters();
  }

  void find_raw() const {
    TokenCall raw = call_;
    raw.allowed = nullptr;
    raw.bias_offsets = nullptr;
    launch_on_rows(sampling_kernel::find_raw_logs<S>, shaped(raw, slices_), raw.rows, slices_,
                   sampling_kernel::slice_threads, stream_, "finding logarithms of probabilities");
  }

 private:
  void draw_by_one_filter() {
    const TokenFilter filter = {call_.temperature.value, call_.top_k.value, call_.top_p.value, call_.min_p.value};
    // There is a faster kernel for that.
    if (filter.temperature == 0 && call_.allowed == nullptr) call_.bounded = false;
    call_.way = sampling_kernel::way_of(call_, filter);
    // Otherwise a second kernel has to look for rows that are left over.
    const bool may_leave_rows =
        call_.way == TokenWay::top_p || (call_.way == TokenWay::on_chip && needs_cut(call_, filter));
    if (may_leave_rows && draw_each_way_on_cuda<S>(call_, stream_)) return;
    switch (call_.way) {
      case TokenWay::by_intervals:
        if (!draw_in_stream(storage_, call_, true, stream_)) draw_by_intervals(storage_, call_, stream_);
        return;
      case TokenWay::bounded:
        return draw_bounded_on_cuda<S>(call_, Begin::after, stream_);
      case TokenWay::few:
        return draw_first_tokens_on_cuda<S>(call_, true, Begin::after, stream_);
      case TokenWay::near:
        draw_near(Begin::after);
        return draw_others();
      case TokenWay::top_p:
        draw_by_top_p<S>(call_, Begin::after, stream_);
        return draw_others();
      case TokenWay::on_chip:
        return draw_on_chip_or_in_stream(filter);
      default:
        return draw_others(Begin::after);
    }
  }

  // One kernel draws from few rows. For more, all kernels that may have rows are launched. Each finds its rows by their
  // filters, and they run at the same time if there is room; only rows that are left over wait. If there are many rows,
  // kernels that take long for a row come first.
  void draw_by_own_filters() {
    const bool without_few = call_.bounded && call_.on_chip;
    if (without_few) {
      // What then draws from such rows is slower, but a kernel that finds no rows takes time as well.
      call_.few = 0;
      if (call_.near == NearRows::of_top_k) call_.near = NearRows::none;
      if (call_.near == NearRows::none && !call_.by_intervals && draw_each_way_on_cuda<S>(call_, stream_)) return;
    }
    Begin begin = Begin::after;
    if (call_.by_intervals) {
      draw_by_intervals(storage_, call_, stream_);
      begin = Begin::early;
    }
    if (!without_few) {
      draw_first_tokens_on_cuda<S>(call_, false, begin, stream_);
      begin = Begin::early;
    }
    const bool near = call_.near != NearRows::none;
    if (near) {
      draw_near(begin);
      begin = Begin::early;
    }
    if (call_.bounded) {
      draw_bounded_on_cuda<S>(call_, begin, stream_);
      begin = Begin::early;
    }
    // Its blocks need much shared memory. After them the kernel above would have to wait, even if they find no rows.
    if (call_.by_top_p) draw_by_top_p<S>(call_, begin, stream_);
    if (call_.on_chip && !near) draw_others_on_chip<S>(call_, stream_);
    draw_others();
  }

  void draw_near(Begin begin) {
    draw_near_tokens_on_cuda<S>(call_, begin, stream_);
    if (call_.flat) draw_flat_tokens_on_cuda<S>(call_, stream_);
    if (!call_.flat || call_.way == TokenWay::of_filter) draw_many_near_tokens_on_cuda<S>(call_, stream_);
    draw_others_on_chip<S>(call_, stream_);
  }

  void draw_on_chip_or_in_stream(const TokenFilter& filter) {
    const bool cut = needs_cut(call_, filter), suits = !cut && !is_filtered(call_) && is_plain(call_);
    if (suits && draw_in_stream(storage_, call_, false, stream_)) return;
    draw_on_chip<S>(call_, stream_);
    if (cut) draw_others(Begin::after);
  }

  // Draws from rows of every kind. If only rows that were left over remain, a few clusters look for them.
  void draw_others(Begin begin = Begin::early) {
    call_.left = call_.on_chip || call_.way == TokenWay::top_p;
    const std::int64_t clusters =
        std::max<std::int64_t>(1, 2 * std::int64_t{execution::multiprocessors()} / slices_.parts);
    launch_on_rows(sampling_kernel::draw_filtered_tokens<S>, shaped(call_, slices_),
                   call_.left ? std::min(call_.rows, clusters) : call_.rows, slices_, sampling_kernel::slice_threads,
                   stream_, "drawing from filtered tokens", begin);
  }

  Storage storage_;
  TokenCall call_;
  TokenShape slices_;
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
