#pragma once

#include <cstdint>

#include "collective/block.cuh"
#include "execution/cuda/memory.h"
#include "lda/training/parameters/topic_counts_cuda.h"

// Counts the topics of one document after another in shared memory; n_dk
// is never stored. A warp has a document, or a block if there are many
// topics or documents are long.

namespace papilio::lda {

// 48 KiB, which a block can have on every device.
inline constexpr int counters_per_block = 12 * 1024;
inline constexpr int threads_per_block = 256;

using cuda::collective::wait_for_the_others;

// Calls use(document, topic, counts) for four neighbouring topics of a document of the range at a
// time, up to the next multiple of 4 after the last topic. Topics beyond `tile` are counted in
// further passes over the document.
template <int threads, class Use>
__global__ void count_documents(DocumentRange range, std::int64_t topics, int tile, Use use) {
  extern __shared__ int4 shared[];
  int4* quads = shared + threadIdx.y * (tile / 4);
  int* counters = reinterpret_cast<int*>(quads);
  const int lane = static_cast<int>(threadIdx.x);
  for (int q = lane; q < tile / 4; q += threads) quads[q] = make_int4(0, 0, 0, 0);
  wait_for_the_others<threads>();
  const std::int64_t step = std::int64_t{gridDim.x} * blockDim.y;
  for (std::int64_t d = std::int64_t{blockIdx.x} * blockDim.y + threadIdx.y; d < range.documents; d += step) {
    const std::int64_t begin = range.offsets[d] - range.first_token;
    const std::int64_t end = range.offsets[d + 1] - range.first_token;
    for (std::int64_t first = 0; first < topics; first += tile) {
      for (std::int64_t i = begin + lane; i < end; i += threads) {
        const std::int64_t k = range.z[i] - first;
        if (0 <= k && k < tile) atomicAdd(counters + k, 1);
      }
      wait_for_the_others<threads>();
      const std::int64_t left = topics - first;
      const int used = static_cast<int>(((left < tile ? left : tile) + 3) / 4);
      for (int q = lane; q < used; q += threads) {
        use(d, static_cast<std::int32_t>(first + 4 * q), quads[q]);
        quads[q] = make_int4(0, 0, 0, 0);
      }
      wait_for_the_others<threads>();
    }
  }
  use.finish();
}

template <int threads, class Use>
void launch_on_documents(const DocumentRange& range, std::int64_t topics, int tile, const Use& use) {
  const dim3 block(threads, threads_per_block / threads);
  const std::size_t bytes = std::size_t{block.y} * static_cast<std::size_t>(tile) * sizeof(int);
  const std::int64_t wanted = (range.documents + block.y - 1) / block.y;
  const std::int64_t most = std::int64_t{execution::multiprocessors()} * 32;
  count_documents<threads>
      <<<static_cast<unsigned>(wanted < most ? wanted : most), block, bytes, range.stream>>>(range, topics, tile, use);
  execution::check_launch("counting topics of documents");
}

// Queues count_documents with `use`, which must also have finish(); every thread calls it at its end.
template <class Use>
void queue_on_documents(const DocumentRange& range, std::int64_t topics, const Use& use) {
  if (range.documents == 0) return;
  constexpr int warps = threads_per_block / 32;
  const std::int64_t padded = (topics + 3) / 4 * 4;
  if (padded <= counters_per_block / warps && range.tokens / range.documents < 2048) {
    launch_on_documents<32>(range, topics, static_cast<int>(padded), use);
  } else {
    const int tile = static_cast<int>(padded < counters_per_block ? padded : counters_per_block);
    launch_on_documents<threads_per_block>(range, topics, tile, use);
  }
}

}  // namespace papilio::lda
