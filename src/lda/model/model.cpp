#include "papilio/model.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "base/check.h"

namespace papilio {

using base::require;

double Model::phi(std::int64_t w, std::int32_t k) const {
  require(0 <= w && w < vocabulary_size(), "papilio::Model::phi: word {}, expected 0 <= word < {}", w,
          vocabulary_size());
  require(0 <= k && k < topics, "papilio::Model::phi: topic {}, expected 0 <= topic < {}", k, topics);
  const auto entry = static_cast<std::size_t>(w * topics + k);
  return (n_wk[entry] + beta) /
         (static_cast<double>(n_k[static_cast<std::size_t>(k)]) + static_cast<double>(vocabulary_size()) * beta);
}

void Model::verify() const {
  require(topics >= 1, "papilio::Model::verify: {} topics, expected at least 1", topics);
  require(!vocabulary.empty(), "papilio::Model::verify: the vocabulary is empty");
  require(std::isfinite(beta) && beta > 0, "papilio::Model::verify: beta is {}, expected a number > 0", beta);
  const auto columns = static_cast<std::size_t>(topics);
  require(alpha.size() == columns, "papilio::Model::verify: alpha has {} entries, expected one per topic: {}",
          alpha.size(), topics);
  require(n_k.size() == columns, "papilio::Model::verify: n_k has {} entries, expected one per topic: {}", n_k.size(),
          topics);
  require(n_wk.size() % columns == 0 && n_wk.size() / columns == vocabulary.size(),
          "papilio::Model::verify: n_wk has {} entries, expected {} words x {} topics", n_wk.size(), vocabulary.size(),
          topics);
  for (std::size_t k = 0; k < columns; ++k) {
    require(std::isfinite(alpha[k]) && alpha[k] > 0, "papilio::Model::verify: alpha of topic {} is {}, expected > 0", k,
            alpha[k]);
  }
  std::vector<std::int64_t> sums(columns);
  for (std::size_t i = 0; i < n_wk.size(); ++i) {
    require(n_wk[i] >= 0, "papilio::Model::verify: n_wk of word {}, topic {} is {}, expected >= 0", i / columns,
            i % columns, n_wk[i]);
    sums[i % columns] += n_wk[i];
  }
  for (std::size_t k = 0; k < columns; ++k) {
    require(n_k[k] == sums[k], "papilio::Model::verify: n_k of topic {} is {}, but its column of n_wk sums to {}", k,
            n_k[k], sums[k]);
  }
}

std::vector<TopWord> top_words(const Model& model, std::int32_t topic, int count) {
  require(0 <= topic && topic < model.topics, "papilio::top_words: topic {}, expected 0 <= topic < {}", topic,
          model.topics);
  require(count >= 0, "papilio::top_words: count is {}, expected 0 or more", count);
  std::vector<std::int32_t> words(model.vocabulary.size());
  std::iota(words.begin(), words.end(), 0);
  const auto n_of = [&](std::int32_t w) {
    return model.n_wk[static_cast<std::size_t>(std::int64_t{w} * model.topics + topic)];
  };
  const auto end = words.begin() + std::min<std::int64_t>(count, model.vocabulary_size());
  std::partial_sort(words.begin(), end, words.end(),
                    [&](std::int32_t a, std::int32_t b) { return n_of(a) != n_of(b) ? n_of(a) > n_of(b) : a < b; });
  std::vector<TopWord> top;
  for (auto w = words.begin(); w != end; ++w) {
    top.push_back({*w, model.phi(*w, topic)});
  }
  return top;
}

std::vector<TopWord> counted_top_words(const Model& model, std::int32_t topic, int count) {
  std::vector<TopWord> words = top_words(model, topic, count);
  std::erase_if(words, [&](const TopWord& word) {
    return model.n_wk[static_cast<std::size_t>(std::int64_t{word.word} * model.topics + topic)] == 0;
  });
  return words;
}

}  // namespace papilio
