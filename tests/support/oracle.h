#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <limits>
#include <utility>
#include <vector>

// What the library should draw, by plain loops and recursion that share no code
// with it. Must be compiled without contraction.

namespace papilio::testing {

// Philox4x32-10 (Salmon et al., SC 2011): counter words first, as Random123 prints them.
inline std::array<std::uint32_t, 4> philox(std::array<std::uint32_t, 4> c, std::array<std::uint32_t, 2> key) {
  for (std::uint32_t round = 0; round < 10; ++round) {
    const std::uint64_t even = 0xD2511F53ull * c[0];
    const std::uint64_t odd = 0xCD9E8D57ull * c[2];
    const std::uint32_t key0 = key[0] + round * 0x9E3779B9u;
    const std::uint32_t key1 = key[1] + round * 0xBB67AE85u;
    c = {static_cast<std::uint32_t>(odd >> 32) ^ c[1] ^ key0, static_cast<std::uint32_t>(odd),
         static_cast<std::uint32_t>(even >> 32) ^ c[3] ^ key1, static_cast<std::uint32_t>(even)};
  }
  return c;
}

// The block of draw `id` in a stream of a seed.
inline std::array<std::uint32_t, 4> random_block(std::uint64_t seed, std::uint64_t stream, std::uint64_t id) {
  const auto low = [](std::uint64_t x) { return static_cast<std::uint32_t>(x & 0xffffffffu); };
  return philox({low(id), low(id >> 32), low(stream), low(stream >> 32)}, {low(seed), low(seed >> 32)});
}

// The leading 53 bits of words 1 and 0, and the leading 24, as fractions.
inline double uniform53_of(const std::array<std::uint32_t, 4>& block) {
  return std::ldexp(std::ldexp(block[1], 21) + std::floor(std::ldexp(block[0], -11)), -53);
}
inline float uniform24_of(const std::array<std::uint32_t, 4>& block) {
  return static_cast<float>(std::ldexp(std::floor(std::ldexp(block[1], -8)), -24));
}

// u * total, rounded to T as if there were no least exponent, then down to a multiple of the
// least positive number.
template <class T>
T target_of(T u, T total) {
  constexpr int least = std::numeric_limits<T>::min_exponent - std::numeric_limits<T>::digits;  // 2^least
  int u_exponent = 0, total_exponent = 0;
  const T product = std::frexp(u, &u_exponent) * std::frexp(total, &total_exponent);
  const int exponent = u_exponent + total_exponent;
  if (exponent > least + std::numeric_limits<T>::digits + 1) return std::ldexp(product, exponent);  // exact
  return std::ldexp(std::floor(std::ldexp(product, exponent - least)), least);
}

// A row of weights, or of products of two rows (right is then as long as left).
template <class T>
struct WeightRow {
  std::vector<T> left;
  std::vector<T> right = {};

  std::int64_t size() const { return static_cast<std::int64_t>(left.size()); }
  T weight(std::int64_t k) const {
    const auto i = static_cast<std::size_t>(k);
    return right.empty() ? left[i] : left[i] * right[i];
  }
  long double exact_weight(std::int64_t k) const {
    const auto i = static_cast<std::size_t>(k);
    return right.empty() ? left[i] : static_cast<long double>(left[i]) * right[i];
  }
};

// --- The canonical order ------------------------------------------------------
//
// Category c = 1024 g + 128 j + 4 l + e lies in
// segment g, at depth j of slot e of lane l. A lane's four slots make a tree of two
// pairs; 32 lanes make a tree in which node n of N has the children n and n + N of 2 N.

// The categories below `categories` of one segment in the order of the walk.
inline std::vector<std::int64_t> segment_walk(std::int64_t segment, std::int64_t categories) {
  std::vector<std::int64_t> walk;
  const auto visit = [&](const auto& self, int node, int nodes) -> void {
    if (nodes < 32) {
      self(self, node, 2 * nodes);
      self(self, node + nodes, 2 * nodes);
      return;
    }
    for (int e = 0; e < 4; ++e) {
      for (int j = 0; j < 8; ++j) {
        const std::int64_t category = 1024 * segment + 128 * j + 4 * node + e;
        if (category < categories) walk.push_back(category);
      }
    }
  };
  visit(visit, 0, 1);
  return walk;
}

// All categories of a row in the order in which its cumulative weight runs.
inline std::vector<std::int64_t> slot_walk(std::int64_t categories) {
  std::vector<std::int64_t> walk;
  for (std::int64_t segment = 0; 1024 * segment < categories; ++segment) {
    const auto part = segment_walk(segment, categories);
    walk.insert(walk.end(), part.begin(), part.end());
  }
  return walk;
}

// Sums and draws of one row in the canonical order.
template <class T>
class SlotOrder {
 public:
  struct Draw {
    std::int64_t category;  // -1 where no weight is positive
    bool overshot;          // the walk ran past its end by rounding, and the guard chose
  };

  explicit SlotOrder(WeightRow<T> row) : row_(std::move(row)) {
    const std::int64_t segments = std::max<std::int64_t>(1, (row_.size() + 1023) / 1024);
    slots_.assign(static_cast<std::size_t>(segments), {});
    for (std::int64_t k = 0; k < row_.size(); ++k) {
      const auto i = static_cast<std::size_t>(k);
      T& slot = slots_[i / 1024][i % 128];
      slot = row_.right.empty() ? slot + row_.left[i] : std::fma(row_.left[i], row_.right[i], slot);
    }
    double running = 0;
    for (std::int64_t g = 0; g < segments; ++g) running_.push_back(running += static_cast<double>(node(g, 0, 1)));
  }

  const WeightRow<T>& row() const { return row_; }
  double total() const { return running_.back(); }

  // The sum of a node of a segment's lane tree; node(g, 0, 1) is the segment's.
  T node(std::int64_t segment, int n, int nodes) const {
    if (nodes < 32) {
      const T left = node(segment, n, 2 * nodes);
      return left + node(segment, n + nodes, 2 * nodes);
    }
    const T first = slot(segment, 4 * n) + slot(segment, 4 * n + 1);
    return first + (slot(segment, 4 * n + 2) + slot(segment, 4 * n + 3));
  }

  Draw draw(double u) const {
    const double target = target_of(u, total());
    std::int64_t segment = 0;
    while (segment + 1 < static_cast<std::int64_t>(running_.size()) && !(target < at(running_, segment))) ++segment;
    return draw_in_segment(segment, segment == 0 ? target : target - at(running_, segment - 1));
  }

  // The walk through a segment with `rest` of the target left in it.
  Draw draw_in_segment(std::int64_t segment, double rest) const {
    int lane = 0;
    for (int nodes = 1; nodes < 32; nodes *= 2) lane += goes_right(rest, node(segment, lane, 2 * nodes)) ? nodes : 0;
    int number = 4 * lane;
    if (goes_right(rest, slot(segment, number) + slot(segment, number + 1))) number += 2;
    if (goes_right(rest, slot(segment, number))) number += 1;
    for (std::int64_t k = 1024 * segment + number; k < 1024 * (segment + 1) && k < row_.size(); k += 128) {
      if (!goes_right(rest, row_.weight(k))) return {k, false};
    }
    return {last_positive(segment, number), true};
  }

 private:
  static double at(const std::vector<double>& v, std::int64_t i) { return v[static_cast<std::size_t>(i)]; }
  T slot(std::int64_t segment, int number) const {
    return slots_[static_cast<std::size_t>(segment)][static_cast<std::size_t>(number)];
  }
  static bool goes_right(double& rest, T left) {
    if (rest < static_cast<double>(left)) return false;
    rest -= static_cast<double>(left);
    return true;
  }

  // The last category of positive weight up to the end of slot `number` of a
  // segment, in the order of the walk; if there is none, the first after it.
  std::int64_t last_positive(std::int64_t segment, int number) const {
    const auto walk = slot_walk(1024 * static_cast<std::int64_t>(running_.size()));
    const auto end = std::find(walk.begin(), walk.end(), 1024 * segment + 128 * 7 + number) + 1;
    const auto positive = [&](std::int64_t k) { return k < row_.size() && row_.weight(k) > 0; };
    const auto before = std::find_if(std::make_reverse_iterator(end), walk.rend(), positive);
    if (before != walk.rend()) return *before;
    const auto behind = std::find_if(end, walk.end(), positive);
    return behind != walk.end() ? *behind : -1;
  }

  WeightRow<T> row_;
  std::vector<std::array<T, 128>> slots_;
  std::vector<double> running_;
};

// --- The block order ------------------------------------------------------------
//
// Rows padded with zeros to whole blocks of `width`, at least `padded` categories;
// inside each block a binary tree over neighbouring halves, the totals of the
// blocks added in sequence. All in T. `ahead` categories, fewer than a block, may come
// before the blocks, added one by one.

enum class BlockSearch : std::uint8_t { only_adds, adds_and_subtracts };

template <class T>
class BlockOrder {
 public:
  BlockOrder(WeightRow<T> row, std::int64_t width, std::int64_t padded, std::int64_t ahead = 0)
      : row_(std::move(row)), width_(width), ahead_(ahead) {
    T running = 0;
    for (std::int64_t k = 0; k < ahead; ++k)
      ahead_sums_.push_back(running = running + (k < row_.size() ? row_.weight(k) : T{0}));
    for (std::int64_t first = ahead; first == 0 || first < padded; first += width)
      running_.push_back(running = running + sum(first, width));
  }

  T total() const { return running_.empty() ? ahead_sums_.back() : running_.back(); }

  // The category by which a lane's search ends; it may be one of weight 0, by rounding.
  std::int64_t draw(T u, BlockSearch search, std::int64_t lane) const {
    const T target = target_of(u, total());
    const T before = ahead_sums_.empty() ? T{0} : ahead_sums_.back();
    if (target < before || running_.empty()) {
      std::size_t k = 0;
      while (k + 1 < ahead_sums_.size() && !(target < ahead_sums_[k])) ++k;
      return static_cast<std::int64_t>(k);
    }
    std::size_t block = 0;
    while (block + 1 < running_.size() && !(target < running_[block])) ++block;
    T low = block == 0 ? before : running_[block - 1];
    T high = running_[block];
    std::int64_t first = ahead_ + static_cast<std::int64_t>(block) * width_;
    for (std::int64_t half = width_ / 2; half > 0; half /= 2) {
      const bool subtracts = search == BlockSearch::adds_and_subtracts && (lane & half) != 0;
      const T middle = subtracts ? high - sum(first + half, half) : low + sum(first, half);
      if (target < middle) {
        high = middle;
      } else {
        low = middle;
        first += half;
      }
    }
    return first;
  }

 private:
  T sum(std::int64_t first, std::int64_t size) const {
    if (size == 1) return first < row_.size() ? row_.weight(first) : T{0};
    const T left = sum(first, size / 2);
    return left + sum(first + size / 2, size / 2);
  }

  WeightRow<T> row_;
  std::int64_t width_;
  std::int64_t ahead_;
  std::vector<T> ahead_sums_;
  std::vector<T> running_;
};

// One running sum of a row padded with zeros to `padded` categories, in T.
template <class T>
class PrefixOrder {
 public:
  PrefixOrder(const WeightRow<T>& row, std::int64_t padded) {
    T running = 0;
    for (std::int64_t k = 0; k < padded; ++k)
      running_.push_back(running = running + (k < row.size() ? row.weight(k) : T{0}));
  }
  T total() const { return running_.back(); }
  std::int64_t draw(T u) const {
    const T target = target_of(u, total());
    std::size_t k = 0;
    while (k + 1 < running_.size() && !(target < running_[k])) ++k;
    return static_cast<std::int64_t>(k);
  }

 private:
  std::vector<T> running_;
};

// --- The exact distribution --------------------------------------------------------

// Cumulative weights of a row along `walk`, in extended precision: 64 bits, so that
// rounding here is 2^-40 of a float's. The interval of walk[i] is [before(i), after(i)).
template <class T>
class ExactIntervals {
 public:
  ExactIntervals(const WeightRow<T>& row, std::vector<std::int64_t> walk) : walk_(std::move(walk)) {
    place_.assign(walk_.size(), 0);
    long double running = 0;
    for (std::size_t i = 0; i < walk_.size(); ++i) {
      place_[static_cast<std::size_t>(walk_[i])] = i;
      after_.push_back(running += row.exact_weight(walk_[i]));
    }
  }

  long double total() const { return after_.back(); }
  long double before(std::size_t i) const { return i == 0 ? 0.0L : after_[i - 1]; }
  const std::vector<long double>& boundaries() const { return after_; }

  // By how much `target` lies outside the interval of a category.
  long double distance(std::int64_t category, long double target) const {
    const std::size_t i = place_[static_cast<std::size_t>(category)];
    return std::max({0.0L, before(i) - target, target - after_[i]});
  }

 private:
  std::vector<std::int64_t> walk_;
  std::vector<std::size_t> place_;
  std::vector<long double> after_;
};

// 0, 1, ..., categories - 1: the order of the block methods.
inline std::vector<std::int64_t> natural_walk(std::int64_t categories) {
  std::vector<std::int64_t> walk(static_cast<std::size_t>(categories));
  for (std::size_t k = 0; k < walk.size(); ++k) walk[k] = static_cast<std::int64_t>(k);
  return walk;
}

}  // namespace papilio::testing
