#include <algorithm>
#include <cstddef>

#include "base/math.h"
#include "execution/cuda/memory.h"
#include "lda/training/log_joint/add_terms_cuda.cuh"
#include "lda/training/sparse/parallel/entries_cuda.cuh"
#include "lda/training/sparse/parallel/word_part_cuda.cuh"

namespace papilio::lda {
namespace {

constexpr int block_threads = 256;
constexpr int item_threads = 128;

// A warp has a document.
template <class Entry>
__global__ void __launch_bounds__(block_threads) add_list_terms(const SparseLists<Entry> s, AddTerms terms) {
  const std::int64_t step = std::int64_t{gridDim.x} * (block_threads / 32);
  for (std::int64_t i = (std::int64_t{blockIdx.x} * block_threads + threadIdx.x) / 32; i < s.document_count;
       i += step) {
    const SparseDocument document = s.documents[i];
    const Entry* const list = s.lists + std::int64_t{document.list.group} * sparse::lanes;
    for (std::uint32_t e = threadIdx.x % 32; e < document.list.size; e += 32) {
      terms.add(static_cast<std::int32_t>(list[e].topic()), static_cast<int>(list[e].count()));
    }
  }
  __syncwarp();
  terms.finish();
}

template <class Entry, bool in_shared>
__global__ void __launch_bounds__(item_threads)
    add_item_terms(const __grid_constant__ SparseDraw<Entry> draw, AddTerms terms) {
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
    for (int k = static_cast<int>(threadIdx.x); k < draw.masses.topics; k += item_threads) terms.add(k, counts[k]);
    __syncthreads();
  }
  terms.finish();
}

}  // namespace

template <class Entry>
void queue_list_terms(const SparseLists<Entry>& lists, const TermSums& sums, cudaStream_t stream) {
  const std::int64_t wanted = base::ceil_div<std::int64_t>(lists.document_count, block_threads / 32);
  const std::int64_t blocks = std::clamp<std::int64_t>(wanted, 1, std::int64_t{execution::multiprocessors()} * 16);
  add_list_terms<<<static_cast<unsigned>(blocks), block_threads, 0, stream>>>(lists, AddTerms{sums});
  execution::check_launch("adding the likelihood's terms");
}

template <class Entry>
void queue_item_terms(const SparseDraw<Entry>& draw, const TermSums& sums, cudaStream_t stream) {
  if (draw.item_count == 0) return;
  if (draw.rows != nullptr) {
    const auto blocks = static_cast<unsigned>(std::min(draw.item_count, blocks_with_global_rows()));
    add_item_terms<Entry, false><<<blocks, item_threads, 0, stream>>>(draw, AddTerms{sums});
  } else {
    const std::int64_t most = std::int64_t{execution::multiprocessors()} * 16;
    const auto bytes = static_cast<std::size_t>(sparse_row_bytes(draw.masses.padded));
    execution::check(cudaFuncSetAttribute(add_item_terms<Entry, true>, cudaFuncAttributeMaxDynamicSharedMemorySize,
                                          static_cast<int>(bytes)),
                     "requesting shared memory");
    add_item_terms<Entry, true>
        <<<static_cast<unsigned>(std::min(draw.item_count, most)), item_threads, bytes, stream>>>(draw, AddTerms{sums});
  }
  execution::check_launch("adding the likelihood's terms");
}

template void queue_list_terms(const SparseLists<sparse::NarrowEntry>&, const TermSums&, cudaStream_t);
template void queue_list_terms(const SparseLists<sparse::WideEntry>&, const TermSums&, cudaStream_t);
template void queue_item_terms(const SparseDraw<sparse::NarrowEntry>&, const TermSums&, cudaStream_t);
template void queue_item_terms(const SparseDraw<sparse::WideEntry>&, const TermSums&, cudaStream_t);

}  // namespace papilio::lda
