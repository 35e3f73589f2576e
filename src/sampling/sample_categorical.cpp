#include <atomic>
#include <cmath>
#include <limits>
#include <memory>
#include <new>
#include <type_traits>
#include <vector>

#include "base/check.h"
#include "base/math.h"
#include "execution/cpu/parallel_for.h"
#include "papilio/sampling.h"
#include "sampling/kernels.h"
#include "sampling/row_batch.h"
#include "sampling/row_source.h"

namespace papilio {
namespace sampling {
namespace {

// Rows handed to a kernel at a time, and what a thread should have to do.
constexpr std::int64_t batch_rows = 256;
constexpr std::int64_t staged_rows = tile_rows;
constexpr std::int64_t weights_a_task = std::int64_t{1} << 18;

struct Free {
  void operator()(void* p) const { ::operator delete (p, std::align_val_t{64}); }
};
using Memory = std::unique_ptr<void, Free>;
Memory allocate(std::int64_t bytes) {
  return Memory(::operator new (static_cast<std::size_t>(bytes), std::align_val_t{64}));
}

// One thread's arrays for a batch; see RowBatch.
template <class T>
class Workspace {
 public:
  Workspace(const Kernels& kernels, PartialSums method, std::int64_t longest_row)
      : longest_row_(longest_row),
        scratch_(allocate(kernels.scratch_bytes(method, longest_row, sizeof(T)))),
        left_(rows_with_tail),
        right_(rows_with_tail),
        sizes_(rows_with_tail),
        ids_(rows_with_tail),
        drawn_(rows_with_tail),
        status_(rows_with_tail) {}

  // Takes rows [begin, end) of the source and draws from them.
  template <class Source>
  void draw(const Kernels& kernels, const Source& source, const SampleOptions& options, std::int64_t begin,
            std::int64_t end) {
    const std::int64_t count = end - begin;
    bool products = false;
    for (std::int64_t i = 0; i < count; ++i) {
      const Row<T> row = source.row(begin + i);
      const auto at = static_cast<std::size_t>(i);
      left_[at] = row.stride == 1 ? row.left : stage(row, i);
      right_[at] = row.right;
      sizes_[at] = row.size;
      products |= row.right != nullptr;
      ids_[at] = options.row_ids.empty() ? options.first_row_id + static_cast<std::uint64_t>(begin + i)
                                         : static_cast<std::uint64_t>(options.row_ids.data[begin + i]);
    }
    for (std::int64_t i = count; i < base::round_up(count, tile_rows); ++i) {
      const auto at = static_cast<std::size_t>(i);
      left_[at] = right_[at] = nullptr;
      sizes_[at] = 0;
      ids_[at] = 0;
    }
    const RowBatch<T> batch = {count,
                               left_.data(),
                               products ? right_.data() : nullptr,
                               sizes_.data(),
                               ids_.data(),
                               options.seed,
                               options.stream,
                               options.check_negative,
                               options.method,
                               scratch_.get()};
    if constexpr (std::is_same_v<T, float>)
      kernels.draw_float(batch, drawn_.data(), status_.data());
    else
      kernels.draw_double(batch, drawn_.data(), status_.data());
  }

  std::int64_t drawn(std::int64_t i) const { return drawn_[static_cast<std::size_t>(i)]; }
  DrawStatus status(std::int64_t i) const { return status_[static_cast<std::size_t>(i)]; }

 private:
  static constexpr std::size_t rows_with_tail = batch_rows + tile_rows;

  // Copies a strided row; kernels read contiguous ones.
  const T* stage(const Row<T>& row, std::int64_t i) {
    staging_.resize(static_cast<std::size_t>(staged_rows * longest_row_));
    T* copy = staging_.data() + i % staged_rows * longest_row_;
    for (std::int64_t k = 0; k < row.size; ++k) copy[k] = row.left[k * row.stride];
    return copy;
  }

  std::int64_t longest_row_;
  Memory scratch_;
  std::vector<T> staging_;
  std::vector<const T*> left_, right_;
  std::vector<std::int64_t> sizes_;
  std::vector<std::uint64_t> ids_;
  std::vector<std::int64_t> drawn_;
  std::vector<DrawStatus> status_;
};

// Throws for row i, whose status is not ok, naming the category at fault.
template <class Source>
[[noreturn]] void throw_bad_row(const Source& source, std::int64_t i, DrawStatus status) {
  const auto row = source.row(i);
  const char* where = "papilio::sample_categorical";
  if (status == DrawStatus::empty) throw InvalidArgument(fmt::format("{}: row {} has no categories", where, i));
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

template <class Source, class Index>
void run(const Source& source, VectorView<Index> drawn, const SampleOptions& options) {
  using T = typename Source::Weight;
  const std::int64_t rows = (source.check(), source.rows());
  check_vector(drawn, "drawn");
  check_vector(options.row_ids, "row_ids");
  check_vector(options.status, "status");
  base::require(drawn.size == rows, "papilio::sample_categorical: drawn must have one entry a row; got {} for {} rows",
                drawn.size, rows);
  base::require(options.row_ids.empty() || options.row_ids.size == rows,
                "papilio::sample_categorical: row_ids must have one entry a row; got {} for {} rows",
                options.row_ids.size, rows);
  base::require(options.status.empty() || options.status.size == rows,
                "papilio::sample_categorical: status must have one entry a row; got {} for {} rows",
                options.status.size, rows);
  base::require(options.threads >= 0, "papilio::sample_categorical: threads must be >= 0; got {}", options.threads);
  if (rows == 0) return;
  const std::int64_t longest = source.longest_row();
  base::require(longest <= std::numeric_limits<Index>::max(),
                "papilio::sample_categorical: rows of {} categories do not fit into {}-bit results", longest,
                8 * sizeof(Index));

  const Kernels& kernels = kernels_in_use();
  const bool staged = source.row(0).stride != 1;
  const std::int64_t a_batch = staged ? staged_rows : batch_rows;
  const std::int64_t grain =
      base::round_up(std::max<std::int64_t>(1, weights_a_task / std::max<std::int64_t>(longest, 1)), a_batch);
  std::atomic<std::int64_t> first_bad{rows};

  execution::parallel_for(rows, grain, options.threads, [&](std::int64_t begin, std::int64_t end) {
    Workspace<T> work(kernels, options.method, longest);
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
    Workspace<T> work(kernels, options.method, longest);
    work.draw(kernels, source, options, first_bad, first_bad + 1);
    throw_bad_row(source, first_bad, work.status(0));
  }
}

}  // namespace
}  // namespace sampling

const char* name(DrawStatus status) noexcept {
  switch (status) {
    case DrawStatus::ok:
      return "ok";
    case DrawStatus::empty:
      return "empty";
    case DrawStatus::all_zero:
      return "all_zero";
    case DrawStatus::negative:
      return "negative";
    case DrawStatus::not_a_number:
      return "not_a_number";
    case DrawStatus::infinite:
      return "infinite";
    case DrawStatus::overflow:
      return "overflow";
  }
  return "unknown";
}

const char* name(PartialSums method) noexcept {
  switch (method) {
    case PartialSums::slots:
      return "slots";
    case PartialSums::prefix:
      return "prefix";
    case PartialSums::transposed:
      return "transposed";
    case PartialSums::transposed_through_scratch:
      return "transposed_through_scratch";
    case PartialSums::butterfly_swap:
      return "butterfly_swap";
    case PartialSums::butterfly_add_subtract:
      return "butterfly_add_subtract";
    case PartialSums::butterfly_two_pass:
      return "butterfly_two_pass";
  }
  return "unknown";
}

#define PAPILIO_INSTANTIATE(T, Index)                                                                          \
  template <>                                                                                                  \
  void sample_categorical(const MatrixWeights<T>& weights, VectorView<Index> drawn, const SampleOptions& o) {  \
    sampling::run(sampling::MatrixSource<T>(weights), drawn, o);                                               \
  }                                                                                                            \
  template <>                                                                                                  \
  void sample_categorical(const RaggedWeights<T>& weights, VectorView<Index> drawn, const SampleOptions& o) {  \
    sampling::run(sampling::RaggedSource<T>(weights), drawn, o);                                               \
  }                                                                                                            \
  template <>                                                                                                  \
  void sample_categorical(const ProductWeights<T>& weights, VectorView<Index> drawn, const SampleOptions& o) { \
    sampling::run(sampling::ProductSource<T>(weights), drawn, o);                                              \
  }
PAPILIO_INSTANTIATE(float, std::int32_t)
PAPILIO_INSTANTIATE(float, std::int64_t)
PAPILIO_INSTANTIATE(double, std::int32_t)
PAPILIO_INSTANTIATE(double, std::int64_t)

}  // namespace papilio
