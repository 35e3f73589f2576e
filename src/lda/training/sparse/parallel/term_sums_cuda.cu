#include <algorithm>
#include <cstddef>

#include "base/math.h"
#include "execution/cuda/memory.h"
#include "execution/cuda/shared_bytes.h"
#include "lda/training/log_joint/add_terms_cuda.cuh"
#include "lda/training/priors/add_to_histograms_cuda.cuh"
#include "lda/training/sparse/parallel/entries_cuda.cuh"
#include "lda/training/sparse/parallel/word_part_cuda.cuh"

namespace papilio::lda {
namespace {

constexpr int block_threads = 256;
constexpr int item_threads = 128;

// Writes counts. The number of an item is that of its list.
template <class Entry, bool in_shared>
__global__ void __launch_bounds__(item_threads)
    write_item_counts(const __grid_constant__ SparseDraw<Entry> draw, const WordLists lists) {
  extern __shared__ float4 shared[];
  const std::int32_t padded = draw.masses.padded;
  void* memory = shared;
  if constexpr (!in_shared) {
    memory = reinterpret_cast<std::byte*>(draw.rows) + blockIdx.x * sparse_row_bytes(padded);
  }
  WordRow row(memory, padded);
  for (std::int64_t i = blockIdx.x; i < draw.item_count; i += gridDim.x) {
    const SparseItem item = draw.items[i];
    const std::int32_t* counts = reinterpret_cast<const std::int32_t*>(row.phi);
    if (item.row >= 0) {
      counts = draw.frequent_next + std::int64_t{item.row} * padded;
    } else {
      count_word<Entry, item_threads>(draw, item, row);
    }
    for (int k = static_cast<int>(threadIdx.x); k < lists.topics; k += item_threads) {
      lists.counts()[i * lists.stride() + k] = static_cast<std::uint32_t>(counts[k]);
    }
    __syncthreads();
  }
}

// A warp reads a list of short entries.
template <class Entry, class Use>
__device__ __forceinline__ void use_short_list(const SparseLists<Entry>& s, const sparse::ListPlace& place, Use& use) {
  const auto* const list = reinterpret_cast<const std::uint16_t*>(list_at(s.lists, place.group));
  const std::uint32_t size = place.size & ~has_large, mask = s.short_entries.count_mask();
  for (std::uint32_t e = threadIdx.x % 32; e < size; e += 32) {
    const std::uint32_t topic = static_cast<std::uint32_t>(list[e]) >> s.short_entries.count_bits;
    std::uint32_t count = list[e] & mask;
    if (count == mask) count = large_count(large_entries(list, size), topic);
    use.add(static_cast<std::int32_t>(topic), static_cast<int>(count));
  }
}

// Each thread passes all counts that are not 0, and perhaps some that are, to its `use`. A warp has a document.
template <class Entry, class Use>
__global__ void __launch_bounds__(block_threads) use_lists(const SparseLists<Entry> s, Use use) {
  const std::int64_t step = std::int64_t{gridDim.x} * (block_threads / 32);
  for (std::int64_t i = (std::int64_t{blockIdx.x} * block_threads + threadIdx.x) / 32; i < s.document_count;
       i += step) {
    const SparseDocument document = s.documents[i];
    if (i < s.short_entries.first_document) {
      const Entry* const list = list_at(s.lists, document.list.group);
      for (std::uint32_t e = threadIdx.x % 32; e < document.list.size; e += 32) {
        use.add(static_cast<std::int32_t>(list[e].topic()), static_cast<int>(list[e].count()));
      }
    } else {
      use_short_list(s, document.list, use);
    }
  }
  const std::int64_t threads = std::int64_t{gridDim.x} * block_threads;
  for (std::int64_t i = std::int64_t{blockIdx.x} * block_threads + threadIdx.x; i < s.single_count; i += threads) {
    use.add(static_cast<std::int32_t>(s.z[s.single_tokens[i]]), 1);
  }
  __syncwarp();
  use.finish();
}

template <class Entry, bool in_shared, class Use>
__global__ void __launch_bounds__(item_threads) use_items(const __grid_constant__ SparseDraw<Entry> draw, Use use) {
  extern __shared__ float4 shared[];
  const std::int32_t padded = draw.masses.padded;
  void* memory = shared;
  if constexpr (!in_shared) {
    memory = reinterpret_cast<std::byte*>(draw.rows) + blockIdx.x * sparse_row_bytes(padded);
  }
  WordRow row(memory, padded);
  for (std::int64_t i = blockIdx.x; i < draw.item_count; i += gridDim.x) {
    count_word<Entry, item_threads>(draw, draw.items[i], row);
    const int* const counts = reinterpret_cast<const int*>(row.phi);
    for (int k = static_cast<int>(threadIdx.x); k < draw.masses.topics; k += item_threads) use.add(k, counts[k]);
    __syncthreads();
  }
  use.finish();
}

template <class Entry, class Use>
void queue_on_lists(const SparseLists<Entry>& lists, const Use& use, cudaStream_t stream) {
  const std::int64_t wanted = std::max(base::ceil_div<std::int64_t>(lists.document_count, block_threads / 32),
                                       base::ceil_div<std::int64_t>(lists.single_count, block_threads));
  const std::int64_t blocks = std::clamp<std::int64_t>(wanted, 1, std::int64_t{execution::multiprocessors()} * 16);
  use_lists<<<static_cast<unsigned>(blocks), block_threads, 0, stream>>>(lists, use);
  execution::check_launch("going over the topics of documents");
}

// A block has an item. Launches the first kernel if a row fits in shared memory, else the second.
template <class Entry, class Kernel, class OtherKernel, class Argument>
void queue_items(const SparseDraw<Entry>& draw, Kernel* in_shared, OtherKernel* in_global, const Argument& argument,
                 cudaStream_t stream) {
  if (draw.item_count == 0) return;
  if (draw.rows != nullptr) {
    const auto blocks = static_cast<unsigned>(std::min(draw.item_count, blocks_with_global_rows()));
    in_global<<<blocks, item_threads, 0, stream>>>(draw, argument);
  } else {
    const std::int64_t most = std::int64_t{execution::multiprocessors()} * 16;
    const auto bytes = static_cast<std::size_t>(sparse_row_bytes(draw.masses.padded));
    execution::allow_shared_bytes(in_shared, static_cast<std::int64_t>(bytes), "requesting shared memory");
    in_shared<<<static_cast<unsigned>(std::min(draw.item_count, most)), item_threads, bytes, stream>>>(draw, argument);
  }
  execution::check_launch("going over the topics of words");
}

template <class Entry, class Use>
void queue_on_items(const SparseDraw<Entry>& draw, const Use& use, cudaStream_t stream) {
  queue_items(draw, use_items<Entry, true, Use>, use_items<Entry, false, Use>, use, stream);
}

}  // namespace

template <class Entry>
void queue_list_terms(const SparseLists<Entry>& lists, const TermSums& sums, cudaStream_t stream) {
  queue_on_lists(lists, AddTerms{sums}, stream);
}

template <class Entry>
void queue_item_terms(const SparseDraw<Entry>& draw, const TermSums& sums, cudaStream_t stream) {
  queue_on_items(draw, AddTerms{sums}, stream);
}

template <class Entry>
void queue_list_histograms(const SparseLists<Entry>& lists, const CountHistograms& histograms, cudaStream_t stream) {
  queue_on_lists(lists, AddToHistograms{histograms}, stream);
}

template <class Entry>
void queue_item_histogram(const SparseDraw<Entry>& draw, const CountHistograms& histograms, cudaStream_t stream) {
  queue_on_items(draw, AddToHistograms{histograms}, stream);
}

template <class Entry>
void queue_item_counts(const SparseDraw<Entry>& draw, const WordLists& lists, cudaStream_t stream) {
  queue_items(draw, write_item_counts<Entry, true>, write_item_counts<Entry, false>, lists, stream);
}

template void queue_list_terms(const SparseLists<sparse::NarrowEntry>&, const TermSums&, cudaStream_t);
template void queue_list_terms(const SparseLists<sparse::WideEntry>&, const TermSums&, cudaStream_t);
template void queue_item_terms(const SparseDraw<sparse::NarrowEntry>&, const TermSums&, cudaStream_t);
template void queue_item_terms(const SparseDraw<sparse::WideEntry>&, const TermSums&, cudaStream_t);
template void queue_list_histograms(const SparseLists<sparse::NarrowEntry>&, const CountHistograms&, cudaStream_t);
template void queue_list_histograms(const SparseLists<sparse::WideEntry>&, const CountHistograms&, cudaStream_t);
template void queue_item_histogram(const SparseDraw<sparse::NarrowEntry>&, const CountHistograms&, cudaStream_t);
template void queue_item_histogram(const SparseDraw<sparse::WideEntry>&, const CountHistograms&, cudaStream_t);
template void queue_item_counts(const SparseDraw<sparse::NarrowEntry>&, const WordLists&, cudaStream_t);
template void queue_item_counts(const SparseDraw<sparse::WideEntry>&, const WordLists&, cudaStream_t);

}  // namespace papilio::lda
