#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "base/check.h"
#include "base/choices.h"
#include "execution/cpu/interruption.h"
#include "execution/cpu/parallel_for.h"
#include "lda/corpus/word_hash.h"
#include "lda/evaluation/occurrences.h"
#include "papilio/evaluation.h"

namespace papilio {
namespace {

using base::require;

constexpr double epsilon = 1e-12;  // the value of Roeder, Both and Hinneburg

// The counts of those words of a topic that occur in the corpus.
class TopicWords {
 public:
  TopicWords(const lda::Occurrences& occurrences, std::size_t topic, std::size_t words_per_topic)
      : occurrences_(occurrences), topic_(topic) {
    for (std::size_t i = 0; i < words_per_topic; ++i) {
      if (occurrences.count(topic, i, i) > 0) held_.push_back(i);
    }
  }

  std::size_t size() const { return held_.size(); }
  double count(std::size_t i, std::size_t j) const {
    return static_cast<double>(occurrences_.count(topic_, held_[i], held_[j]));
  }

  // Normalised pointwise mutual information.
  double npmi(std::size_t i, std::size_t j) const {
    const auto windows = static_cast<double>(occurrences_.windows());
    const double together = count(i, j);
    if (together == windows) return 1;  // the limit; epsilon would turn the sign
    const double probability = together / windows + epsilon;
    const double apart = (count(i, i) / windows) * (count(j, j) / windows);
    return std::log(probability / apart) / -std::log(probability);
  }

 private:
  const lda::Occurrences& occurrences_;
  std::size_t topic_;
  std::vector<std::size_t> held_;
};

// The mean over pairs of words i < j, where i is the more probable one.
template <class OfPair>
double mean_of_pairs(std::size_t words, OfPair&& of_pair) {
  double sum = 0;
  for (std::size_t j = 1; j < words; ++j) {
    for (std::size_t i = 0; i < j; ++i) {
      sum += of_pair(i, j);
    }
  }
  return sum / (static_cast<double>(words * (words - 1)) / 2);
}

double c_v(const TopicWords& words) {
  const std::size_t n = words.size();
  std::vector<double> vectors(n * n);
  std::vector<double> sum(n);
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t j = 0; j < n; ++j) {
      vectors[i * n + j] = words.npmi(i, j);
      sum[j] += vectors[i * n + j];
    }
  }
  const double square_of_sum = std::inner_product(sum.begin(), sum.end(), sum.begin(), 0.0);
  double cosines = 0;
  for (std::size_t i = 0; i < n; ++i) {
    const double* vector = vectors.data() + i * n;
    const double product = std::inner_product(sum.begin(), sum.end(), vector, 0.0);
    const double squares = square_of_sum * std::inner_product(vector, vector + n, vector, 0.0);
    cosines += squares > 0 ? product / std::sqrt(squares) : 0;
  }
  return cosines / static_cast<double>(n);
}

double coherence_of(const TopicWords& words, CoherenceMeasure measure) {
  if (words.size() < 2) return std::numeric_limits<double>::quiet_NaN();
  if (measure == CoherenceMeasure::c_v) return c_v(words);
  return mean_of_pairs(words.size(), [&](std::size_t i, std::size_t j) {
    return measure == CoherenceMeasure::umass ? std::log((words.count(i, j) + 1) / words.count(i, i))
                                              : words.npmi(i, j);
  });
}

struct WordsToCount {
  std::vector<std::int32_t> numbers;  // K x words_per_topic, the corpus's; -1: the corpus or the topic has no such word
  std::vector<std::int64_t> words;    // K: how many each topic has
};

WordsToCount words_to_count(const Model& model, const CorpusView& corpus, int words_per_topic, int threads) {
  std::unordered_map<std::string_view, std::int32_t, lda::WordHash> numbers;
  numbers.reserve(corpus.vocabulary.size());
  for (std::size_t w = 0; w < corpus.vocabulary.size(); ++w) {
    numbers.emplace(corpus.vocabulary[w], static_cast<std::int32_t>(w));
  }
  const auto topics = static_cast<std::size_t>(model.topics);
  WordsToCount words;
  words.numbers.assign(topics * static_cast<std::size_t>(words_per_topic), -1);
  words.words.resize(topics);
  execution::parallel_for(model.topics, 1, threads, [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t k = begin; k < end; ++k) {
      execution::stop_point();
      auto number = words.numbers.begin() + k * words_per_topic;
      for (const TopWord& top : counted_top_words(model, static_cast<std::int32_t>(k), words_per_topic)) {
        const auto found = numbers.find(model.vocabulary[static_cast<std::size_t>(top.word)]);
        *number++ = found == numbers.end() ? -1 : found->second;
        ++words.words[static_cast<std::size_t>(k)];
      }
    }
  });
  return words;
}

int window_of(const CoherenceOptions& options) {
  switch (options.measure) {
    case CoherenceMeasure::umass:
      break;
    case CoherenceMeasure::npmi:
      return options.window == 0 ? 10 : options.window;
    case CoherenceMeasure::c_v:
      return options.window == 0 ? 110 : options.window;
  }
  return 0;
}

constexpr Choice<CoherenceMeasure> measures[] = {
    {CoherenceMeasure::npmi, "npmi", "normalised pointwise mutual information of pairs of words in windows"},
    {CoherenceMeasure::umass, "umass", "log conditional probability of pairs of words in documents"},
    {CoherenceMeasure::c_v, "c_v", "cosine similarity of the words' NPMI vectors, in windows"},
};

void require_options(const CoherenceOptions& options) {
  base::require_known(measures, options.measure, "coherence", "measure");
  require(2 <= options.top_words && options.top_words <= 1000,
          "papilio::coherence: top_words is {}, expected 2 to 1000", options.top_words);
  require(options.window >= 0, "papilio::coherence: window is {}, expected 0 (the usual size) or more", options.window);
  require(options.measure != CoherenceMeasure::umass || options.window == 0,
          "papilio::coherence: window is {}, but umass counts documents; expected 0", options.window);
}

}  // namespace

std::span<const Choice<CoherenceMeasure>> coherence_measures() noexcept { return measures; }

std::string_view name(CoherenceMeasure measure) noexcept { return base::name_in(measures, measure); }

CoherenceMeasure parse_coherence_measure(std::string_view name) {
  return base::parse_in(measures, name, "parse_coherence_measure", "measure");
}

Coherence coherence(const Model& model, const CorpusView& corpus, const CoherenceOptions& options) {
  require_options(options);
  model.verify();
  corpus.verify(options.threads);
  const auto topics = static_cast<std::size_t>(model.topics);
  const auto words_per_topic = static_cast<std::size_t>(options.top_words);
  Coherence result;
  result.top_words = options.top_words;
  result.window = window_of(options);
  const WordsToCount top = words_to_count(model, corpus, options.top_words, options.threads);
  const lda::Occurrences occurrences(corpus, top.numbers, words_per_topic, result.window, options.threads);
  result.windows = occurrences.windows();
  double sum = 0;
  std::int64_t coherent = 0;
  for (std::size_t k = 0; k < topics; ++k) {
    execution::stop_point();
    const TopicWords words(occurrences, k, words_per_topic);
    const double value = coherence_of(words, options.measure);
    result.topics.push_back(value);
    result.missing_words += top.words[k] - static_cast<std::int64_t>(words.size());
    if (!std::isnan(value)) {
      sum += value;
      ++coherent;
    }
  }
  result.mean = coherent > 0 ? sum / static_cast<double>(coherent) : std::numeric_limits<double>::quiet_NaN();
  return result;
}

}  // namespace papilio
