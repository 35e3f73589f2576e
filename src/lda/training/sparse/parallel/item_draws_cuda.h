#pragma once

#include <cstdint>

#include "execution/cuda/event.h"
#include "execution/cuda/memory.h"
#include "lda/training/sparse/parallel/layout_cuda.h"

namespace papilio::lda {

// How a device goes about sparse sweeps of all tokens at once. Nothing here changes a draw.
struct SparseParallelTuning {
  SparseCut cut = {};
  int threads = 0;              // for an item of many tokens; 0: by the number of topics
  bool is_wide = false;         // wide entries also where narrow ones would do
  bool global_rows = false;     // rows of phi in global memory also where shared memory would do
  bool by_pair = false;         // tokens of a word and a document share the document's sums also in short documents
  bool orders_on_host = false;  // tokens by word, also where the device has room for it
  std::int64_t least_words_in_tables = -1;  // of few tokens, where there are few topics; -1: as always
  bool gathers_changes = true;              // of counts, in a block, where there are few topics
  bool draws_beside = true;                 // items of few tokens while others are drawn
  bool counts_parts = false;                // draws are counted by their parts
  std::int64_t range_bytes = 0;   // by ranges of documents of this many bytes, even if all fits; 0: where it does not
  std::uint64_t first_token = 0;  // by ranges: the number of the corpus's first token, as if others came before it
};

// Whether rows of phi are in global memory, not in that of blocks: one for each of blocks_with_global_rows().
bool has_global_rows(const SparseParallelTuning& tuning, std::int32_t topics);

// Chooses the kernels for the items of a layout, by how many tokens each has: all sweeps of all tokens at once, by
// counts that blocks make for themselves or by counts that are shared, go by it.
class ItemDraws {
 public:
  // `shared_counts`: those of the layouts, whose items all have rows.
  ItemDraws(const SparseParallelTuning& tuning, std::int32_t topics, bool shared_counts);

  // Whether the tokens of a word and a document share the document's sums.
  bool by_pair(const SparseLayout& layout, std::int64_t tokens) const;

  // Draws the items of a block of words, on both streams where the tuning says so; `stream` goes on when all are
  // drawn. draw.items: all of the layout's, on the device; draw.item_count is set here.
  template <class Entry>
  void queue(const SparseDraw<Entry>& draw, const SparseLayout& layout, const ItemBlock& block, cudaStream_t stream);

 private:
  template <class Entry>
  void queue_with_rows(const SparseDraw<Entry>& draw, const SparseLayout& layout, const ItemBlock& block,
                       std::int64_t end, cudaStream_t stream, cudaStream_t side) const;
  template <class Entry>
  void queue_without_rows(const SparseDraw<Entry>& draw, const SparseLayout& layout, const ItemBlock& block,
                          std::int64_t first, std::int32_t in_table, cudaStream_t side) const;
  std::int32_t most_in_table(const SparseLayout& layout, const ItemBlock& block) const;

  const SparseParallelTuning tuning_;
  const std::int32_t topics_;
  const bool shared_counts_;
  const int threads_;  // that draw an item
  const std::int32_t few_tokens_;
  const std::int32_t many_tokens_;
  const std::int32_t without_row_;
  const std::int64_t least_words_in_tables_;
  const bool in_global_;
  execution::Stream side_;  // items of few tokens are drawn beside the others
  execution::Event may_begin_, few_are_drawn_;
};

}  // namespace papilio::lda
