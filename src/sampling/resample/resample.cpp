#include "papilio/resample.h"

#include <algorithm>
#include <limits>
#include <span>
#include <vector>

#include "base/check.h"
#include "base/choices.h"
#include "execution/check_view.h"
#include "execution/cpu/require_cpu.h"
#include "random/philox.h"
#include "sampling/resample/whole_weights.h"

namespace papilio {
namespace {

using sampling::Wide;

constexpr Choice<ResampleMethod> methods[] = {
    {ResampleMethod::systematic, "systematic", "one random number: every count is the expected one, rounded"},
    {ResampleMethod::stratified, "stratified", "one random number for each equal part of the total"},
    {ResampleMethod::residual, "residual", "expected counts rounded down for certain, the rest independently"},
    {ResampleMethod::multinomial, "multinomial", "all draws independent"},
};

// The 64 random bits with number `index` of the seed and stream.
std::uint64_t random_bits(const ResampleOptions& options, std::int64_t index) {
  const random::Block block = random::draw_block(options.seed, options.stream, static_cast<std::uint64_t>(index));
  return std::uint64_t{block.word[1]} << 32 | block.word[0];
}

// Adds `draws` independent draws to the counts; each is category k with probability mass(k) / total. The
// random numbers are sorted, and so are their points, so one pass over the masses finds all of them.
template <class Mass>
void add_independent(const Mass& mass, Wide total, std::int64_t draws, const ResampleOptions& options,
                     std::vector<std::int64_t>& counts) {
  std::vector<std::uint64_t> bits(static_cast<std::size_t>(draws));
  for (std::int64_t j = 0; j < draws; ++j) bits[static_cast<std::size_t>(j)] = random_bits(options, j);
  std::sort(bits.begin(), bits.end());
  std::size_t k = 0;
  Wide end = mass(0);
  for (const std::uint64_t x : bits) {
    const Wide point = sampling::below(x, total);
    while (end <= point) end += mass(++k);
    ++counts[k];
  }
}

std::vector<std::int64_t> residual_counts(std::span<const std::uint64_t> whole, Wide total, std::int64_t m,
                                          const ResampleOptions& options) {
  std::vector<std::int64_t> counts(whole.size());
  const auto expected = [&](std::size_t k) { return Wide{static_cast<std::uint64_t>(m)} * whole[k]; };  // times W
  std::int64_t left = m;
  for (std::size_t k = 0; k < whole.size(); ++k) {
    counts[k] = static_cast<std::int64_t>(expected(k) / total);
    left -= counts[k];
  }
  const std::vector<std::int64_t> certain = counts;
  add_independent([&](std::size_t k) { return expected(k) - static_cast<std::uint64_t>(certain[k]) * total; },
                  static_cast<std::uint64_t>(left) * total, left, options, counts);
  return counts;
}

std::vector<std::int64_t> counts_of(std::span<const std::uint64_t> whole, std::int64_t m,
                                    const ResampleOptions& options) {
  Wide total = 0;
  for (const std::uint64_t weight : whole) total += weight;
  switch (options.method) {
    case ResampleMethod::systematic: {
      const Wide offset = sampling::below(random_bits(options, 0), total);
      return sampling::comb_counts(whole, total, m, [&](std::int64_t) { return offset; });
    }
    case ResampleMethod::stratified:
      return sampling::comb_counts(whole, total, m,
                                   [&](std::int64_t j) { return sampling::below(random_bits(options, j), total); });
    case ResampleMethod::residual:
      return residual_counts(whole, total, m, options);
    case ResampleMethod::multinomial:
      break;
  }
  std::vector<std::int64_t> counts(whole.size());
  add_independent([&](std::size_t k) { return Wide{whole[k]}; }, total, m, options, counts);
  return counts;
}

template <class T, class Index>
void resample_any(VectorView<const T> weights, VectorView<Index> ancestors, const ResampleOptions& options) {
  constexpr const char* function = "resample";
  constexpr std::int64_t most = std::numeric_limits<std::int32_t>::max();
  execution::require_cpu(function, "weights", weights);
  execution::require_cpu(function, "ancestors", ancestors);
  execution::require_apart(function, "ancestors", ancestors, "weights", weights);
  base::require(ancestors.size <= most, "papilio::{}: ancestors must be at most {}; got {}", function, most,
                ancestors.size);
  base::require_known(methods, options.method, function, "method");
  const std::vector<std::uint64_t> whole =
      sampling::whole_weights(function, std::span(weights.data, static_cast<std::size_t>(weights.size)));
  const std::vector<std::int64_t> counts = counts_of(whole, ancestors.size, options);
  Index* place = ancestors.data;
  for (std::size_t k = 0; k < counts.size(); ++k) place = std::fill_n(place, counts[k], static_cast<Index>(k));
}

}  // namespace

std::span<const Choice<ResampleMethod>> resample_methods() noexcept { return methods; }

std::string_view name(ResampleMethod method) noexcept { return base::name_in(methods, method); }

ResampleMethod parse_resample_method(std::string_view name) {
  return base::parse_in(methods, name, "parse_resample_method", "method");
}

void resample(VectorView<const float> weights, VectorView<std::int32_t> ancestors, const ResampleOptions& options) {
  resample_any(weights, ancestors, options);
}
void resample(VectorView<const float> weights, VectorView<std::int64_t> ancestors, const ResampleOptions& options) {
  resample_any(weights, ancestors, options);
}
void resample(VectorView<const double> weights, VectorView<std::int32_t> ancestors, const ResampleOptions& options) {
  resample_any(weights, ancestors, options);
}
void resample(VectorView<const double> weights, VectorView<std::int64_t> ancestors, const ResampleOptions& options) {
  resample_any(weights, ancestors, options);
}

}  // namespace papilio
