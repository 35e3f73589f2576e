#pragma once

#include <cstdint>
#include <ostream>
#include <string>
#include <vector>

#include "support/oracle.h"

// Every way of drawing from W rows, behind one kind of function, so that a test is
// written once for all methods, widths and warps. Nothing here depends on the
// instruction set: tests are compiled once, the ways once for each target
// (draw_tile.h).

namespace papilio::testing {

// In which order a method's cumulative weight runs over the categories.
enum class Order : std::uint8_t { natural, by_slots };

enum class Method : std::uint8_t {
  prefix_linear,
  prefix_binary,
  transposed_in_registers,
  transposed_through_scratch,
  swap_linear,
  swap_binary,
  add_subtract_linear,
  add_subtract_binary,
  two_pass,
  transposed_remnant_first,
  swap_remnant_first,
  add_subtract_remnant_first,
  by_slots,
};

// W rows: sizes[q] weights left[q][k], or products left[q][k] * right[q][k]; right is null for plain rows.
template <class T>
struct TileRows {
  const T* const* left;
  const T* const* right;
  const std::int64_t* sizes;
};

// A way of drawing with weights of T. `draw` takes a tile of `width` rows and u of
// each, and leaves category and total of each; `memory` holds the method's table
// afterwards. `guarded` is what the guard of the block methods makes of a category
// of the first row.
template <class T>
struct Realisation {
  using Draw = void(const TileRows<T>& rows, const double* u, std::vector<T>& memory, std::int64_t* category,
                    double* total);
  using Guard = std::int64_t(const TileRows<T>& rows, std::int64_t category);
  std::string name;
  Method method;
  int width;
  Draw* draw;
  Guard* guarded;

  Order order() const { return method == Method::by_slots ? Order::by_slots : Order::natural; }
};
template <class T>
void PrintTo(const Realisation<T>& realisation, std::ostream* out) {
  *out << realisation.name;
}

// The realisations that the executable tests, and those of ScalarWarp, which every executable has. Sanitizers and
// mutants need one width only (PAPILIO_TEST_FEW).
template <class T>
std::vector<Realisation<T>> realisations();
template <class T>
std::vector<Realisation<T>> scalar_realisations();

// Memory beyond the table, to show that a method stays within what it asked for.
inline constexpr std::int64_t canary = 8;
inline constexpr double canary_value = -12345;

// The name of a realisation as that of a test.
inline constexpr auto name_of = [](const auto& info) { return info.param.name; };

// W rows as the methods take them: views into `rows`, which must stay.
template <class T>
class Tile32 {
 public:
  explicit Tile32(const std::vector<WeightRow<T>>& rows) {
    for (const auto& row : rows) {
      left_.push_back(row.left.data());
      right_.push_back(row.right.data());
      sizes_.push_back(row.size());
      products_ |= !row.right.empty();
    }
  }

  // Draws from the first W rows, from lane 0 on.
  void draw(const Realisation<T>& way, const std::vector<double>& u) {
    const auto width = static_cast<std::size_t>(way.width);
    category.resize(width);
    total.resize(width);
    way.draw(TileRows<T>{left_.data(), products_ ? right_.data() : nullptr, sizes_.data()}, u.data(), memory,
             category.data(), total.data());
  }

  bool memory_overrun() const {
    for (auto v = memory.end() - canary; v != memory.end(); ++v)
      if (*v != static_cast<T>(canary_value)) return true;
    return false;
  }

  std::vector<std::int64_t> category;
  std::vector<double> total;
  std::vector<T> memory;

 private:
  std::vector<const T*> left_, right_;
  std::vector<std::int64_t> sizes_;
  bool products_ = false;
};

// The numbers of categories that every method is tried with: all up to four
// blocks and a bit, and both sides of larger blocks and segments.
inline std::vector<std::int64_t> category_counts(int width) {
  std::vector<std::int64_t> counts;
  for (std::int64_t k = 1; k <= 4 * width + 3; ++k) counts.push_back(k);
  for (const std::int64_t k : {71, 100, 127, 128, 129, 257, 1023, 1024, 1025, 4096, 4097})
    if (k > counts.back()) counts.push_back(k);
  return counts;
}

inline std::vector<std::int64_t> walk_of(Order order, std::int64_t categories) {
  return order == Order::by_slots ? slot_walk(categories) : natural_walk(categories);
}

}  // namespace papilio::testing
