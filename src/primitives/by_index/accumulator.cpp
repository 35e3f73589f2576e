#include "primitives/by_index/accumulator.h"

#include <algorithm>
#include <limits>
#include <type_traits>

#include "primitives/fixed_grid.h"
#include "primitives/kernels.h"
#include "primitives/operators.h"

namespace papilio::primitives {
namespace {

// A scheme has: Value (void: none), Out, Cell, in_place, empty(); take(cell, value) and join(cell, cell), which return
// whether the cell has overflowed its type; finish(out, cell, place), which is false if the result does not fit.

// For operators whose cells are plain values.
template <class T, class Operator>
struct Direct {
  using Value = T;
  using Out = T;
  using Cell = T;
  static constexpr bool in_place = true;
  static constexpr Cell empty() { return Operator::template neutral<T>(); }
  static bool take(Cell& cell, T value) {
    cell = Operator()(cell, value);
    return false;
  }
  static bool join(Cell& cell, Cell more) { return take(cell, more); }
  static bool finish(T& out, Cell cell, int) {
    take(out, cell);
    return true;
  }
};

// Sums of integers. A count is a value of 1.
template <class T, class Kept, bool counts>
struct Sums {
  using Value = std::conditional_t<counts, void, T>;
  using Out = T;
  using Cell = Kept;
  static constexpr bool in_place = std::is_same_v<T, Kept>;
  static constexpr Cell empty() { return 0; }
  static bool take(Cell& cell, T value) {
    if constexpr (sizeof(Cell) <= sizeof(std::int64_t)) return __builtin_add_overflow(cell, value, &cell);
    cell += value;
    return false;
  }
  static bool join(Cell& cell, Cell more) {
    if constexpr (sizeof(Cell) <= sizeof(std::int64_t)) return __builtin_add_overflow(cell, more, &cell);
    cell += more;
    return false;
  }
  static bool finish(T& out, Cell cell, int) {
    const Int128 sum = static_cast<Int128>(out) + cell;
    out = static_cast<T>(sum);
    return out == sum;
  }
};

// Takes values out of a sum again, modulo 2^32 or 2^64.
template <class T, bool counts>
struct Differences : Sums<T, T, counts> {
  static bool take(T& cell, T value) {
    using U = std::make_unsigned_t<T>;
    cell = static_cast<T>(static_cast<U>(cell) - static_cast<U>(value));
    return false;
  }
};

// Sums of floats in fixed point. Infinities and NaN have been handled before.
template <class T, class Integer>
struct FixedSums {
  using Value = T;
  using Out = T;
  using Cell = Integer;
  static constexpr bool in_place = false;
  static constexpr Cell empty() { return 0; }
  static bool take(Cell& cell, Integer value) {
    cell += value;
    return false;
  }
  static bool join(Cell& cell, Cell more) { return take(cell, more); }
  static bool finish(T& out, Cell cell, int place) {
    out = plus_fixed<T>(out, cell, place);
    return true;
  }
};

// The values of items in the form in which a scheme takes them, a few at a time.
template <class Scheme>
struct Taken {
  static constexpr std::int64_t most = std::numeric_limits<std::int64_t>::max();
  const typename Scheme::Value* values;
  void load(const void* from, std::int64_t begin, std::int64_t, int) {
    values = static_cast<const typename Scheme::Value*>(from) + begin;
  }
  auto operator[](std::int64_t i) const { return values[i]; }
};

template <class Scheme>
requires std::is_void_v<typename Scheme::Value>
struct Taken<Scheme> {
  static constexpr std::int64_t most = std::numeric_limits<std::int64_t>::max();
  void load(const void*, std::int64_t, std::int64_t, int) {}
  typename Scheme::Out operator[](std::int64_t) const { return 1; }
};

template <class T>
struct Taken<FixedSums<T, std::int64_t>> {
  static constexpr std::int64_t most = 512;
  std::int64_t fixed[most];
  void load(const void* from, std::int64_t begin, std::int64_t count, int place) {
    exact_sums<T>().fixed_64(static_cast<const T*>(from) + begin, static_cast<int>(count), place, fixed);
  }
  std::int64_t operator[](std::int64_t i) const { return fixed[i]; }
};

template <class T>
struct Taken<FixedSums<T, Int128>> {
  static constexpr std::int64_t most = 512;
  std::uint64_t low[most];
  std::int64_t high[most];
  void load(const void* from, std::int64_t begin, std::int64_t count, int place) {
    exact_sums<T>().fixed_128(static_cast<const T*>(from) + begin, static_cast<int>(count), place, low, high);
  }
  Int128 operator[](std::int64_t i) const {
    return static_cast<Int128>((static_cast<UInt128>(static_cast<std::uint64_t>(high[i])) << 64) | low[i]);
  }
};

template <class Scheme>
struct Functions {
  using Cell = typename Scheme::Cell;
  using Out = typename Scheme::Out;

  static void clear(void* cells, std::int64_t count) { std::fill_n(static_cast<Cell*>(cells), count, Scheme::empty()); }

  static bool add(void* cells, const std::uint32_t* indices, const void* values, std::int64_t count, int place) {
    auto* const cell = static_cast<Cell*>(cells);
    bool left = false;
    Taken<Scheme> taken;
    for (std::int64_t begin = 0; begin < count; begin += taken.most) {
      const std::int64_t some = std::min(count - begin, taken.most);
      taken.load(values, begin, some, place);
      for (std::int64_t i = 0; i < some; ++i) left |= Scheme::take(cell[indices[begin + i]], taken[i]);
      if (some == count - begin) break;
    }
    return left;
  }

  static bool add_spread(void* cells, std::int64_t bins, const std::uint32_t* indices, const void* values,
                         std::int64_t count, int place) {
    auto* const cell = static_cast<Cell*>(cells);
    bool left = false;
    Taken<Scheme> taken;
    for (std::int64_t begin = 0; begin < count; begin += taken.most) {
      const std::int64_t some = std::min(count - begin, taken.most);
      taken.load(values, begin, some, place);
      const std::uint32_t* const index = indices + begin;
      std::int64_t i = 0;
      for (; i + spread <= some; i += spread) {
        for (int k = 0; k < spread; ++k) left |= Scheme::take(cell[k * bins + index[i + k]], taken[i + k]);
      }
      for (; i < some; ++i) left |= Scheme::take(cell[index[i]], taken[i]);
      if (some == count - begin) break;
    }
    return left;
  }

  static bool join(void* cells, const void* more, std::int64_t count) {
    auto* const cell = static_cast<Cell*>(cells);
    const auto* const other = static_cast<const Cell*>(more);
    bool left = false;
    for (std::int64_t i = 0; i < count; ++i) left |= Scheme::join(cell[i], other[i]);
    return left;
  }

  static std::int64_t finish(void* out, const void* cells, std::int64_t count, int place) {
    auto* const to = static_cast<Out*>(out);
    const auto* const cell = static_cast<const Cell*>(cells);
    for (std::int64_t i = 0; i < count; ++i) {
      if (!Scheme::finish(to[i], cell[i], place)) return i;
    }
    return count;
  }
};

template <class Value>
constexpr std::int64_t size_of() {
  if constexpr (std::is_void_v<Value>) {
    return 0;
  } else {
    return sizeof(Value);
  }
}

template <class Scheme>
Accumulator made_of(int place = 0) {
  using F = Functions<Scheme>;
  return {.value_size = size_of<typename Scheme::Value>(),
          .out_size = sizeof(typename Scheme::Out),
          .cell_size = sizeof(typename Scheme::Cell),
          .in_place = Scheme::in_place,
          .place = place,
          .clear = F::clear,
          .add = F::add,
          .add_spread = F::add_spread,
          .join = F::join,
          .finish = F::finish};
}

// Sums of fewer items than this, of 32 bits each, fit an int64; so do counts of any number of items.
constexpr std::int64_t few_items = std::numeric_limits<std::int32_t>::max();

template <class T, bool counts>
Accumulator integer_sums(const ValueRange& range) {
  if (range.integers == IntegerCells::narrow) return made_of<Sums<T, T, counts>>();
  if (range.integers == IntegerCells::undo) return made_of<Differences<T, counts>>();
  if constexpr (sizeof(T) == sizeof(std::int32_t)) {
    if (range.items <= few_items) return made_of<Sums<T, std::int64_t, counts>>();
  }
  return made_of<Sums<T, Int128, counts>>();
}

}  // namespace

template <class T>
Accumulator accumulator(ReduceOp op, const ValueRange& range) {
  if (op == ReduceOp::minimum) return made_of<Direct<T, Minimum>>();
  if (op == ReduceOp::maximum) return made_of<Direct<T, Maximum>>();
  if constexpr (std::is_integral_v<T>) {
    if (op == ReduceOp::bit_and) return made_of<Direct<T, BitAnd>>();
    if (op == ReduceOp::bit_or) return made_of<Direct<T, BitOr>>();
    if (op == ReduceOp::bit_xor) return made_of<Direct<T, BitXor>>();
    return range.counts ? integer_sums<T, true>(range) : integer_sums<T, false>(range);
  } else {
    return range.fits_64_bits ? made_of<FixedSums<T, std::int64_t>>(range.place)
                              : made_of<FixedSums<T, Int128>>(range.place);
  }
}

template Accumulator accumulator<std::int32_t>(ReduceOp, const ValueRange&);
template Accumulator accumulator<std::int64_t>(ReduceOp, const ValueRange&);
template Accumulator accumulator<float>(ReduceOp, const ValueRange&);
template Accumulator accumulator<double>(ReduceOp, const ValueRange&);

}  // namespace papilio::primitives
