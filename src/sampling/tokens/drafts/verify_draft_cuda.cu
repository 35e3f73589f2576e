#include <algorithm>

#include "base/math.h"
#include "execution/cuda/check.h"
#include "execution/cuda/memory.h"
#include "sampling/tokens/drafts/draft_call_cuda.h"
#include "sampling/tokens/drafts/judge_drafts_cuda.cuh"
#include "sampling/tokens/token_launch_cuda.h"

namespace papilio::sampling {
namespace {

TokenShape shape_of(std::int64_t rows, std::int64_t categories) {
  return slice_shape(rows, categories,
                     sizeof(sampling_kernel::SliceMemory) + sizeof(sampling_kernel::DraftMemory) + sizeof(long long));
}

std::int64_t bytes_of_rows(std::int64_t rows) {
  return base::round_up<std::int64_t>(rows * static_cast<std::int64_t>(sizeof(DraftRow)), 256);
}

DraftCall call_of(const DeviceLogits& logits, const Draft& draft, const DraftResults& results,
                  const TokenFilters& filters, const TokenOptions& options) {
  DraftCall call = {};
  call.target = call_on_rows(logits, filters, options);
  call.tokens = draft.tokens.data;
  call.offsets = draft.offsets.data;
  call.texts = draft.offsets.size - 1;
  call.drafted = draft.tokens.size;
  call.probabilities = draft.probabilities.rows > 0 ? draft.probabilities.data : nullptr;
  call.probabilities_stride = draft.probabilities.row_stride;
  call.kept = draft.kept_categories.rows > 0 ? draft.kept_categories.data : nullptr;
  call.kept_stride = draft.kept_categories.row_stride;
  call.room = draft.kept_categories.columns;
  call.kept_logs = draft.kept_log_probabilities.data;
  call.kept_logs_stride = draft.kept_log_probabilities.row_stride;
  call.has_law = draft.probabilities.rows > 0 || draft.kept_categories.rows > 0;
  call.rule = draft.rule;
  call.rows = reinterpret_cast<DraftRow*>(options.workspace.data);
  call.accepted = results.accepted.data;
  call.next_tokens = results.next_tokens.data;
  call.status = results.status.empty() ? nullptr : results.status.data;
  return call;
}

template <class S>
void queue(const DraftCall& call, const TokenShape& shape, cudaStream_t stream) {
  using namespace sampling_kernel;
  const std::int64_t rows = call.target.rows;
  launch_on_rows(read_draft_rows<S>, call, rows, shape, slice_threads, stream, "reading the rows of drafts");
  if (call.has_law && call.rule == DraftRule::block)
    launch_on_rows(hold_draft_rows<S>, call, rows, shape, slice_threads, stream, "holding drafts against their rows");
  const std::int64_t blocks = std::min<std::int64_t>(base::ceil_div<std::int64_t>(call.texts, judge_threads), 1024);
  judge_drafts<<<static_cast<unsigned>(blocks), judge_threads, 0, stream>>>(call);
  execution::check(cudaGetLastError(), "judging drafts");
}

}  // namespace

void verify_draft_on_cuda(const DeviceLogits& logits, const Draft& draft, const DraftResults& results,
                          const TokenFilters& filters, const TokenOptions& options) {
  const execution::OnDevice here(logits.device);
  const TokenShape shape = shape_of(logits.rows, logits.categories);
  DraftCall call = call_of(logits, draft, results, filters, options);
  if (shape.staged) call.target.staged = reinterpret_cast<float*>(options.workspace.data + bytes_of_rows(logits.rows));
  call.target = shaped(call.target, shape);
  const auto stream = static_cast<cudaStream_t>(options.cuda_stream);
  switch (logits.storage) {
    case Storage::half:
      return queue<Half>(call, shape, stream);
    case Storage::bfloat16:
      return queue<BFloat16>(call, shape, stream);
    default:
      return queue<float>(call, shape, stream);
  }
}

std::int64_t draft_workspace_on_cuda(std::int64_t rows, std::int64_t categories, Device device) {
  const execution::OnDevice here(device);
  if (rows == 0 || categories == 0) return 0;
  const std::int64_t staged = shape_of(rows, categories).staged ? rows * categories : 0;
  return bytes_of_rows(rows) + base::round_up<std::int64_t>(staged * static_cast<std::int64_t>(sizeof(float)), 256);
}

}  // namespace papilio::sampling
