#include <algorithm>
#include <cmath>
#include <cstdint>
#include <numeric>
#include <utility>

#include "base/check.h"
#include "execution/check_view.h"
#include "execution/cpu/parallel_for.h"
#include "lda/model/checked_on_threads.h"
#include "lda/visualization/topic_plane.h"
#include "papilio/evaluation.h"
#include "papilio/visualization.h"

namespace papilio {
namespace {

using base::require;

double rounded(double value) { return std::nearbyint(value * 1e4) / 1e4; }

// The model as pyLDAvis sees it: topics in the order of the plot, and the expected number of tokens of each word.
class Tables {
 public:
  Tables(const Model& model, std::vector<std::int32_t> order, std::span<const double> topic_tokens)
      : model_(model), order_(std::move(order)), word_tokens_(model.vocabulary.size()) {
    for (const std::int32_t topic : order_) tokens_.push_back(topic_tokens[static_cast<std::size_t>(topic)]);
    for (std::size_t place = 0; place < order_.size(); ++place) {
      for (std::size_t w = 0; w < word_tokens_.size(); ++w) word_tokens_[w] += expected(place, w);
    }
    all_tokens_ = std::accumulate(word_tokens_.begin(), word_tokens_.end(), 0.0);
    const double all = std::accumulate(tokens_.begin(), tokens_.end(), 0.0);
    for (const double tokens : tokens_) proportions_.push_back(tokens / all);
  }

  std::size_t topics() const { return order_.size(); }
  std::size_t words() const { return word_tokens_.size(); }
  std::int32_t topic(std::size_t place) const { return order_[place]; }
  double phi(std::size_t place, std::size_t w) const { return model_.phi(static_cast<std::int64_t>(w), order_[place]); }
  double proportion(std::size_t place) const { return proportions_[place]; }
  double expected(std::size_t place, std::size_t w) const { return phi(place, w) * tokens_[place]; }
  double word_tokens(std::size_t w) const { return word_tokens_[w]; }
  double word_share(std::size_t w) const { return word_tokens_[w] / all_tokens_; }

 private:
  const Model& model_;
  std::vector<std::int32_t> order_;
  std::vector<double> tokens_;       // K, in that order
  std::vector<double> proportions_;  // K, likewise
  std::vector<double> word_tokens_;  // V
  double all_tokens_ = 0;
};

// The indices of the `count` largest values, the largest first; equal ones by index.
std::vector<std::int32_t> largest(const std::vector<double>& values, int count) {
  const auto before = [&](std::int32_t a, std::int32_t b) {
    const double x = values[static_cast<std::size_t>(a)];
    const double y = values[static_cast<std::size_t>(b)];
    return x != y ? x > y : a < b;
  };
  std::vector<std::int32_t> numbers(values.size());
  std::iota(numbers.begin(), numbers.end(), 0);
  std::partial_sort(numbers.begin(), numbers.begin() + count, numbers.end(), before);
  numbers.resize(static_cast<std::size_t>(count));
  return numbers;
}

// For each word its saliency: how much the word tells about the
// topic that it comes from. A topic without tokens does not count.
std::vector<double> saliencies(const Tables& tables) {
  std::vector<double> result(tables.words());
  for (std::size_t w = 0; w < tables.words(); ++w) {
    double sum = 0;
    for (std::size_t place = 0; place < tables.topics(); ++place) sum += tables.phi(place, w);
    double distinctiveness = 0;
    for (std::size_t place = 0; place < tables.topics(); ++place) {
      if (tables.proportion(place) == 0) continue;  // its logarithm would be infinite
      const double topic_given_word = tables.phi(place, w) / sum;
      distinctiveness += topic_given_word * std::log(topic_given_word / tables.proportion(place));
    }
    result[w] = tables.word_share(w) * distinctiveness;
  }
  return result;
}

std::vector<LdavisTerm> salient_terms(const Tables& tables, int count) {
  std::vector<LdavisTerm> bars;
  int rank = count;
  for (const std::int32_t word : largest(saliencies(tables), count)) {
    const double tokens = std::floor(tables.word_tokens(static_cast<std::size_t>(word)));
    const double place_in_list = rank--;
    bars.push_back({-1, word, tokens, tokens, place_in_list, place_in_list});
  }
  return bars;
}

// The words of a topic that are shown for some lambda, in the order in which they appear as lambda goes from 0 to 1.
std::vector<LdavisTerm> topic_terms(const Tables& tables, std::size_t place, const LdavisOptions& options, int count) {
  const std::size_t words = tables.words();
  std::vector<double> log_probability(words);
  std::vector<double> log_lift(words);
  for (std::size_t w = 0; w < words; ++w) {
    log_probability[w] = std::log(tables.phi(place, w));
    log_lift[w] = std::log(tables.phi(place, w) / tables.word_share(w));
  }
  std::vector<LdavisTerm> bars;
  std::vector<char> taken(words);
  std::vector<double> relevance(words);
  const auto steps = static_cast<int>(std::ceil((1 + options.lambda_step) / options.lambda_step));
  for (int step = 0; step < steps; ++step) {
    const double lambda = step * options.lambda_step;
    for (std::size_t w = 0; w < words; ++w) relevance[w] = lambda * log_probability[w] + (1 - lambda) * log_lift[w];
    for (const std::int32_t word : largest(relevance, count)) {
      const auto w = static_cast<std::size_t>(word);
      if (std::exchange(taken[w], 1) != 0) continue;
      bars.push_back({static_cast<std::int32_t>(place), word, tables.expected(place, w), tables.word_tokens(w),
                      rounded(log_probability[w]), rounded(log_lift[w])});
    }
  }
  return bars;
}

// For every word that may be shown: the share of each topic that has at least half a token of it.
std::vector<LdavisShare> shares_of(const Tables& tables, const std::vector<LdavisTerm>& bars,
                                   const std::vector<std::string>& vocabulary) {
  std::vector<std::int32_t> words;
  for (const LdavisTerm& bar : bars) words.push_back(bar.word);
  std::sort(words.begin(), words.end(), [&](std::int32_t a, std::int32_t b) {
    return vocabulary[static_cast<std::size_t>(a)] < vocabulary[static_cast<std::size_t>(b)];
  });
  words.erase(std::unique(words.begin(), words.end()), words.end());
  std::vector<LdavisShare> shares;
  for (const std::int32_t word : words) {
    const auto w = static_cast<std::size_t>(word);
    for (std::size_t place = 0; place < tables.topics(); ++place) {
      const double tokens = tables.expected(place, w);
      if (tokens < 0.5) continue;
      shares.push_back({static_cast<std::int32_t>(place), word, std::nearbyint(tokens) / tables.word_tokens(w)});
    }
  }
  return shares;
}

std::vector<LdavisTopic> circles(const Model& model, const Tables& tables, int threads) {
  const lda::TopicPlane plane =
      lda::scale_to_plane(lda::topic_divergences(model, threads), static_cast<std::size_t>(model.topics));
  std::vector<LdavisTopic> topics;
  for (std::size_t place = 0; place < tables.topics(); ++place) {
    const auto k = static_cast<std::size_t>(tables.topic(place));
    topics.push_back({tables.topic(place), plane.x[k], plane.y[k], 100 * tables.proportion(place),
                      model.label(tables.topic(place))});
  }
  return topics;
}

void require_arguments(const Model& model, std::span<const double> topic_tokens, const LdavisOptions& options) {
  model.verify();
  execution::require_span("prepare_ldavis", "topic_tokens", topic_tokens);
  require(std::ssize(topic_tokens) == model.topics,
          "papilio::prepare_ldavis: topic_tokens has {} entries, expected one per topic: {}", topic_tokens.size(),
          model.topics);
  require(options.terms >= 1, "papilio::prepare_ldavis: terms is {}, expected at least 1", options.terms);
  require(options.lambda_step >= 1e-3 && options.lambda_step <= 1,
          "papilio::prepare_ldavis: lambda_step is {}, expected 0.001 to 1", options.lambda_step);
  double sum = 0;
  for (std::size_t k = 0; k < topic_tokens.size(); ++k) {
    require(std::isfinite(topic_tokens[k]) && topic_tokens[k] >= 0,
            "papilio::prepare_ldavis: topic_tokens[{}] is {}, expected a number >= 0", k, topic_tokens[k]);
    sum += topic_tokens[k];
  }
  require(sum > 0, "papilio::prepare_ldavis: topic_tokens are all 0");
}

}  // namespace

LdavisData prepare_ldavis(const Model& model, std::span<const double> topic_tokens, const LdavisOptions& options) {
  require_arguments(model, topic_tokens, options);
  std::vector<std::int32_t> order(static_cast<std::size_t>(model.topics));
  std::iota(order.begin(), order.end(), 0);
  if (options.sort_topics) {
    std::stable_sort(order.begin(), order.end(), [&](std::int32_t a, std::int32_t b) {
      return topic_tokens[static_cast<std::size_t>(a)] > topic_tokens[static_cast<std::size_t>(b)];
    });
  }
  const Tables tables(model, std::move(order), topic_tokens);
  LdavisData data;
  data.terms = static_cast<int>(std::min<std::int64_t>(options.terms, model.vocabulary_size()));
  data.lambda_step = options.lambda_step;
  data.topics = circles(model, tables, options.threads);
  data.words = model.vocabulary;
  std::vector<std::vector<LdavisTerm>> bars(tables.topics());
  execution::parallel_for(model.topics, 1, options.threads, [&](std::int64_t begin, std::int64_t end) {
    for (auto place = static_cast<std::size_t>(begin); place < static_cast<std::size_t>(end); ++place) {
      bars[place] = topic_terms(tables, place, options, data.terms);
    }
  });
  data.bars = salient_terms(tables, data.terms);
  for (const std::vector<LdavisTerm>& of_topic : bars)
    data.bars.insert(data.bars.end(), of_topic.begin(), of_topic.end());
  data.shares = shares_of(tables, data.bars, model.vocabulary);
  return data;
}

LdavisData prepare_ldavis(const Model& model, const LdavisOptions& options) {
  return prepare_ldavis(model, std::vector<double>(model.n_k.begin(), model.n_k.end()), options);
}

std::vector<double> expected_topic_tokens(const Model& model, const CorpusView& corpus, std::uint64_t seed,
                                          int threads) {
  const DocumentTopics topics = infer(model, corpus, {.seed = seed, .threads = threads});
  const WordMap map = lda::map_words(model, corpus, threads);
  std::vector<double> tokens(static_cast<std::size_t>(model.topics));
  for (std::int64_t d = 0; d < corpus.documents(); ++d) {
    const auto begin = corpus.words.begin() + corpus.document_offsets[static_cast<std::size_t>(d)];
    const auto end = corpus.words.begin() + corpus.document_offsets[static_cast<std::size_t>(d) + 1];
    const auto known = static_cast<double>(std::count_if(
        begin, end, [&](std::int32_t word) { return map.model_words[static_cast<std::size_t>(word)] >= 0; }));
    for (std::size_t k = 0; k < tokens.size(); ++k) tokens[k] += known * double{topics.row(d)[k]};
  }
  return tokens;
}

}  // namespace papilio
