#include "lda/training/parameters/dirichlet_cpu.h"

#include <algorithm>
#include <cmath>
#include <mutex>
#include <vector>

#include "execution/cpu/parallel_for.h"
#include "lda/training/parameters/estimates.h"
#include "lda/training/parameters/fixed_point_sums.h"

namespace papilio::lda {
namespace {

constexpr std::int64_t words_per_part = 64;

// Puts the draws into phi; returns their sums over words, in units.
std::vector<std::int64_t> draw_gammas(const PhiDraw& draw, float units, AlignedTable& phi) {
  const sampling::GammaPrior prior(draw.beta, draw.topics);
  const auto topics = static_cast<std::size_t>(draw.topics);
  std::vector<std::int64_t> sums(topics);
  std::mutex mutex;
  execution::parallel_for(draw.words, words_per_part, draw.threads, [&](std::int64_t begin, std::int64_t end) {
    std::vector<std::int64_t> part(topics);
    for (std::int64_t w = begin; w < end; ++w) {
      float* row = phi.row(w);
      sampling::draw_gamma_row({.counts = draw.n_wk + w * draw.topics,
                                .seed = draw.seed,
                                .stream = draw.stream,
                                .row = static_cast<std::uint64_t>(w),
                                .drawn = row},
                               prior);
      for (std::size_t k = 0; k < topics; ++k) part[k] += std::llrint(row[k] * units);
    }
    const std::lock_guard lock(mutex);
    for (std::size_t k = 0; k < topics; ++k) sums[k] += part[k];
  });
  return sums;
}

// The sum of a topic's draws, taken in a unit of its own; 0 if all draws are 0.
double sum_of_small(std::int32_t topic, const FixedPointSums& fixed, AlignedTable& phi) {
  float greatest = 0;
  for (std::int64_t w = 0; w < phi.rows(); ++w) greatest = std::max(greatest, phi.row(w)[topic]);
  if (greatest == 0) return 0;
  const int exponent = fixed.exponent(greatest);
  const double units = power_of_two(exponent);
  std::int64_t sum = 0;
  for (std::int64_t w = 0; w < phi.rows(); ++w) sum += std::llrint(static_cast<double>(phi.row(w)[topic]) * units);
  return static_cast<double>(sum) * power_of_two(-exponent);
}

}  // namespace

void draw_phi(const PhiDraw& draw, AlignedTable& phi) {
  const FixedPointSums fixed(draw.tokens, draw.words, static_cast<double>(draw.words) * draw.beta);
  const std::vector<std::int64_t> sums = draw_gammas(draw, fixed.units(), phi);
  std::vector<double> totals(sums.size());
  execution::parallel_for(draw.topics, 1, draw.threads, [&](std::int64_t begin, std::int64_t end) {
    for (auto k = static_cast<std::size_t>(begin); k < static_cast<std::size_t>(end); ++k) {
      totals[k] =
          fixed.is_fine(sums[k]) ? fixed.total(sums[k]) : sum_of_small(static_cast<std::int32_t>(k), fixed, phi);
    }
  });
  const double even = 1 / static_cast<double>(draw.words);
  execution::parallel_for(draw.words, words_per_part, draw.threads, [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t w = begin; w < end; ++w) {
      float* row = phi.row(w);
      for (std::size_t k = 0; k < totals.size(); ++k) row[k] = normalised_phi(row[k], totals[k], even);
    }
  });
}

}  // namespace papilio::lda
