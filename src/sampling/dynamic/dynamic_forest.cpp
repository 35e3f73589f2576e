#include <limits>
#include <utility>
#include <variant>
#include <vector>

#include "base/check.h"
#include "execution/check_view.h"
#include "execution/cpu/parallel_for.h"
#include "papilio/dynamic.h"
#include "random/uniform.h"
#include "sampling/dynamic/checked_weight.h"
#include "sampling/dynamic/forest_batch_kernel.h"
#include "sampling/dynamic/forest_cuda.h"
#include "sampling/dynamic/sum_forest.h"
#include "sampling/tables/draw_each.h"

namespace papilio {
namespace {

using base::require;
using sampling::ForestFault;
using sampling::ForestOnCuda;
using sampling::SumForest;

constexpr std::int64_t most_updates_on_cuda = std::numeric_limits<std::uint32_t>::max() - 1;
constexpr std::uintptr_t workspace_alignment = 256;

using Kept = std::variant<SumForest, ForestOnCuda>;

Device device_of(const Kept& kept) {
  const auto* const there = std::get_if<ForestOnCuda>(&kept);
  return there == nullptr ? Device::cpu() : there->device();
}

void require_row(const char* function, std::int64_t row, std::int64_t rows) {
  require(0 <= row && row < rows, "papilio::{}: row {}, expected 0 <= row < {}", function, row, rows);
}

void require_finite_total(const char* function, double total, std::int64_t row) {
  require(total <= std::numeric_limits<double>::max(),
          "papilio::{}: the total of row {} is infinite, expected one that double can hold", function, row);
}

// Throws InvalidArgument unless the array can be one and is on the forest's device.
template <class T>
void require_there(const char* function, const char* what, const VectorView<T>& view, Device device) {
  require(view.device == device || view.empty(), "papilio::{}: {} is on {}, the forest is on {}", function, what,
          view.device.name(), device.name());
  execution::require_vector(function, what, view);
}

SumForest forest_on_cpu(const char* function, const MatrixView<const double>& weights) {
  SumForest sums(weights.rows, weights.columns);
  for (std::int64_t row = 0; row < weights.rows; ++row) {
    for (std::int64_t k = 0; k < weights.columns; ++k) {
      const double weight = weights.data[row * weights.row_stride + k * weights.column_stride];
      sums.put(row, k, sampling::checked_weight(function, k, weight));
    }
    sums.add_up(row);
    require_finite_total(function, sums.total(row), row);
  }
  return sums;
}

ForestOnCuda forest_on_cuda(const char* function, const MatrixView<const double>& weights, void* cuda_stream) {
  ForestFault fault;
  ForestOnCuda forest(weights, cuda_stream, fault);
  if (fault.kind == ForestFault::Kind::weight) sampling::checked_weight(function, fault.category, fault.weight);
  if (fault.kind == ForestFault::Kind::total) {
    require_finite_total(function, std::numeric_limits<double>::infinity(), fault.row);
  }
  return forest;
}

}  // namespace

struct DynamicForest::Trees {
  Kept kept;
};

DynamicForest::DynamicForest(MatrixView<const double> weights, void* cuda_stream) {
  constexpr const char* function = "DynamicForest";
  execution::require_matrix(function, "weights", weights);
  sampling::require_categories(function, weights.columns);
  constexpr std::int64_t most_weights = std::int64_t{1} << 56;  // fewer than 2^63 bytes
  require(weights.rows <= most_weights / weights.columns,
          "papilio::{}: weights has {} rows x {} columns, more than an address space holds", function, weights.rows,
          weights.columns);
  if (weights.device.is_cpu()) {
    trees_ = std::make_unique<Trees>(Trees{forest_on_cpu(function, weights)});
  } else {
    trees_ = std::make_unique<Trees>(Trees{forest_on_cuda(function, weights, cuda_stream)});
  }
}

DynamicForest::DynamicForest(const DynamicForest& other) : trees_(std::make_unique<Trees>(*other.trees_)) {}

DynamicForest& DynamicForest::operator=(const DynamicForest& other) {
  if (this != &other) trees_ = std::make_unique<Trees>(*other.trees_);
  return *this;
}

DynamicForest::~DynamicForest() = default;

Device DynamicForest::device() const { return device_of(trees_->kept); }

std::int64_t DynamicForest::rows() const {
  return std::visit([](const auto& forest) { return forest.rows(); }, trees_->kept);
}

std::int64_t DynamicForest::categories() const {
  return std::visit([](const auto& forest) { return forest.categories(); }, trees_->kept);
}

double DynamicForest::weight(std::int64_t row, std::int64_t category, void* cuda_stream) const {
  require_row("DynamicForest::weight", row, rows());
  sampling::require_category("DynamicForest::weight", category, categories());
  const auto* const there = std::get_if<ForestOnCuda>(&trees_->kept);
  return there == nullptr ? std::get<SumForest>(trees_->kept).weight(row, category)
                          : there->weight(row, category, cuda_stream);
}

double DynamicForest::total(std::int64_t row, void* cuda_stream) const {
  require_row("DynamicForest::total", row, rows());
  const auto* const there = std::get_if<ForestOnCuda>(&trees_->kept);
  return there == nullptr ? std::get<SumForest>(trees_->kept).total(row) : there->total(row, cuda_stream);
}

namespace {

// The updates of a batch, checked as arrays.
struct Updates {
  const char* function;
  VectorView<const std::int64_t> rows;
  VectorView<const std::int64_t> categories;
  VectorView<const double> weights;
};

// Whether every update is valid; reports the one that is not, or throws if no report was requested.
bool check_updates(const SumForest& sums, const Updates& updates, const ForestUpdateOptions& options) {
  bool fine = true;
  for (std::int64_t i = 0; i < updates.rows.size; ++i) {
    const std::int64_t row = updates.rows.data[i], category = updates.categories.data[i];
    const double weight = updates.weights.data[i];
    if (options.status.empty()) {
      require_row(updates.function, row, sums.rows());
      sampling::require_category(updates.function, category, sums.categories());
      sampling::checked_weight(updates.function, category, weight);
    } else {
      options.status.data[i] = sampling_kernel::status_of_update(sums.rows(), sums.categories(), row, category, weight);
      fine = fine && options.status.data[i] == DrawStatus::ok;
    }
  }
  return fine;
}

void set_on_cpu(SumForest& sums, const Updates& updates, const ForestUpdateOptions& options) {
  if (!check_updates(sums, updates, options)) return;
  const std::int64_t count = updates.rows.size;
  const std::int64_t* const rows = updates.rows.data;
  const std::int64_t* const categories = updates.categories.data;
  std::vector<std::int64_t> places;
  std::vector<double> before;
  places.reserve(static_cast<std::size_t>(count));
  before.reserve(static_cast<std::size_t>(count));
  for (std::int64_t i = 0; i < count; ++i) {
    places.push_back(rows[i] * sums.categories() + categories[i]);
    before.push_back(sums.weight(rows[i], categories[i]));
  }
  for (std::int64_t i = 0; i < count; ++i) sums.put(rows[i], categories[i], updates.weights.data[i] + 0.0);
  sums.add_up_above(places, options.threads);

  std::int64_t infinite = -1;  // the first row with such a total
  for (std::int64_t i = 0; i < count; ++i) {
    if (sums.total(rows[i]) <= std::numeric_limits<double>::max()) continue;
    if (infinite < 0) infinite = rows[i];
    if (!options.status.empty()) options.status.data[i] = DrawStatus::overflow;
  }
  if (infinite < 0) return;
  for (std::int64_t i = 0; i < count; ++i) sums.put(rows[i], categories[i], before[static_cast<std::size_t>(i)]);
  sums.add_up_above(places, options.threads);
  if (options.status.empty()) {
    throw InvalidArgument(
        fmt::format("papilio::{}: the total of row {} would be infinite, expected one that double can hold",
                    updates.function, infinite));
  }
}

void set_on_cuda(ForestOnCuda& forest, const Updates& updates, const ForestUpdateOptions& options) {
  const std::int64_t count = updates.rows.size;
  require(count <= most_updates_on_cuda, "papilio::{}: {} updates, expected at most {} on {}", updates.function, count,
          most_updates_on_cuda, forest.device().name());
  if (count == 0) return;
  require(!options.status.empty(),
          "papilio::{}: no status was given; on {}, where calls do not wait, it says which updates are refused",
          updates.function, forest.device().name());
  const std::int64_t bytes = forest.workspace_bytes(count);
  require(options.workspace.size >= bytes, "papilio::{}: the workspace has {} bytes, expected {} for {} updates",
          updates.function, options.workspace.size, bytes, count);
  require(reinterpret_cast<std::uintptr_t>(options.workspace.data) % workspace_alignment == 0,
          "papilio::{}: the workspace is at address {:#x}, expected a multiple of {}", updates.function,
          reinterpret_cast<std::uintptr_t>(options.workspace.data), workspace_alignment);
  forest.set({.count = count,
              .rows = updates.rows.data,
              .categories = updates.categories.data,
              .weights = updates.weights.data,
              .status = options.status.data,
              .workspace = options.workspace.data,
              .cuda_stream = options.cuda_stream});
}

}  // namespace

void DynamicForest::set(VectorView<const std::int64_t> rows, VectorView<const std::int64_t> categories,
                        VectorView<const double> weights, const ForestUpdateOptions& options) {
  constexpr const char* function = "DynamicForest::set";
  require_there(function, "rows", rows, device());
  require_there(function, "categories", categories, device());
  require_there(function, "weights", weights, device());
  require_there(function, "status", options.status, device());
  require_there(function, "workspace", options.workspace, device());
  execution::thread_count(options.threads);
  require(rows.size == weights.size && categories.size == weights.size,
          "papilio::{}: {} rows, {} categories and {} weights, expected as many", function, rows.size, categories.size,
          weights.size);
  require(options.status.empty() || options.status.size == rows.size,
          "papilio::{}: status has {} entries for {} updates, expected as many", function, options.status.size,
          rows.size);
  execution::require_apart(function, "status", options.status, "rows", rows);
  execution::require_apart(function, "status", options.status, "categories", categories);
  execution::require_apart(function, "status", options.status, "weights", weights);
  const Updates updates = {function, rows, categories, weights};
  if (auto* const there = std::get_if<ForestOnCuda>(&trees_->kept)) return set_on_cuda(*there, updates, options);
  set_on_cpu(std::get<SumForest>(trees_->kept), updates, options);
}

std::int64_t DynamicForest::update_workspace_bytes(std::int64_t updates) const {
  require(0 <= updates && updates <= most_updates_on_cuda,
          "papilio::DynamicForest::update_workspace_bytes: {} updates, expected 0 to {}", updates,
          most_updates_on_cuda);
  const auto* const there = std::get_if<ForestOnCuda>(&trees_->kept);
  return there == nullptr || updates == 0 ? 0 : there->workspace_bytes(updates);
}

namespace {

template <class Index>
void sample_on_cpu(const SumForest& sums, VectorView<const std::int64_t> rows, VectorView<Index> drawn,
                   const ForestDrawOptions& options) {
  constexpr const char* function = "DynamicForest::sample";
  for (std::int64_t i = 0; i < rows.size; ++i) {
    const std::int64_t row = rows.data[i];
    const bool exists = 0 <= row && row < sums.rows();
    if (!options.status.empty()) {
      options.status.data[i] = !exists               ? DrawStatus::no_such_row
                               : sums.total(row) > 0 ? DrawStatus::ok
                                                     : DrawStatus::all_zero;
      continue;
    }
    require_row(function, row, sums.rows());
    require(sums.total(row) > 0, "papilio::{}: every weight of row {} is 0, so there is nothing to draw", function,
            row);
  }
  const RepeatedDrawOptions numbers = {
      .seed = options.seed, .stream = options.stream, .first_draw = options.first_draw, .threads = options.threads};
  sampling::draw_each(function, drawn, numbers, [&](const random::Block& block, std::int64_t i) {
    if (!options.status.empty() && options.status.data[i] != DrawStatus::ok) return std::int64_t{-1};
    return sums.find(rows.data[i], random::uniform53(block.word[0], block.word[1]));
  });
}

template <class Index>
void sample_on_cuda(const ForestOnCuda& forest, VectorView<const std::int64_t> rows, VectorView<Index> drawn,
                    const ForestDrawOptions& options) {
  if (rows.empty()) return;
  sampling::DeviceForestDraws draws = {.count = rows.size,
                                       .rows = rows.data,
                                       .drawn_32 = nullptr,
                                       .drawn_64 = nullptr,
                                       .status = options.status.data,
                                       .seed = options.seed,
                                       .stream = options.stream,
                                       .first_draw = options.first_draw,
                                       .cuda_stream = options.cuda_stream};
  if constexpr (sizeof(Index) == 4)
    draws.drawn_32 = drawn.data;
  else
    draws.drawn_64 = drawn.data;
  forest.sample(draws);
}

template <class Index>
void sample_rows(const Kept& kept, VectorView<const std::int64_t> rows, VectorView<Index> drawn,
                 const ForestDrawOptions& options) {
  constexpr const char* function = "DynamicForest::sample";
  const Device device = device_of(kept);
  require_there(function, "rows", rows, device);
  require_there(function, "drawn", drawn, device);
  require_there(function, "status", options.status, device);
  execution::thread_count(options.threads);
  require(rows.size == drawn.size, "papilio::{}: {} rows for {} draws, expected as many", function, rows.size,
          drawn.size);
  require(options.status.empty() || options.status.size == rows.size,
          "papilio::{}: status has {} entries for {} draws, expected as many", function, options.status.size,
          rows.size);
  execution::require_apart(function, "drawn", drawn, "rows", rows);
  execution::require_apart(function, "status", options.status, "rows", rows);
  execution::require_apart(function, "status", options.status, "drawn", drawn);
  if (const auto* const there = std::get_if<ForestOnCuda>(&kept)) return sample_on_cuda(*there, rows, drawn, options);
  sample_on_cpu(std::get<SumForest>(kept), rows, drawn, options);
}

}  // namespace

void DynamicForest::sample(VectorView<const std::int64_t> rows, VectorView<std::int32_t> drawn,
                           const ForestDrawOptions& options) const {
  sample_rows(trees_->kept, rows, drawn, options);
}

void DynamicForest::sample(VectorView<const std::int64_t> rows, VectorView<std::int64_t> drawn,
                           const ForestDrawOptions& options) const {
  sample_rows(trees_->kept, rows, drawn, options);
}

}  // namespace papilio
