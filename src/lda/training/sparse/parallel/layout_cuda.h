#pragma once

#include <cstdint>
#include <vector>

#include "lda/model/seeds.h"
#include "lda/training/sparse/parallel/draws_cuda.h"
#include "lda/training/sparse/parallel/shapes_cuda.h"
#include "papilio/corpus.h"

namespace papilio::lda {

// How the work of a sparse sweep is divided for a device.
struct SparseCut {
  std::int32_t tokens_per_item = 0;  // a word with more is frequent: several blocks draw it; 0: by the corpus
  std::int32_t few_tokens = -1;      // of an item for a small block; -1: by the number of topics
};

// Topics rounded up to row_multiple.
std::int32_t padded_topics(std::int32_t topics);

// A corpus as a device needs it for sparse sweeps.
struct SparseLayout {
  // Seed words count as frequent, with any number of tokens: their counts hold more than tokens.
  // The layout does not depend on the number of threads.
  SparseLayout(const CorpusView& corpus, std::int32_t topics, SparseCut cut, const Seeds& seeds, int threads);

  std::vector<SparseDocument> documents;  // that have tokens, the longest first
  std::int32_t long_documents = 0;        // of more than longest_sorted tokens
  std::int64_t list_entries = 0;          // that all lists have room for
  std::vector<std::int32_t> document;     // of each token by word, in ascending order in a word
  std::vector<std::uint32_t> place;       // in its document
  std::vector<SparseItem> items;          // frequent words' first, then others with many tokens, then those with few
  std::int64_t frequent_items = 0;
  std::int64_t large_items = 0;              // frequent ones included
  std::vector<std::int64_t> frequent_words;  // of each row of counts

 private:
  void place_documents(const CorpusView& corpus, std::int32_t topics);
  std::vector<std::int64_t> place_tokens(const CorpusView& corpus, int threads);
  void cut_words(const std::vector<std::int64_t>& offsets, const SparseCut& cut, const Seeds& seeds);
};

}  // namespace papilio::lda
