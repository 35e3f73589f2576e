#pragma once

#include <cstdint>
#include <vector>

#include "base/function_ref.h"
#include "lda/model/seeds.h"
#include "lda/training/sparse/parallel/by_word/tokens_by_word_cuda.h"
#include "lda/training/sparse/parallel/draws_cuda.h"
#include "lda/training/sparse/parallel/shapes_cuda.h"
#include "papilio/corpus.h"

namespace papilio::lda {

// The default, unless the cut says otherwise.
inline constexpr std::int32_t least_tokens_per_item = 1024;

// How the work of a sparse sweep is divided among blocks of a device.
struct SparseCut {
  std::int32_t tokens_per_item = 0;  // a word with more is frequent: several blocks draw it; 0: chosen by the corpus
  std::int32_t tokens_of_part = 0;   // of a frequent word, per block; 0: the default
  bool by_range = true;              // blocks that work at the same time have parts of the same documents
  std::int32_t few_tokens = -1;      // at most, for an item to get a small block; -1: the default
  std::int32_t many_tokens = -1;     // more, for an item to get a block of 512 threads; -1: the default
  std::int32_t without_row = -1;     // a word with at most this many tokens has no row; -1: by the number of topics
  int entry_bytes = 4;               // per entry of a list
  bool short_entries = true;         // if they are possible
  std::int64_t words_per_block = 0;  // whose counts are given to the draws at a time; 0: blocks count their words
};

// Words whose counts are available at the same time, and their items. Items of words with several items come first,
// then the others, those with more tokens first.
struct ItemBlock {
  std::int64_t first_word = 0;
  std::int64_t end_word = 0;
  std::int64_t first_item = 0;
  std::int64_t first_whole = 0;
  std::int64_t end_item = 0;
};

// The number of topics, rounded up to row_multiple.
std::int32_t padded_topics(std::int32_t topics);

// A corpus in the form that a device needs for sparse sweeps.
struct SparseLayout {
  // Seed words are treated as frequent, however few tokens they have, because their counts include more than tokens.
  // The layout does not depend on the number of threads.
  SparseLayout(const CorpusView& corpus, std::int32_t topics, SparseCut cut, const Seeds& seeds, int threads);

  // The same without `document` and `place`. `order` makes these where the caller wants them, from the documents of
  // the layout, and returns word_offsets.
  using OrderTokens = base::FunctionRef<std::vector<std::int64_t>(const SparseLayout&)>;
  SparseLayout(const CorpusView& corpus, std::int32_t topics, SparseCut cut, const Seeds& seeds, int threads,
               OrderTokens order);

  DocumentOrder document_order() const;

  // The first item that has all tokens of its word, and at most this many.
  std::int64_t items_above(std::int32_t tokens) const;
  ItemBlock all_items() const;
  std::int64_t items_above(std::int32_t tokens, const ItemBlock& block) const;

  std::vector<SparseDocument> documents;  // those that have tokens, the longest first
  std::int32_t long_documents = 0;        // those of more than longest_sorted tokens
  std::int32_t listed_documents = 0;      // those of more than one token, which have lists
  std::int32_t counted_documents = 0;     // those that several blocks count, each block a slice
  std::vector<SparseItem> slices;
  std::int64_t tokens_of_long = 0;         // in documents of more than long_document tokens
  ShortEntries short_entries;              // its first document is listed_documents if there are none
  std::int64_t list_units = 0;             // the units of list_unit bytes that all lists together have room for
  std::vector<std::int32_t> document;      // of each token, in the order of words; ascending within a word
  std::vector<std::uint32_t> place;        // of each token, in its document
  std::vector<std::int64_t> word_offsets;  // V + 1: where each word's tokens begin
  std::vector<SparseItem> items;           // those of frequent words first, then others, those with more tokens first
  std::int64_t frequent_items = 0;
  std::int32_t tokens_per_item = 0;          // at most
  std::vector<std::int64_t> frequent_words;  // the word of each row of counts
  std::vector<ItemBlock> blocks;             // if the cut asks for them; then every item has the row of its word

 private:
  void place_documents(const CorpusView& corpus, std::int32_t topics, const SparseCut& cut, int threads);
  void cut_long_documents(std::int32_t topics);
  void cut_all_words(const CorpusView& corpus, std::int32_t topics, SparseCut cut, const Seeds& seeds);
  std::vector<std::int64_t> place_tokens(const CorpusView& corpus, int threads);
  ItemBlock cut_words(std::int64_t first_word, std::int64_t end_word, const SparseCut& cut, const Seeds& seeds);
};

}  // namespace papilio::lda
