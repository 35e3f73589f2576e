#pragma once

#include <cstdint>

#include "execution/cuda/event.h"
#include "execution/cuda/memory.h"
#include "lda/training/sparse/parallel/layout_cuda.h"

namespace papilio::lda {

// Tuning parameters for sparse sweeps of all tokens at once on a device. None of them changes a draw.
struct SparseParallelTuning {
  SparseCut cut = {};
  int threads = 0;              // for an item with many tokens; 0: chosen by the number of topics
  bool is_wide = false;         // use wide entries even if narrow ones would do
  bool global_rows = false;     // put rows of phi in global memory even if they fit in shared memory
  bool by_pair = false;         // tokens of a word in one document share its sums even if documents are short
  bool orders_on_host = false;  // put tokens in order by word on the host, even if the device has room for it
  std::int64_t least_words_in_tables = -1;  // with few tokens each, if there are few topics; -1: the default
  bool gathers_changes = true;              // blocks collect changes of counts, if there are few topics
  bool draws_beside = true;                 // draw items with few tokens at the same time as the others
  bool counts_parts = false;                // count draws by part
  std::int64_t range_bytes = 0;   // draw by ranges of documents of this many bytes; 0: by ranges only if not all fits
  std::uint64_t first_token = 0;  // with ranges: the number of the corpus's first token, as if others came before it
};

// Whether rows of phi are in global memory rather than shared memory: one for each of blocks_with_global_rows().
bool has_global_rows(const SparseParallelTuning& tuning, std::int32_t topics);

// Chooses the kernels for the items of a layout by how many tokens each has. All sweeps of all tokens at once use it,
// whether blocks count their words themselves or the counts are shared.
class ItemDraws {
 public:
  // `shared_counts`: counts come from the layouts, whose items then all have rows.
  ItemDraws(const SparseParallelTuning& tuning, std::int32_t topics, bool shared_counts);

  // Whether the tokens of a word in one document share the document's sums.
  bool by_pair(const SparseLayout& layout, std::int64_t tokens) const;

  // Draws the items of a block of words, on both streams if the tuning says so; `stream` continues when all are drawn.
  // draw.items are all items of the layout, on the device; draw.item_count is set here.
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
  const int threads_;  // for an item
  const std::int32_t few_tokens_;
  const std::int32_t many_tokens_;
  const std::int32_t without_row_;
  const std::int64_t least_words_in_tables_;
  const bool in_global_;
  execution::Stream side_;  // draws items of few tokens while the others are drawn
  execution::Event may_begin_, few_are_drawn_;
};

}  // namespace papilio::lda
