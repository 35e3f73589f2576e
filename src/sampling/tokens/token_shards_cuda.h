#pragma once

#include <cstdint>

#include "papilio/tokens.h"
#include "sampling/tokens/tokens_cuda.h"

namespace papilio::sampling {

// Rounds of a sharded vocabulary, queued on a device; the arrays have been checked except for their contents.
void summarize_shard_on_cuda(const DeviceLogits& logits, const TokenShard& shard,
                             VectorView<const TokenShardState> states, VectorView<TokenShardRecord> records,
                             const TokenFilters& filters, const TokenOptions& options);
void finish_shard_on_cuda(const DeviceLogits& logits, const TokenShard& shard, std::int64_t number,
                          VectorView<const TokenShardState> states, const TokenResults& results,
                          const TokenFilters& filters, const TokenOptions& options);

// Waits for the stream, and returns how many rows need another round.
std::int64_t combine_shards_on_cuda(const MatrixView<const TokenShardRecord>& records, const TokenShard& shard,
                                    VectorView<TokenShardState> states, const TokenFilters& filters,
                                    const TokenOptions& options);

}  // namespace papilio::sampling
