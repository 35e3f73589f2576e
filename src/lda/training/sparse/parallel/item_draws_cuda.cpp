#include "lda/training/sparse/parallel/item_draws_cuda.h"

#include <algorithm>

#include "base/math.h"

namespace papilio::lda {
namespace {

// The most tokens of a word for which no row is made; 0 if there is no room even for what replaces the row.
std::int32_t tokens_without_row_of(const SparseParallelTuning& tuning, std::int32_t topics) {
  const std::int32_t tokens = tuning.cut.without_row >= 0 ? tuning.cut.without_row : tokens_without_row(topics);
  const std::int64_t bytes = few_topics_bytes(padded_topics(topics), base::round_up(tokens, 2));
  return fits_in_shared(bytes) ? tokens : 0;
}

template <class Entry>
SparseDraw<Entry> items_of(SparseDraw<Entry> draw, std::int64_t first, std::int64_t end) {
  draw.items += first;
  draw.item_count = end - first;
  return draw;
}

}  // namespace

bool has_global_rows(const SparseParallelTuning& tuning, std::int32_t topics) {
  return tuning.global_rows || !row_fits_in_shared(padded_topics(topics));
}

ItemDraws::ItemDraws(const SparseParallelTuning& tuning, std::int32_t topics, bool shared_counts)
    : tuning_(tuning),
      topics_(topics),
      shared_counts_(shared_counts),
      threads_(tuning.threads != 0 ? tuning.threads : sparse_shape(topics).threads),
      few_tokens_(tuning.cut.few_tokens >= 0 ? tuning.cut.few_tokens : few_tokens),
      many_tokens_(tuning.cut.many_tokens >= 0 ? tuning.cut.many_tokens : many_tokens_of_row),
      without_row_(tokens_without_row_of(tuning, topics)),
      least_words_in_tables_(tuning.least_words_in_tables >= 0 ? tuning.least_words_in_tables : least_words_in_tables),
      in_global_(has_global_rows(tuning, topics)) {}

bool ItemDraws::by_pair(const SparseLayout& layout, std::int64_t tokens) const {
  if (tuning_.global_rows || !list_fits_in_shared(padded_topics(topics_))) return false;
  return tuning_.by_pair || layout.tokens_of_long * long_share >= tokens;
}

// The most tokens of a word whose counts are in a table, or which is rare.
std::int32_t ItemDraws::most_in_table(const SparseLayout& layout, const ItemBlock& block) const {
  const std::int64_t words =
      layout.items_above(tokens_of_rare, block) - layout.items_above(most_tokens_in_table, block);
  return topics_ <= topics_with_rows && words >= least_words_in_tables_ ? most_tokens_in_table : tokens_of_rare;
}

// Words with many tokens are drawn on the caller's stream, the others meanwhile on another, in order of falling
// numbers of tokens. Rows of phi in global memory can be used by one kernel at a time.
template <class Entry>
void ItemDraws::queue(const SparseDraw<Entry>& draw, const SparseLayout& layout, const ItemBlock& block,
                      cudaStream_t stream) {
  const bool all_have_rows = shared_counts_ || draw.by_pair;
  const std::int32_t in_table = most_in_table(layout, block);
  const std::int64_t without_row =
      all_have_rows ? block.end_item
                    : std::min(layout.items_above(in_table, block), layout.items_above(without_row_, block));
  const cudaStream_t side = tuning_.draws_beside ? side_.get() : stream;
  if (tuning_.draws_beside) may_begin_.order(stream, side);
  queue_with_rows(draw, layout, block, without_row, stream, side);
  queue_without_rows(draw, layout, block, without_row, in_table, side);
  if (tuning_.draws_beside) few_are_drawn_.order(side, stream);
}

// The items before `end`.
template <class Entry>
void ItemDraws::queue_with_rows(const SparseDraw<Entry>& draw, const SparseLayout& layout, const ItemBlock& block,
                                std::int64_t end, cudaStream_t stream, cudaStream_t side) const {
  if (in_global_) return queue_sparse_parallel_draws(items_of(draw, block.first_item, end), threads_, stream);
  const std::int64_t few = std::min(end, layout.items_above(few_tokens_, block));
  const std::int64_t in_parts = std::min(block.first_whole, few);
  const std::int64_t many = std::min(few, layout.items_above(many_tokens_, block));
  SparseDraw<Entry> parts = items_of(draw, block.first_item, in_parts);
  parts.gathers_changes =
      tuning_.gathers_changes && topics_ <= topics_with_changes && draw.frequent_next != nullptr && !draw.by_pair;
  queue_sparse_parallel_draws(parts, threads_, stream);
  queue_sparse_parallel_draws(items_of(draw, in_parts, many), 512, side);
  queue_sparse_parallel_draws(items_of(draw, many, few), threads_, side);
  queue_sparse_parallel_draws(items_of(draw, few, end), small_block_threads, side);
}

// The items from `first` on.
template <class Entry>
void ItemDraws::queue_without_rows(const SparseDraw<Entry>& draw, const SparseLayout& layout, const ItemBlock& block,
                                   std::int64_t first, std::int32_t in_table, cudaStream_t side) const {
  if (first == block.end_item) return;
  const auto queue_until = [&](std::int64_t last, int threads) {
    if (last <= first) return;
    const std::int32_t most = layout.items[static_cast<std::size_t>(first)].count;
    queue_draws_of_few_topics(items_of(draw, first, last), base::round_up(most, 2), threads, side);
    first = last;
  };
  const std::int64_t in_tables = layout.items_above(in_table, block);
  queue_until(std::min(in_tables, layout.items_above(many_tokens, block)), 512);
  queue_until(std::min(in_tables, layout.items_above(few_tokens, block)), 128);
  queue_until(in_tables, small_block_threads);
  for (int most = in_table; most > tokens_of_rare; most /= 2) {
    const std::int64_t last = layout.items_above(most / 2, block);
    queue_draws_in_tables(items_of(draw, first, last), most, side);
    first = last;
  }
  const std::int64_t rare = layout.items_above(tokens_of_rare, block);
  queue_draws_of_rare_words(items_of(draw, rare, block.end_item), side);
}

template void ItemDraws::queue(const SparseDraw<sparse::NarrowEntry>&, const SparseLayout&, const ItemBlock&,
                               cudaStream_t);
template void ItemDraws::queue(const SparseDraw<sparse::WideEntry>&, const SparseLayout&, const ItemBlock&,
                               cudaStream_t);

}  // namespace papilio::lda
