#include "lda/training/sparse/parallel/word_counts_cuda.h"

#include <algorithm>
#include <iterator>
#include <vector>

#include "base/math.h"
#include "execution/cuda/memory.h"
#include "execution/cuda/staged_copies.h"
#include "lda/training/sparse/parallel/arrays_cuda.h"

namespace papilio::lda {
namespace {

constexpr std::int64_t tokens_of_item = std::int64_t{1} << 14;
constexpr std::int64_t most_bytes = std::int64_t{1} << 28;  // per table; a larger one saves little
constexpr std::int64_t most_tables = 64;                    // more would take longer than counting on the host

// Items for the words from `first` to before `end`; their rows begin with that of `first`.
std::vector<SparseItem> items_of_words(std::span<const std::int64_t> offsets, std::int64_t first, std::int64_t end) {
  std::vector<SparseItem> items;
  for (std::int64_t w = first; w < end; ++w) {
    const std::int64_t last = offsets[static_cast<std::size_t>(w) + 1];
    for (std::int64_t begin = offsets[static_cast<std::size_t>(w)]; begin < last; begin += tokens_of_item) {
      items.push_back({static_cast<std::uint32_t>(begin),
                       static_cast<std::int32_t>(std::min(tokens_of_item, last - begin)),
                       static_cast<std::int32_t>(w - first)});
    }
  }
  return items;
}

}  // namespace

template <class Entry>
bool count_words_on_device(SparseDraw<Entry> draw, std::span<const std::int64_t> word_offsets, std::int64_t budget,
                           int threads, std::span<std::int32_t> n_wk, std::int64_t* n_k, cudaStream_t stream) {
  const std::int64_t topics = draw.masses.topics, words = std::ssize(word_offsets) - 1;
  const std::int64_t row_bytes = topics * std::int64_t{sizeof(std::int32_t)};
  const std::int64_t rows = std::min(words, std::min(budget, most_bytes) / row_bytes);
  if (rows <= 0 || base::ceil_div(words, rows) > most_tables) return false;
  execution::DeviceArray<std::int32_t> table(rows * topics, "counts of words");
  execution::StagedCopies copies(table.bytes(), threads, stream);
  draw.frequent_next = table.data();
  draw.masses.padded = draw.masses.topics;  // the distance between rows
  for (std::int64_t first = 0; first < words; first += rows) {
    const std::int64_t end = std::min(first + rows, words);
    const std::vector<SparseItem> items = items_of_words(word_offsets, first, end);
    const execution::DeviceArray<SparseItem> items_there = on_device(items, "words", stream);
    draw.items = items_there.data();
    draw.item_count = std::ssize(items);
    table.clear(stream);
    queue_frequent_counts(draw, stream);
    queue_column_sums(table.data(), end - first, draw.masses.topics, draw.masses.topics, n_k, stream);
    copies.download(n_wk.data() + first * topics, table.data(), (end - first) * topics);
  }
  return true;
}

template bool count_words_on_device(SparseDraw<sparse::NarrowEntry>, std::span<const std::int64_t>, std::int64_t, int,
                                    std::span<std::int32_t>, std::int64_t*, cudaStream_t);
template bool count_words_on_device(SparseDraw<sparse::WideEntry>, std::span<const std::int64_t>, std::int64_t, int,
                                    std::span<std::int32_t>, std::int64_t*, cudaStream_t);

}  // namespace papilio::lda
