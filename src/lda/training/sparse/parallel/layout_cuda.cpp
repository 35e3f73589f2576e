#include "lda/training/sparse/parallel/layout_cuda.h"

#include <algorithm>
#include <numeric>

#include "base/math.h"

namespace papilio::lda {

namespace {

// The most bytes that the counts of frequent words should take for each token of the corpus.
constexpr double row_bytes_per_token = 0.5;

// A word with at least this many tokens is frequent. The more, the fewer rows of counts there are; but a block that has
// much more than its share of the tokens holds up the end of the sweep.
std::int32_t tokens_per_item(const std::vector<std::int64_t>& offsets, std::int32_t topics) {
  const auto tokens = static_cast<double>(offsets.back());
  const double row_bytes = 2.0 * sizeof(std::int32_t) * padded_topics(topics);
  const double most = std::min(tokens * sparse_shape(topics).threads / 65536, 65536.0);
  std::int32_t limit = 1024;
  for (; 2 * limit <= most; limit *= 2) {
    std::int64_t frequent = 0;
    for (std::size_t w = 0; w + 1 < offsets.size(); ++w) frequent += offsets[w + 1] - offsets[w] > limit ? 1 : 0;
    if (static_cast<double>(frequent) * row_bytes <= row_bytes_per_token * tokens) break;
  }
  return limit;
}

}  // namespace

std::int32_t padded_topics(std::int32_t topics) { return base::round_up<std::int32_t>(topics, row_multiple); }

SparseLayout::SparseLayout(const CorpusView& corpus, std::int32_t topics, SparseCut cut, const Seeds& seeds) {
  place_documents(corpus, topics);
  const std::vector<std::int64_t> offsets = place_tokens(corpus);
  if (cut.tokens_per_item == 0) cut.tokens_per_item = tokens_per_item(offsets, topics);
  if (cut.few_tokens < 0) cut.few_tokens = sparse_shape(topics).few_tokens;
  cut_words(offsets, cut, seeds);
}

void SparseLayout::place_documents(const CorpusView& corpus, std::int32_t topics) {
  const auto& offsets = corpus.document_offsets;
  for (std::size_t d = 0; d + 1 < offsets.size(); ++d) {
    const std::int64_t tokens = offsets[d + 1] - offsets[d];
    if (tokens == 0) continue;
    documents.push_back({.first_token = static_cast<std::uint32_t>(offsets[d]),
                         .tokens = static_cast<std::uint32_t>(tokens),
                         .list = {.group = static_cast<std::uint32_t>(list_entries / sparse::lanes), .size = 0}});
    list_entries += base::round_up<std::int64_t>(std::min<std::int64_t>(tokens, topics), sparse::lanes);
    if (tokens > longest_sorted) ++long_documents;
  }
  std::stable_sort(documents.begin(), documents.end(),
                   [](const SparseDocument& a, const SparseDocument& b) { return a.tokens > b.tokens; });
}

// Returns where each word's tokens begin, and their end.
std::vector<std::int64_t> SparseLayout::place_tokens(const CorpusView& corpus) {
  std::vector<std::int64_t> offsets(static_cast<std::size_t>(corpus.vocabulary_size()) + 1);
  for (const std::int32_t w : corpus.words) ++offsets[static_cast<std::size_t>(w) + 1];
  std::partial_sum(offsets.begin(), offsets.end(), offsets.begin());
  std::vector<std::int64_t> next(offsets.begin(), offsets.end() - 1);
  document.resize(corpus.words.size());
  place.resize(corpus.words.size());
  for (std::size_t d = 0; d < documents.size(); ++d) {
    const SparseDocument& of = documents[d];
    for (std::uint32_t i = 0; i < of.tokens; ++i) {
      const std::int32_t w = corpus.words[std::size_t{of.first_token} + i];
      const auto at = static_cast<std::size_t>(next[static_cast<std::size_t>(w)]++);
      document[at] = static_cast<std::int32_t>(d);
      place[at] = i;
    }
  }
  return offsets;
}

void SparseLayout::cut_words(const std::vector<std::int64_t>& offsets, const SparseCut& cut, const Seeds& seeds) {
  std::vector<SparseItem> whole;
  for (std::size_t w = 0; w + 1 < offsets.size(); ++w) {
    const std::int64_t begin = offsets[w], tokens = offsets[w + 1] - begin;
    const bool is_seed = !seeds.of_word(static_cast<std::int64_t>(w)).empty();
    if (tokens == 0 && !is_seed) continue;
    if (tokens <= cut.tokens_per_item && !is_seed) {
      whole.push_back({static_cast<std::uint32_t>(begin), static_cast<std::int32_t>(tokens), -1});
      continue;
    }
    const auto row = static_cast<std::int32_t>(frequent_words.size());
    const std::int64_t parts = base::ceil_div<std::int64_t>(tokens, cut.tokens_per_item);
    for (std::int64_t p = 0; p < parts; ++p) {
      const std::int64_t first = tokens * p / parts, end = tokens * (p + 1) / parts;
      items.push_back({static_cast<std::uint32_t>(begin + first), static_cast<std::int32_t>(end - first), row});
    }
    frequent_words.push_back(static_cast<std::int64_t>(w));
  }
  frequent_items = static_cast<std::int64_t>(items.size());
  std::stable_sort(whole.begin(), whole.end(),
                   [](const SparseItem& a, const SparseItem& b) { return a.count > b.count; });
  const auto few = std::partition_point(whole.begin(), whole.end(),
                                        [&](const SparseItem& item) { return item.count > cut.few_tokens; });
  large_items = frequent_items + (few - whole.begin());
  items.insert(items.end(), whole.begin(), whole.end());
}

}  // namespace papilio::lda
