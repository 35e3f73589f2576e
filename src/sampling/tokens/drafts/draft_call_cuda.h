#pragma once

#include <cstdint>

#include "sampling/tokens/token_call_cuda.h"
#include "sampling/tokens/tokens_cuda.h"

// Drafts that are verified on a device, as kernels take them: plain data.

namespace papilio::sampling {

// What is known of a row of the target's logits, between kernels.
struct DraftRow {
  KeptSet kept;
  std::uint64_t total;          // of what is kept
  std::uint64_t target, draft;  // the draft token's weight under the row's law, and in units of it under the draft's
  std::uint64_t rest;           // the sum of what the row's share of the law has beyond the draft's
  std::int32_t token;           // drawn from the law
  std::int32_t rest_token;      // drawn from the rest; `token` where that is nothing
  TokenStatus status;
  bool bad_law;  // a category or a probability of the draft is out of range
};

struct DraftCall {
  TokenCall target;  // results are not used; positions and seeds are one per text
  const std::int32_t* tokens;
  const std::int64_t* offsets;
  std::int64_t texts, drafted;
  const float* probabilities;  // null: kept sets, or none
  std::int64_t probabilities_stride;
  const std::int32_t* kept;  // null: probabilities, or none
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

// Queues the verification; the arrays were checked but for what is in them.
void verify_draft_on_cuda(const DeviceLogits& logits, const Draft& draft, const DraftResults& results,
                          const TokenFilters& filters, const TokenOptions& options);

// Bytes of workspace that it takes.
std::int64_t draft_workspace_on_cuda(std::int64_t rows, std::int64_t categories, Device device);

}  // namespace papilio::sampling
