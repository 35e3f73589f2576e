#include <limits>

#include "base/check.h"
#include "execution/check_view.h"
#include "execution/cpu/parallel_for.h"
#include "execution/cpu/require_cpu.h"
#include "papilio/dynamic.h"
#include "random/uniform.h"
#include "sampling/dynamic/checked_weight.h"
#include "sampling/dynamic/sum_forest.h"
#include "sampling/tables/draw_each.h"

namespace papilio {
namespace {

void require_row(const char* function, std::int64_t row, std::int64_t rows) {
  base::require(0 <= row && row < rows, "papilio::{}: row {}, expected 0 <= row < {}", function, row, rows);
}

}  // namespace

struct DynamicForest::Trees {
  sampling::SumForest sums;

  void require_finite(const char* function, std::int64_t row) const {
    base::require(sums.total(row) <= std::numeric_limits<double>::max(),
                  "papilio::{}: the total of row {} is infinite, expected one that double can hold", function, row);
  }
};

DynamicForest::DynamicForest(MatrixView<const double> weights) {
  constexpr const char* function = "DynamicForest";
  execution::require_cpu(function, "weights", weights);
  sampling::require_categories(function, weights.columns);
  trees_ = std::make_unique<Trees>(Trees{sampling::SumForest(weights.rows, weights.columns)});
  for (std::int64_t row = 0; row < weights.rows; ++row) {
    for (std::int64_t k = 0; k < weights.columns; ++k) {
      const double weight = weights.data[row * weights.row_stride + k * weights.column_stride];
      trees_->sums.put(row, k, sampling::checked_weight(function, k, weight));
    }
    trees_->sums.add_up(row);
    trees_->require_finite(function, row);
  }
}

DynamicForest::DynamicForest(const DynamicForest& other) : trees_(std::make_unique<Trees>(*other.trees_)) {}

DynamicForest& DynamicForest::operator=(const DynamicForest& other) {
  if (this != &other) trees_ = std::make_unique<Trees>(*other.trees_);
  return *this;
}

DynamicForest::~DynamicForest() = default;

std::int64_t DynamicForest::rows() const { return trees_->sums.rows(); }
std::int64_t DynamicForest::categories() const { return trees_->sums.categories(); }

double DynamicForest::weight(std::int64_t row, std::int64_t category) const {
  require_row("DynamicForest::weight", row, rows());
  sampling::require_category("DynamicForest::weight", category, categories());
  return trees_->sums.weight(row, category);
}

double DynamicForest::total(std::int64_t row) const {
  require_row("DynamicForest::total", row, rows());
  return trees_->sums.total(row);
}

void DynamicForest::set(VectorView<const std::int64_t> rows, VectorView<const std::int64_t> categories,
                        VectorView<const double> weights, int threads) {
  constexpr const char* function = "DynamicForest::set";
  execution::require_cpu(function, "rows", rows);
  execution::require_cpu(function, "categories", categories);
  execution::require_cpu(function, "weights", weights);
  execution::thread_count(threads);
  base::require(rows.size == weights.size && categories.size == weights.size,
                "papilio::{}: {} rows, {} categories and {} weights, expected as many", function, rows.size,
                categories.size, weights.size);
  sampling::SumForest& sums = trees_->sums;
  std::vector<std::int64_t> places;
  std::vector<double> before;
  places.reserve(static_cast<std::size_t>(rows.size));
  before.reserve(static_cast<std::size_t>(rows.size));
  for (std::int64_t i = 0; i < rows.size; ++i) {
    require_row(function, rows.data[i], sums.rows());
    sampling::require_category(function, categories.data[i], sums.categories());
    sampling::checked_weight(function, categories.data[i], weights.data[i]);
    places.push_back(rows.data[i] * sums.categories() + categories.data[i]);
    before.push_back(sums.weight(rows.data[i], categories.data[i]));
  }
  for (std::int64_t i = 0; i < rows.size; ++i) sums.put(rows.data[i], categories.data[i], weights.data[i] + 0.0);
  sums.add_up_above(places, threads);
  for (std::int64_t i = 0; i < rows.size; ++i) {
    if (sums.total(rows.data[i]) <= std::numeric_limits<double>::max()) continue;
    const std::int64_t row = rows.data[i];
    for (std::int64_t j = 0; j < rows.size; ++j) {
      sums.put(rows.data[j], categories.data[j], before[static_cast<std::size_t>(j)]);
    }
    sums.add_up_above(places, threads);
    throw InvalidArgument(fmt::format(
        "papilio::{}: the total of row {} would be infinite, expected one that double can hold", function, row));
  }
}

namespace {

template <class Index>
void sample_rows(const sampling::SumForest& sums, VectorView<const std::int64_t> rows, VectorView<Index> drawn,
                 const RepeatedDrawOptions& options) {
  constexpr const char* function = "DynamicForest::sample";
  execution::require_cpu(function, "rows", rows);
  execution::require_cpu(function, "drawn", drawn);
  base::require(rows.size == drawn.size, "papilio::{}: {} rows for {} draws, expected as many", function, rows.size,
                drawn.size);
  execution::require_apart(function, "drawn", drawn, "rows", rows);
  for (std::int64_t i = 0; i < rows.size; ++i) {
    require_row(function, rows.data[i], sums.rows());
    base::require(sums.total(rows.data[i]) > 0, "papilio::{}: every weight of row {} is 0, so there is nothing to draw",
                  function, rows.data[i]);
  }
  sampling::draw_each(function, drawn, options, [&](const random::Block& block, std::int64_t i) {
    return sums.find(rows.data[i], random::uniform53(block.word[0], block.word[1]));
  });
}

}  // namespace

void DynamicForest::sample(VectorView<const std::int64_t> rows, VectorView<std::int32_t> drawn,
                           const RepeatedDrawOptions& options) const {
  sample_rows(trees_->sums, rows, drawn, options);
}

void DynamicForest::sample(VectorView<const std::int64_t> rows, VectorView<std::int64_t> drawn,
                           const RepeatedDrawOptions& options) const {
  sample_rows(trees_->sums, rows, drawn, options);
}

}  // namespace papilio
