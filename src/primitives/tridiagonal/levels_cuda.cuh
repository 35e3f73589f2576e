#pragma once

#include "primitives/tridiagonal/chunk_cuda.cuh"
#include "primitives/tridiagonal/plan_cuda.h"

// The equations between the separators of the systems that a block or a cluster of blocks holds, in shared memory.
// Level 1 has one row per chunk; if a system has more than 16, level 2 has one row per 16 of these, at most 16 rows.

namespace papilio::inline PAPILIO_TARGET::tridiagonal_kernel {

using papilio::primitives::ResidentShape;

// The blocks that share systems. On devices without clusters, each block is a cluster of its own.
class Cluster {
 public:
  __device__ __forceinline__ explicit Cluster(int ranks) : ranks_(ranks) {}

  __device__ __forceinline__ int ranks() const { return ranks_; }
  __device__ __forceinline__ int rank() const {
    return ranks_ == 1 ? 0 : static_cast<int>(blockIdx.x % static_cast<unsigned>(ranks_));
  }

  // Announces that this block runs, or no longer reads from others; `wait` waits until all
  // have announced that. With `with_writes`, also that others may see what it has written.
  __device__ __forceinline__ void arrive([[maybe_unused]] bool with_writes) const {
#if __CUDA_ARCH__ >= 900
    if (ranks_ == 1) return;
    if (with_writes)
      __cluster_barrier_arrive();
    else
      __cluster_barrier_arrive_relaxed();
#endif
  }
  __device__ __forceinline__ void wait() const {
#if __CUDA_ARCH__ >= 900
    if (ranks_ > 1) __cluster_barrier_wait();
#endif
  }

  __device__ __forceinline__ void synchronise() const {
#if __CUDA_ARCH__ >= 900
    if (ranks_ > 1) {
      __cluster_barrier_arrive();
      return __cluster_barrier_wait();
    }
#endif
    __syncthreads();
  }

  // The same place, in the memory of another block.
  template <class P>
  __device__ __forceinline__ P* of(int rank, P* mine) const {
#if __CUDA_ARCH__ >= 900
    if (ranks_ > 1) return static_cast<P*>(__cluster_map_shared_rank(mine, static_cast<unsigned>(rank)));
#endif
    return mine;
  }

 private:
  int ranks_;
};

// A row of a level. Beside it is first what the chunk after it adds to it,
// then the eliminated row. They are together so that one address serves both.
template <class T>
struct alignas(16) Entry {
  Row<T> row;
  Row<T> eliminated;  // or the link, in its b, c and d
};

// The entries of one system in a level: the first is at `from`, the next one `step` further, ...
struct Line {
  int from, step;

  __device__ __forceinline__ int at(int i) const { return from + i * step; }
};

// The rows of a level.
template <class T>
struct Equations {
  Entry<T>* entries;
  float* noise;  // of the rows' unknowns; of draws only

  // Takes its memory from `memory` on, which moves past it.
  __device__ __forceinline__ Equations(T*& memory, int count) {
    entries = reinterpret_cast<Entry<T>*>(memory), memory += numbers(count) - (count + 3) / 4 * 4;
    noise = reinterpret_cast<float*>(memory), memory += (count + 3) / 4 * 4;
  }
  __host__ __device__ static constexpr int numbers(int count) { return 8 * count + (count + 3) / 4 * 4; }

  __device__ __forceinline__ void set(int i, const Row<T>& row) const { entries[i].row = row; }
  __device__ __forceinline__ void set_link(int i, const Link<T>& link) const {
    entries[i].eliminated = {T{0}, link.b, link.c, link.d};
  }
  __device__ __forceinline__ Link<T> link(int i) const {
    const Row<T> held = entries[i].eliminated;
    return {held.c, held.b, held.d};
  }
};

// The systems and chunks that a block has.
struct Share {
  ResidentShape shape;
  int systems;     // as many of them as exist
  int all_chunks;  // of a system, on all ranks

  __device__ __forceinline__ bool two_levels() const { return all_chunks > chunk_rows; }
  // The rows of a system in level 1, including those that are needed to eliminate 16 at a time.
  __host__ __device__ static constexpr int level_rows(int chunks, int all_chunks) {
    return all_chunks > chunk_rows ? (chunks + chunk_rows - 1) / chunk_rows * chunk_rows : chunks;
  }
  // The entries of a system: after 16 rows, one entry of padding moves the next row to other banks.
  __host__ __device__ static constexpr int level_entries(int chunks, int all_chunks) {
    const int rows = level_rows(chunks, all_chunks);
    return (rows + rows / chunk_rows) | 1;
  }
};

template <class Form, bool draws, bool interleaved, class T>
class Levels {
 public:
  // `memory`: level_numbers numbers. `from_next`: 3 numbers per system, which the next rank's first chunk adds.
  __device__ __forceinline__ Levels(const Share& share, const Cluster& cluster, T* memory, T* from_next,
                                    unsigned* faults)
      : share_(share),
        cluster_(cluster),
        first_(cluster.rank() * share.shape.chunks),
        rows_(Share::level_rows(share.shape.chunks, share.all_chunks)),
        entries_(Share::level_entries(share.shape.chunks, share.all_chunks)),
        one_(memory, share.shape.systems * entries_),
        two_(memory, share.two_levels() ? share.shape.systems * chunk_rows : 0),
        given_(memory, share.two_levels() ? share.shape.systems * chunk_rows : 0),
        from_next_(from_next),
        faults_(faults) {}

  // Puts in the row of the separator of chunk k of this rank, and what the chunk's rows add to the separator before.
  __device__ __forceinline__ void put(int s, int k, const Row<T>& row, const Link<T>& link, float noise) const {
    const int i = index(s, k);
    one_.set(i, row);
    if constexpr (draws) one_.noise[i] = noise;
    if (k > 0) return one_.set_link(index(s, k - 1), link);
    if (first_ == 0) return;
    T* const before = cluster_.of(cluster_.rank() - 1, from_next_ + 3 * s);
    before[0] = link.c, before[1] = link.b, before[2] = link.d;
  }

  // Solves what was put in. All threads of all ranks call it; `row` is what this one put in for chunk k, if `valid`.
  __device__ __forceinline__ void solve(bool valid, int s, int k, const Row<T>& row) const {
    cluster_.synchronise();
    if (valid) join_one(s, k, row);
    __syncthreads();
    const int t = static_cast<int>(threadIdx.x), system = t % share_.shape.systems, q = t / share_.shape.systems;
    const bool exists = system < share_.systems;
    if (!share_.two_levels()) {
      if (exists && q == 0) solve_top(one_, system, share_.all_chunks, line(system, 0));
    } else {
      const bool eliminates = exists && q < rows_ / chunk_rows && first_ + q * chunk_rows < share_.all_chunks;
      if (eliminates) eliminate(system, q);
      cluster_.synchronise();
      const int rows = (share_.all_chunks + chunk_rows - 1) / chunk_rows;
      if (exists && q < rows) join_two(system, q, rows);
      cluster_.arrive(false);  // a block must not end before all others have read from it
      __syncthreads();
      if (exists && q == 0) solve_top(two_, system, rows, Line{system, share_.shape.systems});
      __syncthreads();
      if (eliminates) substitute_back(system, q);
    }
    __syncthreads();
  }

  // The unknown of the separator of chunk k of this rank. -1: of the last separator before, or 0 if there is none.
  __device__ __forceinline__ T unknown(int s, int k) const {
    if (k >= 0) return one_.entries[index(s, k)].row.d;
    return first_ == 0 ? T{0} : two_.entries[index_of_two(s, first_ / chunk_rows - 1)].row.d;
  }

  __device__ __forceinline__ void add_faults(int system, unsigned found) const {
    if (faults_ != nullptr && found != 0) atomicOr(&faults_[system], found);
  }

 private:
  __device__ __forceinline__ int index(int s, int k) const {
    const int i = k + static_cast<int>(static_cast<unsigned>(k) / chunk_rows);
    return interleaved ? i * share_.shape.systems + s : s * entries_ + i;
  }
  // The 16 rows from k on, which is a multiple of 16.
  __device__ __forceinline__ Line line(int s, int k) const {
    return {index(s, k), interleaved ? share_.shape.systems : 1};
  }
  __device__ __forceinline__ int index_of_two(int s, int k) const { return k * share_.shape.systems + s; }

  // Row k of all rows, with what the chunk after it adds.
  __device__ __forceinline__ static Row<T> joined(Row<T> row, int k, int rows, const Link<T>& link) {
    if (k + 1 < rows) Form::template join<OneMath>(row, link);
    if (k == 0) row.a = 0;
    if (k + 1 == rows || Form::is_walk) row.c = 0;
    return row;
  }
  __device__ __forceinline__ void join_one(int s, int k, const Row<T>& row) const {
    const bool last = k + 1 == share_.shape.chunks && cluster_.ranks() > 1;
    const T* const next = from_next_ + 3 * s;
    const int i = index(s, k);
    one_.set(i, joined(row, first_ + k, share_.all_chunks, last ? Link<T>{next[0], next[1], next[2]} : one_.link(i)));
  }
  // Reads from the ranks that have eliminated rows k and k + 1.
  __device__ __forceinline__ void join_two(int s, int k, int rows) const {
    const int i = index_of_two(s, k), next = index_of_two(s, min(k + 1, rows - 1));
    const int rank = k * chunk_rows / share_.shape.chunks,
              next_rank = min(k + 1, rows - 1) * chunk_rows / share_.shape.chunks;
    const auto* const mine = cluster_.of(cluster_.ranks() == 1 ? 0 : rank, given_.entries + i);
    const auto* const after = cluster_.of(cluster_.ranks() == 1 ? 0 : next_rank, given_.entries + next);
    const Row<T> row = mine->row, held = after->eliminated;
    const Link<T> link = {held.c, held.b, held.d};
    two_.set(i, joined(row, k, rows, link));
    if constexpr (draws) two_.noise[i] = *cluster_.of(cluster_.ranks() == 1 ? 0 : rank, given_.noise + i);
  }

  // Eliminates rows 0 ... count - 1 of a line, of which `rows` exist; the others are x = 0 on its own.
  // `row` becomes row `count`. The rows themselves are not changed, so that they can be eliminated again.
  template <class Math>
  __device__ __forceinline__ unsigned eliminate_rows(const Equations<T>& level, int count, int rows, const Line& line,
                                                     Row<T>& row, Link<T>& link) const {
    Entry<T>* entry = level.entries + line.from;
    const auto row_of = [&](int i, const Entry<T>* at) { return i < rows ? at->row : Row<T>{T{0}, T{1}, T{0}, T{0}}; };
    link = Form::start(T{0}, T{1});
    row = row_of(0, entry);
    Row<T> next = row_of(1, entry + line.step);
    unsigned order = 0;
#pragma unroll 1
    for (int i = 0; i < count; ++i, entry += line.step) {
      const Row<T> ahead = row_of(i + 2, entry + 2 * line.step);  // is being loaded while a reciprocal is computed
      Form::template eliminate<Math>(row, next, link);
      entry->eliminated = row;
      order = max(order, quick_order(row.b));
      row = next, next = ahead;
    }
    return order;
  }
  __device__ __forceinline__ void eliminate_any_rows(const Equations<T>& level, int s, int count, int rows,
                                                     const Line& line, Row<T>& row, Link<T>& link, bool record) const {
    const unsigned order = eliminate_rows<QuickMath>(level, count, rows, line, row, link);
    if (!is_quick<T>(order)) eliminate_rows<OneMath>(level, count, rows, line, row, link);
    if (faults_ == nullptr || !record) return;
    unsigned found = 0;
    for (int i = 0; i < count; ++i) found |= pivot_faults(level.entries[line.at(i)].eliminated.b);
    add_faults(s, found);
  }

  // Substitutes back, from row count - 1 to row 0.
  __device__ __forceinline__ void substitute_rows(const Equations<T>& level, int count, int rows, const Line& line,
                                                  T before, T next) const {
    Entry<T>* entry = level.entries + line.at(count - 1);
    Row<T> row = entry->eliminated;
#pragma unroll 1
    for (int i = count - 1; i >= 0; --i, entry -= line.step) {
      const Row<T> ahead = i > 0 ? (entry - line.step)->eliminated : row;
      next = substitute<OneMath>(row, before, next);
      if constexpr (draws) {
        const float e = i < rows ? level.noise[line.at(i)] : 0.0f;
        next = disturbed<OneMath>(next, row.b, static_cast<T>(e));
      }
      entry->row.d = next;
      row = ahead;
    }
  }

  // Eliminates rows 16 q ... 16 q + 15 of level 1. The last becomes a row of level 2; its link is for the row before.
  __device__ __forceinline__ void eliminate(int s, int q) const {
    const Line all = line(s, chunk_rows * q);
    const int rows = min(chunk_rows, share_.all_chunks - first_ - chunk_rows * q);
    Row<T> row;
    Link<T> link;
    eliminate_any_rows(one_, s, separator, rows, all, row, link, true);
    const int i = index_of_two(s, first_ / chunk_rows + q);
    given_.set(i, row), given_.set_link(i, link);
    if constexpr (draws) given_.noise[i] = separator < rows ? one_.noise[all.at(separator)] : 0.0f;
  }

  // Solves the level that has at most 16 rows, with one thread per system. The rows that would follow
  // are x = 0; the first of them is needed, because it is NaN if the last pivot is not finite.
  __device__ __forceinline__ void solve_top(const Equations<T>& level, int s, int rows, const Line& all) const {
    const int count = min(rows, separator);
    const bool record = cluster_.rank() == 0;  // the faults are in its memory, and other ranks may have ended
    Row<T> row;
    Link<T> link;
    eliminate_any_rows(level, s, count, rows, all, row, link, record);
    T next = row.d;
    if (count < rows) {
      const T inverse = T{1} / row.b;
      next = inverse * row.d;
      if constexpr (draws) next = disturbed<OneMath>(next, inverse, static_cast<T>(level.noise[all.at(count)]));
      level.entries[all.at(count)].row.d = next;
      if (record) add_faults(s, pivot_faults(inverse));
    }
    substitute_rows(level, count, rows, all, T{0}, next);
  }

  __device__ __forceinline__ void substitute_back(int s, int q) const {
    const Line all = line(s, chunk_rows * q);
    const int two = first_ / chunk_rows + q;
    const T next = two_.entries[index_of_two(s, two)].row.d;
    one_.entries[all.at(separator)].row.d = next;
    substitute_rows(one_, separator, share_.all_chunks - first_ - chunk_rows * q, all,
                    two > 0 ? two_.entries[index_of_two(s, two - 1)].row.d : T{0}, next);
  }

  const Share& share_;
  const Cluster& cluster_;
  int first_;    // the first chunk of this rank
  int rows_;     // of a system in level 1
  int entries_;  // entries of a system in level 1
  Equations<T> one_, two_;
  Equations<T> given_;  // the rows of level 2 that this rank has eliminated
  T* from_next_;
  unsigned* faults_;
};

// How many numbers the levels take.
template <class T>
__host__ __device__ constexpr int level_numbers(const ResidentShape& shape, int all_chunks) {
  const int one = Equations<T>::numbers(shape.systems * Share::level_entries(shape.chunks, all_chunks));
  return one + 2 * (all_chunks > chunk_rows ? Equations<T>::numbers(shape.systems * chunk_rows) : 0);
}

}  // namespace papilio::inline PAPILIO_TARGET::tridiagonal_kernel
