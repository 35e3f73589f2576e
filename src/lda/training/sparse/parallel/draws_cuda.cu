#include <algorithm>
#include <cstddef>
#include <type_traits>

#include "base/math.h"
#include "execution/cuda/check.h"
#include "execution/cuda/memory.h"
#include "execution/cuda/shared_bytes.h"
#include "lda/training/sparse/parallel/few_topics_cuda.cuh"
#include "lda/training/sparse/parallel/pair_cuda.cuh"
#include "lda/training/sparse/parallel/rare_word_cuda.cuh"
#include "lda/training/sparse/parallel/shapes_cuda.h"
#include "lda/training/sparse/parallel/token_cuda.cuh"
#include "lda/training/sparse/parallel/word_part_cuda.cuh"

namespace papilio::lda {
namespace {

constexpr int rare_threads = 512, group_threads = 512;
constexpr std::int32_t most_changes = 32767;
constexpr int most_rare_topics = 8192;  // up to this many, a block of rare words keeps their masses in shared memory

// Changes of counts by an item's tokens: one word has those of two topics, each below 2^15.
__device__ __forceinline__ void add_change(unsigned* changes, std::int32_t k, int n) {
  atomicAdd(changes + k / 2, static_cast<unsigned>(n) << 16 * (k % 2));
}
__device__ __forceinline__ void add_changes(const unsigned* changes, std::int32_t padded, int threads,
                                            std::int32_t* counts) {
#pragma unroll 1
  for (int i = static_cast<int>(threadIdx.x); i < padded / 2; i += threads) {
    const unsigned both = changes[i];
    if (both == 0) continue;
    const int low = static_cast<std::int16_t>(both & 0xFFFFu);
    const int high = static_cast<std::int16_t>((both - static_cast<unsigned>(low)) >> 16);
    if (low != 0) atomicAdd(counts + 2 * i, low);
    if (high != 0) atomicAdd(counts + 2 * i + 1, high);
  }
}

// Stores a token's new topic. `changes`: where the item's changes are collected; if null, counts change at once.
template <class Entry>
__device__ __forceinline__ void keep(const SparseDraw<Entry>& draw, const SparseItem& item, const SparseToken& token,
                                     const Drawn& drawn, unsigned* changes, Tally& tally) {
  if (draw.counts) tally.add(drawn.part);
  if (drawn.topic == token.list.old) return;
  draw.z[token.number] = static_cast<typename Entry::Number>(drawn.topic);
  if (item.row < 0 || draw.frequent_next == nullptr) return;
  if (changes != nullptr) {
    add_change(changes, token.list.old, -1);
    add_change(changes, drawn.topic, 1);
    return;
  }
  std::int32_t* const next = draw.frequent_next + std::int64_t{item.row} * draw.masses.padded;
  atomicAdd(next + token.list.old, -1);
  atomicAdd(next + drawn.topic, 1);
}

template <class Entry, class Word>
__device__ __forceinline__ void draw_one(const SparseDraw<Entry>& draw, const SparseItem& item, const Word& word,
                                         const SparseToken& token, unsigned* changes, Tally& tally) {
  const DocumentPart<Entry, Word> document(word, draw, token.list);
  keep(draw, item, token, draw_token(draw, word, document, token), changes, tally);
}

// Draws all tokens of an item.
template <class Entry, int threads, class Word>
__device__ __forceinline__ void draw_tokens(const SparseDraw<Entry>& draw, const SparseItem& item, const Word& word,
                                            unsigned* changes, Tally& tally) {
  for (int t = static_cast<int>(threadIdx.x) % threads; t < item.count; t += threads) {
    draw_one(draw, item, word, SparseToken(draw, std::int64_t{item.first} + t), changes, tally);
  }
}
// The same for long documents: if all tokens that a block has at a time are of one document, they share the sums of
// its list, for which `running` has room.
template <class Entry, int threads, class Word>
__device__ __forceinline__ void draw_tokens_by_pair(const SparseDraw<Entry>& draw, const SparseItem& item,
                                                    const Word& word, float* running, Tally& tally) {
  std::int32_t added_up = -1;  // the document whose sums are in `running`
  for (int first = 0; first < item.count; first += threads) {
    const int here = min(threads, item.count - first), t = static_cast<int>(threadIdx.x);
    const std::int64_t by_word = std::int64_t{item.first} + first;
    const std::int32_t d = draw.document[by_word];
    const bool has_list = d < draw.short_entries.first_document;
    if (here < least_of_pair || !has_list || d != draw.document[by_word + here - 1]) {
      if (t < here) draw_one(draw, item, word, SparseToken(draw, by_word + t), nullptr, tally);
      continue;
    }
    const sparse::ListPlace place = load_document(draw.documents + d).list;
    const Entry* const list = list_at(draw.lists, place.group);
    if (d != added_up) add_up_list<Entry, threads>(word, list, place.size, running);
    added_up = d;
    if (t >= here) continue;
    const SparseToken token(draw, by_word + t);
    const DocumentPartOfPair<Entry> document(list, place.size, running, token.list.old);
    keep(draw, item, token, draw_token(draw, word, document, token), nullptr, tally);
  }
}

// What is in a block's dynamic shared memory: a row and, for draws by pair, a list's running sums after it.
enum class Shared : std::uint8_t { nothing, row, row_and_list };

// A block draws one item, or several if rows are in global memory.
template <class Entry, int threads, Shared in_shared>
__global__ void __launch_bounds__(threads, std::min(threads_at_once / threads, most_blocks_at_once))
    draw_sparsely(const __grid_constant__ SparseDraw<Entry> draw) {
  extern __shared__ float4 shared[];
  const std::int32_t padded = draw.masses.padded;
  void* memory = shared;
  if constexpr (in_shared == Shared::nothing) {
    memory = reinterpret_cast<std::byte*>(draw.rows) + blockIdx.x * sparse_row_bytes(padded);
  }
  WordRow row(memory, padded);
  Tally tally;
  for (std::int64_t i = blockIdx.x; i < draw.item_count; i += gridDim.x) {
    const SparseItem item = draw.items[i];
    const std::int32_t* frequent = nullptr;
    unsigned* changes = nullptr;
    if (item.row >= 0)
      frequent = draw.frequent + std::int64_t{item.row} * padded;
    else
      count_word<Entry, threads>(draw, item, row);
    weigh_word<threads>(draw.masses, frequent, row);
    if (in_shared == Shared::row && draw.gathers_changes && item.row >= 0 && item.count <= most_changes) {
      changes = reinterpret_cast<unsigned*>(row.warps);  // the sums there have been read
      for (int k = static_cast<int>(threadIdx.x); k < padded / 2; k += threads) changes[k] = 0;
      wait_for_the_others<threads>();
    }
    const WordOfItem word = {draw.masses, row.phi, row.ends, frequent, row.ends[padded / chunk_topics - 1]};
    if constexpr (in_shared == Shared::row_and_list) {
      draw_tokens_by_pair<Entry, threads>(draw, item, word, reinterpret_cast<float*>(row.warps + 16), tally);
    } else {
      draw_tokens<Entry, threads>(draw, item, word, changes, tally);
    }
    wait_for_the_others<threads>();
    if (changes != nullptr) {
      add_changes(changes, padded, threads, draw.frequent_next + std::int64_t{item.row} * padded);
      wait_for_the_others<threads>();
    }
  }
  if (draw.counts) tally.give_to(draw.statistics);
}

// A block draws an item of few tokens.
template <class Entry, int threads>
__global__ void __launch_bounds__(threads, std::min(threads_at_once / threads, most_blocks_at_once))
    draw_few_topics(const __grid_constant__ SparseDraw<Entry> draw, std::int32_t most) {
  extern __shared__ float4 shared[];
  WordOfFewTopics word(shared, draw.masses, most);
  Tally tally;
  for (std::int64_t i = blockIdx.x; i < draw.item_count; i += gridDim.x) {
    const SparseItem item = draw.items[i];
    word.count_tokens<Entry, threads>(draw, item);
    draw_tokens<Entry, threads>(draw, item, word, nullptr, tally);
    wait_for_the_others<threads>();
  }
  if (draw.counts) tally.give_to(draw.statistics);
}

// Words of up to tokens_of_rare tokens: each has that many threads, one for each of its tokens.
template <class Entry, bool in_shared>
__global__ void __launch_bounds__(rare_threads, threads_at_once / rare_threads)
    draw_rare_words(const __grid_constant__ SparseDraw<Entry> draw) {
  extern __shared__ float4 shared[];
  const float* inverse = draw.masses.inverse;
  if constexpr (in_shared) {
    auto* const copy = reinterpret_cast<float*>(shared);
    for (int k = static_cast<int>(threadIdx.x); k < draw.masses.padded; k += rare_threads) copy[k] = inverse[k];
    __syncthreads();
    inverse = copy;
  }
  constexpr int words = rare_threads / tokens_of_rare;
  const int t = static_cast<int>(threadIdx.x) % tokens_of_rare;
  Tally tally;
  for (std::int64_t first = std::int64_t{blockIdx.x} * words; first < draw.item_count;
       first += std::int64_t{gridDim.x} * words) {
    const std::int64_t i = first + threadIdx.x / tokens_of_rare;
    const SparseItem item = i < draw.item_count ? draw.items[i] : SparseItem{0, 0, -1};
    const bool is_there = t < item.count;
    SparseToken token;
    if (is_there) token = SparseToken(draw, std::int64_t{item.first} + t);
    const RareWord word(draw.masses, inverse, is_there ? token.list.old : no_topic);
    if (is_there) draw_one(draw, item, word, token, nullptr, tally);
    __syncwarp();
  }
  if (draw.counts) tally.give_to(draw.statistics);
}

// Words of up to `width` tokens: each has that many threads, one for each of its tokens.
template <class Entry, int width>
__global__ void __launch_bounds__(group_threads, threads_at_once / group_threads)
    draw_words_by_groups(const __grid_constant__ SparseDraw<Entry> draw) {
  extern __shared__ float4 shared[];
  constexpr int words = group_threads / width;
  TableOfWords<words, width> table(shared, draw.masses.padded);
  table.template start<group_threads>(draw.masses);
  const int t = static_cast<int>(threadIdx.x) % width;
  const int group = static_cast<int>(threadIdx.x) / width;
  WordInTable<width> word(draw.masses, table, group);
  Tally tally;
  for (std::int64_t first = std::int64_t{blockIdx.x} * words; first < draw.item_count;
       first += std::int64_t{gridDim.x} * words) {
    const std::int64_t i = first + group;
    const SparseItem item = i < draw.item_count ? draw.items[i] : SparseItem{0, 0, -1};
    const bool is_there = t < item.count;
    SparseToken token;
    if (is_there) token = SparseToken(draw, std::int64_t{item.first} + t);
    const std::int32_t old = is_there ? token.list.old : no_topic;
    word.begin(old);
    if (is_there) draw_one(draw, item, word, token, nullptr, tally);
    word.end(old);
  }
  if (draw.counts) tally.give_to(draw.statistics);
}

template <class Entry>
__global__ void count_frequent(const SparseDraw<Entry> draw) {
  const SparseItem item = draw.items[blockIdx.x];
  std::int32_t* const next = draw.frequent_next + std::int64_t{item.row} * draw.masses.padded;
  for (int t = static_cast<int>(threadIdx.x); t < item.count; t += static_cast<int>(blockDim.x)) {
    atomicAdd(next + draw.z[token_number(draw, std::int64_t{item.first} + t)], 1);
  }
}

int most_shared_bytes() { return execution::device_attribute(cudaDevAttrMaxSharedMemoryPerBlockOptin); }

template <class Entry, int threads>
void launch(const SparseDraw<Entry>& draw, cudaStream_t stream) {
  auto* const kernel =
      draw.by_pair ? draw_sparsely<Entry, threads, Shared::row_and_list> : draw_sparsely<Entry, threads, Shared::row>;
  const std::int64_t padded = draw.masses.padded;
  const auto bytes = static_cast<std::size_t>(draw.by_pair           ? sparse_row_bytes(draw.masses.padded) + padded * 4
                                              : draw.gathers_changes ? row_and_changes_bytes(draw.masses.padded)
                                                                     : sparse_row_bytes(draw.masses.padded));
  execution::allow_shared_bytes(kernel, static_cast<std::int64_t>(bytes), "requesting shared memory");
  kernel<<<static_cast<unsigned>(draw.item_count), threads, bytes, stream>>>(draw);
}

template <class Entry, int threads>
void launch_few_topics(const SparseDraw<Entry>& draw, std::int32_t most, cudaStream_t stream) {
  const auto bytes = static_cast<std::size_t>(few_topics_bytes(draw.masses.padded, most));
  execution::allow_shared_bytes(draw_few_topics<Entry, threads>, static_cast<std::int64_t>(bytes),
                                "requesting shared memory");
  draw_few_topics<Entry, threads><<<static_cast<unsigned>(draw.item_count), threads, bytes, stream>>>(draw, most);
}

// Launches as many blocks as can be resident at once, each with several words at a time.
template <class Entry>
void launch_words(void (*kernel)(SparseDraw<Entry>), const SparseDraw<Entry>& draw, int words, int threads,
                  std::int64_t bytes, cudaStream_t stream) {
  execution::allow_shared_bytes(kernel, bytes, "requesting shared memory");
  const std::int64_t most = std::int64_t{execution::multiprocessors()} * (threads_at_once / threads);
  const std::int64_t wanted = base::ceil_div<std::int64_t>(draw.item_count, words);
  kernel<<<static_cast<unsigned>(std::min(wanted, most)), threads, static_cast<std::size_t>(bytes), stream>>>(draw);
}

}  // namespace

bool list_fits_in_shared(std::int32_t padded) {
  return fits_in_shared(sparse_row_bytes(padded) + std::int64_t{padded} * 4);
}
bool fits_in_shared(std::int64_t bytes) { return bytes <= most_shared_bytes(); }
bool row_fits_in_shared(std::int32_t padded) { return fits_in_shared(sparse_row_bytes(padded)); }

std::int64_t blocks_with_global_rows() { return std::int64_t{execution::multiprocessors()} * global_row_blocks; }

template <class Entry>
void queue_sparse_parallel_draws(const SparseDraw<Entry>& draw, int threads, cudaStream_t stream) {
  if (draw.item_count == 0) return;
  if (draw.rows != nullptr) {
    const auto blocks = static_cast<unsigned>(std::min(draw.item_count, blocks_with_global_rows()));
    draw_sparsely<Entry, global_row_threads, Shared::nothing><<<blocks, global_row_threads, 0, stream>>>(draw);
  } else if (threads == small_block_threads) {
    launch<Entry, small_block_threads>(draw, stream);
  } else if (threads == 128) {
    launch<Entry, 128>(draw, stream);
  } else {
    launch<Entry, 512>(draw, stream);
  }
  execution::check_launch("drawing topics sparsely");
}

template <class Entry>
void queue_draws_of_rare_words(const SparseDraw<Entry>& draw, cudaStream_t stream) {
  if (draw.item_count == 0) return;
  if (draw.masses.padded > most_rare_topics) {
    launch_words(draw_rare_words<Entry, false>, draw, rare_threads / tokens_of_rare, rare_threads, 0, stream);
  } else {
    launch_words(draw_rare_words<Entry, true>, draw, rare_threads / tokens_of_rare, rare_threads,
                 std::int64_t{draw.masses.padded} * 4, stream);
  }
  execution::check_launch("drawing topics of rare words");
}

template <class Entry>
void queue_draws_in_tables(const SparseDraw<Entry>& draw, int tokens, cudaStream_t stream) {
  if (draw.item_count == 0) return;
  const auto by_groups = [&]<int width>(std::integral_constant<int, width>) {
    constexpr int words = group_threads / width;
    launch_words(draw_words_by_groups<Entry, width>, draw, words, group_threads,
                 TableOfWords<words, width>::bytes(draw.masses.padded), stream);
  };
  if (tokens == 8) {
    by_groups(std::integral_constant<int, 8>());
  } else if (tokens == 16) {
    by_groups(std::integral_constant<int, 16>());
  } else {
    by_groups(std::integral_constant<int, 32>());
  }
  execution::check_launch("drawing topics of words of few tokens");
}

template <class Entry>
void queue_draws_of_few_topics(const SparseDraw<Entry>& draw, std::int32_t most, int threads, cudaStream_t stream) {
  if (draw.item_count == 0) return;
  if (threads == small_block_threads) {
    launch_few_topics<Entry, small_block_threads>(draw, most, stream);
  } else if (threads == 128) {
    launch_few_topics<Entry, 128>(draw, most, stream);
  } else {
    launch_few_topics<Entry, 512>(draw, most, stream);
  }
  execution::check_launch("drawing topics of words of few tokens");
}

template <class Entry>
void queue_frequent_counts(const SparseDraw<Entry>& draw, cudaStream_t stream) {
  if (draw.item_count == 0) return;
  count_frequent<<<static_cast<unsigned>(draw.item_count), 256, 0, stream>>>(draw);
  execution::check_launch("counting topics of frequent words");
}

template void queue_sparse_parallel_draws(const SparseDraw<sparse::NarrowEntry>&, int, cudaStream_t);
template void queue_sparse_parallel_draws(const SparseDraw<sparse::WideEntry>&, int, cudaStream_t);
template void queue_draws_of_rare_words(const SparseDraw<sparse::NarrowEntry>&, cudaStream_t);
template void queue_draws_of_rare_words(const SparseDraw<sparse::WideEntry>&, cudaStream_t);
template void queue_draws_in_tables(const SparseDraw<sparse::NarrowEntry>&, int, cudaStream_t);
template void queue_draws_in_tables(const SparseDraw<sparse::WideEntry>&, int, cudaStream_t);
template void queue_draws_of_few_topics(const SparseDraw<sparse::NarrowEntry>&, std::int32_t, int, cudaStream_t);
template void queue_draws_of_few_topics(const SparseDraw<sparse::WideEntry>&, std::int32_t, int, cudaStream_t);
template void queue_frequent_counts(const SparseDraw<sparse::NarrowEntry>&, cudaStream_t);
template void queue_frequent_counts(const SparseDraw<sparse::WideEntry>&, cudaStream_t);

}  // namespace papilio::lda
