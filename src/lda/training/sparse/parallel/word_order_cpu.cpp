#include "lda/training/sparse/parallel/word_order_cpu.h"

#include <algorithm>

#include "papilio/primitives.h"

namespace papilio::lda::sparse {
namespace {

// f(word, document, whether the token is the first of a pair) for each token, in the order of documents.
template <class F>
void for_each_token(const CorpusView& corpus, F f) {
  struct Last {
    std::int64_t document = -1;
    int tokens = 0;
  };
  std::vector<Last> last(static_cast<std::size_t>(corpus.vocabulary_size()));
  std::int64_t d = 0;
  for (std::size_t i = 0; i < corpus.words.size(); ++i) {
    while (corpus.document_offsets[static_cast<std::size_t>(d) + 1] <= static_cast<std::int64_t>(i)) ++d;
    const auto word = static_cast<std::size_t>(corpus.words[i]);
    Last& here = last[word];
    const bool is_first = here.document != d || here.tokens == most_tokens;
    here = {d, is_first ? 1 : here.tokens + 1};
    f(word, static_cast<std::uint32_t>(d), is_first);
  }
}

std::vector<std::int64_t> count_pairs(const CorpusView& corpus) {
  std::vector<std::int64_t> pairs(static_cast<std::size_t>(corpus.vocabulary_size())), pair_offsets(pairs.size() + 1);
  for_each_token(corpus, [&](std::size_t word, std::uint32_t, bool is_first) { pairs[word] += is_first; });
  exclusive_scan(pairs, pair_offsets, 1);
  return pair_offsets;
}

}  // namespace

WordOrder::WordOrder(const CorpusView& corpus)
    : numbers(static_cast<std::size_t>(corpus.tokens()) + look_ahead),
      places(static_cast<std::size_t>(corpus.tokens()) + look_ahead),
      offsets(static_cast<std::size_t>(corpus.vocabulary_size()) + 1),
      pair_offsets(count_pairs(corpus)),
      documents(static_cast<std::size_t>(pair_offsets.back()) + look_ahead),
      sizes(static_cast<std::size_t>(pair_offsets.back())) {
  std::vector<std::int64_t> next(offsets.size() - 1);
  histogram(corpus.words, next, 1);
  exclusive_scan(next, offsets, 1);
  std::copy(offsets.begin(), offsets.end() - 1, next.begin());
  std::vector<std::int64_t> pairs(pair_offsets.begin(), pair_offsets.end() - 1);
  std::uint32_t number = 0;
  for_each_token(corpus, [&](std::size_t word, std::uint32_t document, bool is_first) {
    const auto place = static_cast<std::size_t>(next[word]++);
    numbers[place] = number;
    places[number++] = static_cast<std::uint32_t>(place);
    const auto pair = static_cast<std::size_t>(is_first ? pairs[word]++ : pairs[word] - 1);
    documents[pair] = document;
    ++sizes[pair];
  });
}

}  // namespace papilio::lda::sparse
