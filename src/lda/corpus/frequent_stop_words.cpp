#include <algorithm>
#include <cstdint>
#include <numeric>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "execution/check_view.h"
#include "lda/corpus/tokenizer.h"
#include "lda/corpus/vocabulary.h"
#include "papilio/primitives.h"
#include "papilio/stop_words.h"

namespace papilio {
namespace {

constexpr std::int64_t most_looked_at = 30;
constexpr std::int64_t least_looked_at = 10;
constexpr std::int64_t most_compared = 300;

struct CountedWord {
  std::string folded;
  std::int64_t count;
};

// The most frequent words that occur at all, up to most_compared of them.
std::vector<CountedWord> most_frequent(std::span<const std::string> vocabulary, std::span<const std::int64_t> counts) {
  std::vector<std::int32_t> order(counts.size());
  std::iota(order.begin(), order.end(), 0);
  const auto count = [&](std::int32_t w) { return counts[static_cast<std::size_t>(w)]; };
  const auto end = order.begin() + std::min(std::ssize(order), most_compared);
  std::partial_sort(order.begin(), end, order.end(),
                    [&](std::int32_t a, std::int32_t b) { return std::pair(-count(a), a) < std::pair(-count(b), b); });
  std::vector<CountedWord> words;
  lda::Tokenizer tokenizer(1);
  for (auto w = order.begin(); w != end && count(*w) > 0; ++w) {
    words.push_back({tokenizer.fold(vocabulary[static_cast<std::size_t>(*w)]), count(*w)});
  }
  return words;
}

bool is_stop_word(const std::vector<std::string>& list, const std::string& word) {
  return std::binary_search(list.begin(), list.end(), word);
}

}  // namespace

std::optional<FrequentStopWords> find_frequent_stop_words(const CorpusView& corpus, int threads) {
  corpus.verify(threads);
  std::vector<std::int64_t> counts(corpus.vocabulary.size());
  histogram({corpus.words.data(), corpus.tokens()}, counts, threads);
  return find_frequent_stop_words(corpus.vocabulary, counts);
}

std::optional<FrequentStopWords> find_frequent_stop_words(std::span<const std::string> vocabulary,
                                                          std::span<const std::int64_t> counts) {
  execution::require_span("find_frequent_stop_words", "vocabulary", vocabulary);
  lda::require_word_counts(vocabulary, counts, "find_frequent_stop_words");
  const std::vector<CountedWord> words = most_frequent(vocabulary, counts);
  const std::int64_t among = std::min(std::ssize(words), most_looked_at);
  if (among < least_looked_at) return std::nullopt;
  std::optional<FrequentStopWords> best;
  std::int64_t most_tokens = 0;
  for (const std::string& language : stop_word_languages()) {
    const std::vector<std::string>& list = stop_words(language);
    FrequentStopWords found = {.language = language, .among = among, .words = {}};
    std::int64_t tokens = 0;
    for (std::int64_t i = 0; i < std::ssize(words); ++i) {
      const auto& [word, count] = words[static_cast<std::size_t>(i)];
      if (!is_stop_word(list, word)) continue;
      tokens += count;
      if (i < among) found.words.push_back(word);
    }
    if (2 * std::ssize(found.words) > among && tokens > most_tokens) {
      most_tokens = tokens;
      best = std::move(found);
    }
  }
  return best;
}

}  // namespace papilio
