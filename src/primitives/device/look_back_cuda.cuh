#pragma once

#include <cstdint>

#include "primitives/exact_sum.h"
#include "primitives/status.h"

// What the tiles of a scan tell each other: decoupled look-back (Merrill and Garland, NVIDIA technical report
// NVR-2016-002).
//
// First a tile publishes a record of what its own values combine to; then, when it knows what came
// before, one of all values up to its end ("complete"). A record is either one 64-bit word, published
// together with its state in one access of 16 bytes, or several words, published before their state
// is released. The number of a tile is a ticket, so the tiles for which it waits are running or done.

namespace papilio::inline PAPILIO_TARGET::primitive_kernel {

inline constexpr unsigned every_lane = 0xFFFF'FFFFu;

enum : std::uint32_t { nothing_published = 0, part_published = 1, complete_published = 2, before_the_first = 3 };

// A state and a word, read and written in one access (of 16 bytes, so that neither is ever seen without the other).
struct alignas(16) StateAndWord {
  std::uint64_t word;
  std::uint64_t state;
};

// Toolkits before 12.3 have no 128-bit type; even so, an aligned pair of words is one access on every device.
__device__ __forceinline__ StateAndWord load_together(const StateAndWord* from) {
  StateAndWord r;
#if __CUDACC_VER_MAJOR__ * 100 + __CUDACC_VER_MINOR__ < 1203
  asm volatile("ld.relaxed.gpu.global.v2.u64 {%0, %1}, [%2];" : "=l"(r.word), "=l"(r.state) : "l"(from) : "memory");
#else
  asm volatile("{\n\t.reg .b128 both;\n\tld.relaxed.gpu.global.b128 both, [%2];\n\tmov.b128 {%0, %1}, both;\n\t}"
               : "=l"(r.word), "=l"(r.state)
               : "l"(from)
               : "memory");
#endif
  return r;
}
__device__ __forceinline__ void store_together(StateAndWord* to, std::uint64_t word, std::uint64_t state) {
#if __CUDACC_VER_MAJOR__ * 100 + __CUDACC_VER_MINOR__ < 1203
  asm volatile("st.relaxed.gpu.global.v2.u64 [%0], {%1, %2};" ::"l"(to), "l"(word), "l"(state) : "memory");
#else
  asm volatile(
      "{\n\t.reg .b128 both;\n\tmov.b128 both, {%1, %2};\n\tst.relaxed.gpu.global.b128 [%0], both;\n\t}" ::"l"(to),
      "l"(word), "l"(state)
      : "memory");
#endif
}

__device__ __forceinline__ std::uint32_t load_acquire(const std::uint32_t* from) {
  std::uint32_t value;
  asm volatile("ld.acquire.gpu.global.u32 %0, [%1];" : "=r"(value) : "l"(from) : "memory");
  return value;
}
__device__ __forceinline__ void store_release(std::uint32_t* to, std::uint32_t value) {
  asm volatile("st.release.gpu.global.u32 [%0], %1;" ::"l"(to), "r"(value) : "memory");
}

// The records of all tiles, in the workspace. For records of `words` > 1 words, `part`
// and `complete` have words * tiles entries. States (or the pairs) must be 0 at first.
struct Records {
  StateAndWord* together;  // one word
  std::uint32_t* state;    // more words
  std::uint64_t* part;
  std::uint64_t* complete;
};

// Registers of a warp for one record: lane l holds the words l, l + 32, ...
template <int words>
struct RecordLanes {
  static constexpr int per_lane = (words + 31) / 32;
  std::uint64_t word[per_lane];
};

// Publishes a record. Called by a warp.
template <int words>
__device__ __forceinline__ void publish(const Records& records, std::int64_t tile, const RecordLanes<words>& record,
                                        bool complete) {
  const int lane = static_cast<int>(threadIdx.x % 32);
  const std::uint32_t state = complete ? complete_published : part_published;
  if constexpr (words == 1) {
    if (lane == 0) store_together(records.together + tile, record.word[0], state);
  } else {
    std::uint64_t* const to = (complete ? records.complete : records.part) + tile * words;
#pragma unroll
    for (int r = 0; r < RecordLanes<words>::per_lane; ++r)
      if (lane + 32 * r < words) __stcg(reinterpret_cast<unsigned long long*>(to) + lane + 32 * r, record.word[r]);
    __threadfence();
    __syncwarp();
    if (lane == 0) store_release(records.state + tile, state);
  }
}

// Waits until the states of 32 tiles are known, back to the nearest complete one. `poll` reads this lane's
// state. Returns how many tiles count, nearest first; `ends` becomes whether the last of them is complete.
template <class Poll>
__device__ __forceinline__ int wait_for_tiles(const Poll& poll, bool& ends) {
  for (;;) {
    const std::uint32_t state = poll();
    const unsigned complete = __ballot_sync(every_lane, state >= complete_published);
    const unsigned known = __ballot_sync(every_lane, state != nothing_published);
    const int count = complete != 0 ? __ffs(static_cast<int>(complete)) : 32;
    const unsigned needed = count == 32 ? every_lane : (1u << count) - 1;
    ends = complete != 0;
    if ((known & needed) == needed) return count;
    __nanosleep(20);
  }
}

// Calls take(found) for the records, of one word each, of all tiles before `tile` back to the nearest complete one,
// each in one lane; tile > 0. state_of(found) is a record's state; `neutral` stands for whatever is before the
// first tile. A lane reads several at once: tiles become complete about as fast as memory answers for 32 of them.
template <class State, class Take>
__device__ __forceinline__ void visit_records(const Records& records, std::int64_t tile, StateAndWord neutral,
                                              const State& state_of, const Take& take) {
  constexpr int depth = 4;
  const int lane = static_cast<int>(threadIdx.x % 32);
  for (std::int64_t nearest = tile - 1;; nearest -= 32 * depth) {
    StateAndWord found[depth];
    const auto read = [&](int j) {
      const std::int64_t mine = nearest - 32 * j - lane;
      found[j] = mine < 0 ? neutral : load_together(records.together + mine);
    };
#pragma unroll
    for (int j = 0; j < depth; ++j) read(j);
#pragma unroll
    for (int j = 0; j < depth; ++j) {
      bool ends = false, again = false;
      const int count = wait_for_tiles(
          [&] {
            if (again) read(j);
            again = true;
            return state_of(found[j]);
          },
          ends);
      if (lane < count) take(found[j]);
      if (ends) return;
    }
  }
}

// What all tiles before `tile`, back to the nearest complete one, combine to. Called by a warp;
// tile > 0. Combine joins two words (of the given number in a record) and need not keep an order.
template <int words, class Combine>
__device__ __forceinline__ RecordLanes<words> look_back(const Records& records, std::int64_t tile,
                                                        std::uint64_t neutral, const Combine& combine) {
  const int lane = static_cast<int>(threadIdx.x % 32);
  RecordLanes<words> sum;
#pragma unroll
  for (int r = 0; r < RecordLanes<words>::per_lane; ++r) sum.word[r] = neutral;
  if constexpr (words == 1) {
    std::uint64_t word = neutral;
    visit_records(
        records, tile, {neutral, before_the_first},
        [](const StateAndWord& found) { return static_cast<std::uint32_t>(found.state); },
        [&](const StateAndWord& found) { word = combine(word, found.word, 0); });
#pragma unroll
    for (int distance = 16; distance > 0; distance /= 2)
      word = combine(word, __shfl_xor_sync(every_lane, word, distance), 0);
    sum.word[0] = word;
    return sum;
  }
  bool ends = false;
  for (std::int64_t nearest = tile - 1; !ends; nearest -= 32) {
    const std::int64_t mine = nearest - lane;
    std::uint32_t state = nothing_published;
    const int count = wait_for_tiles(
        [&] {
          return state = mine < 0 ? static_cast<std::uint32_t>(before_the_first) : load_acquire(records.state + mine);
        },
        ends);
    __syncwarp();
#pragma unroll 4
    for (int i = 0; i < count; ++i) {
      const std::uint32_t its = __shfl_sync(every_lane, state, i);
      if (its == before_the_first) break;
      const std::uint64_t* const from =
          (its == complete_published ? records.complete : records.part) + (nearest - i) * words;
#pragma unroll
      for (int r = 0; r < RecordLanes<words>::per_lane; ++r) {
        const int w = lane + 32 * r;
        if (w < words)
          sum.word[r] = combine(sum.word[r], __ldcg(reinterpret_cast<const unsigned long long*>(from) + w), w);
      }
    }
  }
  return sum;
}

// Reports what is wrong. `status` is null for a call without a status word.
__device__ __forceinline__ void report(std::int64_t* status, PrimitiveError error, std::int64_t place) {
  if (status != nullptr)
    atomicMin(reinterpret_cast<unsigned long long*>(status),
              static_cast<unsigned long long>(primitives::status_word(error, place)));
}

}  // namespace papilio::inline PAPILIO_TARGET::primitive_kernel
