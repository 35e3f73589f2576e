#include "papilio/diagnostics.h"

#include <algorithm>
#include <cmath>
#include <iterator>

#include "base/check.h"
#include "lda/evaluation/occurrences.h"
#include "lda/model/state.h"

namespace papilio {
namespace lda {
namespace {

std::int64_t code_points(const std::string& word) {
  return std::count_if(word.begin(), word.end(), [](char c) { return (static_cast<unsigned char>(c) & 0xC0) != 0x80; });
}

// p ln p, where p = count / total; 0 if count is 0.
double share_times_log(std::int64_t count, std::int64_t total) {
  if (count == 0) return 0;
  const double p = static_cast<double>(count) / static_cast<double>(total);
  return p * std::log(p);
}

// What the documents say about topics, added up in the order of documents.
class DocumentMeasures {
 public:
  DocumentMeasures(std::vector<TopicDiagnostics>& topics, const Model& model)
      : topics_(topics), model_(model), n_dk_(topics.size()) {}

  void add(const std::int32_t* z, std::int64_t tokens) {
    met_.clear();
    for (std::int64_t i = 0; i < tokens; ++i) {
      if (n_dk_[static_cast<std::size_t>(z[i])]++ == 0) met_.push_back(z[i]);
    }
    std::sort(met_.begin(), met_.end());
    const auto most = std::max_element(met_.begin(), met_.end(), [&](std::int32_t a, std::int32_t b) {
      return n_dk_[static_cast<std::size_t>(a)] < n_dk_[static_cast<std::size_t>(b)];
    });
    if (most != met_.end()) ++topics_[static_cast<std::size_t>(*most)].dominated;
    for (const std::int32_t k : met_) {
      TopicDiagnostics& topic = topics_[static_cast<std::size_t>(k)];
      std::int64_t& n = n_dk_[static_cast<std::size_t>(k)];
      ++topic.documents;
      topic.document_entropy -= share_times_log(n, model_.n_k[static_cast<std::size_t>(k)]);
      if (2 * n >= tokens) ++topic.allocated_half;
      if (50 * n >= tokens) ++topic.allocated_little;
      n = 0;
    }
  }

 private:
  std::vector<TopicDiagnostics>& topics_;
  const Model& model_;
  std::vector<std::int64_t> n_dk_;
  std::vector<std::int32_t> met_;
};

// Adds the sums over words, in the order of words.
void add_word_measures(const Model& model, std::vector<TopicDiagnostics>& topics) {
  const auto columns = static_cast<std::size_t>(model.topics);
  std::int64_t tokens = 0;
  for (const std::int64_t n : model.n_k) tokens += n;
  std::vector<double> squares(columns);
  for (std::int64_t w = 0; w < model.vocabulary_size(); ++w) {
    const std::int32_t* n_wk = model.n_wk.data() + static_cast<std::size_t>(w) * columns;
    std::int64_t n_w = 0;
    for (std::size_t k = 0; k < columns; ++k) n_w += n_wk[k];
    for (std::size_t k = 0; k < columns; ++k) {
      if (n_wk[k] == 0) continue;
      const double p = static_cast<double>(n_wk[k]) / static_cast<double>(model.n_k[k]);
      const double p_corpus = static_cast<double>(n_w) / static_cast<double>(tokens);
      squares[k] += p * p;
      topics[k].uniform_distance += p * std::log(p * static_cast<double>(model.vocabulary_size()));
      topics[k].corpus_distance += p * std::log(p / p_corpus);
    }
  }
  for (std::size_t k = 0; k < columns; ++k) topics[k].effective_words = squares[k] > 0 ? 1 / squares[k] : 0;
}

void add_top_word_measures(const Model& model, TopicDiagnostics& topic, std::int32_t k) {
  if (topic.top_words.empty()) return;
  for (const TopWord& word : topic.top_words) {
    topic.mean_word_length += static_cast<double>(code_points(model.vocabulary[static_cast<std::size_t>(word.word)]));
    double of_all = 0;
    for (std::int32_t j = 0; j < model.topics; ++j) of_all += model.phi(word.word, j);
    topic.exclusivity += model.phi(word.word, k) / of_all;
  }
  topic.mean_word_length /= static_cast<double>(topic.top_words.size());
  topic.exclusivity /= static_cast<double>(topic.top_words.size());
}

// Over a topic's pairs of words, with the number of documents of the more probable word in the denominator.
double umass(const Occurrences& documents, std::size_t topic, std::size_t words, double beta) {
  double sum = 0;
  for (std::size_t i = 1; i < words; ++i) {
    for (std::size_t j = 0; j < i; ++j) {
      sum += std::log((static_cast<double>(documents.count(topic, i, j)) + beta) /
                      static_cast<double>(documents.count(topic, j, j)));
    }
  }
  return sum;
}

void add_coherence(const CorpusView& corpus, int words, double beta, std::vector<TopicDiagnostics>& topics) {
  const auto width = static_cast<std::size_t>(words);
  std::vector<std::int32_t> numbers(topics.size() * width, -1);
  for (std::size_t k = 0; k < topics.size(); ++k) {
    std::transform(topics[k].top_words.begin(), topics[k].top_words.end(),
                   numbers.begin() + static_cast<std::ptrdiff_t>(k * width),
                   [](const TopWord& word) { return word.word; });
  }
  const Occurrences documents(corpus, numbers, width, 0, 1);
  for (std::size_t k = 0; k < topics.size(); ++k) {
    topics[k].coherence = umass(documents, k, topics[k].top_words.size(), beta);
  }
}

}  // namespace
}  // namespace lda

std::vector<TopicDiagnostics> diagnose_topics(const CorpusView& corpus, std::span<const std::int32_t> z,
                                              const Model& model, int words) {
  base::require(words >= 1, "papilio::diagnose_topics: words is {}, expected at least 1", words);
  corpus.verify();
  model.verify();
  lda::require_topics(corpus, z, model.topics, "diagnose_topics");
  base::require(corpus.vocabulary_size() == model.vocabulary_size(),
                "papilio::diagnose_topics: the corpus has {} words, the model {}", corpus.vocabulary_size(),
                model.vocabulary_size());
  std::vector<TopicDiagnostics> topics(static_cast<std::size_t>(model.topics));
  for (std::int32_t k = 0; k < model.topics; ++k) {
    TopicDiagnostics& topic = topics[static_cast<std::size_t>(k)];
    topic.tokens = model.n_k[static_cast<std::size_t>(k)];
    topic.top_words = counted_top_words(model, k, words);
    lda::add_top_word_measures(model, topic, k);
  }
  lda::add_word_measures(model, topics);
  lda::DocumentMeasures of_documents(topics, model);
  for (std::size_t d = 1; d < corpus.document_offsets.size(); ++d) {
    const std::int64_t begin = corpus.document_offsets[d - 1];
    of_documents.add(z.data() + begin, corpus.document_offsets[d] - begin);
  }
  const auto most = static_cast<int>(std::min<std::int64_t>(words, model.vocabulary_size()));
  lda::add_coherence(corpus, most, model.beta, topics);
  return topics;
}

}  // namespace papilio
