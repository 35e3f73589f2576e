#include <algorithm>

#include "base/math.h"
#include "collective/block.cuh"
#include "collective/sort_keys.cuh"
#include "collective/warp_scan.cuh"
#include "execution/cuda/check.h"
#include "execution/cuda/memory.h"
#include "execution/cuda/shared_bytes.h"
#include "lda/training/sparse/parallel/entries_cuda.cuh"

// Makes the documents' lists of topics, in ascending order, and n_k. A warp sorts the topics of a short document in
// registers or counts them by sets of topics; a block counts those of a long document in shared memory.

namespace papilio::lda {
namespace {

using cuda::collective::all_threads;
using cuda::collective::atomic_add;

constexpr int lanes = static_cast<int>(sparse::lanes);
constexpr int block_threads = 256;
constexpr int warps_per_block = block_threads / 32;
constexpr int blocks_at_once = 4;  // blocks for short documents per multiprocessor: all blocks are resident
constexpr int long_threads = 512;
constexpr int most_shared_topics = 8192;     // up to this many, a block of short documents sums n_k in shared memory
constexpr int most_tile_topics = 16 * 1024;  // of a long document, counted at a time

constexpr int most_set_topics = 4096;  // the most topics for which a warp has a set
constexpr int set_words = most_set_topics / 32;

// A document of a warp: its topics in ascending order, and how many tokens each has.
template <class Entry>
struct Runs {
  typename Entry::Number topic[longest_sorted];
  unsigned number[longest_sorted + 1];  // tokens per topic; if they were sorted, the index of each topic's first token
  uint2 set[set_words];                 // x: which of 32 topics occur; y: how many occur before them
  bool are_sorted;

  __device__ __forceinline__ unsigned tokens(int r) const { return are_sorted ? number[r + 1] - number[r] : number[r]; }
};

// Sorts the topics of at most 32 n tokens and returns the number of runs.
template <class Entry, int n>
__device__ __forceinline__ int find_runs(const typename Entry::Number* z, int tokens, Runs<Entry>& runs) {
  constexpr unsigned none = 0xFFFF'FFFFu;
  const int lane = static_cast<int>(threadIdx.x) % 32;
  unsigned key[n];
#pragma unroll
  for (int i = 0; i < n; ++i) key[i] = 32 * i + lane < tokens ? static_cast<unsigned>(z[32 * i + lane]) : none;
  cuda::collective::sort_keys(key);

  unsigned before = __shfl_up_sync(all_threads, key[n - 1], 1);
  if (lane == 0) before = none;
  unsigned begins = 0;
#pragma unroll
  for (int i = 0; i < n; ++i) {
    if (key[i] != none && key[i] != (i == 0 ? before : key[i > 0 ? i - 1 : 0])) begins |= 1u << i;
  }
  int at = cuda::collective::warp_scan(__popc(begins));
  const int count = __shfl_sync(all_threads, at, 31);
  at -= __popc(begins);
#pragma unroll
  for (int i = 0; i < n; ++i) {
    if ((begins >> i & 1u) == 0) continue;
    runs.topic[at] = static_cast<typename Entry::Number>(key[i]);
    runs.number[at++] = static_cast<unsigned>(n * lane + i);
  }
  if (lane == 0) {
    runs.number[count] = static_cast<unsigned>(tokens);
    runs.are_sorted = true;
  }
  __syncwarp();
  return count;
}

// The same by a set of 32 words of topics, or a multiple of that, without sorting the tokens.
template <class Entry, int n>
__device__ __forceinline__ int count_runs(const typename Entry::Number* z, int tokens, int times, Runs<Entry>& runs) {
  constexpr unsigned none = 0xFFFF'FFFFu;
  const int lane = static_cast<int>(threadIdx.x) % 32;
  unsigned key[n];
#pragma unroll
  for (int i = 0; i < n; ++i) key[i] = 32 * i + lane < tokens ? static_cast<unsigned>(z[32 * i + lane]) : none;
  for (int i = 0; i < times; ++i) runs.set[32 * i + lane].x = 0;
#pragma unroll
  for (int i = 0; i < n; ++i) runs.number[32 * i + lane] = 0;
  __syncwarp();
#pragma unroll
  for (int i = 0; i < n; ++i) {
    if (key[i] != none) atomicOr(&runs.set[key[i] / 32].x, 1u << key[i] % 32);
  }
  __syncwarp();
  int here = 0;
  for (int i = 0; i < times; ++i) here += __popc(runs.set[times * lane + i].x);
  int at = cuda::collective::warp_scan(here);
  const int count = __shfl_sync(all_threads, at, 31);
  at -= here;
  for (int i = 0; i < times; ++i) {
    runs.set[times * lane + i].y = static_cast<unsigned>(at);
    at += __popc(runs.set[times * lane + i].x);
  }
  __syncwarp();
#pragma unroll
  for (int i = 0; i < n; ++i) {
    if (key[i] == none) continue;
    const uint2 set = runs.set[key[i] / 32];
    const unsigned r = set.y + static_cast<unsigned>(__popc(set.x & ((1u << key[i] % 32) - 1)));
    atomicAdd(runs.number + r, 1u);
    runs.topic[r] = static_cast<typename Entry::Number>(key[i]);
  }
  if (lane == 0) runs.are_sorted = false;
  __syncwarp();
  return count;
}

template <class Entry>
__device__ int find_runs_of(const typename Entry::Number* z, int tokens, int topics, Runs<Entry>& runs) {
  if (tokens <= 32) return find_runs<Entry, 1>(z, tokens, runs);
  if (topics <= most_set_topics) {
    const int times = (topics + 1023) / 1024;
    if (tokens <= 64) return count_runs<Entry, 2>(z, tokens, times, runs);
    if (tokens <= 128) return count_runs<Entry, 4>(z, tokens, times, runs);
    if (tokens <= 256) return count_runs<Entry, 8>(z, tokens, times, runs);
    return count_runs<Entry, 16>(z, tokens, times, runs);
  }
  if (tokens <= 64) return find_runs<Entry, 2>(z, tokens, runs);
  if (tokens <= 128) return find_runs<Entry, 4>(z, tokens, runs);
  if (tokens <= 256) return find_runs<Entry, 8>(z, tokens, runs);
  return find_runs<Entry, 16>(z, tokens, runs);
}

// Writes a warp's document as a list, and calls add(topic, count) for each topic.
template <class Entry, class Add>
__device__ __forceinline__ void write_list(const Runs<Entry>& runs, int count, Entry* list, const Add& add) {
  for (int r = static_cast<int>(threadIdx.x) % 32; r < base::round_up(count, lanes); r += 32) {
    Entry entry = {};
    if (r < count) {
      const unsigned topic = runs.topic[r];
      const auto n = runs.tokens(r);
      entry = Entry::of(topic, n);
      add(topic, n);
    } else {
      entry = Entry::of(runs.topic[count - 1], 0);
    }
    list[r] = entry;
  }
}

// The same with short entries. Returns has_large if some counts are large.
template <class Entry, class Add>
__device__ __forceinline__ std::uint32_t write_short(const Runs<Entry>& runs, int count, const SparseLists<Entry>& s,
                                                     std::uint32_t group, const Add& add) {
  const int lane = static_cast<int>(threadIdx.x) % 32, padded = base::round_up(count, lanes);
  auto* const list = reinterpret_cast<std::uint16_t*>(list_at(s.lists, group));
  auto* const large = reinterpret_cast<sparse::NarrowEntry*>(list + padded);
  const std::uint32_t mask = s.short_entries.count_mask();
  int written = 0;
  for (int first = 0; first < padded; first += 32) {
    const int r = first + lane;
    unsigned topic = 0, n = 0;
    if (r < count) {
      topic = runs.topic[r];
      n = runs.tokens(r);
      add(topic, n);
    } else {
      topic = runs.topic[count - 1];
    }
    if (r < padded) list[r] = static_cast<std::uint16_t>(topic << s.short_entries.count_bits | min(n, mask));
    const unsigned are_large = __ballot_sync(all_threads, r < count && n >= mask);
    if ((are_large >> lane & 1u) != 0) {
      large[written + __popc(are_large & ((1u << lane) - 1))] = sparse::NarrowEntry::of(topic, n);
    }
    written += __popc(are_large);
  }
  return written > 0 ? has_large : 0;
}

// Short documents, the longest first, so that the warps of a block have documents of about the same length.
template <class Entry>
__global__ void __launch_bounds__(block_threads, blocks_at_once)
    list_short_documents(const SparseLists<Entry> s, bool in_shared) {
  __shared__ Runs<Entry> runs_of_warps[warps_per_block];
  extern __shared__ unsigned topics[];
  const int lane = static_cast<int>(threadIdx.x) % 32, warp = static_cast<int>(threadIdx.x) / 32;
  if (in_shared) {
    for (int k = static_cast<int>(threadIdx.x); k < s.topics; k += block_threads) topics[k] = 0;
    __syncthreads();
  }
  Runs<Entry>& runs = runs_of_warps[warp];
  std::int64_t entries = 0;
  const std::int64_t step = std::int64_t{gridDim.x} * warps_per_block;
  for (std::int64_t i = s.long_documents + std::int64_t{blockIdx.x} * warps_per_block + warp; i < s.document_count;
       i += step) {
    const SparseDocument document = s.documents[i];
    const int count =
        find_runs_of<Entry>(s.z + document.first_token, static_cast<int>(document.tokens), s.topics, runs);
    const auto add = [&](unsigned topic, unsigned n) {
      in_shared ? static_cast<void>(atomicAdd(topics + topic, n)) : atomic_add(s.n_k + topic, n);
    };
    auto size = static_cast<std::uint32_t>(count);
    if (i >= s.short_entries.first_document) {
      size |= write_short<Entry>(runs, count, s, document.list.group, add);
    } else {
      write_list(runs, count, list_at(s.lists, document.list.group), add);
    }
    if (lane == 0) s.documents[i].list.size = size;
    entries += static_cast<unsigned>(count);
    __syncwarp();  // all threads have read the runs
  }
  if (lane == 0 && entries > 0) atomic_add(&s.statistics->entries, entries);
  if (in_shared) {
    __syncthreads();
    for (int k = static_cast<int>(threadIdx.x); k < s.topics; k += block_threads) {
      if (topics[k] != 0) atomic_add(s.n_k + k, topics[k]);
    }
  }
}

// Documents of one token, whose lists are not stored.
template <class Entry>
__global__ void __launch_bounds__(block_threads) count_single_tokens(const SparseLists<Entry> s, bool in_shared) {
  extern __shared__ unsigned topics[];
  const std::int64_t thread = std::int64_t{blockIdx.x} * block_threads + threadIdx.x;
  if (in_shared) {
    for (int k = static_cast<int>(threadIdx.x); k < s.topics; k += block_threads) topics[k] = 0;
    __syncthreads();
  }
  for (std::int64_t i = thread; i < s.single_count; i += std::int64_t{gridDim.x} * block_threads) {
    const unsigned topic = s.z[s.single_tokens[i]];
    in_shared ? static_cast<void>(atomicAdd(topics + topic, 1u)) : atomic_add(s.n_k + topic, 1);
  }
  if (thread == 0) atomic_add(&s.statistics->entries, s.single_count);
  if (in_shared) {
    __syncthreads();
    for (int k = static_cast<int>(threadIdx.x); k < s.topics; k += block_threads) {
      if (topics[k] != 0) atomic_add(s.n_k + k, topics[k]);
    }
  }
}

// A block finds the topics of a tile that have a count; each warp has a part of the tile.
// Returns how many topics have been written so far.
template <class Entry>
__device__ int list_tile(const SparseLists<Entry>& s, const int* counters, int first, int here, int written,
                         Entry* list, int (&of_warps)[long_threads / 32]) {
  const int lane = static_cast<int>(threadIdx.x) % 32, warp = static_cast<int>(threadIdx.x) / 32;
  const int part = (here + long_threads - 1) / long_threads * 32;
  const int begin = warp * part, end = min(begin + part, here);
  int count = 0;
  for (int k = begin; k < end; k += 32) {
    count += __popc(__ballot_sync(all_threads, k + lane < end && counters[k + lane] != 0));
  }
  if (lane == 0) of_warps[warp] = count;
  __syncthreads();
  int at = written, total = written;
  for (int w = 0; w < long_threads / 32; ++w) {
    if (w < warp) at += of_warps[w];
    total += of_warps[w];
  }
  for (int k = begin; k < end; k += 32) {
    const int n = k + lane < end ? counters[k + lane] : 0;
    const unsigned has = __ballot_sync(all_threads, n != 0);
    if (n != 0) {
      const auto topic = static_cast<std::uint32_t>(first + k + lane);
      list[at + __popc(has & ((1u << lane) - 1))] = Entry::of(topic, static_cast<std::uint32_t>(n));
      atomic_add(s.n_k + topic, static_cast<unsigned>(n));
    }
    at += __popc(has);
  }
  return total;
}

// Counts a slice of a document's tokens, tile by tile.
template <class Entry>
__global__ void __launch_bounds__(long_threads) count_slice(const SparseLists<Entry> s, int tile) {
  extern __shared__ int counters[];
  const SparseItem slice = s.slices[blockIdx.x];
  const typename Entry::Number* const z = s.z + slice.first;
  std::int32_t* const counts = s.counts + std::int64_t{slice.row} * s.topics;
  for (int first = 0; first < s.topics; first += tile) {
    const int here = min(tile, s.topics - first);
    for (int k = static_cast<int>(threadIdx.x); k < here; k += long_threads) counters[k] = 0;
    __syncthreads();
    for (int t = static_cast<int>(threadIdx.x); t < slice.count; t += long_threads) {
      const auto k = static_cast<std::int64_t>(z[t]) - first;
      if (0 <= k && k < here) atomicAdd(counters + k, 1);
    }
    __syncthreads();
    for (int k = static_cast<int>(threadIdx.x); k < here; k += long_threads) {
      if (counters[k] != 0) atomicAdd(counts + first + k, counters[k]);
    }
    __syncthreads();
  }
}

template <class Entry>
__global__ void __launch_bounds__(long_threads) list_long_documents(const SparseLists<Entry> s, int tile) {
  __shared__ int of_warps[long_threads / 32];
  extern __shared__ int counters[];
  const int thread = static_cast<int>(threadIdx.x);
  for (std::int64_t i = blockIdx.x; i < s.long_documents; i += gridDim.x) {
    const SparseDocument document = s.documents[i];
    const typename Entry::Number* const z = s.z + document.first_token;
    Entry* const list = list_at(s.lists, document.list.group);
    int written = 0;
    for (int first = 0; first < s.topics; first += tile) {
      const int here = min(tile, s.topics - first);
      const bool is_counted = i < s.counted_documents;
      std::int32_t* const counts = s.counts + i * s.topics + first;
      for (int k = thread; k < here; k += long_threads) {
        counters[k] = is_counted ? counts[k] : 0;
        if (is_counted) counts[k] = 0;
      }
      __syncthreads();
      for (std::uint32_t t = threadIdx.x; t < document.tokens && !is_counted; t += long_threads) {
        const auto k = static_cast<std::int64_t>(z[t]) - first;
        if (0 <= k && k < here) atomicAdd(counters + k, 1);
      }
      __syncthreads();
      written = list_tile(s, counters, first, here, written, list, of_warps);
      __syncthreads();
    }
    if (thread < (-written & (lanes - 1))) list[written + thread] = Entry::of(list[written - 1].topic(), 0);
    if (thread == 0) {
      s.documents[i].list.size = static_cast<std::uint32_t>(written);
      atomic_add(&s.statistics->entries, written);
    }
  }
}

template <class Kernel>
void allow_shared(Kernel kernel, int counters) {
  execution::allow_shared_bytes(kernel, counters * static_cast<std::int64_t>(sizeof(int)), "requesting shared memory");
}

}  // namespace

template <class Entry>
void queue_sparse_lists(const SparseLists<Entry>& lists, cudaStream_t stream) {
  if (lists.long_documents > 0) {
    const int tile = std::min(lists.topics, most_tile_topics);
    const std::int64_t most = std::int64_t{execution::multiprocessors()} * 4;
    if (lists.slice_count > 0) {
      allow_shared(count_slice<Entry>, most_tile_topics);
      count_slice<<<static_cast<unsigned>(lists.slice_count), long_threads,
                    static_cast<std::size_t>(tile) * sizeof(int), stream>>>(lists, tile);
      execution::check_launch("counting topics of long documents");
    }
    allow_shared(list_long_documents<Entry>, most_tile_topics);
    list_long_documents<<<static_cast<unsigned>(std::min<std::int64_t>(lists.long_documents, most)), long_threads,
                          static_cast<std::size_t>(tile) * sizeof(int), stream>>>(lists, tile);
    execution::check_launch("listing topics of long documents");
  }
  const bool in_shared = lists.topics <= most_shared_topics;
  const std::size_t bytes = in_shared ? static_cast<std::size_t>(lists.topics) * sizeof(unsigned) : 0;
  // A block that sums n_k in shared memory should have many documents.
  const std::int64_t most = std::int64_t{execution::multiprocessors()} * blocks_at_once;
  const std::int64_t short_documents = lists.document_count - lists.long_documents;
  if (short_documents > 0) {
    const std::int64_t wanted = base::ceil_div<std::int64_t>(short_documents, warps_per_block);
    allow_shared(list_short_documents<Entry>, most_shared_topics);
    list_short_documents<<<static_cast<unsigned>(std::min(wanted, most)), block_threads, bytes, stream>>>(lists,
                                                                                                          in_shared);
    execution::check_launch("listing topics of documents");
  }
  if (lists.single_count > 0) {
    const std::int64_t wanted = base::ceil_div<std::int64_t>(lists.single_count, block_threads);
    allow_shared(count_single_tokens<Entry>, most_shared_topics);
    count_single_tokens<<<static_cast<unsigned>(std::min(wanted, most)), block_threads, bytes, stream>>>(lists,
                                                                                                         in_shared);
    execution::check_launch("counting topics of documents of one token");
  }
}

template void queue_sparse_lists(const SparseLists<sparse::NarrowEntry>&, cudaStream_t);
template void queue_sparse_lists(const SparseLists<sparse::WideEntry>&, cudaStream_t);

}  // namespace papilio::lda
