#include <algorithm>
#include <atomic>
#include <cmath>
#include <limits>
#include <memory>
#include <new>
#include <type_traits>
#include <utility>
#include <vector>

#include "base/check.h"
#include "base/choices.h"
#include "base/math.h"
#include "execution/cpu/parallel_for.h"
#include "papilio/sampling.h"
#include "sampling/blocks/remnant.h"
#include "sampling/blocks/sample_by_blocks_cuda.h"
#include "sampling/logits/logit_rows.h"
#include "sampling/logits/logit_rows_cuda.h"
#include "sampling/rows/kernels.h"
#include "sampling/rows/row_batch.h"
#include "sampling/rows/row_source.h"
#include "sampling/slots/sample_by_slots_cuda.h"

namespace papilio {
namespace sampling {
namespace {

constexpr std::int64_t batch_rows = 256;                          // handed to a kernel at a time
constexpr std::int64_t weights_per_task = std::int64_t{1} << 18;  // less work is not worth a thread
// Rows copied before they are drawn from: a tile, or as many as fit into a core's cache.
constexpr std::int64_t staged_bytes = std::int64_t{1} << 19;

struct Free {
  void operator()(void* p) const { ::operator delete (p, std::align_val_t{64}); }
};
using Memory = std::unique_ptr<void, Free>;
Memory allocate(std::int64_t bytes) {
  return Memory(::operator new (static_cast<std::size_t>(bytes), std::align_val_t{64}));
}

// One thread's arrays for a batch of weights that are stored as S and summed as T; see RowBatch.
template <class S>
class Workspace {
  using T = SumOf<S>;

 public:
  Workspace(const Kernels& kernels, PartialSums method, std::int64_t longest_row, std::int64_t staged_rows)
      : longest_row_(longest_row),
        staged_rows_(staged_rows),
        scratch_(allocate(kernels.scratch_bytes(method, longest_row, sizeof(T)))),
        left_(rows_with_tail),
        right_(rows_with_tail),
        sizes_(rows_with_tail),
        ids_(rows_with_tail),
        seeds_(rows_with_tail),
        drawn_(rows_with_tail),
        status_(rows_with_tail) {}

  // Takes rows [begin, end) of the source and draws from them.
  template <class Source>
  void draw(const Kernels& kernels, const Source& source, const SampleOptions& options, std::int64_t begin,
            std::int64_t end) {
    const std::int64_t count = end - begin;
    bool products = false;
    for (std::int64_t i = 0; i < count; ++i) {
      const Row<S> row = source.row(begin + i);
      const auto at = static_cast<std::size_t>(i);
      if constexpr (std::is_same_v<S, T>) {
        left_[at] = row.direct() ? row.left : stage(row, i);
        right_[at] = row.right;
      } else {
        left_[at] = stage(row, i);
      }
      if constexpr (Source::are_logits)
        if (options.method != PartialSums::slots)
          left_[at] = weigh(kernels, left_[at], i, row.size, source.temperature());
      sizes_[at] = row.size;
      products |= row.right != nullptr;
      ids_[at] = options.row_ids.empty() ? options.first_row_id + static_cast<std::uint64_t>(begin + i)
                                         : static_cast<std::uint64_t>(options.row_ids.data[begin + i]);
      if (!options.seeds.empty()) seeds_[at] = static_cast<std::uint64_t>(options.seeds.data[begin + i]);
    }
    for (std::int64_t i = count; i < base::round_up(count, tile_rows); ++i) {
      const auto at = static_cast<std::size_t>(i);
      left_[at] = right_[at] = nullptr;
      sizes_[at] = 0;
      ids_[at] = 0;
    }
    RowBatch<T> batch = {count,
                         left_.data(),
                         products ? right_.data() : nullptr,
                         sizes_.data(),
                         ids_.data(),
                         options.seeds.empty() ? nullptr : seeds_.data(),
                         options.seed,
                         options.stream,
                         options.check_negative,
                         options.method,
                         has_remnant_first(options.method),
                         scratch_.get()};
    if constexpr (Source::are_logits) {
      batch.left_are_logits = options.method == PartialSums::slots;
      batch.logit_scale = sampling_kernel::logit_scale<T>(source.temperature());
    }
    if constexpr (std::is_same_v<T, float>)
      kernels.draw_float(batch, drawn_.data(), status_.data());
    else
      kernels.draw_double(batch, drawn_.data(), status_.data());
  }

  std::int64_t drawn(std::int64_t i) const { return drawn_[static_cast<std::size_t>(i)]; }
  DrawStatus status(std::int64_t i) const { return status_[static_cast<std::size_t>(i)]; }

 private:
  static constexpr std::size_t rows_with_tail = batch_rows + tile_rows;

  // Where the copy of row i goes. The memory is not initialised: whatever is drawn from is written first.
  T* staged(std::int64_t i) {
    if (!staging_) staging_ = allocate(staged_rows_ * longest_row_ * static_cast<std::int64_t>(sizeof(T)));
    return static_cast<T*>(staging_.get()) + i % staged_rows_ * longest_row_;
  }

  // Copies a row that is strided or stored in fewer bits, because kernels read contiguous T.
  const T* stage(const Row<S>& row, std::int64_t i) {
    T* copy = staged(i);
    for (std::int64_t k = 0; k < row.size; ++k) copy[k] = weight_of(row.left[k * row.stride]);
    return copy;
  }

  // The weights of a row of logits, which may be staged already.
  const T* weigh(const Kernels& kernels, const T* logits, std::int64_t i, std::int64_t size, double temperature) {
    T* weights = staged(i);
    if constexpr (std::is_same_v<T, float>) {
      kernels.weigh_logits(logits, weights, size, sampling_kernel::logit_scale<T>(temperature));
    } else {
      T most = -std::numeric_limits<T>::infinity();
      for (std::int64_t k = 0; k < size; ++k) most = most < logits[k] ? logits[k] : most;
      const bool finite = std::isfinite(most);
      for (std::int64_t k = 0; k < size; ++k)
        weights[k] =
            finite ? sampling_kernel::weight_of_logit(logits[k], most, sampling_kernel::logit_scale<T>(temperature))
                   : sampling_kernel::weight_in_bad_row(logits[k]);
    }
    return weights;
  }

  std::int64_t longest_row_, staged_rows_;
  Memory scratch_, staging_;
  std::vector<const T*> left_, right_;
  std::vector<std::int64_t> sizes_;
  std::vector<std::uint64_t> ids_, seeds_;
  std::vector<std::int64_t> drawn_;
  std::vector<DrawStatus> status_;
};

// Throws for row i, whose status is not ok, and names the category at fault.
template <class Source>
[[noreturn]] void throw_bad_row(const Source& source, std::int64_t i, DrawStatus status) {
  const auto row = source.row(i);
  const char* where = "papilio::sample_categorical";
  if (status == DrawStatus::empty) throw InvalidArgument(fmt::format("{}: row {} has no categories", where, i));
  if constexpr (Source::are_logits) {
    if (status == DrawStatus::all_zero)
      throw InvalidArgument(fmt::format(
          "{}: row {} has no logit above -infinity, so there is nothing to draw ({} categories)", where, i, row.size));
    std::int64_t k = 0;
    while (k + 1 < row.size && row.weight(k) <= std::numeric_limits<SumOf<typename Source::Weight>>::max()) ++k;
    throw InvalidArgument(
        fmt::format("{}: logits must not be NaN or +infinity; row {}, category {} is {} ({} rows x {} "
                    "categories)",
                    where, i, k, row.weight(k), source.rows(), row.size));
  }
  if (status == DrawStatus::all_zero)
    throw InvalidArgument(fmt::format("{}: row {} has no positive weight, so there is nothing to draw ({} categories)",
                                      where, i, row.size));
  if (status == DrawStatus::overflow)
    throw InvalidArgument(fmt::format(
        "{}: the sum of row {} is beyond the range of its type ({} categories); scale the weights down, or use double",
        where, i, row.size));
  std::int64_t k = 0;
  while (k + 1 < row.size && row.weight(k) >= 0 && std::isfinite(row.weight(k))) ++k;
  throw InvalidArgument(
      fmt::format("{}: weights must be finite and >= 0; row {}, category {} is {} ({} rows x {} categories)", where, i,
                  k, row.weight(k), source.rows(), row.size));
}

// With the remnant first, the places of a ragged row's blocks would depend on the other rows of its tile.
template <class Source>
void check_method(const Source&, PartialSums method) {
  base::require_known(partial_sums(), method, "sample_categorical", "method");
  base::require(!has_remnant_first(method) || Source::rows_are_of_one_length,
                "papilio::sample_categorical: method {} takes rows of one length, not ragged ones", name(method));
}

// Requires one entry in `view` for each row. The caller skips an optional view that is empty.
template <class T>
void check_entries(VectorView<T> view, std::int64_t rows, const char* what) {
  base::require(view.size == rows, "papilio::sample_categorical: {} must have one entry per row; got {} for {} rows",
                what, view.size, rows);
}

template <class Source, class Index>
void check_call(const Source& source, VectorView<Index> drawn, const SampleOptions& options) {
  source.check();
  check_method(source, options.method);
  const std::int64_t rows = source.rows();
  check_vector(drawn, source.device(), "drawn");
  check_vector(options.row_ids, source.device(), "row_ids");
  check_vector(options.seeds, source.device(), "seeds");
  check_vector(options.status, source.device(), "status");
  check_entries(drawn, rows, "drawn");
  if (!options.row_ids.empty()) check_entries(options.row_ids, rows, "row_ids");
  if (!options.seeds.empty()) check_entries(options.seeds, rows, "seeds");
  if (!options.status.empty()) check_entries(options.status, rows, "status");
  for (const auto& [what, in] : {std::pair("row_ids", options.row_ids), std::pair("seeds", options.seeds)}) {
    execution::require_apart("sample_categorical", "drawn", drawn, what, in);
    execution::require_apart("sample_categorical", "status", options.status, what, in);
  }
  execution::require_apart("sample_categorical", "drawn", drawn, "status", options.status);
  source.check_apart(drawn, "drawn");
  source.check_apart(options.status, "status");
  base::require(options.threads >= 0, "papilio::sample_categorical: threads must be >= 0; got {}", options.threads);
}

// Logits are first turned into weights, at the beginning of the workspace.
template <class Source>
std::int64_t workspace_on_cuda(const Source& source, PartialSums method) {
  DeviceRows rows = source.on_device();
  std::int64_t bytes = 0;
  if constexpr (Source::are_logits) {
    bytes = logits_workspace_on_cuda(rows);
    rows = weights_of_logits(rows, nullptr);
  }
  return bytes + (method == PartialSums::slots ? slots_workspace_on_cuda(rows, source.device())
                                               : blocks_workspace_on_cuda(rows, method, source.device()));
}

template <class Source, class Index>
void queue_on_cuda(const Source& source, VectorView<Index> drawn, const SampleOptions& options) {
  DeviceDraw draw = {.rows = source.on_device(),
                     .device = source.device(),
                     .method = options.method,
                     .seed = options.seed,
                     .stream = options.stream,
                     .first_row_id = options.first_row_id,
                     .row_ids = options.row_ids.data,
                     .seeds = options.seeds.data,
                     .drawn = drawn.data,
                     .drawn_is_wide = sizeof(Index) == 8,
                     .status = options.status.data,
                     .check_negative = options.check_negative,
                     .cuda_stream = options.cuda_stream};
  base::require(draw.rows.categories <= std::numeric_limits<Index>::max(),
                "papilio::sample_categorical: rows of {} categories do not fit into {}-bit results",
                draw.rows.categories, 8 * sizeof(Index));
  if (draw.rows.rows == 0) return;
  if (const std::int64_t bytes = workspace_on_cuda(source, options.method); bytes > 0) {
    check_vector(options.workspace, draw.device, "workspace");
    base::require(options.workspace.size >= bytes,
                  "papilio::sample_categorical: a workspace of {} bytes is needed (see sample_workspace_bytes), got {}",
                  bytes, options.workspace.size);
    base::require(reinterpret_cast<std::uintptr_t>(options.workspace.data) % 256 == 0,
                  "papilio::sample_categorical: the workspace must be aligned to 256 bytes");
    draw.workspace = options.workspace.data;
  }
  if constexpr (Source::are_logits) {
    weigh_logits_on_cuda(draw, source.temperature());
    draw.rows = weights_of_logits(source.on_device(), draw.workspace);
    draw.workspace = options.workspace.data + logits_workspace_on_cuda(source.on_device());
  }
  options.method == PartialSums::slots ? draw_by_slots_on_cuda(draw) : draw_by_blocks_on_cuda(draw);
}

// Slots draw from each long row alone; the other methods draw from the rows of a tile side by side.
template <class S>
std::int64_t rows_to_stage(PartialSums method, std::int64_t rows, std::int64_t longest) {
  const std::int64_t tile = std::min(rows, tile_rows);
  if (method != PartialSums::slots) return tile;
  const std::int64_t row_bytes = std::max<std::int64_t>(longest, 1) * static_cast<std::int64_t>(sizeof(SumOf<S>));
  return std::clamp<std::int64_t>(staged_bytes / row_bytes, 1, tile);
}

template <class Source, class Index>
void run_on_cpu(const Source& source, VectorView<Index> drawn, const SampleOptions& options) {
  using T = typename Source::Weight;
  const std::int64_t rows = source.rows();
  if (rows == 0) return;
  const std::int64_t longest = source.longest_row();
  base::require(longest <= std::numeric_limits<Index>::max(),
                "papilio::sample_categorical: rows of {} categories do not fit into {}-bit results", longest,
                8 * sizeof(Index));

  const Kernels& kernels = kernels_in_use();
  const bool staged = !source.row(0).direct() || (Source::are_logits && options.method != PartialSums::slots);
  const std::int64_t staged_rows = rows_to_stage<T>(options.method, rows, longest);
  const std::int64_t a_batch = staged ? staged_rows : batch_rows;
  const std::int64_t grain =
      base::round_up(std::max<std::int64_t>(1, weights_per_task / std::max<std::int64_t>(longest, 1)), a_batch);
  std::atomic<std::int64_t> first_bad{rows};

  execution::parallel_for(rows, grain, options.threads, [&](std::int64_t begin, std::int64_t end) {
    Workspace<T> work(kernels, options.method, longest, staged_rows);
    for (std::int64_t at = begin; at < end; at += a_batch) {
      const std::int64_t count = std::min(a_batch, end - at);
      work.draw(kernels, source, options, at, at + count);
      for (std::int64_t i = 0; i < count; ++i) {
        drawn.data[at + i] = static_cast<Index>(work.drawn(i));
        if (!options.status.empty()) options.status.data[at + i] = work.status(i);
        if (work.status(i) != DrawStatus::ok) [[unlikely]] {
          std::int64_t seen = first_bad.load();
          while (at + i < seen && !first_bad.compare_exchange_weak(seen, at + i)) {
          }
        }
      }
    }
  });
  if (options.status.empty() && first_bad < rows) {
    Workspace<T> work(kernels, options.method, longest, staged_rows);
    work.draw(kernels, source, options, first_bad, first_bad + 1);
    throw_bad_row(source, first_bad, work.status(0));
  }
}

template <class Source, class Index>
void run(const Source& source, VectorView<Index> drawn, const SampleOptions& options) {
  check_call(source, drawn, options);
  source.device().is_cpu() ? run_on_cpu(source, drawn, options) : queue_on_cuda(source, drawn, options);
}

template <class Source>
std::int64_t workspace_bytes(const Source& source, PartialSums method) {
  source.check();
  check_method(source, method);
  return source.device().is_cpu() ? 0 : workspace_on_cuda(source, method);
}

}  // namespace
}  // namespace sampling

#define PAPILIO_INSTANTIATE_DRAW(Weights, Source, T, Index)                                             \
  template <>                                                                                           \
  void sample_categorical(const Weights<T>& weights, VectorView<Index> drawn, const SampleOptions& o) { \
    sampling::run(sampling::Source<T>(weights), drawn, o);                                              \
  }
#define PAPILIO_INSTANTIATE(Weights, Source, T)                                        \
  PAPILIO_INSTANTIATE_DRAW(Weights, Source, T, std::int32_t)                           \
  PAPILIO_INSTANTIATE_DRAW(Weights, Source, T, std::int64_t)                           \
  template <>                                                                          \
  std::int64_t sample_workspace_bytes(const Weights<T>& weights, PartialSums method) { \
    return sampling::workspace_bytes(sampling::Source<T>(weights), method);            \
  }
PAPILIO_INSTANTIATE(MatrixWeights, MatrixSource, float)
PAPILIO_INSTANTIATE(MatrixWeights, MatrixSource, double)
PAPILIO_INSTANTIATE(MatrixWeights, MatrixSource, Half)
PAPILIO_INSTANTIATE(MatrixWeights, MatrixSource, BFloat16)
PAPILIO_INSTANTIATE(MatrixWeights, MatrixSource, Float8E4M3FN)
PAPILIO_INSTANTIATE(MatrixWeights, MatrixSource, Float8E5M2)
PAPILIO_INSTANTIATE(RaggedWeights, RaggedSource, float)
PAPILIO_INSTANTIATE(RaggedWeights, RaggedSource, double)
PAPILIO_INSTANTIATE(RaggedWeights, RaggedSource, Half)
PAPILIO_INSTANTIATE(RaggedWeights, RaggedSource, BFloat16)
PAPILIO_INSTANTIATE(RaggedWeights, RaggedSource, Float8E4M3FN)
PAPILIO_INSTANTIATE(RaggedWeights, RaggedSource, Float8E5M2)
PAPILIO_INSTANTIATE(LogitWeights, LogitSource, float)
PAPILIO_INSTANTIATE(LogitWeights, LogitSource, double)
PAPILIO_INSTANTIATE(LogitWeights, LogitSource, Half)
PAPILIO_INSTANTIATE(LogitWeights, LogitSource, BFloat16)
PAPILIO_INSTANTIATE(LogitWeights, LogitSource, Float8E4M3FN)
PAPILIO_INSTANTIATE(LogitWeights, LogitSource, Float8E5M2)
PAPILIO_INSTANTIATE(ProductWeights, ProductSource, float)
PAPILIO_INSTANTIATE(ProductWeights, ProductSource, double)

}  // namespace papilio
