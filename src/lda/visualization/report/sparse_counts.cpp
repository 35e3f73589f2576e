#include "lda/visualization/report/sparse_counts.h"

namespace papilio::lda {

SparseCounts::SparseCounts(const Model& model)
    : word_begins(model.vocabulary.size() + 1),
      topic_begins(static_cast<std::size_t>(model.topics) + 1),
      n_w(model.vocabulary.size()),
      n_k(model.n_k) {
  const auto k_count = static_cast<std::size_t>(model.topics);
  for (std::size_t w = 0; w < n_w.size(); ++w) {
    const std::int32_t* row = model.n_wk.data() + w * k_count;
    for (std::size_t k = 0; k < k_count; ++k) {
      if (row[k] == 0) continue;
      word_topics.push_back(static_cast<std::int32_t>(k));
      word_counts.push_back(row[k]);
      ++topic_begins[k + 1];
      n_w[w] += row[k];
    }
    word_begins[w + 1] = word_topics.size();
    tokens += n_w[w];
  }
  for (std::size_t k = 0; k < k_count; ++k) topic_begins[k + 1] += topic_begins[k];
  std::vector<std::size_t> next(topic_begins.begin(), topic_begins.end() - 1);
  topic_words.resize(word_topics.size());
  topic_counts.resize(word_topics.size());
  for (std::size_t w = 0; w < n_w.size(); ++w) {
    for (std::size_t entry = word_begins[w]; entry < word_begins[w + 1]; ++entry) {
      const std::size_t place = next[static_cast<std::size_t>(word_topics[entry])]++;
      topic_words[place] = static_cast<std::int32_t>(w);
      topic_counts[place] = word_counts[entry];
    }
  }
}

}  // namespace papilio::lda
