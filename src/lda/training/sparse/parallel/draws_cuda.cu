#include <algorithm>
#include <cstddef>

#include "base/math.h"
#include "execution/cuda/check.h"
#include "execution/cuda/memory.h"
#include "lda/training/sparse/parallel/few_topics_cuda.cuh"
#include "lda/training/sparse/parallel/pair_cuda.cuh"
#include "lda/training/sparse/parallel/rare_word_cuda.cuh"
#include "lda/training/sparse/parallel/shapes_cuda.h"
#include "lda/training/sparse/parallel/token_cuda.cuh"
#include "lda/training/sparse/parallel/word_part_cuda.cuh"

namespace papilio::lda {
namespace {

constexpr int rare_threads = 128;

// A token's new topic.
template <class Entry>
__device__ __forceinline__ void keep(const SparseDraw<Entry>& draw, const SparseItem& item, const SparseToken& token,
                                     const Drawn& drawn, Tally& tally) {
  if (draw.counts) tally.add(drawn.part);
  if (drawn.topic == token.list.old) return;
  draw.z[token.number] = static_cast<typename Entry::Number>(drawn.topic);
  if (item.row < 0 || draw.frequent_next == nullptr) return;
  std::int32_t* const next = draw.frequent_next + std::int64_t{item.row} * draw.masses.padded;
  atomicAdd(next + token.list.old, -1);
  atomicAdd(next + drawn.topic, 1);
}

template <class Entry, class Word>
__device__ __forceinline__ void draw_one(const SparseDraw<Entry>& draw, const SparseItem& item, const Word& word,
                                         const SparseToken& token, Tally& tally) {
  const DocumentPart<Entry, Word> document(word, draw, token.list);
  keep(draw, item, token, draw_token(draw, word, document, token), tally);
}

// All tokens of an item.
template <class Entry, int threads, class Word>
__device__ __forceinline__ void draw_tokens(const SparseDraw<Entry>& draw, const SparseItem& item, const Word& word,
                                            Tally& tally) {
  for (int t = static_cast<int>(threadIdx.x); t < item.count; t += threads) {
    draw_one(draw, item, word, SparseToken(draw, std::int64_t{item.first} + t), tally);
  }
}
// The same where documents are long: tokens that a block has at a time and that are all of one document share its
// list's sums, for which `running` has room.
template <class Entry, int threads, class Word>
__device__ __forceinline__ void draw_tokens_by_pair(const SparseDraw<Entry>& draw, const SparseItem& item,
                                                    const Word& word, float* running, Tally& tally) {
  std::int32_t added_up = -1;  // the document of `running`
  for (int first = 0; first < item.count; first += threads) {
    const int here = min(threads, item.count - first), t = static_cast<int>(threadIdx.x);
    const std::int64_t by_word = std::int64_t{item.first} + first;
    const std::int32_t d = draw.document[by_word];
    const bool has_list = d < draw.short_entries.first_document;
    if (here < least_of_pair || !has_list || d != draw.document[by_word + here - 1]) {
      if (t < here) draw_one(draw, item, word, SparseToken(draw, by_word + t), tally);
      continue;
    }
    const sparse::ListPlace place = load_document(draw.documents + d).list;
    const Entry* const list = list_at(draw.lists, place.group);
    if (d != added_up) add_up_list<Entry, threads>(word, list, place.size, running);
    added_up = d;
    if (t >= here) continue;
    const SparseToken token(draw, by_word + t);
    const DocumentPartOfPair<Entry> document(list, place.size, running, token.list.old);
    keep(draw, item, token, draw_token(draw, word, document, token), tally);
  }
}

// What a block's dynamic memory has: a row; by pairs, running sums of a list after it.
enum class Shared : std::uint8_t { nothing, row, row_and_list };

// An item for a block, or several where rows are in global memory.
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
    if (item.row >= 0)
      frequent = draw.frequent + std::int64_t{item.row} * padded;
    else
      count_word<Entry, threads>(draw, item, row);
    weigh_word<threads>(draw.masses, frequent, row);
    const WordOfItem word = {draw.masses, row.phi, row.ends, frequent, row.ends[padded / chunk_topics - 1]};
    if constexpr (in_shared == Shared::row_and_list) {
      draw_tokens_by_pair<Entry, threads>(draw, item, word, reinterpret_cast<float*>(row.warps + 16), tally);
    } else {
      draw_tokens<Entry, threads>(draw, item, word, tally);
    }
    wait_for_the_others<threads>();
  }
  if (draw.counts) tally.give_to(draw.statistics);
}

// An item of few tokens for a block.
template <class Entry, int threads>
__global__ void __launch_bounds__(threads, std::min(threads_at_once / threads, most_blocks_at_once))
    draw_few_topics(const __grid_constant__ SparseDraw<Entry> draw, std::int32_t most) {
  extern __shared__ float4 shared[];
  WordOfFewTopics word(shared, draw.masses, most);
  Tally tally;
  for (std::int64_t i = blockIdx.x; i < draw.item_count; i += gridDim.x) {
    const SparseItem item = draw.items[i];
    word.count_tokens<Entry, threads>(draw, item);
    draw_tokens<Entry, threads>(draw, item, word, tally);
    wait_for_the_others<threads>();
  }
  if (draw.counts) tally.give_to(draw.statistics);
}

// Words of up to tokens_of_rare tokens: each has so many threads, one for each of its tokens.
template <class Entry>
__global__ void __launch_bounds__(rare_threads, threads_at_once / rare_threads)
    draw_rare_words(const __grid_constant__ SparseDraw<Entry> draw) {
  const std::int64_t i = (std::int64_t{blockIdx.x} * rare_threads + threadIdx.x) / tokens_of_rare;
  const int t = static_cast<int>(threadIdx.x) % tokens_of_rare;
  Tally tally;
  const SparseItem item = i < draw.item_count ? draw.items[i] : SparseItem{0, 0, -1};
  const bool is_there = t < item.count;
  SparseToken token;
  if (is_there) token = SparseToken(draw, std::int64_t{item.first} + t);
  const RareWord word(draw.masses, is_there ? token.list.old : RareWord::no_topic);
  if (is_there) draw_one(draw, item, word, token, tally);
  __syncwarp();
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
  const auto bytes = static_cast<std::size_t>(sparse_row_bytes(draw.masses.padded) +
                                              (draw.by_pair ? std::int64_t{draw.masses.padded} * 4 : 0));
  execution::check(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, static_cast<int>(bytes)),
                   "requesting shared memory");
  kernel<<<static_cast<unsigned>(draw.item_count), threads, bytes, stream>>>(draw);
}

template <class Entry, int threads>
void launch_few_topics(const SparseDraw<Entry>& draw, std::int32_t most, cudaStream_t stream) {
  const auto bytes = static_cast<std::size_t>(few_topics_bytes(draw.masses.padded, most));
  execution::check(cudaFuncSetAttribute(draw_few_topics<Entry, threads>, cudaFuncAttributeMaxDynamicSharedMemorySize,
                                        static_cast<int>(bytes)),
                   "requesting shared memory");
  draw_few_topics<Entry, threads><<<static_cast<unsigned>(draw.item_count), threads, bytes, stream>>>(draw, most);
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
  const auto blocks = base::ceil_div<std::int64_t>(draw.item_count * tokens_of_rare, rare_threads);
  draw_rare_words<<<static_cast<unsigned>(blocks), rare_threads, 0, stream>>>(draw);
  execution::check_launch("drawing topics of rare words");
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
template void queue_draws_of_few_topics(const SparseDraw<sparse::NarrowEntry>&, std::int32_t, int, cudaStream_t);
template void queue_draws_of_few_topics(const SparseDraw<sparse::WideEntry>&, std::int32_t, int, cudaStream_t);
template void queue_frequent_counts(const SparseDraw<sparse::NarrowEntry>&, cudaStream_t);
template void queue_frequent_counts(const SparseDraw<sparse::WideEntry>&, cudaStream_t);

}  // namespace papilio::lda
