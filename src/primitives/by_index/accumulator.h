#pragma once

#include <cstdint>

#include "papilio/primitives.h"

namespace papilio::primitives {

// What reduce_by_index does with a bin, for one type of values and one operator,
// as a table of functions: the driver (scatter.h) moves items and cells as bytes.
// A cell is what is kept per bin until the end: the value itself, or a wider sum.
struct Accumulator {
  std::int64_t value_size;  // 0: no values, each item counts as 1
  std::int64_t out_size;
  std::int64_t cell_size;
  bool in_place;  // a cell is an entry of `out`, and may start from its value
  int place;      // of the unit in which floats are summed (exact_sum.h)

  void (*clear)(void* cells, std::int64_t count);
  // Adds `count` items to the cells of their indices; returns whether a sum of integers
  // overflowed its type on the way. `add_spread` spreads the items over `spread` tables of
  // `bins` cells, so that neighbouring items with the same index do not wait for each other.
  bool (*add)(void* cells, const std::uint32_t* indices, const void* values, std::int64_t count, int place);
  bool (*add_spread)(void* cells, std::int64_t bins, const std::uint32_t* indices, const void* values,
                     std::int64_t count, int place);
  // Combines more[i] into cells[i]; returns what `add` returns.
  bool (*join)(void* cells, const void* more, std::int64_t count);
  // Combines cells[i] into out[i]; returns the first i whose result does not fit, or count.
  std::int64_t (*finish)(void* out, const void* cells, std::int64_t count, int place);
};

inline constexpr int spread = 4;

// How sums of integers are kept.
enum class IntegerCells : std::uint8_t {
  narrow,  // in T; overflow is noticed
  undo,    // takes out again what `narrow` has added
  wide,    // in a type that no sum overflows
};

// What the accumulator needs to know about the values.
struct ValueRange {
  bool counts = false;  // no values
  IntegerCells integers = IntegerCells::narrow;
  bool fits_64_bits = false;  // floats: see fixed_grid.h
  std::int64_t items = 0;
  int place = 0;
};

template <class T>
Accumulator accumulator(ReduceOp op, const ValueRange& range);

}  // namespace papilio::primitives
