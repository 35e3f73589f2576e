#include "sampling/tokens/token_shards_cuda.h"

#include <algorithm>
#include <vector>

#include "execution/cuda/check.h"
#include "execution/cuda/memory.h"
#include "sampling/tokens/shard_rows_cuda.cuh"
#include "sampling/tokens/token_launch_cuda.h"

namespace papilio::sampling {
namespace {

using sampling_kernel::ShardCall;

// The workspace is that of sample_tokens for the shard's columns. An empty shard has one block per row, which reads no
// logits.
TokenShape shape_of_shard(const DeviceLogits& logits) {
  return slice_shape(logits.rows, logits.categories, sizeof(sampling_kernel::SliceMemory));
}

ShardCall call_of_shard(const DeviceLogits& logits, const TokenShard& shard, const TokenShape& shape,
                        VectorView<const TokenShardState> states, const TokenFilters& filters,
                        const TokenOptions& options) {
  ShardCall call = {};
  call.rows = call_on_rows(logits, filters, options);
  if (shape.staged) call.rows.staged = reinterpret_cast<float*>(options.workspace.data);
  call.rows = shaped(call.rows, shape);
  call.first_category = shard.first_category;
  call.categories = shard.categories;
  call.states = const_cast<TokenShardState*>(states.data);
  return call;
}

// A kernel for each type of logits.
struct ShardKernels {
  void (*float32)(ShardCall);
  void (*half)(ShardCall);
  void (*bfloat16)(ShardCall);

  auto of(Storage storage) const {
    return storage == Storage::half ? half : storage == Storage::bfloat16 ? bfloat16 : float32;
  }
};

}  // namespace

void summarize_shard_on_cuda(const DeviceLogits& logits, const TokenShard& shard,
                             VectorView<const TokenShardState> states, VectorView<TokenShardRecord> records,
                             const TokenFilters& filters, const TokenOptions& options) {
  using namespace sampling_kernel;
  const execution::OnDevice here(logits.device);
  const TokenShape shape = shape_of_shard(logits);
  ShardCall call = call_of_shard(logits, shard, shape, states, filters, options);
  call.records = records.data;
  const ShardKernels kernels = {summarize_rows<float>, summarize_rows<Half>, summarize_rows<BFloat16>};
  launch_on_rows(kernels.of(logits.storage), call, logits.rows, shape, slice_threads,
                 static_cast<cudaStream_t>(options.cuda_stream), "summarizing a shard");
}

void finish_shard_on_cuda(const DeviceLogits& logits, const TokenShard& shard, std::int64_t number,
                          VectorView<const TokenShardState> states, const TokenResults& results,
                          const TokenFilters& filters, const TokenOptions& options) {
  using namespace sampling_kernel;
  const execution::OnDevice here(logits.device);
  const TokenShape shape = shape_of_shard(logits);
  ShardCall call = call_of_shard(logits, shard, shape, states, filters, options);
  call.number = number;
  call.rows.tokens = results.tokens.data;
  call.rows.log_probabilities = results.log_probabilities.empty() ? nullptr : results.log_probabilities.data;
  call.rows.status = results.status.empty() ? nullptr : results.status.data;
  const ShardKernels kernels = {finish_rows<float>, finish_rows<Half>, finish_rows<BFloat16>};
  launch_on_rows(kernels.of(logits.storage), call, logits.rows, shape, slice_threads,
                 static_cast<cudaStream_t>(options.cuda_stream), "finishing a shard");
}

std::int64_t combine_shards_on_cuda(const MatrixView<const TokenShardRecord>& records, const TokenShard& shard,
                                    VectorView<TokenShardState> states, const TokenFilters& filters,
                                    const TokenOptions& options) {
  const execution::OnDevice here(states.device);
  const auto stream = static_cast<cudaStream_t>(options.cuda_stream);
  ShardCall call = {};
  call.rows = call_on_rows({Storage::float32, nullptr, states.size, 0, 0, 0, states.device}, filters, options);
  call.categories = shard.categories;
  call.states = states.data;
  call.gathered = records.data;
  call.shards = records.rows;
  call.shard_stride = records.row_stride;
  call.row_stride = records.column_stride;
  const auto blocks = static_cast<unsigned>(std::min<std::int64_t>(states.size, std::int64_t{1} << 20));
  sampling_kernel::combine_rows<<<blocks, sampling_kernel::slice_bins, 0, stream>>>(call);
  execution::check(cudaGetLastError(), "joining the records of shards");
  std::vector<TokenShardState> host(static_cast<std::size_t>(states.size));
  execution::download_bytes(host.data(), states.data, states.size * static_cast<std::int64_t>(sizeof(TokenShardState)),
                            stream);
  return std::count_if(host.begin(), host.end(),
                       [](const TokenShardState& state) { return state.stage != TokenShardState::Stage::done; });
}

}  // namespace papilio::sampling
