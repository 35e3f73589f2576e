#include "advice/made_from.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstdint>
#include <numeric>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "support/text.h"

namespace {

using Counts = std::vector<std::int64_t>;  // of each word

Counts counts_of(const papilio::Model& model) {
  const auto topics = static_cast<std::size_t>(model.topics);
  Counts counts;
  for (std::size_t w = 0; w < model.vocabulary.size(); ++w) {
    const auto row = std::span(model.n_wk).subspan(w * topics, topics);
    counts.push_back(std::accumulate(row.begin(), row.end(), std::int64_t{0}));
  }
  return counts;
}

std::int64_t sum_of(std::span<const std::int64_t> counts) {
  return std::accumulate(counts.begin(), counts.end(), std::int64_t{0});
}

std::string describe(const CountedWords& corpus) {
  const auto& vocabulary = corpus.vocabulary;
  const std::span counts = corpus.counts;
  std::vector<std::size_t> order(vocabulary.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  const auto end = order.begin() + std::min<std::ptrdiff_t>(std::ssize(order), 3);
  std::partial_sort(order.begin(), end, order.end(),
                    [&](std::size_t a, std::size_t b) { return std::pair(-counts[a], a) < std::pair(-counts[b], b); });
  std::vector<std::string> frequent;
  for (auto w = order.begin(); w != end; ++w) frequent.push_back(vocabulary[*w]);
  return fmt::format("{} words, {} tokens; most often: {}", grouped(std::ssize(vocabulary)), grouped(sum_of(counts)),
                     fmt::join(frequent, ", "));
}

}  // namespace

bool is_made_from(const papilio::Model& model, const CountedWords& corpus, bool words_left_out) {
  const Counts model_counts = counts_of(model);
  const std::span<const std::int64_t> corpus_counts = corpus.counts;
  std::unordered_map<std::string_view, std::int64_t> count_in_model;
  for (std::size_t w = 0; w < model_counts.size(); ++w) count_in_model[model.vocabulary[w]] = model_counts[w];
  std::int64_t shared = 0;
  for (std::size_t w = 0; w < corpus_counts.size(); ++w) {
    const auto found = count_in_model.find(corpus.vocabulary[w]);
    if (found == count_in_model.end()) continue;
    if (found->second != corpus_counts[w]) return false;
    shared += corpus_counts[w];
  }
  const std::int64_t model_tokens = sum_of(model_counts);
  if (!words_left_out && shared != model_tokens) return false;
  return 2 * shared > std::min(model_tokens, sum_of(corpus_counts));
}

std::string corpus_description(const papilio::Model& model) { return describe({model.vocabulary, counts_of(model)}); }

std::string corpus_description(const CountedWords& corpus) { return describe(corpus); }
