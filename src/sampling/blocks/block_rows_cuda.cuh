#pragma once

#include <cstdint>
#include <type_traits>

#include "sampling/rows/examine.h"
#include "sampling/rows/memory_rows_cuda.cuh"
#include "warp/cuda_warp.cuh"

namespace papilio::inline PAPILIO_TARGET::sampling_kernel {

// The rows of a tile as the methods of the papers read them
// (collective/rows.h): row q is that of thread q. Each thread puts
// the place of its row into shared memory, so that a coalesced read
// of any row costs one 16-byte load from there and the read itself.
template <class S, bool product>
class BlockRows {
 public:
  using Weight = typename Stored<S>::Sum;

  struct alignas(16) PlainPlace {
    const S* left;
    std::int64_t size;
  };
  struct alignas(16) ProductPlace {
    const S* left;  // null: a row without categories
    const S* right;
  };
  using Place = std::conditional_t<product, ProductPlace, PlainPlace>;

  // All threads of the warp construct theirs together; `places` has room for 32 in shared memory.
  __device__ __forceinline__ BlockRows(const MemoryRow<S, product>& own, Place* places)
      : places_(places), stride_(own.stride), longest_(own.count), lane_(warp::thread::lane()) {
    if constexpr (product)
      own_ = {own.count == 0 ? nullptr : own.left, own.right};
    else
      own_ = {own.left, own.count};
    __syncwarp();  // other threads may still be reading the tile before
    places_[lane_] = own_;
    __syncwarp();
    for (int distance = 16; distance > 0; distance /= 2) {
      const std::int64_t other = warp::thread::shuffle_xor(longest_, distance);
      longest_ = other > longest_ ? other : longest_;
    }
  }

  __device__ __forceinline__ std::int64_t longest() const { return longest_; }
  __device__ __forceinline__ std::int64_t size(int q) const { return size_of(places_[q]); }
  __device__ __forceinline__ Weight weight(int q, std::int64_t k) const { return read(places_[q], k); }

  template <warp::Warp W>
  __device__ __forceinline__ Weight block(int q, std::int64_t k) const {
    const Place place = places_[q];
    const std::int64_t at = k + lane_;
    const Weight w = at < size_of(place) ? read(place, at) : Weight{0};
    signs_ |= (sign_word(w) >> 31) << q;
    return w;
  }

  template <warp::Warp W>
  __device__ __forceinline__ Weight column(std::int64_t k) const {
    const Weight w = k < size_of(own_) ? read(own_, k) : Weight{0};
    own_sign_ |= sign_word(w) >> 31;
    return w;
  }

  // Whether any weight of this thread's row that was read had its sign bit set.
  __device__ __forceinline__ bool sign() const {
    unsigned signs = signs_;
    for (int distance = 16; distance > 0; distance /= 2) signs |= warp::thread::shuffle_xor(signs, distance);
    return ((signs >> lane_ & 1u) | own_sign_) != 0;
  }

 private:
  __device__ __forceinline__ std::int64_t size_of(const Place& place) const {
    if constexpr (product)
      return place.left != nullptr ? longest_ : 0;  // products are all of one length
    else
      return place.size;
  }
  __device__ __forceinline__ Weight read(const Place& place, std::int64_t k) const {
    Weight x[1];
    if constexpr (product) {
      Weight y[1];
      load<1>(place.left + k, x);
      load<1>(place.right + k, y);
      return x[0] * y[0];
    } else {
      load<1>(place.left + k * stride_, x);
      return x[0];
    }
  }

  Place* places_;
  Place own_;
  std::int64_t stride_;
  std::int64_t longest_;
  int lane_;
  mutable unsigned signs_ = 0;  // bit q: this thread has met a sign bit in row q
  mutable unsigned own_sign_ = 0;
};

// Why row q cannot be drawn from, apart from its sum. All threads of the warp
// read it together; the first weight that is wrong decides, as on the CPU.
template <class Rows>
__device__ DrawStatus examine_by_warp(const Rows& rows, int q) {
  using warp::thread::ballot, warp::thread::shuffle;
  const std::int64_t size = rows.size(q);
  const int lane = warp::thread::lane();
  bool positive = false;
  for (std::int64_t first = 0; first < size; first += 32) {
    const auto w = first + lane < size ? rows.weight(q, first + lane) : 0;
    const int fault = static_cast<int>(fault_of(w));
    const unsigned wrong = ballot(fault != static_cast<int>(DrawStatus::ok));
    if (wrong != 0) return static_cast<DrawStatus>(shuffle(fault, __ffs(static_cast<int>(wrong)) - 1));
    positive |= w > 0;
  }
  return status_of_weights(size, ballot(positive) != 0);
}

// The status of each thread's row. The weights of a row are read
// only if its thread says `look`; otherwise they count as ok.
template <class Rows>
__device__ DrawStatus examine_rows(const Rows& rows, bool look, double total) {
  auto status = DrawStatus::ok;
  for (unsigned left = warp::thread::ballot(look); left != 0; left &= left - 1) {
    const int q = __ffs(static_cast<int>(left)) - 1;
    const DrawStatus found = examine_by_warp(rows, q);
    if (warp::thread::lane() == q) status = found;
  }
  return status_with_sum(status, total);
}

}  // namespace papilio::inline PAPILIO_TARGET::sampling_kernel
