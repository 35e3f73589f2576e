#include "sampling/tokens/token_row_draw.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>

#include "base/math.h"
#include "sampling/rows/kernels.h"
#include "sampling/tokens/token_law.h"

namespace papilio::sampling {
namespace {

namespace law = sampling_kernel;

constexpr std::int64_t sum_block = 1024;  // categories per sum that is kept
constexpr float lowest = std::numeric_limits<float>::lowest();

std::size_t at(std::int64_t i) { return static_cast<std::size_t>(i); }

// A lower bound for a search, within the range of floats.
float bound(double x) { return static_cast<float>(std::max(x, static_cast<double>(lowest))); }

bool comes_first(const KeptToken& a, const KeptToken& b) { return a.key > b.key; }

TokenStatus fault_in(const float* logits, std::int64_t count) {
  bool infinite = false;
  for (std::int64_t k = 0; k < count; ++k) {
    if (std::isnan(logits[k])) return TokenStatus::not_a_number;
    infinite = infinite || logits[k] == std::numeric_limits<float>::infinity();
  }
  return infinite ? TokenStatus::infinite : TokenStatus::ok;
}

}  // namespace

TokenRowDraw::TokenRowDraw(std::int64_t categories)
    : categories_(categories),
      block_largest_(at(base::ceil_div(categories, token_block))),
      block_sums_(at(base::ceil_div(categories, sum_block))) {}

// The row as adjacent floats, with the bias added and -infinity for categories that are not allowed.
const float* TokenRowDraw::floats(const TokenInput& input) {
  const bool direct = input.row.storage == Storage::float32 && input.row.stride == 1;
  if (direct && input.allowed == nullptr && input.bias_values.empty())
    return static_cast<const float*>(input.row.logits);
  const Kernels& kernels = kernels_in_use();
  staged_.resize(at(categories_));
  kernels.stage_tokens(input.row, staged_.data());
  for (std::size_t n = 0; n < input.bias_values.size(); ++n)
    staged_[at(input.bias_categories[n])] += input.bias_values[n];
  if (input.allowed != nullptr) kernels.mask_tokens(input.allowed, categories_, staged_.data());
  return staged_.data();
}

// Finds the largest logit, and what is wrong with the row.
TokenStatus TokenRowDraw::scan(const TokenInput& input) {
  filter_ = input.filter;
  if (!law::valid_filter(filter_)) return TokenStatus::bad_filter;
  logits_ = floats(input);
  const TokenScan scan = kernels_in_use().scan_tokens(logits_, categories_, block_largest_.data());
  if (scan.fault) return fault_in(logits_, categories_);
  const float temperature = filter_.temperature == 0 ? 1.0f : filter_.temperature;
  scale_ = law::token_scale(scan.largest, temperature, law::token_unit_bits(categories_));
  return scan.largest >= lowest ? TokenStatus::ok : TokenStatus::nothing_allowed;
}

TokenStatus TokenRowDraw::read_logits(const TokenInput& input, std::uint32_t& largest) {
  const TokenStatus status = scan(input);
  largest = status == TokenStatus::ok ? law::token_order(scale_.largest + 0.0f) : 0;
  return status;
}

TokenStatus TokenRowDraw::read(const TokenInput& input) {
  if (const TokenStatus status = scan(input); status != TokenStatus::ok) return status;
  total_of_all_ = 0;
  whole_ = false;
  if (filter_.temperature == 0) {
    keep_largest();
  } else if (filter_.top_k > 0 && filter_.top_k < categories_) {
    keep_first(filter_.top_k);
    if (filter_.top_p < 1) {
      std::uint64_t of = 0;
      for (const KeptToken& token : kept_) of += token.weight;
      keep_sum(law::top_p_sum(filter_.top_p, input.joint ? sum_all() : of));
    }
    keep_weights(filter_.min_p);
  } else if (filter_.top_p < 1) {
    find_top_p(filter_.top_p);
    keep_weights(filter_.min_p);
  } else if (filter_.min_p > 0) {
    // A little below what min_p keeps, to allow for rounding.
    const double span = filter_.temperature * (std::log(static_cast<double>(filter_.min_p)) - 0.01);
    const double least = static_cast<double>(scale_.largest) + span;
    collect(bound(least - 1e-6 * std::abs(least)));
    weigh();
    keep_weights(filter_.min_p);
  } else {
    whole_ = true;
    total_ = sum_all();
  }
  settle();
  return TokenStatus::ok;
}

// Finishes the distribution: sorts the kept categories by number, and sums them.
void TokenRowDraw::settle() {
  if (!whole_) {
    if (!ascending_)
      std::sort(kept_.begin(), kept_.end(),
                [](const KeptToken& a, const KeptToken& b) { return a.category() < b.category(); });
    total_ = 0;
    for (const KeptToken& token : kept_) total_ += token.weight;
  }
  log_total_ = law::log_of_total(total_, scale_.unit_bits);
}

void TokenRowDraw::keep_largest() {
  std::int64_t k = 0;
  while (block_largest_[at(k)] != scale_.largest) ++k;
  for (k *= token_block; logits_[k] != scale_.largest;) ++k;
  kept_.assign(1, {law::token_key(law::token_order(scale_.largest + 0.0f), k), std::uint64_t{1} << scale_.unit_bits});
}

// Keeps the categories whose logits are not below `least`, in no particular order.
void TokenRowDraw::collect(float least) {
  const Kernels& kernels = kernels_in_use();
  least = std::max(least, lowest);
  keys_.resize(at(categories_));
  std::int64_t filled = 0;
  for (std::size_t block = 0; block < block_largest_.size(); ++block) {
    if (block_largest_[block] < least) continue;
    const std::int64_t first = static_cast<std::int64_t>(block) * token_block;
    filled += kernels.collect_tokens(logits_, first, std::min(first + token_block, categories_), least,
                                     keys_.data() + filled);
  }
  keys_.resize(at(filled));
  ascending_ = true;
}

// Computes the weights of the collected categories.
void TokenRowDraw::weigh() {
  picked_.resize(keys_.size());
  weights_.resize(keys_.size());
  kept_.resize(keys_.size());
  for (std::size_t n = 0; n < keys_.size(); ++n)
    picked_[n] = law::logit_of_order(static_cast<std::uint32_t>(keys_[n] >> 32));
  kernels_in_use().weigh_tokens(picked_.data(), std::ssize(picked_), scale_, weights_.data());
  for (std::size_t n = 0; n < keys_.size(); ++n) kept_[n] = {keys_[n], weights_[n]};
}

// The first k categories are in blocks whose largest logit is not below the k-th largest of all blocks' largest. If
// there are fewer than k blocks, searches downwards from the least of these until there are k categories.
void TokenRowDraw::keep_first(std::int64_t k) {
  picked_ = block_largest_;
  if (k <= std::ssize(picked_)) {
    std::nth_element(picked_.begin(), picked_.begin() + (k - 1), picked_.end(), std::greater<>());
    collect(picked_[at(k - 1)]);
  } else {
    double least = static_cast<double>(*std::min_element(picked_.begin(), picked_.end()));
    double step = (static_cast<double>(scale_.largest) - least) / 4 + 1e-3;
    for (collect(bound(least)); std::ssize(keys_) < k && least > static_cast<double>(lowest); step *= 2) {
      least -= step;
      collect(bound(least));
    }
  }
  if (k < std::ssize(keys_)) {
    std::nth_element(keys_.begin(), keys_.begin() + (k - 1), keys_.end(), std::greater<>());
    keys_.resize(at(k));
    ascending_ = false;
  }
  weigh();
}

// Keeps the shortest prefix of the order whose sum is at least `sum`; everything if the whole sum is smaller.
void TokenRowDraw::keep_sum(std::uint64_t sum) {
  auto begin = kept_.begin(), end = kept_.end();
  ascending_ = false;
  std::uint64_t before = 0;
  while (end - begin > 32) {  // halves it; one half has the last category that is kept
    const auto middle = begin + (end - begin) / 2;
    std::nth_element(begin, middle, end, comes_first);
    std::uint64_t part = 0;
    for (auto token = begin; token != middle; ++token) part += token->weight;
    if (before + part >= sum) {
      end = middle;
    } else {
      before += part;
      begin = middle;
    }
  }
  std::sort(begin, end, comes_first);
  while (begin != end && before < sum) before += (begin++)->weight;
  kept_.erase(begin, kept_.end());
}

void TokenRowDraw::keep_weights(float min_p) {
  const std::uint64_t least = law::least_weight(min_p, scale_.unit_bits);
  std::erase_if(kept_, [&](const KeptToken& token) { return token.weight < least; });
}

// Collects categories farther and farther from the largest until they have the share that top_p requires.
void TokenRowDraw::find_top_p(float top_p) {
  const std::uint64_t sum = law::top_p_sum(top_p, sum_all());
  for (double reach = 3;; reach *= 1.25) {
    const bool all = reach > 48;  // beyond this, weights are 0
    collect(all ? lowest : bound(scale_.largest - reach * filter_.temperature));
    weigh();
    std::uint64_t found = 0;
    for (const KeptToken& token : kept_) found += token.weight;
    if (all || found >= sum) break;
  }
  keep_sum(sum);
}

std::uint64_t TokenRowDraw::sum_all() {
  if (total_of_all_ != 0) return total_of_all_;
  const Kernels& kernels = kernels_in_use();
  for (std::size_t block = 0; block < block_sums_.size(); ++block) {
    const std::int64_t first = static_cast<std::int64_t>(block) * sum_block;
    block_sums_[block] = kernels.sum_tokens(logits_ + first, std::min(sum_block, categories_ - first), scale_);
    total_of_all_ += block_sums_[block];
  }
  return total_of_all_;
}

std::int64_t TokenRowDraw::find(std::uint64_t target) {
  if (!whole_) {
    auto token = kept_.begin();
    for (; target >= token->weight; ++token) target -= token->weight;
    return token->category();
  }
  std::size_t block = 0;
  for (; target >= block_sums_[block]; ++block) target -= block_sums_[block];
  const std::int64_t first = static_cast<std::int64_t>(block) * sum_block;
  const std::int64_t count = std::min(sum_block, categories_ - first);
  weights_.resize(at(sum_block));
  kernels_in_use().weigh_tokens(logits_ + first, count, scale_, weights_.data());
  std::size_t k = 0;
  for (; target >= weights_[k]; ++k) target -= weights_[k];
  return first + static_cast<std::int64_t>(k);
}

std::uint64_t TokenRowDraw::weight(std::int64_t category) {
  if (whole_) {
    std::uint64_t weight = 0;
    kernels_in_use().weigh_tokens(logits_ + category, 1, scale_, &weight);
    return weight;
  }
  const auto token = std::lower_bound(kept_.begin(), kept_.end(), category,
                                      [](const KeptToken& a, std::int64_t c) { return a.category() < c; });
  return token == kept_.end() || token->category() != category ? 0 : token->weight;
}

float TokenRowDraw::log_probability(std::int64_t category) const {
  if (filter_.temperature == 0) return 0;
  return law::log_probability(logits_[category], scale_.largest, filter_.temperature, log_total_);
}

std::span<const KeptToken> TokenRowDraw::kept() {
  if (whole_) {
    collect(lowest);
    weigh();
    keep_weights(0);
    whole_ = false;
    settle();
  }
  return kept_;
}

std::int64_t TokenRowDraw::rank(std::int64_t category) const {
  const float x = logits_[category];
  std::int64_t before = 0;
  for (std::int64_t k = 0; k < category; ++k) before += logits_[k] >= x ? 1 : 0;
  for (std::int64_t k = category + 1; k < categories_; ++k) before += logits_[k] > x ? 1 : 0;
  return before;
}

float TokenRowDraw::kept_mass() { return filter_.temperature == 0 ? 1 : law::mass_of(total_, sum_all()); }

float TokenRowDraw::raw_log_probability(const TokenInput& input, std::int64_t category) {
  TokenInput raw = input;
  raw.allowed = nullptr;
  raw.bias_values = {};
  raw.filter = {1, 0, 1, 0};
  if (read(raw) != TokenStatus::ok) return std::numeric_limits<float>::quiet_NaN();
  return log_probability(category);
}

}  // namespace papilio::sampling
