#pragma once

#include <cooperative_groups.h>

#include "primitives/tridiagonal/chunk_cuda.cuh"
#include "primitives/tridiagonal/plan_cuda.h"

// The equations between the separators of systems that a block or a cluster of blocks holds, in shared memory: level 1
// has a row per chunk; where those are more than 16, level 2 has a row per 16 of them, at most 16 rows.

namespace papilio::inline PAPILIO_TARGET::tridiagonal_kernel {

using papilio::primitives::ResidentShape;

// The blocks that share systems. A block alone has a cluster of its own on devices without clusters.
class Cluster {
 public:
  __device__ __forceinline__ explicit Cluster(int ranks) : ranks_(ranks) {}

  __device__ __forceinline__ int ranks() const { return ranks_; }
  __device__ __forceinline__ int rank() const {
    return ranks_ == 1 ? 0 : static_cast<int>(blockIdx.x % static_cast<unsigned>(ranks_));
  }

  // Says that this block runs and has cleared what others add to; the other waits until all have said so.
  __device__ __forceinline__ void arrive() const {
#if __CUDA_ARCH__ >= 900
    if (ranks_ > 1) cooperative_groups::cluster_group::barrier_arrive();
#endif
  }
  __device__ __forceinline__ void wait() const {
#if __CUDA_ARCH__ >= 900
    if (ranks_ > 1) cooperative_groups::cluster_group::barrier_wait();
#endif
  }

  __device__ __forceinline__ void synchronise() const {
#if __CUDA_ARCH__ >= 900
    if (ranks_ > 1) return cooperative_groups::cluster_group::sync();
#endif
    __syncthreads();
  }

  // The same place in the memory of another block.
  template <class P>
  __device__ __forceinline__ P* of(int rank, P* mine) const {
#if __CUDA_ARCH__ >= 900
    if (ranks_ > 1) return cooperative_groups::cluster_group::map_shared_rank(mine, rank);
#endif
    return mine;
  }

 private:
  int ranks_;
};

// Shared memory: an entry of padding every 16 spreads strided rows over all banks.
__host__ __device__ constexpr int padded(int i) { return i + i / chunk_rows; }

// Rows of a level and what the chunk after each adds to it.
template <class T>
struct Equations {
  T *a, *b, *c, *d;
  T *link_c, *link_b, *link_d;
  float* noise;  // of the rows' unknowns; of draws only

  // Laid out from `memory` on, which moves past them.
  __device__ __forceinline__ Equations(T*& memory, int entries) {
    for (T** const part : {&a, &b, &c, &d, &link_c, &link_b, &link_d}) *part = memory, memory += entries;
    noise = reinterpret_cast<float*>(memory), memory += entries;
  }

  __device__ __forceinline__ Row<T> row(int i) const { return {a[i], b[i], c[i], d[i]}; }
  __device__ __forceinline__ void set(int i, const Row<T>& row) const {
    a[i] = row.a, b[i] = row.b, c[i] = row.c, d[i] = row.d;
  }
  __device__ __forceinline__ Link<T> link(int i) const { return {link_c[i], link_b[i], link_d[i]}; }
  __device__ __forceinline__ void set_link(int i, const Link<T>& link) const {
    link_c[i] = link.c, link_b[i] = link.b, link_d[i] = link.d;
  }
};

// Which systems and chunks a block has.
struct Share {
  ResidentShape shape;
  int systems;     // of them there are
  int all_chunks;  // of a system, in all ranks

  __device__ __forceinline__ bool two_levels() const { return all_chunks > chunk_rows; }
  // Rows of a system in level 1, with the padding that eliminating 16 at a time needs.
  __host__ __device__ static constexpr int level_rows(int chunks, int all_chunks) {
    return all_chunks > chunk_rows ? (chunks + chunk_rows - 1) / chunk_rows * chunk_rows : chunks;
  }
};

template <class Form, bool draws, bool interleaved, class T>
class Levels {
 public:
  // `memory`: level_numbers of them. `from_next`: 3 per system, what the next rank's first chunk adds.
  __device__ __forceinline__ Levels(const Share& share, const Cluster& cluster, T* memory, T* from_next,
                                    unsigned* faults)
      : share_(share),
        cluster_(cluster),
        rows_(Share::level_rows(share.shape.chunks, share.all_chunks)),
        first_(cluster.rank() * share.shape.chunks),
        one_(memory, padded(share.shape.systems * rows_) + 1),
        two_(memory, share.two_levels() ? share.shape.systems * chunk_rows : 0),
        from_next_(from_next),
        faults_(faults) {}

  // Puts the row of the separator of chunk k of this rank, and what its rows add to the one before.
  __device__ __forceinline__ void put(int s, int k, const Row<T>& row, const Link<T>& link, float noise) const {
    const int i = index(s, k);
    one_.set(i, row);
    if constexpr (draws) one_.noise[i] = noise;
    if (k > 0) return one_.set_link(index(s, k - 1), link);
    if (first_ == 0) return;
    T* const before = cluster_.of(cluster_.rank() - 1, from_next_ + 3 * s);
    before[0] = link.c, before[1] = link.b, before[2] = link.d;
  }

  // Solves what was put. All threads of all ranks call it.
  __device__ __forceinline__ void solve() const {
    cluster_.synchronise();
    const int t = static_cast<int>(threadIdx.x), s = t % share_.shape.systems, q = t / share_.shape.systems;
    const bool valid = s < share_.systems;
    if (!share_.two_levels()) {
      if (valid && q == 0)
        solve_top(
            one_, s, share_.all_chunks, [&](int k) { return index(s, k); }, [&](int k) { return row_of_one(s, k); });
    } else {
      const bool eliminates = valid && q < rows_ / chunk_rows && first_ + q * chunk_rows < share_.all_chunks;
      if (eliminates) eliminate(s, q);
      cluster_.synchronise();
      const int rows = (share_.all_chunks + chunk_rows - 1) / chunk_rows;
      if (valid && q == 0)
        solve_top(
            two_, s, rows, [&](int k) { return index_of_two(s, k); },
            [&](int k) { return row_of(two_, index_of_two(s, k), k, rows, two_.link(index_of_two(s, k))); });
      __syncthreads();
      if (eliminates) substitute_back(s, q);
    }
    __syncthreads();
  }

  // Of the separator of chunk k of this rank; -1: of the last one before, and 0 where there is none.
  __device__ __forceinline__ T unknown(int s, int k) const {
    if (k >= 0) return one_.d[index(s, k)];
    return first_ == 0 ? T{0} : two_.d[index_of_two(s, first_ / chunk_rows - 1)];
  }

  __device__ __forceinline__ void add_faults(int system, unsigned found) const {
    if (faults_ != nullptr && found != 0) atomicOr(&faults_[system], found);
  }

 private:
  __device__ __forceinline__ int index(int s, int k) const {
    return padded(interleaved ? k * share_.shape.systems + s : s * rows_ + k);
  }
  __device__ __forceinline__ int index_of_two(int s, int k) const { return k * share_.shape.systems + s; }

  // Row k of all, joined with what the chunk after it adds.
  __device__ __forceinline__ static Row<T> row_of(const Equations<T>& level, int i, int k, int rows,
                                                  const Link<T>& link) {
    Row<T> row = level.row(i);
    if (k + 1 < rows) Form::template join<OneMath>(row, link);
    if (k == 0) row.a = 0;
    if (k + 1 == rows || Form::is_walk) row.c = 0;
    return row;
  }

  // Row k of this rank; past the end of the system, x = 0 on its own.
  __device__ __forceinline__ Row<T> row_of_one(int s, int k) const {
    if (first_ + k >= share_.all_chunks) return {T{0}, T{1}, T{0}, T{0}};
    const int i = index(s, k);
    const bool last = k + 1 == share_.shape.chunks && cluster_.ranks() > 1;
    const T* const next = from_next_ + 3 * s;
    return row_of(one_, i, first_ + k, share_.all_chunks, last ? Link<T>{next[0], next[1], next[2]} : one_.link(i));
  }

  // Rows 16 q ... 16 q + 15 of level 1; the last becomes row q of level 2, in every rank.
  __device__ __forceinline__ void eliminate(int s, int q) const {
    Link<T> link = Form::start(T{0}, T{1});
    unsigned found = 0;
    Row<T> row = row_of_one(s, chunk_rows * q);
#pragma unroll 1
    for (int i = 0; i < separator; ++i) {
      Row<T> next = row_of_one(s, chunk_rows * q + i + 1);
      Form::template eliminate<OneMath>(row, next, link);
      one_.set(index(s, chunk_rows * q + i), row);
      found |= pivot_faults(row.b);
      row = next;
    }
    add_faults(s, found);
    const int k = first_ / chunk_rows + q, i = index_of_two(s, k), last = chunk_rows * q + separator;
    const float noise = draws && first_ + last < share_.all_chunks ? one_.noise[index(s, last)] : 0.0f;
    for (int rank = 0; rank < cluster_.ranks(); ++rank)
      put_two(rank, i, k > 0 ? i - share_.shape.systems : -1, row, link, noise);
  }

  // Row i of level 2 of a rank, and what is added to row `before`, if >= 0.
  __device__ __forceinline__ void put_two(int rank, int i, int before, const Row<T>& row, const Link<T>& link,
                                          float noise) const {
    const auto set = [&](T* mine, int at, T value) { *cluster_.of(rank, mine + at) = value; };
    set(two_.a, i, row.a), set(two_.b, i, row.b), set(two_.c, i, row.c), set(two_.d, i, row.d);
    if constexpr (draws) *cluster_.of(rank, two_.noise + i) = noise;
    if (before < 0) return;
    set(two_.link_c, before, link.c), set(two_.link_b, before, link.b), set(two_.link_d, before, link.d);
  }

  // The level whose rows are at most 16, one system per thread. What would follow are rows of x = 0: the first of them
  // is needed, which is NaN where the last pivot is not finite.
  template <class At, class RowOf>
  __device__ __forceinline__ void solve_top(const Equations<T>& level, int s, int rows, const At& at,
                                            const RowOf& row_of) const {
    Link<T> link = Form::start(T{0}, T{1});
    unsigned found = 0;
    Row<T> row = row_of(0);
    T next = 0;
    int i = 0;
#pragma unroll 1
    for (; i < min(rows, separator); ++i) {
      Row<T> after = {T{0}, T{1}, T{0}, T{0}};
      if (i + 1 < rows) after = row_of(i + 1);
      Form::template eliminate<OneMath>(row, after, link);
      level.set(at(i), row);
      found |= pivot_faults(row.b);
      row = after, next = after.d;
    }
    if (i < rows) {
      const T inverse = T{1} / row.b;
      next = inverse * row.d;
      if constexpr (draws) next = disturbed<OneMath>(next, inverse, static_cast<T>(level.noise[at(i)]));
      level.d[at(i)] = next;
      found |= pivot_faults(inverse);
    }
    if (cluster_.rank() == 0) add_faults(s, found);  // they are its own, and other ranks may be gone
#pragma unroll 1
    while (--i >= 0) {
      const Row<T> eliminated = level.row(at(i));
      next = substitute<OneMath>(eliminated, T{0}, next);
      if constexpr (draws) next = disturbed<OneMath>(next, eliminated.b, static_cast<T>(level.noise[at(i)]));
      level.d[at(i)] = next;
    }
  }

  __device__ __forceinline__ void substitute_back(int s, int q) const {
    const int two = first_ / chunk_rows + q;
    const T before = two > 0 ? two_.d[index_of_two(s, two - 1)] : T{0};
    T next = two_.d[index_of_two(s, two)];
    one_.d[index(s, chunk_rows * q + separator)] = next;
#pragma unroll 1
    for (int i = separator - 1; i >= 0; --i) {
      const int k = chunk_rows * q + i, at = index(s, k);
      const Row<T> row = one_.row(at);
      next = substitute<OneMath>(row, before, next);
      if constexpr (draws) {
        const float e = first_ + k < share_.all_chunks ? one_.noise[at] : 0.0f;
        next = disturbed<OneMath>(next, row.b, static_cast<T>(e));
      }
      one_.d[at] = next;
    }
  }

  const Share& share_;
  const Cluster& cluster_;
  int rows_;   // of a system in level 1
  int first_;  // chunk of this rank
  Equations<T> one_, two_;
  T* from_next_;
  unsigned* faults_;
};

// Numbers that the levels take: less than the arrays b and d of the chunks, in whose place they are put.
__host__ __device__ constexpr int level_numbers(const ResidentShape& shape, int all_chunks) {
  const int one = padded(shape.systems * Share::level_rows(shape.chunks, all_chunks)) + 1;
  return 8 * (one + (all_chunks > chunk_rows ? shape.systems * chunk_rows : 0));
}

}  // namespace papilio::inline PAPILIO_TARGET::tridiagonal_kernel
