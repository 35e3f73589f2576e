#pragma once

#include <cstdint>

#include "sampling/tokens/token_call_cuda.h"
#include "sampling/tokens/tokens_cuda.h"

// Drafts that are verified on a device, in the form that kernels take: plain data.

namespace papilio::sampling {

// What one kernel finds out about a row of the target's logits, for the next.
struct DraftRow {
  KeptSet kept;
  std::uint64_t total;          // of the kept weights
  std::uint64_t target, draft;  // the draft token's weight in the target and, in the same units, in the draft
  std::uint64_t rest;           // the sum of what the row's share of the target has beyond the draft
  std::int32_t token;           // drawn from the target
  std::int32_t rest_token;      // drawn from the rest; `token` if the rest is empty
  TokenStatus status;
  bool bad_law;  // a category or a probability of the draft is out of range
};

struct DraftCall {
  TokenCall target;  // results are not used; there is one position and one seed per text
  const std::int32_t* tokens;
  const std::int64_t* offsets;
  std::int64_t texts, drafted;
  const float* probabilities;  // null: the draft has kept sets, or neither
  std::int64_t probabilities_stride;
  const std::int32_t* kept;  // null: the draft has probabilities, or neither
  std::int64_t kept_stride, room;
  const float* kept_logs;
  std::int64_t kept_logs_stride;
  bool has_law;
  DraftRule rule;
  DraftRow* rows;

  std::int32_t* accepted;
  std::int32_t* next_tokens;
  TokenStatus* status;  // null: not asked for
};

// Queues the verification; everything about the arrays has been checked except their contents.
void verify_draft_on_cuda(const DeviceLogits& logits, const Draft& draft, const DraftResults& results,
                          const TokenFilters& filters, const TokenOptions& options);

// How many bytes of workspace it takes.
std::int64_t draft_workspace_on_cuda(std::int64_t rows, std::int64_t categories, Device device);

}  // namespace papilio::sampling
