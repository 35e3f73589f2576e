#include "sampling/tables/choice.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <limits>

#include "base/check.h"
#include "execution/check_view.h"
#include "execution/cpu/parallel_for.h"
#include "execution/cpu/require_cpu.h"
#include "papilio/sampling.h"
#include "papilio/weighted_choice.h"
#include "random/uniform.h"
#include "sampling/tables/draw_each.h"
#include "sampling/tables/repeated_draws.h"

namespace papilio {
namespace sampling {
namespace {

constexpr std::int64_t most_categories = std::numeric_limits<std::int32_t>::max();
constexpr std::int64_t groups_per_grain = 1 << 10;
constexpr std::size_t most_fine = 1 << 14;  // up to here the index has at least four parts per category: few steps
constexpr std::int64_t groups_at_once = 8;  // additions that do not depend on each other

// The sums of `count` groups of 32 weights each. Inside a group, weights are added in order.
template <std::int64_t count, class T>
void add(const T* weights, double scale, double* sums) {
  std::array<double, count> sum = {};
  for (std::int64_t j = 0; j < GroupSums<T>::group_size; ++j)
    for (std::int64_t g = 0; g < count; ++g)
      sum[static_cast<std::size_t>(g)] += double{weights[g * GroupSums<T>::group_size + j]} * scale;
  std::copy(sum.begin(), sum.end(), sums);
}

template <class T>
bool is_weight(T weight) {
  return weight >= 0 && weight <= std::numeric_limits<T>::max();
}

template <class T>
bool are_weights(const T* weights, std::int64_t count) {
  bool good = true;
  for (std::int64_t k = 0; k < count; ++k) good &= is_weight(weights[k]);
  return good;
}

}  // namespace

bool choice_makes_index(std::int64_t categories, std::int64_t draws) {
  return draws >= std::max<std::int64_t>(categories / 4, 64);
}

template <class T>
GroupSums<T>::GroupSums(VectorView<const T> weights, int threads) : weights_(weights) {
  base::require(!weights.empty(), "papilio::choice: there are no categories, so there is nothing to draw");
  base::require(weights.size <= most_categories, "papilio::choice: weights must be at most {} categories; got {}",
                most_categories, weights.size);
  sums_.resize(static_cast<std::size_t>((weights.size + group_size - 1) / group_size));
  add_groups(threads);
  if (total_ < 0x1p-900 || total_ > 0x1p1000) {
    scale_ = total_ < 1 ? 0x1p1000 : 0x1p-100;
    add_groups(threads);
  }
  base::require(total_ > 0,
                "papilio::choice: no category has a positive weight, so there is nothing to draw ({} categories)",
                weights.size);
  below_total_ = std::nextafter(total_, 0.0);
}

template <class T>
void GroupSums<T>::add_groups(int threads) {
  const auto groups = static_cast<std::int64_t>(sums_.size());
  std::vector<std::uint8_t> good(static_cast<std::size_t>(groups / groups_per_grain + 1), 1);
  execution::parallel_for(groups, groups_per_grain, threads, [&](std::int64_t begin, std::int64_t end) {
    const std::int64_t first = begin * group_size, last = std::min(end * group_size, weights_.size);
    good[static_cast<std::size_t>(begin / groups_per_grain)] = are_weights(weights_.data + first, last - first);
    std::int64_t g = begin;
    for (; (g + groups_at_once) * group_size <= last; g += groups_at_once)
      add<groups_at_once>(weights_.data + g * group_size, scale_, &sums_[static_cast<std::size_t>(g)]);
    for (; g < end; ++g) {
      double sum = 0;
      for (std::int64_t k = g * group_size; k < std::min((g + 1) * group_size, last); ++k) sum += weight(k);
      sums_[static_cast<std::size_t>(g)] = sum;
    }
  });
  if (std::find(good.begin(), good.end(), 0) != good.end()) require_weights();
  DoubleDouble sum;
  for (double& group : sums_) {
    sum = sum + DoubleDouble{group};
    group = sum.high;
  }
  total_ = std::isfinite(sums_.back()) ? sums_.back() : HUGE_VAL;
}

// Throws for the first entry that is not a weight.
template <class T>
void GroupSums<T>::require_weights() const {
  for (std::int64_t k = 0; k < weights_.size; ++k)
    base::require(is_weight(weights_.data[k]),
                  "papilio::choice: weights must be finite and >= 0; category {} is {} ({} categories)", k,
                  double{weights_.data[k]}, weights_.size);
}

template <class T>
std::int64_t GroupSums<T>::find(double u) const {
  const double t = target(u);
  const double* first = sums_.data();
  std::size_t count = sums_.size();
  while (count > 1) {
    const std::size_t half = count / 2;
    first += first[half - 1] > t ? 0 : half;
    count -= half;
  }
  const std::int64_t group = first - sums_.data();
  const double left = t - before(group);
  const std::int64_t end = std::min((group + 1) * group_size, categories());
  double sum = 0;
  std::int64_t grew = group * group_size;
  for (std::int64_t k = group * group_size; k < end; ++k) {
    const double next = sum + weight(k);
    if (next > left) return k;
    if (next > sum) grew = k;
    sum = next;
  }
  return grew;
}

template <class T>
CategoryIndex<T>::CategoryIndex(const GroupSums<T>& groups)
    : groups_(groups), sums_(static_cast<std::size_t>(groups.categories())) {
  double sum = 0;
  for (std::int64_t k = 0; k < groups.categories(); ++k) {
    sum = k % GroupSums<T>::group_size == 0 ? groups.weight(k) : sum + groups.weight(k);
    sums_[static_cast<std::size_t>(k)] = sum;
  }
  const std::size_t parts = sums_.size() <= most_fine ? 4 * sums_.size() : sums_.size();
  starts_.resize(std::bit_ceil(parts));
  parts_ = static_cast<double>(starts_.size());
  std::int64_t k = 0;
  for (std::size_t j = 0; j < starts_.size(); ++j) {
    k = find_from(k, static_cast<double>(j) / parts_);
    starts_[j] = static_cast<std::int32_t>(k);
  }
}

template <class T>
std::int64_t CategoryIndex<T>::find(double u) const {
  return find_from(starts_[static_cast<std::size_t>(u * parts_)], u);
}

// The category of u. It must be `first` or one after it.
template <class T>
std::int64_t CategoryIndex<T>::find_from(std::int64_t first, double u) const {
  constexpr std::int64_t size = GroupSums<T>::group_size;
  const double t = groups_.target(u);
  std::int64_t group = first / size;
  while (!(groups_.up_to(group) > t)) ++group;
  const double left = t - groups_.before(group);
  const std::int64_t end = std::min((group + 1) * size, groups_.categories());
  const double* const sums = sums_.data();
  for (std::int64_t k = std::max(first, group * size); k < end; ++k)
    if (sums[k] > left) return k;
  std::int64_t grew = end - 1;  // the last category at which the sum grew
  while (grew > group * size && sums[grew - 1] == sums[grew]) --grew;
  return grew;
}

template class GroupSums<float>;
template class GroupSums<double>;
template class CategoryIndex<float>;
template class CategoryIndex<double>;

namespace {

template <class T, class Index>
void choose(VectorView<const T> weights, VectorView<Index> drawn, const RepeatedDrawOptions& options) {
  execution::require_cpu("choice", "drawn", drawn);
  execution::require_cpu("choice", "weights", weights);
  execution::require_apart("choice", "drawn", drawn, "weights", weights);
  const GroupSums<T> groups(weights, options.threads);
  const auto draw = [&](const auto& sums) {
    draw_each("choice", drawn, options,
              [&](const random::Block& block) { return sums.find(random::uniform53(block.word[0], block.word[1])); });
  };
  choice_makes_index(weights.size, drawn.size) ? draw(CategoryIndex<T>(groups)) : draw(groups);
}

template <class Index>
void choose(std::int64_t categories, VectorView<Index> drawn, const RepeatedDrawOptions& options) {
  base::require(categories >= 1 && categories <= most_categories, "papilio::choice: categories is {}, expected 1 to {}",
                categories, most_categories);
  draw_each("choice", drawn, options, [&](const random::Block& block) {
    return multiply_high(block.word[0], block.word[1], static_cast<std::uint64_t>(categories));
  });
}

}  // namespace
}  // namespace sampling

void choice(VectorView<const float> weights, VectorView<std::int32_t> drawn, const RepeatedDrawOptions& options) {
  sampling::choose(weights, drawn, options);
}
void choice(VectorView<const float> weights, VectorView<std::int64_t> drawn, const RepeatedDrawOptions& options) {
  sampling::choose(weights, drawn, options);
}
void choice(VectorView<const double> weights, VectorView<std::int32_t> drawn, const RepeatedDrawOptions& options) {
  sampling::choose(weights, drawn, options);
}
void choice(VectorView<const double> weights, VectorView<std::int64_t> drawn, const RepeatedDrawOptions& options) {
  sampling::choose(weights, drawn, options);
}
void choice(std::int64_t categories, VectorView<std::int32_t> drawn, const RepeatedDrawOptions& options) {
  sampling::choose(categories, drawn, options);
}
void choice(std::int64_t categories, VectorView<std::int64_t> drawn, const RepeatedDrawOptions& options) {
  sampling::choose(categories, drawn, options);
}

}  // namespace papilio
