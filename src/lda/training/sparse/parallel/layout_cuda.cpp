#include "lda/training/sparse/parallel/layout_cuda.h"

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <functional>
#include <span>
#include <utility>

#include "base/math.h"
#include "execution/cpu/fresh_memory.h"
#include "execution/cpu/parallel_for.h"

namespace papilio::lda {

namespace {

// The counts of frequent words should take at most this many bytes per token of the corpus.
constexpr double row_bytes_per_token = 1.5;

constexpr std::int64_t least_part = std::int64_t{1} << 16;  // fewer tokens are not worth a thread

// A word with more tokens than this is frequent. The larger the limit, the fewer rows of counts there are; but a block
// with much more than its share of the tokens delays the end of the sweep.
std::int32_t most_tokens_of_item(const std::vector<std::int64_t>& offsets, std::int32_t topics) {
  const auto tokens = static_cast<double>(offsets.back());
  const double row_bytes = 2.0 * sizeof(std::int32_t) * padded_topics(topics);
  const double most = std::min(tokens * sparse_shape(topics).threads / 65536, 65536.0);
  std::int32_t limit = least_tokens_per_item;
  for (; 2 * limit <= most; limit *= 2) {
    std::int64_t frequent = 0;
    for (std::size_t w = 0; w + 1 < offsets.size(); ++w) frequent += offsets[w + 1] - offsets[w] > limit ? 1 : 0;
    if (static_cast<double>(frequent) * row_bytes <= row_bytes_per_token * tokens) break;
  }
  return limit;
}

constexpr std::int64_t longest_counted = std::int64_t{1} << 20;  // tokens of a document; few documents are longer

std::int64_t tokens_of(const CorpusView& corpus, std::int64_t document) {
  const auto d = static_cast<std::size_t>(document);
  return corpus.document_offsets[d + 1] - corpus.document_offsets[d];
}

std::int64_t longest_document(const CorpusView& corpus, int threads) {
  std::atomic<std::int64_t> longest = 0;
  execution::parallel_for(corpus.documents(), least_part, threads, [&](std::int64_t begin, std::int64_t end) {
    std::int64_t here = 0;
    for (std::int64_t d = begin; d < end; ++d) here = std::max(here, tokens_of(corpus, d));
    for (std::int64_t before = longest; before < here && !longest.compare_exchange_weak(before, here);) continue;
  });
  return longest;
}

// Where the documents of one length begin, and where their lists do.
struct PlacesOfLength {
  std::uint32_t first_document = 0;
  std::int64_t first_unit = 0;
  std::int64_t units = 0;  // for each list
};

}  // namespace

std::int32_t padded_topics(std::int32_t topics) { return base::round_up<std::int32_t>(topics, row_multiple); }

SparseLayout::SparseLayout(const CorpusView& corpus, std::int32_t topics, SparseCut cut, const Seeds& seeds,
                           int threads)
    : SparseLayout(corpus, topics, cut, seeds, threads,
                   [&](const SparseLayout&) { return place_tokens(corpus, threads); }) {}

SparseLayout::SparseLayout(const CorpusView& corpus, std::int32_t topics, SparseCut cut, const Seeds& seeds,
                           int threads, OrderTokens order) {
  place_documents(corpus, topics, cut, threads);
  cut_long_documents(topics);
  word_offsets = order(*this);
  cut_all_words(corpus, topics, cut, seeds);
}

void SparseLayout::cut_all_words(const CorpusView& corpus, std::int32_t topics, SparseCut cut, const Seeds& seeds) {
  if (cut.tokens_per_item == 0) cut.tokens_per_item = most_tokens_of_item(word_offsets, topics);
  if (cut.tokens_of_part == 0) cut.tokens_of_part = tokens_of_part(topics, word_offsets.back());
  tokens_per_item = cut.tokens_per_item;
  const std::int64_t words = corpus.vocabulary_size();
  if (cut.words_per_block == 0) {
    frequent_items = cut_words(0, words, cut, seeds).first_whole;
    return;
  }
  for (std::int64_t w = 0; w < words; w += cut.words_per_block) {
    blocks.push_back(cut_words(w, std::min(w + cut.words_per_block, words), cut, seeds));
  }
}

// Each part of the documents counts its lengths, and then has places of its own among the documents of each length,
// which keep their order. Documents longer than longest_counted are treated as having one length until they are sorted.
void SparseLayout::place_documents(const CorpusView& corpus, std::int32_t topics, const SparseCut& cut, int threads) {
  const ListSizes sizes(topics, cut.entry_bytes, cut.short_entries);
  short_entries.count_bits = sizes.count_bits;
  const std::int64_t all = corpus.documents();
  const std::int64_t lengths = std::min(longest_document(corpus, threads), longest_counted + 1) + 1;
  const std::int64_t parts =
      std::clamp<std::int64_t>(all / std::max(lengths, least_part), 1, execution::thread_count(threads));
  std::vector<std::uint32_t> next(static_cast<std::size_t>(parts * lengths));  // next free places, by part and length
  const auto for_each_document = [&](auto&& body) {
    execution::parallel_for(parts, 1, threads, [&](std::int64_t begin, std::int64_t end) {
      for (std::int64_t part = begin; part < end; ++part) {
        std::uint32_t* const places = next.data() + part * lengths;
        for (std::int64_t d = all * part / parts; d < all * (part + 1) / parts; ++d) {
          const std::int64_t tokens = tokens_of(corpus, d);
          if (tokens > 0) body(d, tokens, places[std::min(tokens, lengths - 1)]);
        }
      }
    });
  };
  for_each_document([](std::int64_t, std::int64_t, std::uint32_t& found) { ++found; });

  if (lengths > longest_counted + 1) {
    for (std::int64_t d = 0; d < all; ++d) {
      if (tokens_of(corpus, d) > longest_counted) list_units += sizes.units(tokens_of(corpus, d));
    }
  }
  std::vector<PlacesOfLength> of_length(static_cast<std::size_t>(lengths));
  std::uint32_t placed = 0, longest = 0;
  for (std::int64_t tokens = lengths - 1; tokens > 0; --tokens) {
    const PlacesOfLength first = {placed, list_units, tokens > longest_counted ? 0 : sizes.units(tokens)};
    of_length[static_cast<std::size_t>(tokens)] = first;
    for (std::int64_t part = 0; part < parts; ++part) {
      placed += std::exchange(next[static_cast<std::size_t>(part * lengths + tokens)], placed);
    }
    const std::uint32_t found = placed - first.first_document;
    list_units += found * first.units;
    if (tokens > longest_counted) longest = found;
    if (tokens > longest_sorted) long_documents += static_cast<std::int32_t>(found);
    if (tokens > 1 && !sizes.is_short(tokens)) short_entries.first_document += static_cast<std::int32_t>(found);
    if (tokens > 1) listed_documents += static_cast<std::int32_t>(found);
  }

  documents.reserve(placed);
  execution::touch_fresh(documents.data(), placed * sizeof(SparseDocument), threads);
  documents.resize(placed);
  for_each_document([&](std::int64_t d, std::int64_t tokens, std::uint32_t& next_document) {
    const PlacesOfLength& first = of_length[static_cast<std::size_t>(std::min(tokens, lengths - 1))];
    const std::int64_t unit = first.first_unit + (next_document - first.first_document) * first.units;
    documents[next_document++] = {
        .first_token = static_cast<std::uint32_t>(corpus.document_offsets[static_cast<std::size_t>(d)]),
        .tokens = static_cast<std::uint32_t>(tokens),
        .list = {.group = static_cast<std::uint32_t>(unit), .size = 0}};
  });
  const std::span<SparseDocument> to_sort = std::span(documents).first(longest);
  std::ranges::stable_sort(to_sort, std::ranges::greater(), &SparseDocument::tokens);
  std::int64_t unit = 0;
  for (SparseDocument& longer : to_sort) {
    longer.list.group = static_cast<std::uint32_t>(unit);
    unit += sizes.units(longer.tokens);
  }
}

void SparseLayout::cut_long_documents(std::int32_t topics) {
  for (const SparseDocument& longest : documents) {
    const std::int64_t tokens = longest.tokens;
    if (tokens <= long_document) break;
    tokens_of_long += tokens;
    if (tokens <= most_tokens_per_block(topics)) continue;
    const std::int64_t parts = base::ceil_div<std::int64_t>(tokens, slice_tokens);
    for (std::int64_t p = 0; p < parts; ++p) {
      const std::int64_t first = tokens * p / parts, end = tokens * (p + 1) / parts;
      slices.push_back({static_cast<std::uint32_t>(longest.first_token + first), static_cast<std::int32_t>(end - first),
                        counted_documents});
    }
    ++counted_documents;
  }
}

// Returns where each word's tokens begin, and the end. Documents are cut into parts with about the same number of
// tokens; each part counts its words, and then has places of its own among the tokens of each word.
std::vector<std::int64_t> SparseLayout::place_tokens(const CorpusView& corpus, int threads) {
  const std::int64_t words = corpus.vocabulary_size();
  const std::int64_t tokens = corpus.tokens();
  const std::int64_t parts =
      std::clamp<std::int64_t>(tokens / std::max(words, least_part), 1, execution::thread_count(threads));
  std::vector<std::size_t> first_document;
  std::int64_t before = 0;
  for (std::size_t d = 0; d < documents.size(); ++d) {
    while (before >= tokens * std::ssize(first_document) / parts) first_document.push_back(d);
    before += documents[d].tokens;
  }
  first_document.resize(static_cast<std::size_t>(parts) + 1, documents.size());
  const auto for_each_token = [&](std::int64_t part, auto&& body) {
    const auto p = static_cast<std::size_t>(part);
    for (std::size_t d = first_document[p]; d < first_document[p + 1]; ++d) {
      const std::int32_t* const word = corpus.words.data() + documents[d].first_token;
      for (std::uint32_t i = 0; i < documents[d].tokens; ++i) body(d, i, word[i]);
    }
  };

  std::vector<std::int64_t> next(static_cast<std::size_t>(parts * words));  // next free places, by part and word
  const auto of_part = [&](std::int64_t part) { return next.data() + part * words; };
  execution::parallel_for(parts, 1, threads, [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t part = begin; part < end; ++part) {
      std::int64_t* const counts = of_part(part);
      for_each_token(part, [&](std::size_t, std::uint32_t, std::int32_t w) { ++counts[w]; });
    }
  });
  std::vector<std::int64_t> offsets(static_cast<std::size_t>(words) + 1);
  std::int64_t place_of_next = 0;
  for (std::int64_t w = 0; w < words; ++w) {
    offsets[static_cast<std::size_t>(w)] = place_of_next;
    for (std::int64_t part = 0; part < parts; ++part) {
      place_of_next += std::exchange(of_part(part)[w], place_of_next);
    }
  }
  offsets.back() = place_of_next;

  execution::make_zeros(document, corpus.words.size(), threads);
  execution::make_zeros(place, corpus.words.size(), threads);
  execution::parallel_for(parts, 1, threads, [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t part = begin; part < end; ++part) {
      std::int64_t* const places = of_part(part);
      for_each_token(part, [&](std::size_t d, std::uint32_t i, std::int32_t w) {
        const auto at = static_cast<std::size_t>(places[w]++);
        document[at] = static_cast<std::int32_t>(d);
        place[at] = i;
      });
    }
  });
  return offsets;
}

ItemBlock SparseLayout::cut_words(std::int64_t first_word, std::int64_t end_word, const SparseCut& cut,
                                  const Seeds& seeds) {
  const bool is_block = cut.words_per_block > 0;
  std::vector<SparseItem> whole;
  std::vector<std::pair<double, SparseItem>> frequent;  // with the share of its word's tokens that come before it
  for (auto w = static_cast<std::size_t>(first_word); w < static_cast<std::size_t>(end_word); ++w) {
    const std::int64_t begin = word_offsets[w], tokens = word_offsets[w + 1] - begin;
    const bool is_seed = !is_block && !seeds.of_word(static_cast<std::int64_t>(w)).empty();
    if (tokens == 0 && !is_seed) continue;
    const std::int64_t row_of_block = static_cast<std::int64_t>(w) - first_word;
    if (tokens <= cut.tokens_per_item && !is_seed) {
      whole.push_back({static_cast<std::uint32_t>(begin), static_cast<std::int32_t>(tokens),
                       is_block ? static_cast<std::int32_t>(row_of_block) : -1});
      continue;
    }
    const auto row = static_cast<std::int32_t>(is_block ? row_of_block : std::ssize(frequent_words));
    const std::int64_t parts = base::ceil_div<std::int64_t>(tokens, std::min(cut.tokens_of_part, cut.tokens_per_item));
    for (std::int64_t p = 0; p < parts; ++p) {
      const std::int64_t first = tokens * p / parts, end = tokens * (p + 1) / parts;
      frequent.emplace_back(
          static_cast<double>(2 * p + 1) / static_cast<double>(2 * parts),
          SparseItem{static_cast<std::uint32_t>(begin + first), static_cast<std::int32_t>(end - first), row});
    }
    if (!is_block) frequent_words.push_back(static_cast<std::int64_t>(w));
  }
  // A word's tokens are in the order of documents. So blocks that work at the same time read the same part of the
  // documents' lists and topics, which the L2 cache holds.
  if (cut.by_range) {
    std::stable_sort(frequent.begin(), frequent.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
  }
  ItemBlock block = {.first_word = first_word, .end_word = end_word, .first_item = std::ssize(items)};
  for (const auto& [share, item] : frequent) items.push_back(item);
  block.first_whole = std::ssize(items);
  std::stable_sort(whole.begin(), whole.end(),
                   [](const SparseItem& a, const SparseItem& b) { return a.count > b.count; });
  items.insert(items.end(), whole.begin(), whole.end());
  block.end_item = std::ssize(items);
  return block;
}

DocumentOrder SparseLayout::document_order() const {
  DocumentOrder order = {std::vector<std::uint32_t>(documents.size()), std::vector<std::uint32_t>(documents.size())};
  std::uint32_t before = 0;
  for (std::size_t d = 0; d < documents.size(); ++d) {
    order.first_tokens[d] = documents[d].first_token;
    order.begins[d] = before;
    before += documents[d].tokens;
  }
  return order;
}

std::int64_t SparseLayout::items_above(std::int32_t tokens) const { return items_above(tokens, all_items()); }

ItemBlock SparseLayout::all_items() const { return {.first_whole = frequent_items, .end_item = std::ssize(items)}; }

std::int64_t SparseLayout::items_above(std::int32_t tokens, const ItemBlock& block) const {
  const auto first = std::partition_point(items.begin() + static_cast<std::ptrdiff_t>(block.first_whole),
                                          items.begin() + static_cast<std::ptrdiff_t>(block.end_item),
                                          [tokens](const SparseItem& item) { return item.count > tokens; });
  return first - items.begin();
}

}  // namespace papilio::lda
