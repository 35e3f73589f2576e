#include "lda/visualization/report/topic_distances.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "execution/cpu/parallel_for.h"
#include "random/elementary.h"

namespace papilio::lda {
namespace {

constexpr double one_bit = 0x1.62e42fefa39efp-1;  // ln 2

double plogp(double p) { return p * random::natural_log(p); }

// For each entry of a word: p, and p ln p.
struct Shares {
  explicit Shares(const SparseCounts& counts) : p(counts.word_topics.size()), plogp_of(p.size()) {
    for (std::size_t entry = 0; entry < p.size(); ++entry) {
      const auto k = static_cast<std::size_t>(counts.word_topics[entry]);
      p[entry] = static_cast<double>(counts.word_counts[entry]) / static_cast<double>(counts.n_k[k]);
      plogp_of[entry] = plogp(p[entry]);
    }
  }

  std::vector<double> p;
  std::vector<double> plogp_of;
};

// Adds what the words contribute to the pairs of a topic in [begin, end) and a topic before it.
//
// With m = (p + q) / 2 the divergence is ln 2 - 1/2 sum over w of (p + q) ln (p + q) - p ln p - q ln q, where only
// words of both topics contribute to the sum.
void add_rows(const SparseCounts& counts, const Shares& shares, std::int64_t begin, std::int64_t end,
              std::vector<double>& sums) {
  const std::size_t topics = counts.topics();
  for (std::size_t w = 0; w < counts.words(); ++w) {
    const std::int32_t* first = counts.word_topics.data() + counts.word_begins[w];
    const std::int32_t* last = counts.word_topics.data() + counts.word_begins[w + 1];
    for (const std::int32_t* i = std::lower_bound(first, last, begin); i != last && *i < end; ++i) {
      const auto of_i = static_cast<std::size_t>(i - counts.word_topics.data());
      double* row = sums.data() + static_cast<std::size_t>(*i) * topics;
      const double p = shares.p[of_i];
      const double plogp_i = shares.plogp_of[of_i];
      for (std::size_t of_j = counts.word_begins[w]; of_j < of_i; ++of_j) {
        row[counts.word_topics[of_j]] += plogp(p + shares.p[of_j]) - plogp_i - shares.plogp_of[of_j];
      }
    }
  }
}

}  // namespace

std::vector<double> token_divergences(const SparseCounts& counts, int threads) {
  const std::size_t topics = counts.topics();
  const Shares shares(counts);
  std::vector<double> result(topics * topics);
  execution::parallel_for(std::ssize(counts.n_k), 8, threads,
                          [&](std::int64_t begin, std::int64_t end) { add_rows(counts, shares, begin, end, result); });
  for (std::size_t i = 0; i < topics; ++i) {
    for (std::size_t j = 0; j < i; ++j) {
      const double divergence = std::clamp(1 - result[i * topics + j] / (2 * one_bit), 0.0, 1.0);
      result[i * topics + j] = result[j * topics + i] = divergence;
    }
  }
  return result;
}

}  // namespace papilio::lda
