#include <algorithm>
#include <atomic>
#include <limits>
#include <span>
#include <utility>
#include <vector>

#include "base/check.h"
#include "execution/check_view.h"
#include "execution/cpu/parallel_for.h"
#include "execution/cpu/require_cpu.h"
#include "papilio/without_replacement.h"
#include "sampling/without_replacement/race.h"
#include "sampling/without_replacement/race_rows.h"

namespace papilio {
namespace sampling {
namespace {

constexpr std::int64_t weights_per_task = std::int64_t{1} << 16;

// Where the draws of a row go.
template <class Index>
struct Places {
  Index* first;
  std::int64_t count;
};

// Why not all draws of a row could be made; `ok` if they could.
template <class Rows>
DrawStatus status_of(const Rows& rows, std::span<const typename Rows::Weight> weights, bool good, bool complete) {
  if (!good) {
    for (const auto w : weights) {
      if (const DrawStatus fault = rows.fault_of(w); fault != DrawStatus::ok) return fault;
    }
  }
  if (complete) return DrawStatus::ok;
  return weights.empty() ? DrawStatus::empty : DrawStatus::all_zero;
}

// Runs one row's race; returns its status.
template <class Rows, class Index>
DrawStatus draw_row(const Rows& rows, std::span<const typename Rows::Weight> weights, const RaceNumbers& numbers,
                    Race& race, Places<Index> places) {
  race.start(places.count);
  const bool good = rows.enter(race, numbers, weights);
  race.settle();
  const std::span<const RaceItem> items = good ? race.items() : std::span<const RaceItem>();
  for (std::size_t j = 0; j < items.size(); ++j) places.first[j] = static_cast<Index>(items[j].category);
  std::fill(places.first + items.size(), places.first + places.count, Index{-1});
  return status_of(rows, weights, good, std::ssize(items) == places.count);
}

// Throws for row i, whose status is not ok.
template <class Rows>
[[noreturn]] void throw_bad_row(const char* function, const Rows& rows, std::int64_t i, std::int64_t draws) {
  std::vector<typename Rows::Weight> copy;
  const auto weights = rows.row(i).values(copy);
  if (weights.empty())
    throw InvalidArgument(
        fmt::format("papilio::{}: row {} has no categories, but {} draws were asked for", function, i, draws));
  std::size_t k = 0;
  std::int64_t positive = 0;
  for (; k < weights.size() && rows.fault_of(weights[k]) == DrawStatus::ok; ++k)
    positive += weights[k] > rows.nothing() ? 1 : 0;
  if (k < weights.size())
    throw InvalidArgument(fmt::format("papilio::{}: {}; row {}, category {} is {} ({} rows x {} categories)", function,
                                      Rows::numbers, i, k, weights[k], rows.rows(), weights.size()));
  throw InvalidArgument(
      fmt::format("papilio::{}: {} draws without replacement from row {}, which has {} categories that can be drawn",
                  function, draws, i, positive));
}

template <class T>
void check_entries(const char* function, VectorView<T> view, std::int64_t rows, const char* what) {
  execution::require_cpu(function, what, view);
  base::require(view.empty() || view.size == rows, "papilio::{}: {} must have one entry per row; got {} for {} rows",
                function, what, view.size, rows);
}

template <class Rows, class Index>
void check_call(const char* function, const Rows& rows, VectorView<Index> written, const char* what,
                const WithoutReplacementOptions& options) {
  check_entries(function, options.row_ids, rows.rows(), "row_ids");
  check_entries(function, options.seeds, rows.rows(), "seeds");
  check_entries(function, options.status, rows.rows(), "status");
  execution::thread_count(options.threads);
  for (const auto& [name, in] : {std::pair("row_ids", options.row_ids), std::pair("seeds", options.seeds)}) {
    execution::require_apart(function, what, written, name, in);
    execution::require_apart(function, "status", options.status, name, in);
  }
  execution::require_apart(function, what, written, "status", options.status);
  rows.check_apart(written, what);
  rows.check_apart(options.status, "status");
  base::require(rows.longest_row() <= std::numeric_limits<Index>::max(),
                "papilio::{}: rows of {} categories do not fit into {}-bit results", function, rows.longest_row(),
                8 * sizeof(Index));
}

// Draws row i into places(i).
template <class Rows, class PlacesOf>
void run(const char* function, const Rows& rows, const PlacesOf& places_of, const WithoutReplacementOptions& options) {
  using T = typename Rows::Weight;
  const std::int64_t count = rows.rows();
  std::atomic<std::int64_t> first_bad{count};
  const std::int64_t grain =
      std::max<std::int64_t>(1, weights_per_task / std::max<std::int64_t>(rows.longest_row(), 64));
  execution::parallel_for(count, grain, options.threads, [&](std::int64_t begin, std::int64_t end) {
    std::vector<T> copy;
    Race race(0);
    for (std::int64_t i = begin; i < end; ++i) {
      const auto places = places_of(i);
      DrawStatus status = DrawStatus::ok;
      if (places.count > 0) {
        const std::uint64_t seed =
            options.seeds.empty() ? options.seed : static_cast<std::uint64_t>(options.seeds.data[i]);
        const std::uint64_t id = options.row_ids.empty() ? options.first_row_id + static_cast<std::uint64_t>(i)
                                                         : static_cast<std::uint64_t>(options.row_ids.data[i]);
        status = draw_row(rows, rows.row(i).values(copy), race_numbers(seed, options.stream, id), race, places);
      }
      if (!options.status.empty()) options.status.data[i] = status;
      if (status == DrawStatus::ok) continue;
      std::int64_t seen = first_bad.load();
      while (i < seen && !first_bad.compare_exchange_weak(seen, i)) {
      }
    }
  });
  if (!options.status.empty() || first_bad == count) return;
  throw_bad_row(function, rows, first_bad, places_of(first_bad).count);
}

// One row of draws per row of weights.
template <class Rows, class Index>
void draw_matrix(const char* function, const char* what, const Rows& rows, MatrixView<Index> drawn,
                 const WithoutReplacementOptions& options) {
  execution::require_cpu(function, what, drawn);
  base::require(drawn.rows == rows.rows(), "papilio::{}: {} must have one row per row of weights; got {} for {} rows",
                function, what, drawn.rows, rows.rows());
  base::require(drawn.column_stride == 1 || drawn.columns <= 1,
                "papilio::{}: the columns of {} must be adjacent; got column stride {}", function, what,
                drawn.column_stride);
  execution::require_separate_rows(function, what, drawn);
  const bool gapless = drawn.row_stride == drawn.columns && drawn.columns > 0;
  check_call(function, rows, gapless ? VectorView<Index>(drawn.data, drawn.rows * drawn.columns) : VectorView<Index>(),
             what, options);
  run(
      function, rows,
      [&](std::int64_t i) {
        return Places<Index>{drawn.columns == 0 ? nullptr : drawn.data + i * drawn.row_stride, drawn.columns};
      },
      options);
}

// Shuffles all categories of each row; the results of the rows follow one another.
template <class Rows, class Index>
void shuffle_ragged(const Rows& rows, VectorView<Index> shuffled, const WithoutReplacementOptions& options) {
  constexpr const char* function = "weighted_shuffle";
  execution::require_cpu(function, "shuffled", shuffled);
  std::vector<std::int64_t> starts = {0};
  for (std::int64_t i = 0; i < rows.rows(); ++i) starts.push_back(starts.back() + rows.row(i).size);
  base::require(starts.back() == shuffled.size,
                "papilio::{}: shuffled must have one entry per weight; got {} for {} weights", function, shuffled.size,
                starts.back());
  check_call(function, rows, shuffled, "shuffled", options);
  run(
      function, rows,
      [&](std::int64_t i) {
        const std::int64_t start = starts[static_cast<std::size_t>(i)];
        return Places<Index>{shuffled.data + start, starts[static_cast<std::size_t>(i + 1)] - start};
      },
      options);
}

template <class Rows, class Weights, class Index>
void sample(const Weights& weights, MatrixView<Index> drawn, const WithoutReplacementOptions& options) {
  constexpr const char* function = "sample_without_replacement";
  const Rows rows(function, weights);
  rows.check();
  draw_matrix(function, "drawn", rows, drawn, options);
}

template <class T, class Index>
void shuffle(const MatrixWeights<T>& weights, MatrixView<Index> shuffled, const WithoutReplacementOptions& options) {
  constexpr const char* function = "weighted_shuffle";
  const MatrixRows<T> rows(function, weights);
  rows.check();
  base::require(shuffled.columns == weights.matrix.columns,
                "papilio::{}: shuffled must have one column per category; got {} for {}", function, shuffled.columns,
                weights.matrix.columns);
  draw_matrix(function, "shuffled", rows, shuffled, options);
}

template <class T, class Index>
void shuffle(const RaggedWeights<T>& weights, VectorView<Index> shuffled, const WithoutReplacementOptions& options) {
  const RaggedRows<T> rows("weighted_shuffle", weights);
  rows.check();
  shuffle_ragged(rows, shuffled, options);
}

}  // namespace
}  // namespace sampling

#define PAPILIO_INSTANTIATE_DRAW(Weights, Rows, T, Index)                             \
  template <>                                                                         \
  void sample_without_replacement(const Weights<T>& weights, MatrixView<Index> drawn, \
                                  const WithoutReplacementOptions& options) {         \
    sampling::sample<sampling::Rows<T>>(weights, drawn, options);                     \
  }
#define PAPILIO_INSTANTIATE(T, Index)                                                                           \
  PAPILIO_INSTANTIATE_DRAW(MatrixWeights, MatrixRows, T, Index)                                                 \
  PAPILIO_INSTANTIATE_DRAW(RaggedWeights, RaggedRows, T, Index)                                                 \
  PAPILIO_INSTANTIATE_DRAW(LogitWeights, LogitRows, T, Index)                                                   \
  template <>                                                                                                   \
  void weighted_shuffle(const MatrixWeights<T>& w, MatrixView<Index> out, const WithoutReplacementOptions& o) { \
    sampling::shuffle(w, out, o);                                                                               \
  }                                                                                                             \
  template <>                                                                                                   \
  void weighted_shuffle(const RaggedWeights<T>& w, VectorView<Index> out, const WithoutReplacementOptions& o) { \
    sampling::shuffle(w, out, o);                                                                               \
  }
PAPILIO_INSTANTIATE(float, std::int32_t)
PAPILIO_INSTANTIATE(float, std::int64_t)
PAPILIO_INSTANTIATE(double, std::int32_t)
PAPILIO_INSTANTIATE(double, std::int64_t)

}  // namespace papilio
