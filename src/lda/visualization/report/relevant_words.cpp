#include "lda/visualization/report/relevant_words.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <utility>

#include "lda/model/seeds.h"
#include "random/elementary.h"

namespace papilio::lda {
namespace {

struct Candidate {
  RelevantWord word;
  double log_phi;
  double log_share;  // ln p_w
  double relevance = 0;
};

// Puts the `count` most relevant words first, in order.
void sort_by_relevance(std::vector<Candidate>& words, double lambda, std::size_t count) {
  for (Candidate& c : words) c.relevance = c.log_phi - (1 - lambda) * c.log_share;
  const auto before = [](const Candidate& a, const Candidate& b) {
    return a.relevance != b.relevance ? a.relevance > b.relevance : a.word.word < b.word.word;
  };
  const auto middle = words.begin() + static_cast<std::ptrdiff_t>(std::min(count, words.size()));
  std::partial_sort(words.begin(), middle, words.end(), before);
}

std::vector<Candidate> candidates(const Model& model, const SparseCounts& counts, std::size_t k) {
  const double beta = model.beta;
  const auto words = static_cast<double>(counts.words());
  const auto topics = static_cast<double>(counts.topics());
  const std::int64_t of_topic = counts.n_k[k] + (k < model.s_k.size() ? model.s_k[k] : 0);
  const std::int64_t of_all = counts.tokens + std::accumulate(model.s_k.begin(), model.s_k.end(), std::int64_t{0});
  const double log_topic = random::natural_log(static_cast<double>(of_topic) + words * beta);
  const double log_all = random::natural_log(static_cast<double>(of_all) + topics * words * beta);
  std::vector<Candidate> result;
  for (std::size_t entry = counts.topic_begins[k]; entry < counts.topic_begins[k + 1]; ++entry) {
    const RelevantWord word = {counts.topic_words[entry], counts.topic_counts[entry]};
    std::int64_t n_w = counts.n_w[static_cast<std::size_t>(word.word)];
    std::int64_t n_wk = word.count;
    for (const SeedWord& seed : seeds_of(model.seed_words, word.word)) {
      n_w += seed.weight;
      if (seed.topic == static_cast<std::int32_t>(k)) n_wk += seed.weight;
    }
    result.push_back({word, random::natural_log(static_cast<double>(n_wk) + beta) - log_topic,
                      random::natural_log(static_cast<double>(n_w) + topics * beta) - log_all});
  }
  return result;
}

}  // namespace

std::vector<RelevantWord> relevant_words(const Model& model, const SparseCounts& counts, std::int32_t topic,
                                         int count) {
  std::vector<Candidate> words = candidates(model, counts, static_cast<std::size_t>(topic));
  const auto shown = static_cast<std::size_t>(count);
  std::vector<char> taken(counts.words());
  std::vector<Candidate> kept;
  for (int step = 0; step <= lambda_steps; ++step) {
    sort_by_relevance(words, static_cast<double>(step) / lambda_steps, shown);
    for (std::size_t i = 0; i < std::min(shown, words.size()); ++i) {
      if (std::exchange(taken[static_cast<std::size_t>(words[i].word.word)], 1) == 0) kept.push_back(words[i]);
    }
  }
  sort_by_relevance(kept, first_lambda, kept.size());
  std::vector<RelevantWord> result;
  for (const Candidate& c : kept) result.push_back(c.word);
  return result;
}

}  // namespace papilio::lda
