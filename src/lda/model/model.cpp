#include "papilio/model.h"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <mutex>
#include <numeric>

#include "base/check.h"
#include "base/math.h"
#include "execution/cpu/parallel_for.h"
#include "lda/model/labels.h"
#include "lda/model/seeds.h"

namespace papilio {

using base::require;

namespace {

constexpr std::int64_t entries_per_part = std::int64_t{1} << 20;

// The sum of each column of n_wk. Throws InvalidArgument naming the first entry that is negative.
std::vector<std::int64_t> sums_of_topics(const std::vector<std::int32_t>& n_wk, std::size_t columns) {
  const auto entries = static_cast<std::int64_t>(n_wk.size());
  const std::int64_t words = entries / static_cast<std::int64_t>(columns);
  const std::int64_t parts = std::min({words, base::ceil_div(entries, entries_per_part), std::int64_t{256}});
  std::vector<std::int64_t> sums(columns);
  std::atomic<bool> has_negative = false;
  std::mutex mutex;
  execution::parallel_for(parts, 1, 0, [&](std::int64_t begin, std::int64_t end) {
    std::vector<std::int64_t> part(columns);
    std::int32_t signs = 0;  // negative if any entry is
    for (std::int64_t w = words * begin / parts; w < words * end / parts; ++w) {
      const std::int32_t* const row = n_wk.data() + static_cast<std::size_t>(w) * columns;
      for (std::size_t k = 0; k < columns; ++k) {
        part[k] += row[k];
        signs |= row[k];
      }
    }
    if (signs < 0) has_negative = true;
    const std::lock_guard lock(mutex);
    for (std::size_t k = 0; k < columns; ++k) sums[k] += part[k];
  });
  if (has_negative) {
    const auto first = std::find_if(n_wk.begin(), n_wk.end(), [](std::int32_t count) { return count < 0; });
    const auto i = static_cast<std::size_t>(first - n_wk.begin());
    require(false, "papilio::Model::verify: n_wk of word {}, topic {} is {}, expected >= 0", i / columns, i % columns,
            *first);
  }
  return sums;
}

}  // namespace

const std::string& Model::label(std::int32_t topic) const {
  static const std::string none;
  require(0 <= topic && topic < topics, "papilio::Model::label: topic {}, expected 0 <= topic < {}", topic, topics);
  return static_cast<std::size_t>(topic) < labels.size() ? labels[static_cast<std::size_t>(topic)] : none;
}

double Model::phi(std::int64_t w, std::int32_t k) const {
  require(0 <= w && w < vocabulary_size(), "papilio::Model::phi: word {}, expected 0 <= word < {}", w,
          vocabulary_size());
  require(0 <= k && k < topics, "papilio::Model::phi: topic {}, expected 0 <= topic < {}", k, topics);
  const auto entry = static_cast<std::size_t>(w * topics + k);
  require(entry < n_wk.size() && static_cast<std::size_t>(k) < n_k.size(),
          "papilio::Model::phi: n_wk has {} entries and n_k {}, expected {} words x {} topics and {}", n_wk.size(),
          n_k.size(), vocabulary_size(), topics, topics);
  const auto topic = static_cast<std::size_t>(k);
  const std::int64_t of_topic = n_k[topic] + (topic < s_k.size() ? s_k[topic] : 0);
  const std::int64_t of_word = std::int64_t{n_wk[entry]} + (seed_words.empty() ? 0 : seed_weight(w, k));
  return (static_cast<double>(of_word) + beta) /
         (static_cast<double>(of_topic) + static_cast<double>(vocabulary_size()) * beta);
}

std::int32_t Model::seed_weight(std::int64_t w, std::int32_t k) const {
  require(0 <= w && w < vocabulary_size(), "papilio::Model::seed_weight: word {}, expected 0 <= word < {}", w,
          vocabulary_size());
  require(0 <= k && k < topics, "papilio::Model::seed_weight: topic {}, expected 0 <= topic < {}", k, topics);
  for (const SeedWord& seed : lda::seeds_of(seed_words, w)) {
    if (seed.topic == k) return seed.weight;
  }
  return 0;
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
  const std::vector<std::int64_t> sums = sums_of_topics(n_wk, columns);
  for (std::size_t k = 0; k < columns; ++k) {
    require(n_k[k] == sums[k], "papilio::Model::verify: n_k of topic {} is {}, but its column of n_wk sums to {}", k,
            n_k[k], sums[k]);
  }
  const lda::Seeds seeds(seed_words, topics, "Model::verify");
  require(seeds.words() == seed_words, "papilio::Model::verify: seed_words do not ascend by word, then by topic");
  require(seed_words.empty() || seed_words.back().word < vocabulary_size(),
          "papilio::Model::verify: a seed word has the number {}, expected 0 <= word < {}",
          seed_words.empty() ? 0 : seed_words.back().word, vocabulary_size());
  require(seeds.s_k() == s_k, "papilio::Model::verify: s_k are not the sums of the seed words' weights");
  const std::string fault = lda::labels_fault(labels, topics);
  require(fault.empty(), "papilio::Model::verify: {}", fault);
  for (const ModelEdit& edit : edits) {
    require(lda::is_edit(edit), "papilio::Model::verify: an edit is not a change and the hash of a model");
  }
}

namespace {

// The `count` most probable words of a topic, among all or among those that have a token of it.
std::vector<TopWord> most_probable(const Model& model, std::int32_t topic, int count, bool counted) {
  require(0 <= topic && topic < model.topics, "papilio::top_words: topic {}, expected 0 <= topic < {}", topic,
          model.topics);
  require(count >= 0, "papilio::top_words: count is {}, expected 0 or more", count);
  const auto columns = static_cast<std::size_t>(model.topics);
  require(model.n_wk.size() % columns == 0 && model.n_wk.size() / columns == model.vocabulary.size(),
          "papilio::top_words: n_wk has {} entries, expected {} words x {} topics", model.n_wk.size(),
          model.vocabulary.size(), model.topics);
  const auto tokens_of = [&](std::int32_t w) {
    return model.n_wk[static_cast<std::size_t>(std::int64_t{w} * model.topics + topic)];
  };
  const auto n_of = [&](std::int32_t w) {
    return std::int64_t{tokens_of(w)} + (model.seed_words.empty() ? 0 : model.seed_weight(w, topic));
  };
  std::vector<std::int32_t> words(model.vocabulary.size());
  std::iota(words.begin(), words.end(), 0);
  if (counted) std::erase_if(words, [&](std::int32_t w) { return tokens_of(w) == 0; });
  const auto end = words.begin() + std::min<std::int64_t>(count, std::ssize(words));
  std::partial_sort(words.begin(), end, words.end(),
                    [&](std::int32_t a, std::int32_t b) { return n_of(a) != n_of(b) ? n_of(a) > n_of(b) : a < b; });
  std::vector<TopWord> top;
  for (auto w = words.begin(); w != end; ++w) {
    top.push_back({*w, model.phi(*w, topic)});
  }
  return top;
}

}  // namespace

std::vector<TopWord> top_words(const Model& model, std::int32_t topic, int count) {
  return most_probable(model, topic, count, false);
}

std::vector<TopWord> counted_top_words(const Model& model, std::int32_t topic, int count) {
  return most_probable(model, topic, count, true);
}

}  // namespace papilio
