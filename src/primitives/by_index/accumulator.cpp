#include "primitives/by_index/accumulator.h"

#include <algorithm>
#include <limits>
#include <type_traits>

#include "primitives/fixed_grid.h"
#include "primitives/operators.h"

namespace papilio::primitives {
namespace {

// A scheme has: Value (void: none), Out, Cell, in_place, empty(), cell_of(value, place), join(a, b), and
// finish(out, cell, place), which is false where the result does not fit.

// The operators whose cells are values.
template <class T, class Operator>
struct Direct {
  using Value = T;
  using Out = T;
  using Cell = T;
  static constexpr bool in_place = true;
  static constexpr Cell empty() { return Operator::template neutral<T>(); }
  static Cell cell_of(T value, int) { return value; }
  static Cell join(Cell a, Cell b) { return Operator()(a, b); }
  static bool finish(T& out, Cell cell, int) {
    out = Operator()(out, cell);
    return true;
  }
};

// Sums of integers that may not fit T, in a type that they fit.
template <class T, class Wide>
struct WideSums {
  using Value = T;
  using Out = T;
  using Cell = Wide;
  static constexpr bool in_place = false;
  static constexpr Cell empty() { return 0; }
  static Cell cell_of(T value, int) { return value; }
  static Cell join(Cell a, Cell b) { return a + b; }
  static bool finish(T& out, Cell cell, int) {
    const Int128 sum = static_cast<Int128>(out) + cell;
    out = static_cast<T>(sum);
    return out == sum;
  }
};

// Counts that fit T.
template <class T>
struct Counts {
  using Value = void;
  using Out = T;
  using Cell = T;
  static constexpr bool in_place = true;
  static constexpr Cell empty() { return 0; }
  static Cell join(Cell a, Cell b) { return a + b; }
  static bool finish(T& out, Cell cell, int) {
    out += cell;
    return true;
  }
};

// Counts of fewer than 2^(bits of Narrow) items, in tables of their own.
template <class T, class Narrow>
struct CountsApart {
  using Value = void;
  using Out = T;
  using Cell = Narrow;
  static constexpr bool in_place = false;
  static constexpr Cell empty() { return 0; }
  static Cell join(Cell a, Cell b) { return a + b; }
  static bool finish(T& out, Cell cell, int) {
    const Int128 sum = static_cast<Int128>(out) + cell;
    out = static_cast<T>(sum);
    return out == sum;
  }
};

// Sums of floats in fixed point. Infinities and NaN have been dealt with.
template <class T, class Integer>
struct FixedSums {
  using Value = T;
  using Out = T;
  using Cell = Integer;
  static constexpr bool in_place = false;
  static constexpr Cell empty() { return 0; }
  static Cell cell_of(T value, int place) { return is_finite(value) ? to_grid<T, Integer>(value, place) : Integer{0}; }
  static Cell join(Cell a, Cell b) { return a + b; }
  static bool finish(T& out, Cell cell, int place) {
    out = plus_fixed<T>(out, cell, place);
    return true;
  }
};

template <class Scheme>
struct Functions {
  using Cell = typename Scheme::Cell;
  using Out = typename Scheme::Out;
  static constexpr bool counts = std::is_void_v<typename Scheme::Value>;
  using Value = std::conditional_t<counts, char, typename Scheme::Value>;

  static Cell cell_of(const Value* values, std::int64_t i, int place) {
    if constexpr (counts) {
      return 1;
    } else {
      return Scheme::cell_of(values[i], place);
    }
  }

  static void clear(void* cells, std::int64_t count) { std::fill_n(static_cast<Cell*>(cells), count, Scheme::empty()); }

  static void add(void* cells, const std::uint32_t* indices, const void* values, std::int64_t count, int place) {
    auto* const cell = static_cast<Cell*>(cells);
    const auto* const value = static_cast<const Value*>(values);
    for (std::int64_t i = 0; i < count; ++i) {
      Cell& bin = cell[indices[i]];
      bin = Scheme::join(bin, cell_of(value, i, place));
    }
  }

  static void add_spread(void* cells, std::int64_t bins, const std::uint32_t* indices, const void* values,
                         std::int64_t count, int place) {
    auto* const cell = static_cast<Cell*>(cells);
    const auto* const value = static_cast<const Value*>(values);
    std::int64_t i = 0;
    for (; i + spread <= count; i += spread) {
      for (int k = 0; k < spread; ++k) {
        Cell& bin = cell[k * bins + indices[i + k]];
        bin = Scheme::join(bin, cell_of(value, i + k, place));
      }
    }
    for (; i < count; ++i) {
      Cell& bin = cell[indices[i]];
      bin = Scheme::join(bin, cell_of(value, i, place));
    }
  }

  static void join(void* cells, const void* more, std::int64_t count) {
    auto* const cell = static_cast<Cell*>(cells);
    const auto* const other = static_cast<const Cell*>(more);
    for (std::int64_t i = 0; i < count; ++i) cell[i] = Scheme::join(cell[i], other[i]);
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

template <class Scheme>
Accumulator made_of(int place = 0) {
  using F = Functions<Scheme>;
  return {.value_size = F::counts ? 0 : static_cast<std::int64_t>(sizeof(typename F::Value)),
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

// As many items as an uint32 counts, and as an int64 holds the sum of where they are int32.
constexpr std::int64_t few_items = std::numeric_limits<std::uint32_t>::max();

template <class T>
Accumulator integer_sums(const ValueRange& range) {
  if (range.counts) {
    if (!range.may_overflow) return made_of<Counts<T>>();
    return range.items <= few_items ? made_of<CountsApart<T, std::uint32_t>>()
                                    : made_of<CountsApart<T, std::int64_t>>();
  }
  if (!range.may_overflow) return made_of<Direct<T, Sum>>();
  if constexpr (sizeof(T) == sizeof(std::int32_t)) {
    if (range.items <= few_items) return made_of<WideSums<T, std::int64_t>>();
  }
  return made_of<WideSums<T, Int128>>();
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
    return integer_sums<T>(range);
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
