// Replaces the CUDA kernels in a build without CUDA. There, no view
// can say that it is on a CUDA device, so nothing here is ever called.

#include "sampling/blocks/sample_by_blocks_cuda.h"
#include "sampling/dynamic/forest_cuda.h"
#include "sampling/gamma/sample_gamma_cuda.h"
#include "sampling/logits/logit_rows_cuda.h"
#include "sampling/slots/sample_by_slots_cuda.h"
#include "sampling/tables/repeated_draws_cuda.h"
#include "sampling/tables/table_memory.h"
#include "sampling/tokens/drafts/draft_call_cuda.h"
#include "sampling/tokens/token_shards_cuda.h"
#include "sampling/tokens/tokens_cuda.h"

namespace papilio::sampling {

void draw_by_slots_on_cuda(const DeviceDraw&) { __builtin_unreachable(); }
void draw_by_blocks_on_cuda(const DeviceDraw&) { __builtin_unreachable(); }
DeviceRows weights_of_logits(const DeviceRows&, void*) { __builtin_unreachable(); }
std::int64_t logits_workspace_on_cuda(const DeviceRows&) { __builtin_unreachable(); }
void weigh_logits_on_cuda(const DeviceDraw&, double) { __builtin_unreachable(); }
std::int64_t slots_workspace_on_cuda(const DeviceRows&, Device) { __builtin_unreachable(); }
std::int64_t blocks_workspace_on_cuda(const DeviceRows&, PartialSums, Device) { __builtin_unreachable(); }
void draw_gammas_on_cuda(const DeviceGammas&, Device, void*) { __builtin_unreachable(); }
void draw_by_alias_on_cuda(const DeviceAliasTable&, VectorView<std::int32_t>, const RepeatedDrawOptions&) {
  __builtin_unreachable();
}
void draw_by_alias_on_cuda(const DeviceAliasTable&, VectorView<std::int64_t>, const RepeatedDrawOptions&) {
  __builtin_unreachable();
}
void draw_by_sums_on_cuda(const DeviceCumulativeTable&, VectorView<std::int32_t>, const RepeatedDrawOptions&) {
  __builtin_unreachable();
}
void draw_by_sums_on_cuda(const DeviceCumulativeTable&, VectorView<std::int64_t>, const RepeatedDrawOptions&) {
  __builtin_unreachable();
}
void sample_tokens_on_cuda(const DeviceLogits&, const TokenResults&, const TokenFilters&, const TokenOptions&) {
  __builtin_unreachable();
}
std::int64_t tokens_workspace_on_cuda(std::int64_t, std::int64_t, Device) { __builtin_unreachable(); }
void verify_draft_on_cuda(const DeviceLogits&, const Draft&, const DraftResults&, const TokenFilters&,
                          const TokenOptions&) {
  __builtin_unreachable();
}
std::int64_t draft_workspace_on_cuda(std::int64_t, std::int64_t, Device) { __builtin_unreachable(); }
void summarize_shard_on_cuda(const DeviceLogits&, const TokenShard&, VectorView<const TokenShardState>,
                             VectorView<TokenShardRecord>, const TokenFilters&, const TokenOptions&) {
  __builtin_unreachable();
}
void finish_shard_on_cuda(const DeviceLogits&, const TokenShard&, std::int64_t, VectorView<const TokenShardState>,
                          const TokenResults&, const TokenFilters&, const TokenOptions&) {
  __builtin_unreachable();
}
std::int64_t combine_shards_on_cuda(const MatrixView<const TokenShardRecord>&, const TokenShard&,
                                    VectorView<TokenShardState>, const TokenFilters&, const TokenOptions&) {
  __builtin_unreachable();
}

// These two throw if a view claims to be on such a device all the same.
std::shared_ptr<const void> copy_to_cuda(const void*, std::int64_t, Device device, const char*) {
  Device::cuda(device.ordinal());
  __builtin_unreachable();
}
void copy_from_cuda(void*, const void*, std::int64_t, Device device, void*) {
  Device::cuda(device.ordinal());
  __builtin_unreachable();
}

struct ForestOnCuda::Memory {};
ForestOnCuda::ForestOnCuda(const MatrixView<const double>&, void*, ForestFault&) { __builtin_unreachable(); }
ForestOnCuda::ForestOnCuda(const ForestOnCuda&) { __builtin_unreachable(); }
ForestOnCuda::ForestOnCuda(ForestOnCuda&&) noexcept = default;
ForestOnCuda& ForestOnCuda::operator=(const ForestOnCuda&) { __builtin_unreachable(); }
ForestOnCuda& ForestOnCuda::operator=(ForestOnCuda&&) noexcept = default;
ForestOnCuda::~ForestOnCuda() = default;
Device ForestOnCuda::device() const { __builtin_unreachable(); }
std::int64_t ForestOnCuda::rows() const { __builtin_unreachable(); }
std::int64_t ForestOnCuda::categories() const { __builtin_unreachable(); }
double ForestOnCuda::weight(std::int64_t, std::int64_t, void*) const { __builtin_unreachable(); }
double ForestOnCuda::total(std::int64_t, void*) const { __builtin_unreachable(); }
std::int64_t ForestOnCuda::workspace_bytes(std::int64_t) const { __builtin_unreachable(); }
void ForestOnCuda::set(const DeviceUpdates&) { __builtin_unreachable(); }
void ForestOnCuda::sample(const DeviceForestDraws&) const { __builtin_unreachable(); }

}  // namespace papilio::sampling
