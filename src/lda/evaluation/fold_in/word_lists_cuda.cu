#include "lda/evaluation/fold_in/word_lists_cuda.h"

#include <algorithm>

#include "base/math.h"
#include "execution/cuda/memory.h"
#include "lda/evaluation/fold_in/fixed_phi_formulas.h"
#include "lda/evaluation/fold_in/fold_in_formulas.h"

namespace papilio::lda {
namespace {

constexpr int list_threads = 256;
constexpr unsigned whole_warp = 0xffffffffu;
constexpr std::uint32_t end_of_narrow = 1u << 16;  // for topics and for counts

__global__ void invert_masses(const std::int64_t* n_k, double prior_mass, const WordLists lists) {
  const std::int64_t k = std::int64_t{blockIdx.x} * blockDim.x + threadIdx.x;
  if (k < lists.topics) lists.reciprocals[k] = 1 / fixed_topic_mass(n_k[k], prior_mass);
}

// The place of an entry among those of its range. `rank`: its place among those of its residue. `sizes`: the number of
// entries of each residue, one per lane (and again in the other half of the warp).
__device__ __forceinline__ std::uint32_t place_in_range(int residue, std::uint32_t rank, std::uint32_t sizes) {
  std::uint32_t place = 0;
#pragma unroll
  for (int r = 0; r < list_lanes; ++r) {
    const std::uint32_t size = __shfl_sync(whole_warp, sizes, r);
    place += min(size, rank + (r < residue ? 1 : 0));
  }
  return place;
}

// Makes a row of counts, which may overwrite `counts`.
__device__ __forceinline__ void pack_row(const std::uint32_t* counts, std::int32_t topics, bool is_wide,
                                         std::uint32_t* row) {
  const int lane = static_cast<int>(threadIdx.x) % 32;
  for (std::int32_t block = 0; block < topics; block += block_topics) {
    std::uint32_t n[own_topics];
#pragma unroll
    for (int i = 0; i < own_topics; ++i) n[i] = block + 32 * i + lane < topics ? counts[block + 32 * i + lane] : 0;
    __syncwarp();  // all lanes have read their counts
    if (is_wide) {
#pragma unroll
      for (int i = 0; i < own_topics; ++i) row[block + lane * own_topics + i] = n[i];
    } else {
#pragma unroll
      for (int i = 0; i < own_topics; i += 2) row[(block + lane * own_topics + i) / 2] = n[i] | n[i + 1] << 16;
    }
    __syncwarp();
  }
}

// One warp per list. Row r of `counts` is at r stride, or at words[r] stride. `counts` may be lists.counts().
__global__ void __launch_bounds__(list_threads)
    list_topics_of_words(const WordLists lists, const std::uint32_t* counts, std::int64_t stride, bool by_word,
                         std::int64_t first, std::int64_t count) {
  const int lane = static_cast<int>(threadIdx.x) % 32, residue = lane % list_lanes;
  const std::int64_t warp = (std::int64_t{blockIdx.x} * list_threads + threadIdx.x) / 32;
  const std::int64_t warps = std::int64_t{gridDim.x} * (list_threads / 32);
  const std::int32_t topics = lists.topics, per_range = topics_per_range(topics);
  const unsigned same_residue = 0x10001u << residue, before = same_residue & ((1u << lane) - 1);
  for (std::int64_t r = warp; r < count; r += warps) {
    const std::uint32_t* const row = counts + (by_word ? lists.words[first + r] : r) * stride;
    std::uint32_t* const list = lists.entries + (first + r) * lists.stride();
    std::uint32_t most = 0;
    for (std::int32_t k = lane; k < topics; k += 32) most = max(most, row[k]);
    const bool is_wide =
        static_cast<std::uint32_t>(topics) > end_of_narrow || __reduce_max_sync(whole_warp, most) >= end_of_narrow;
    std::uint32_t size = 0;  // of the list so far
    for (int range = 0; range < topic_ranges; ++range) {
      const std::int32_t from = min(topics, range * per_range), end = min(topics, from + per_range);
      std::uint32_t of_residue = 0;
      for (std::int32_t k = from + lane; k - lane < end; k += 32) {
        const unsigned present = __ballot_sync(whole_warp, k < end && row[k] > 0);
        of_residue += static_cast<std::uint32_t>(__popc(present & same_residue));
      }
      std::uint32_t rank = 0;  // of the residue's next entry
      for (std::int32_t k = from + lane; k - lane < end; k += 32) {
        const std::uint32_t n = k < end ? row[k] : 0;
        const unsigned present = __ballot_sync(whole_warp, n > 0);  // all lanes have read their counts
        const std::uint32_t place =
            size + place_in_range(residue, rank + static_cast<std::uint32_t>(__popc(present & before)), of_residue);
        if (n > 0) list[place] = is_wide ? static_cast<std::uint32_t>(k) : static_cast<std::uint32_t>(k) << 16 | n;
        rank += static_cast<std::uint32_t>(__popc(present & same_residue));
      }
      for (int r16 = 0; r16 < list_lanes; ++r16) size += __shfl_sync(whole_warp, of_residue, r16);
    }
    if (lane == 0) lists.sizes[first + r] = 2 * size + (is_wide ? 1 : 0);
    pack_row(row, topics, is_wide, list + lists.row_at());
  }
}

void launch_word_lists(const WordLists& lists, const std::uint32_t* counts, std::int64_t stride, bool by_word,
                       std::int64_t first, std::int64_t count, cudaStream_t stream) {
  if (count == 0) return;
  const std::int64_t wanted = base::ceil_div<std::int64_t>(count, list_threads / 32);
  const auto blocks = static_cast<unsigned>(std::min(wanted, std::int64_t{execution::multiprocessors()} * 32));
  list_topics_of_words<<<blocks, list_threads, 0, stream>>>(lists, counts, stride, by_word, first, count);
  execution::check_launch("listing topics of words");
}

}  // namespace

void queue_mass_reciprocals(const std::int64_t* n_k, double prior_mass, const WordLists& lists, cudaStream_t stream) {
  const auto blocks = static_cast<unsigned>(base::ceil_div<std::int64_t>(lists.topics, list_threads));
  invert_masses<<<blocks, list_threads, 0, stream>>>(n_k, prior_mass, lists);
  execution::check_launch("weighing topics");
}

void queue_word_lists(const WordLists& lists, const std::uint32_t* counts, std::int64_t stride, std::int64_t first,
                      std::int64_t count, cudaStream_t stream) {
  launch_word_lists(lists, counts, stride, false, first, count, stream);
}

void queue_word_lists_of_table(const WordLists& lists, const std::int32_t* counts, std::int64_t stride,
                               cudaStream_t stream) {
  launch_word_lists(lists, reinterpret_cast<const std::uint32_t*>(counts), stride, true, 0, lists.count, stream);
}

}  // namespace papilio::lda
