#include "sampling/tables/repeated_draws.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>
#include <string>
#include <utility>

#include "base/check.h"
#include "execution/check_view.h"
#include "papilio/sampling.h"
#include "sampling/tables/draw_each.h"
#include "sampling/tables/repeated_draws_cuda.h"
#include "sampling/tables/repeated_draws_kernel.h"
#include "sampling/tables/table_memory.h"

namespace papilio {
namespace sampling {
namespace {

// The weights as doubles, multiplied by the power of two that brings the largest to [2^989, 2^990): sums of up to 2^32
// of them then stay finite, and a weight loses bits only if it is below 2^-2000 times the largest. Throws if the
// weights cannot be drawn from.
template <class T>
std::vector<double> scaled_weights(const char* table, VectorView<const T> weights) {
  double largest = 0;
  for (std::int64_t k = 0; k < weights.size; ++k) {
    const double weight = weights.data[k];
    base::require(weight >= 0 && weight <= std::numeric_limits<double>::max(),
                  "papilio::{}: weights must be finite and >= 0; category {} is {} ({} categories)", table, k, weight,
                  weights.size);
    largest = std::max(largest, weight);
  }
  base::require(largest > 0,
                "papilio::{}: no category has a positive weight, so there is nothing to draw ({} categories)", table,
                weights.size);
  int exponent = 0;
  std::frexp(largest, &exponent);
  std::vector<double> scaled(static_cast<std::size_t>(weights.size));
  for (std::size_t k = 0; k < scaled.size(); ++k) scaled[k] = std::ldexp(double{weights.data[k]}, 990 - exponent);
  return scaled;
}

// The same for weights on any device; they are copied to the CPU in the order of a stream.
template <class T>
std::vector<double> scaled_weights(const char* table, VectorView<const T> weights, void* cuda_stream) {
  execution::require_vector(table, "weights", weights);
  base::require(!weights.empty(), "papilio::{}: there are no categories, so there is nothing to draw", table);
  base::require(weights.size <= std::numeric_limits<std::int32_t>::max(),
                "papilio::{}: weights must be at most {} categories; got {}", table,
                std::numeric_limits<std::int32_t>::max(), weights.size);
  if (weights.device.is_cpu()) return scaled_weights(table, weights);
  std::vector<T> copy(static_cast<std::size_t>(weights.size));
  copy_from_cuda(copy.data(), weights.data, weights.size * static_cast<std::int64_t>(sizeof(T)), weights.device,
                 cuda_stream);
  return scaled_weights(table, VectorView<const T>(copy));
}

// Checks the array that a table's draws go to.
template <class Index>
void require_drawn(const char* table, VectorView<Index> drawn, Device where) {
  const std::string function = fmt::format("{}::sample", table);
  execution::require_vector(function.c_str(), "drawn", drawn);
  base::require(drawn.empty() || drawn.device == where,
                "papilio::{}: drawn is on {}, the table is on {}; {}::on makes a copy of a table elsewhere", function,
                drawn.device.name(), where.name(), table);
}

// The running sums of a table, each rounded once.
std::vector<double> running_sums(const std::vector<double>& weights) {
  std::vector<double> sums(weights.size());
  DoubleDouble sum;
  for (std::size_t k = 0; k < weights.size(); ++k) {
    sum = sum + DoubleDouble{weights[k]};
    sums[k] = sum.high;
  }
  return sums;
}

}  // namespace

// Rounding may leave nothing to fill a column up. So every column first belongs to one category alone: its own or, if
// that has weight 0, the heaviest one.
std::vector<AliasColumn> alias_columns(const std::vector<double>& weights) {
  const auto K = static_cast<std::int32_t>(weights.size());
  const auto heaviest = static_cast<std::int32_t>(std::max_element(weights.begin(), weights.end()) - weights.begin());
  DoubleDouble total;
  for (const double weight : weights) total = total + DoubleDouble{weight};
  const DoubleDouble mean = total / K;

  std::vector<AliasColumn> columns(weights.size());
  std::vector<DoubleDouble> left(weights.size());
  std::vector<std::int32_t> small;
  std::vector<std::int32_t> large;
  for (std::int32_t k = 0; k < K; ++k) {
    const auto i = static_cast<std::size_t>(k);
    columns[i] = {weights[i] > 0 ? 1.0 : 0.0, heaviest};
    left[i] = {weights[i]};
    (left[i] < mean ? small : large).push_back(k);
  }
  while (!small.empty() && !large.empty()) {
    const auto filled = static_cast<std::size_t>(small.back());
    const auto giver = static_cast<std::size_t>(large.back());
    small.pop_back();
    columns[filled] = {left[filled].high / mean.high, large.back()};
    left[giver] = left[giver] - (mean - left[filled]);
    if (left[giver] < mean) {
      small.push_back(large.back());
      large.pop_back();
    }
  }
  return columns;
}

}  // namespace sampling

struct AliasTable::Columns {
  sampling::TableEntries<sampling::AliasColumn> columns;

  template <class T>
  static std::shared_ptr<const Columns> of(VectorView<const T> weights, void* cuda_stream) {
    return std::make_shared<const Columns>(Columns{
        {sampling::alias_columns(sampling::scaled_weights("AliasTable", weights, cuda_stream)), weights.device}});
  }

  template <class Index>
  void sample(VectorView<Index> drawn, const RepeatedDrawOptions& options) const {
    sampling::require_drawn("AliasTable", drawn, columns.device());
    if (drawn.empty()) return;
    if (!columns.device().is_cpu())
      return sampling::draw_by_alias_on_cuda({columns.data(), columns.size()}, drawn, options);
    const sampling_kernel::AliasDraw draw = {columns.data(), static_cast<std::uint64_t>(columns.size())};
    sampling::draw_each("AliasTable::sample", drawn, options, draw);
  }
};

AliasTable::AliasTable(VectorView<const float> weights, void* cuda_stream)
    : columns_(Columns::of(weights, cuda_stream)) {}

AliasTable::AliasTable(VectorView<const double> weights, void* cuda_stream)
    : columns_(Columns::of(weights, cuda_stream)) {}

AliasTable AliasTable::on(Device device) const {
  AliasTable copy = *this;
  if (device != columns_->columns.device())
    copy.columns_ = std::make_shared<const Columns>(Columns{columns_->columns.on(device)});
  return copy;
}

void AliasTable::sample(VectorView<std::int32_t> drawn, const RepeatedDrawOptions& options) const {
  columns_->sample(drawn, options);
}

void AliasTable::sample(VectorView<std::int64_t> drawn, const RepeatedDrawOptions& options) const {
  columns_->sample(drawn, options);
}

std::int64_t AliasTable::categories() const { return columns_->columns.size(); }

Device AliasTable::device() const { return columns_->columns.device(); }

struct CumulativeTable::Sums {
  sampling::TableEntries<double> sums;
  double total;

  template <class T>
  static std::shared_ptr<const Sums> of(VectorView<const T> weights, void* cuda_stream) {
    std::vector<double> sums =
        sampling::running_sums(sampling::scaled_weights("CumulativeTable", weights, cuda_stream));
    const double total = sums.back();
    return std::make_shared<const Sums>(Sums{{std::move(sums), weights.device}, total});
  }

  double below_total() const { return std::nextafter(total, 0.0); }

  // The draw from a table on the CPU.
  sampling_kernel::CumulativeDraw draw() const { return {sums.data(), sums.size(), total, below_total()}; }

  template <class Index>
  void sample(VectorView<Index> drawn, const RepeatedDrawOptions& options) const {
    sampling::require_drawn("CumulativeTable", drawn, sums.device());
    if (drawn.empty()) return;
    if (!sums.device().is_cpu())
      return sampling::draw_by_sums_on_cuda({sums.data(), sums.size(), total, below_total()}, drawn, options);
    sampling::draw_each("CumulativeTable::sample", drawn, options, draw());
  }
};

CumulativeTable::CumulativeTable(VectorView<const float> weights, void* cuda_stream)
    : sums_(Sums::of(weights, cuda_stream)) {}

CumulativeTable::CumulativeTable(VectorView<const double> weights, void* cuda_stream)
    : sums_(Sums::of(weights, cuda_stream)) {}

CumulativeTable CumulativeTable::on(Device device) const {
  CumulativeTable copy = *this;
  if (device != sums_->sums.device())
    copy.sums_ = std::make_shared<const Sums>(Sums{sums_->sums.on(device), sums_->total});
  return copy;
}

void CumulativeTable::sample(VectorView<std::int32_t> drawn, const RepeatedDrawOptions& options) const {
  sums_->sample(drawn, options);
}

void CumulativeTable::sample(VectorView<std::int64_t> drawn, const RepeatedDrawOptions& options) const {
  sums_->sample(drawn, options);
}

std::int64_t CumulativeTable::find(double u) const {
  base::require(u >= 0 && u < 1, "papilio::CumulativeTable::find: u is {}, expected 0 <= u < 1", u);
  base::require(
      sums_->sums.device().is_cpu(),
      "papilio::CumulativeTable::find: the table is on {}, expected cpu; CumulativeTable::on makes a copy there",
      sums_->sums.device().name());
  return sums_->draw().find(u);
}

std::int64_t CumulativeTable::categories() const { return sums_->sums.size(); }

Device CumulativeTable::device() const { return sums_->sums.device(); }

}  // namespace papilio
