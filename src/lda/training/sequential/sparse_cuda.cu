#include "lda/training/sequential/sparse_cuda.h"

#include "execution/cuda/check.h"

namespace papilio::lda {
namespace {

constexpr int block_threads = 256;
constexpr int list_threads = 128;

__global__ void __launch_bounds__(list_threads)
    list_documents(const DocumentRange range, const SequentialSparse s, std::int64_t* counts) {
  const std::int64_t d = std::int64_t{blockIdx.x} * list_threads + threadIdx.x;
  if (d >= range.documents) return;
  DocumentTopic* const list = s.lists + s.list_offsets[d];
  list_topics(range.z, range.offsets[d], range.offsets[d + 1], list);
  atomicAdd(reinterpret_cast<unsigned long long*>(counts), static_cast<unsigned long long>(list->count));
}

// Topics into the order by words, or back.
__global__ void __launch_bounds__(list_threads)
    order_topics(const DocumentRange range, const SequentialSparse s, bool by_words) {
  const std::int64_t place = std::int64_t{blockIdx.x} * list_threads + threadIdx.x;
  if (place >= range.tokens) return;
  std::int32_t& in_corpus = range.z[s.tokens[place]];
  if (by_words) {
    s.z[place] = in_corpus;
  } else {
    in_corpus = s.z[place];
  }
}

// The whole tree of a word, by the block.
__device__ void weigh_topics(const SequentialSparse& s, const std::int32_t* n_w) {
  for (std::int64_t k = threadIdx.x; k < s.topics; k += block_threads) weigh_leaf(s, n_w, k);
  std::int64_t entries = s.topics;
  for (int l = 1; l < s.tree.levels; ++l) {
    __syncthreads();
    entries = TopicTree::nodes(entries);
    s.tree.add_up_level(l, entries, threadIdx.x, block_threads);
  }
  __syncthreads();
}

__global__ void __launch_bounds__(block_threads)
    draw_word_by_word(const __grid_constant__ SequentialSparse s, std::int64_t words, std::int64_t* from_document) {
  for (std::int64_t w = 0; w < words; ++w) {
    const std::int64_t begin = s.word_offsets[w], end = s.word_offsets[w + 1];
    if (begin == end) continue;
    std::int32_t* const n_w = s.n_wk + w * s.stride;
    weigh_topics(s, n_w);
    if (threadIdx.x == 0) {
      std::int64_t drawn = 0;
      for (std::int64_t place = begin; place < end; ++place)
        drawn += draw_in_sequence(s, place, uniform_of(s, place), n_w);
      *from_document += drawn;
    }
    __syncthreads();
  }
}

}  // namespace

void queue_sequential_sparse_draws(const DocumentRange& range, const SequentialSparse& draw, std::int64_t words,
                                   std::int64_t* counts) {
  if (range.tokens == 0) return;
  execution::check(cudaMemsetAsync(counts, 0, 2 * sizeof(std::int64_t), range.stream), "sums of a sweep");
  const auto blocks_for = [](std::int64_t items) {
    return static_cast<unsigned>((items + list_threads - 1) / list_threads);
  };
  list_documents<<<blocks_for(range.documents), list_threads, 0, range.stream>>>(range, draw, counts);
  execution::check_launch("listing the topics of documents");
  order_topics<<<blocks_for(range.tokens), list_threads, 0, range.stream>>>(range, draw, true);
  execution::check_launch("ordering topics by words");
  draw_word_by_word<<<1, block_threads, 0, range.stream>>>(draw, words, counts + 1);
  execution::check_launch("drawing topics one after the other");
  order_topics<<<blocks_for(range.tokens), list_threads, 0, range.stream>>>(range, draw, false);
  execution::check_launch("ordering topics by documents");
}

}  // namespace papilio::lda
