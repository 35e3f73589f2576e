#include "sampling/tokens/tokens_cuda.h"

#include <algorithm>

#include "base/math.h"
#include "execution/cuda/check.h"
#include "execution/cuda/memory.h"
#include "sampling/tokens/filtered_tokens_cuda.cuh"
#include "sampling/tokens/first_tokens_cuda.cuh"

namespace papilio::sampling {
namespace {

using sampling_kernel::TokenCall;

constexpr int most_parts = 8;  // blocks of a cluster that every device has room for

// How the blocks of a device share rows.
struct Shape {
  int parts;
  std::int64_t in_slice;
  std::int64_t shared_bytes;
  bool staged;  // rows do not fit on chip
};

int attribute(cudaDeviceAttr which) {
  int device = 0, value = 0;
  execution::check(cudaGetDevice(&device), "asking for the current device");
  execution::check(cudaDeviceGetAttribute(&value, which, device), "asking for what a device can do");
  return value;
}

// Blocks share rows where there are too few rows to fill the device, as long as each has `least` categories.
int parts_for(std::int64_t rows, std::int64_t categories, std::int64_t least, std::int64_t most) {
  if (attribute(cudaDevAttrComputeCapabilityMajor) < 9) return 1;
  const std::int64_t enough = 2 * std::int64_t{execution::multiprocessors()};
  int parts = 1;
  while (parts < most_parts &&
         (categories > parts * most || (rows * parts < enough && categories >= 2 * parts * least)))
    parts *= 2;
  return parts;
}

Shape first_shape(std::int64_t rows, std::int64_t categories, Storage storage) {
  constexpr std::int64_t any = std::int64_t{1} << 31;
  const int parts = parts_for(rows, categories, sampling_kernel::first_tile, any);
  return {parts, base::round_up<std::int64_t>(base::ceil_div<std::int64_t>(categories, parts), 8),
          2 * sampling_kernel::first_tile * stored_bytes(storage), false};
}

Shape slice_shape(std::int64_t rows, std::int64_t categories) {
  constexpr std::int64_t least = 4096, most = 16384;
  const int parts = parts_for(rows, categories, least, most);
  const std::int64_t in_slice = base::ceil_div<std::int64_t>(categories, parts);
  const std::int64_t room = attribute(cudaDevAttrMaxSharedMemoryPerBlockOptin) -
                            static_cast<std::int64_t>(sizeof(sampling_kernel::SliceMemory)) - 1024;
  const std::int64_t bytes = in_slice * static_cast<std::int64_t>(sizeof(float));
  return {parts, in_slice, bytes <= room ? bytes : 0, bytes > room};
}

void launch(void (*kernel)(TokenCall), TokenCall call, const Shape& shape, int threads, cudaStream_t stream,
            const char* what) {
  constexpr std::int64_t most_rows = std::int64_t{1} << 27;
  call.in_slice = shape.in_slice;
  if (!shape.staged) call.staged = nullptr;
  if (shape.shared_bytes > 0)
    execution::check(
        cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, static_cast<int>(shape.shared_bytes)),
        what);
  cudaLaunchAttribute cluster = {};
  cluster.id = cudaLaunchAttributeClusterDimension;
  cluster.val.clusterDim.x = static_cast<unsigned>(shape.parts);
  cluster.val.clusterDim.y = 1;
  cluster.val.clusterDim.z = 1;
  cudaLaunchConfig_t config = {};
  config.gridDim = dim3(static_cast<unsigned>(std::min(call.rows, most_rows) * shape.parts));
  config.blockDim = dim3(static_cast<unsigned>(threads));
  config.dynamicSmemBytes = static_cast<std::size_t>(shape.shared_bytes);
  config.stream = stream;
  config.attrs = &cluster;
  config.numAttrs = shape.parts > 1 ? 1 : 0;
  execution::check(cudaLaunchKernelEx(&config, kernel, call), what);
}

template <class S>
void queue(const TokenCall& call, const Shape& first, const Shape& slices, cudaStream_t stream) {
  using namespace sampling_kernel;
  // Rows that both kernels may find to be theirs, unless the call has the same filters for all.
  const bool one_filter =
      call.temperature.values == nullptr && call.top_k.values == nullptr && call.top_p.values == nullptr;
  const TokenFilter filter = {call.temperature.value, call.top_k.value, call.top_p.value, call.min_p.value};
  const bool few = among_few(call, filter);
  if (few || !one_filter)
    launch(draw_first_tokens<S>, call, first, first_threads, stream, "drawing from the first tokens");
  if (!few || !one_filter)
    launch(draw_filtered_tokens<S>, call, slices, slice_threads, stream, "drawing from filtered tokens");
  if (call.raw_log_probabilities == nullptr) return;
  TokenCall raw = call;
  raw.allowed = nullptr;
  raw.bias_offsets = nullptr;
  launch(find_raw_logs<S>, raw, slices, slice_threads, stream, "finding logarithms of probabilities");
}

TokenCall call_of(const DeviceLogits& logits, const TokenResults& results, const TokenFilters& f,
                  const TokenOptions& options) {
  const auto per_row = [](const auto& of) {
    return DevicePerRow{of.value, of.values.empty() ? nullptr : of.values.data};
  };
  TokenCall call = {};
  call.logits = logits.logits;
  call.rows = logits.rows;
  call.categories = logits.categories;
  call.row_stride = logits.row_stride;
  call.column_stride = logits.column_stride;
  call.temperature = per_row(f.temperature);
  call.top_k = per_row(f.top_k);
  call.top_p = per_row(f.top_p);
  call.min_p = per_row(f.min_p);
  call.joint = f.joint;
  call.allowed = f.allowed.rows == 0 ? nullptr : f.allowed.data;
  call.allowed_stride = f.allowed.row_stride;
  call.bias_offsets = f.bias_offsets.empty() ? nullptr : f.bias_offsets.data;
  call.bias_categories = f.bias_categories.data;
  call.bias_values = f.bias_values.data;
  call.bias_size = f.bias_categories.size;
  call.seed = options.seed;
  call.stream = options.stream;
  call.first_position = options.first_position;
  call.positions = options.positions.empty() ? nullptr : options.positions.data;
  call.seeds = options.seeds.empty() ? nullptr : options.seeds.data;
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
  const Shape first = first_shape(logits.rows, logits.categories, logits.storage);
  const Shape slices = slice_shape(logits.rows, logits.categories);
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
  if (rows == 0 || categories == 0 || !slice_shape(rows, categories).staged) return 0;
  return base::round_up<std::int64_t>(rows * categories * static_cast<std::int64_t>(sizeof(float)), 256);
}

}  // namespace papilio::sampling
