#pragma once

#include <cstdint>
#include <type_traits>
#include <utility>

#include "collective/draw_slots.cuh"

namespace papilio::inline PAPILIO_TARGET::collective {

// A provider for draw_slots.cuh and draw_long_rows.cuh: rows whose weights a function
// computes whenever one is needed, so that none is ever stored.
//
// weight(i, k), a __device__ function object that is cheap to copy, gives category k
// of row i: a float or double >= 0, the same bits each time. A thread of a batch calls
// it for four neighbouring categories at a time, and once more for those that the
// search ends in. It is never called for a category past the last.
//
// A batch holds the rows first ... first + T - 1. In place of those past the last row, number `rows` - 1, it takes
// the last row; the threads of such rows draw too, but have nothing to write.
template <int G, int T, class Weight>
class ComputedRows {
 public:
  using Sum = std::remove_cv_t<decltype(std::declval<const Weight&>()(std::int64_t{}, std::int64_t{}))>;
  static_assert(std::is_same_v<Sum, float> || std::is_same_v<Sum, double>, "weights are float or double");

  struct Element {
    Sum value;
    __device__ __forceinline__ Sum weight() const { return value; }
    __device__ __forceinline__ Sum plus(Sum sum) const { return sum + value; }
  };

  // Every row has `categories` categories.
  __device__ __forceinline__ ComputedRows(const Weight& weight, std::int64_t first, std::int64_t rows,
                                          std::int64_t categories)
      : weight_(weight), first_(first), rows_(rows), categories_(categories) {}

  // The row that this thread searches, and whether that row exists.
  __device__ __forceinline__ std::int64_t number() const {
    return first_ + static_cast<std::int64_t>(threadIdx.x % G / (G / T));
  }
  __device__ __forceinline__ bool exists() const { return number() < rows_; }

  __device__ __forceinline__ bool has(int q) const { return first_ + q < rows_; }

  struct Row {
    Weight of;
    std::int64_t number;
    std::int64_t categories;
    __device__ __forceinline__ std::int64_t size() const { return categories; }
    __device__ __forceinline__ Sum weight(std::int64_t k) const { return of(number, k); }
  };
  __device__ __forceinline__ Row row() const { return {weight_, at(number()), categories_}; }

  // A row, beginning with this segment, as one thread of its group sees it.
  struct Cursor {
    using Element = ComputedRows::Element;
    Row row;
    std::int64_t begin;
    __device__ __forceinline__ void quad(int v, Element (&e)[4]) const {
      read<4>(row, begin + 4 * (v * G + static_cast<int>(threadIdx.x) % G), e);
    }
  };
  __device__ __forceinline__ Cursor batch_row(int q) const { return {{weight_, at(first_ + q), categories_}, begin_}; }

  template <int n>
  __device__ __forceinline__ void mine(int v, int lane, int part, Element (&e)[n]) const {
    read<n>(row(), begin_ + 4 * (v * G + lane) + n * part, e);
  }

  __device__ __forceinline__ ComputedRows segment(std::int64_t s) const {
    ComputedRows later = *this;
    later.begin_ = s * segment_size;
    return later;
  }

 private:
  __device__ __forceinline__ std::int64_t at(std::int64_t i) const { return i < rows_ ? i : rows_ - 1; }

  template <int n>
  __device__ __forceinline__ static void read(const Row& row, std::int64_t k, Element (&e)[n]) {
#pragma unroll
    for (int i = 0; i < n; ++i) e[i].value = k + i < row.categories ? row.weight(k + i) : Sum{0};
  }

  Weight weight_;
  std::int64_t first_;
  std::int64_t rows_;
  std::int64_t categories_;
  std::int64_t begin_ = 0;  // of the segment
};

}  // namespace papilio::inline PAPILIO_TARGET::collective
