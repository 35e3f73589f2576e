#include "lda/training/distributed/word_counts_cuda.h"

#include "base/math.h"
#include "lda/training/sparse/parallel/word_part_cuda.cuh"

namespace papilio::lda {
namespace {

constexpr int block_threads = 256;
constexpr int warps = block_threads / 32;

// This many neighbouring threads have an item.
template <class Entry, int threads>
__global__ void __launch_bounds__(block_threads) count_items(const SparseDraw<Entry> draw) {
  const std::int64_t i = std::int64_t{blockIdx.x} * (block_threads / threads) + threadIdx.x / threads;
  if (i >= draw.item_count) return;
  const SparseItem item = draw.items[i];
  std::int32_t* const row = draw.frequent_next + std::int64_t{item.row} * draw.masses.padded;
  for (int t = static_cast<int>(threadIdx.x) % threads; t < item.count; t += threads) {
    atomicAdd(row + draw.z[token_number(draw, std::int64_t{item.first} + t)], 1);
  }
}

__global__ void add_seeds(const SeedWord* seeds, std::int64_t count, std::int64_t first_word, std::int32_t padded,
                          std::int32_t* rows) {
  const std::int64_t i = std::int64_t{blockIdx.x} * block_threads + threadIdx.x;
  if (i < count) rows[(seeds[i].word - first_word) * padded + seeds[i].topic] += seeds[i].weight;
}

}  // namespace

template <class Entry>
void queue_word_counts(const SparseDraw<Entry>& draw, std::int64_t whole, cudaStream_t stream) {
  SparseDraw<Entry> part = draw;
  part.item_count = draw.item_count - whole;
  if (part.item_count > 0) {
    count_items<Entry, block_threads><<<static_cast<unsigned>(part.item_count), block_threads, 0, stream>>>(part);
    execution::check_launch("counting topics of words");
  }
  part.items = draw.items + part.item_count;
  part.item_count = whole;
  if (whole == 0) return;
  const auto blocks = static_cast<unsigned>(base::ceil_div<std::int64_t>(whole, warps));
  count_items<Entry, 32><<<blocks, block_threads, 0, stream>>>(part);
  execution::check_launch("counting topics of words");
}

void queue_seed_counts(const SeedWord* seeds, std::int64_t count, std::int64_t first_word, std::int32_t padded,
                       std::int32_t* rows, cudaStream_t stream) {
  if (count == 0) return;
  const auto blocks = static_cast<unsigned>(base::ceil_div<std::int64_t>(count, block_threads));
  add_seeds<<<blocks, block_threads, 0, stream>>>(seeds, count, first_word, padded, rows);
  execution::check_launch("counting seed words");
}

template void queue_word_counts(const SparseDraw<sparse::NarrowEntry>&, std::int64_t, cudaStream_t);
template void queue_word_counts(const SparseDraw<sparse::WideEntry>&, std::int64_t, cudaStream_t);

}  // namespace papilio::lda
