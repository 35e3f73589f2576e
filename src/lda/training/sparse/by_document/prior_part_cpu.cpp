#include "lda/training/sparse/by_document/prior_part_cpu.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "execution/cpu/parallel_for.h"
#include "lda/training/sparse/fixed_point.h"

namespace papilio::lda::sparse {
namespace {

constexpr std::int64_t words_per_part = 64;

}  // namespace

PriorSums::PriorSums(std::int64_t words, std::int32_t topics, int threads)
    : threads_(threads), part_(), totals_(static_cast<std::size_t>(words)) {
  part_.topics = topics;
  part_.sums_per_word = (topics + topics_per_sum - 1) / topics_per_sum;
  sums_.resize(static_cast<std::size_t>(words * part_.sums_per_word));
}

const PriorPart& PriorSums::update(const Priors& priors, AlignedTable& phi) {
  const int places = fixed_point_places(priors.alpha_sum());
  part_.alpha = priors.alpha.data();
  part_.phi = phi.row(0);
  part_.stride = phi.view().row_stride;
  part_.totals = totals_.data();
  part_.sums = sums_.data();
  part_.unit = std::ldexp(1.0, -places);
  part_.places = std::ldexp(1.0, places);
  execution::parallel_for(phi.rows(), words_per_part, threads_, [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t w = begin; w < end; ++w) {
      float* row = phi.row(w);
      std::uint64_t sum = 0;
      for (std::int64_t part = 0; part < part_.sums_per_word; ++part) {
        const auto first = static_cast<std::int32_t>(part) * topics_per_sum;
        for (std::int32_t k = first; k < std::min(first + topics_per_sum, part_.topics); ++k) {
          if (row[k] < std::numeric_limits<float>::min()) row[k] = 0;
          sum += prior_mass(part_.alpha[k], row[k], part_.places);
        }
        sums_[static_cast<std::size_t>(w * part_.sums_per_word + part)] = sum;
      }
      totals_[static_cast<std::size_t>(w)] = sum;
    }
  });
  return part_;
}

}  // namespace papilio::lda::sparse
