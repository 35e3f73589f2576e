#include <algorithm>
#include <cstddef>

#include "base/math.h"
#include "execution/cuda/check.h"
#include "execution/cuda/memory.h"
#include "lda/training/sparse/parallel/shapes_cuda.h"
#include "lda/training/sparse/parallel/token_cuda.cuh"
#include "lda/training/sparse/parallel/word_part_cuda.cuh"

namespace papilio::lda {
namespace {

// All tokens of an item.
template <class Entry, int threads>
__device__ __forceinline__ void draw_tokens(const SparseDraw<Entry>& draw, const SparseItem& item,
                                            const WordOfItem& word, Tally& tally) {
  for (int t = static_cast<int>(threadIdx.x); t < item.count; t += threads) {
    const SparseToken token(draw, std::int64_t{item.first} + t);
    const Drawn drawn = draw_token(draw, word, token);
    if (draw.counts) tally.add(drawn.part);
    if (drawn.topic == token.list.old) continue;
    draw.z[token.number] = static_cast<typename Entry::Number>(drawn.topic);
    if (item.row >= 0) {
      std::int32_t* const next = draw.frequent_next + std::int64_t{item.row} * draw.masses.padded;
      atomicAdd(next + token.list.old, -1);
      atomicAdd(next + drawn.topic, 1);
    }
  }
}

// An item for a block, or several where rows are in global memory.
template <class Entry, int threads, bool in_shared>
__global__ void __launch_bounds__(threads, std::min(threads_at_once / threads, most_blocks_at_once))
    draw_sparsely(const __grid_constant__ SparseDraw<Entry> draw) {
  extern __shared__ float4 shared[];
  const std::int32_t padded = draw.masses.padded;
  void* memory = shared;
  if constexpr (!in_shared) {
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
    draw_tokens<Entry, threads>(draw, item, word, tally);
    wait_for_the_others<threads>();
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

int most_shared_bytes() {
  int device = 0, bytes = 0;
  execution::check(cudaGetDevice(&device), "querying the device");
  execution::check(cudaDeviceGetAttribute(&bytes, cudaDevAttrMaxSharedMemoryPerBlockOptin, device),
                   "requesting shared memory");
  return bytes;
}

template <class Entry, int threads>
void launch(const SparseDraw<Entry>& draw, cudaStream_t stream) {
  const auto bytes = static_cast<std::size_t>(sparse_row_bytes(draw.masses.padded));
  execution::check(cudaFuncSetAttribute(draw_sparsely<Entry, threads, true>,
                                        cudaFuncAttributeMaxDynamicSharedMemorySize, static_cast<int>(bytes)),
                   "requesting shared memory");
  draw_sparsely<Entry, threads, true><<<static_cast<unsigned>(draw.item_count), threads, bytes, stream>>>(draw);
}

}  // namespace

bool row_fits_in_shared(std::int32_t padded) { return sparse_row_bytes(padded) <= most_shared_bytes(); }

std::int64_t blocks_with_global_rows() { return std::int64_t{execution::multiprocessors()} * global_row_blocks; }

template <class Entry>
void queue_sparse_parallel_draws(const SparseDraw<Entry>& draw, int threads, cudaStream_t stream) {
  if (draw.item_count == 0) return;
  if (draw.rows != nullptr) {
    const auto blocks = static_cast<unsigned>(std::min(draw.item_count, blocks_with_global_rows()));
    draw_sparsely<Entry, global_row_threads, false><<<blocks, global_row_threads, 0, stream>>>(draw);
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
void queue_frequent_counts(const SparseDraw<Entry>& draw, cudaStream_t stream) {
  if (draw.item_count == 0) return;
  count_frequent<<<static_cast<unsigned>(draw.item_count), 256, 0, stream>>>(draw);
  execution::check_launch("counting topics of frequent words");
}

template void queue_sparse_parallel_draws(const SparseDraw<sparse::NarrowEntry>&, int, cudaStream_t);
template void queue_sparse_parallel_draws(const SparseDraw<sparse::WideEntry>&, int, cudaStream_t);
template void queue_frequent_counts(const SparseDraw<sparse::NarrowEntry>&, cudaStream_t);
template void queue_frequent_counts(const SparseDraw<sparse::WideEntry>&, cudaStream_t);

}  // namespace papilio::lda
