#pragma once

#include <cstdint>
#include <ostream>
#include <random>
#include <string>
#include <vector>

#include "collective/draw.h"
#include "collective/draw_slots.h"
#include "collective/partial_sums/transposed.h"
#include "support/oracle.h"
#include "warp/native_warp.h"
#include "warp/scalar_warp.h"

// Every way of drawing from W rows, behind one kind of function, so that a test is
// written once for all methods, widths and warps.

namespace papilio::collective {

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

// A way of drawing with weights of T. `draw` takes a tile of `width` rows and u of
// each, and leaves category and total of each; `memory` holds the method's table
// afterwards.
template <class T>
struct Realisation {
  using Plain = void(const PlainRows<T>& rows, const double* u, std::vector<T>& memory, std::int64_t* category,
                     double* total);
  using Product = void(const ProductRows<T>& rows, const double* u, std::vector<T>& memory, std::int64_t* category,
                       double* total);
  std::string name;
  Method method;
  int width;
  Plain* draw_plain;
  Product* draw_product;

  Order order() const { return method == Method::by_slots ? Order::by_slots : Order::natural; }
};
template <class T>
void PrintTo(const Realisation<T>& realisation, std::ostream* out) {
  *out << realisation.name;
}

template <Method method, class W, class T>
struct TableOf;
template <class W, class T>
struct TableOf<Method::transposed_in_registers, W, T> {
  using Sums = TransposedSums<W, T, Transposition::in_registers>;
};
template <class W, class T>
struct TableOf<Method::transposed_through_scratch, W, T> {
  using Sums = TransposedSums<W, T, Transposition::through_scratch>;
};
template <class W, class T>
struct TableOf<Method::swap_linear, W, T> {
  using Sums = ButterflySums<W, T, ButterflyForm::swap, Search::linear>;
};
template <class W, class T>
struct TableOf<Method::swap_binary, W, T> {
  using Sums = ButterflySums<W, T, ButterflyForm::swap, Search::binary>;
};
template <class W, class T>
struct TableOf<Method::add_subtract_linear, W, T> {
  using Sums = ButterflySums<W, T, ButterflyForm::add_subtract, Search::linear>;
};
template <class W, class T>
struct TableOf<Method::add_subtract_binary, W, T> {
  using Sums = ButterflySums<W, T, ButterflyForm::add_subtract, Search::binary>;
};

template <class W, class T>
struct TableOf<Method::transposed_remnant_first, W, T> : TableOf<Method::transposed_in_registers, W, T> {};
template <class W, class T>
struct TableOf<Method::swap_remnant_first, W, T> : TableOf<Method::swap_binary, W, T> {};
template <class W, class T>
struct TableOf<Method::add_subtract_remnant_first, W, T> : TableOf<Method::add_subtract_binary, W, T> {};

constexpr bool has_remnant_first(Method method) {
  return method == Method::transposed_remnant_first || method == Method::swap_remnant_first ||
         method == Method::add_subtract_remnant_first;
}

// Memory beyond the table, to show that a method stays within what it asked for.
inline constexpr std::int64_t canary = 8;
inline constexpr double canary_value = -12345;

template <class T>
T* reserve(std::vector<T>& memory, std::int64_t size) {
  memory.assign(static_cast<std::size_t>(size + canary), static_cast<T>(canary_value));
  return memory.data();
}

template <Method method, class W, class Rows, class T = typename Rows::Weight>
[[gnu::noinline]] void draw_tile(const Rows& rows, const double* u, std::vector<T>& memory, std::int64_t* category,
                                 double* total) {
  const std::int64_t longest = longest_of<W>(rows);
  if constexpr (method == Method::by_slots) {
    const std::int64_t segments = segments_of(longest);
    std::vector<double> running(static_cast<std::size_t>(segments * W::width));
    T* const sums = reserve(memory, segments * SlotScratch<W, T>::lane_sums_per_segment);
    Drawn<W> drawn;
    draw_slots<W, CollectSigns<W, T>>(rows, W::load(u), SlotScratch<W, T>{sums, running.data()}, drawn);
    for (int q = 0; q < W::width; ++q) category[q] = drawn.category[q], total[q] = drawn.total[q];
  } else {
    const std::int64_t blocks = blocks_of(longest, W::width);
    T narrow[W::width];
    for (int q = 0; q < W::width; ++q) narrow[q] = static_cast<T>(u[q]);
    const auto lanes = W::load(narrow);
    const auto draw = [&] {
      if constexpr (method == Method::prefix_linear) {
        return draw_by_prefix<W, Rows, Search::linear>(
            rows, lanes, reserve(memory, PrefixSums<W, T, Search::linear>::table_size(blocks)));
      } else if constexpr (method == Method::prefix_binary) {
        return draw_by_prefix<W, Rows, Search::binary>(
            rows, lanes, reserve(memory, PrefixSums<W, T, Search::binary>::table_size(blocks)));
      } else if constexpr (method == Method::two_pass) {
        return draw_by_two_passes<W>(rows, lanes, reserve(memory, two_pass_size<W>(blocks)));
      } else {
        using Sums = typename TableOf<method, W, T>::Sums;
        static_assert(BlockSums<Sums, W, T>);
        if constexpr (has_remnant_first(method)) {
          const std::int64_t remnant = longest % W::width * W::width;
          const std::int64_t whole = longest < W::width ? 1 : longest / W::width;
          T* const table = reserve(memory, remnant + Sums::table_size(whole));
          return draw_by_blocks<W>(rows, lanes, Sums(table + remnant), table);
        } else {
          return draw_by_blocks<W, Sums>(rows, lanes, reserve(memory, Sums::table_size(blocks)));
        }
      }
    }();
    std::int32_t at[W::width];
    T sum[W::width];
    W::store(at, draw.category);
    W::store(sum, draw.total);
    for (int q = 0; q < W::width; ++q) category[q] = at[q], total[q] = static_cast<double>(sum[q]);
  }
}

template <class W, class T, Method method>
Realisation<T> realisation(const std::string& warp, const std::string& name) {
  return {warp + std::to_string(W::width) + "_" + name + (sizeof(T) == 4 ? "_float" : "_double"), method, W::width,
          draw_tile<method, W, PlainRows<T>>, draw_tile<method, W, ProductRows<T>>};
}

template <class W, class T>
void add_realisations(std::vector<Realisation<T>>& all, const std::string& warp) {
  all.push_back(realisation<W, T, Method::prefix_linear>(warp, "prefix_linear"));
  all.push_back(realisation<W, T, Method::prefix_binary>(warp, "prefix_binary"));
  all.push_back(realisation<W, T, Method::transposed_in_registers>(warp, "transposed_in_registers"));
  all.push_back(realisation<W, T, Method::transposed_through_scratch>(warp, "transposed_through_scratch"));
  all.push_back(realisation<W, T, Method::swap_linear>(warp, "swap_linear"));
  all.push_back(realisation<W, T, Method::swap_binary>(warp, "swap_binary"));
  all.push_back(realisation<W, T, Method::add_subtract_linear>(warp, "add_subtract_linear"));
  all.push_back(realisation<W, T, Method::add_subtract_binary>(warp, "add_subtract_binary"));
  all.push_back(realisation<W, T, Method::two_pass>(warp, "two_pass"));
  all.push_back(realisation<W, T, Method::transposed_remnant_first>(warp, "transposed_remnant_first"));
  all.push_back(realisation<W, T, Method::swap_remnant_first>(warp, "swap_remnant_first"));
  all.push_back(realisation<W, T, Method::add_subtract_remnant_first>(warp, "add_subtract_remnant_first"));
  all.push_back(realisation<W, T, Method::by_slots>(warp, "slots"));
}

// The realisations that this executable tests: those of ScalarWarp, or those of
// SimdWarp on the target that it is compiled for. The mutants need only two widths.
template <class T>
std::vector<Realisation<T>> realisations() {
  std::vector<Realisation<T>> all;
#if defined(PAPILIO_TEST_SCALAR)
  add_realisations<warp::ScalarWarp<4>, T>(all, "scalar");
#if !defined(PAPILIO_TEST_FEW)
  add_realisations<warp::ScalarWarp<8>, T>(all, "scalar");
  add_realisations<warp::ScalarWarp<16>, T>(all, "scalar");
  add_realisations<warp::ScalarWarp<32>, T>(all, "scalar");
#endif
#else
  add_realisations<warp::SimdWarp<8, warp::register_bytes>, T>(all, "simd");
#if !defined(PAPILIO_TEST_FEW)
  add_realisations<warp::SimdWarp<4, warp::register_bytes>, T>(all, "simd");
  add_realisations<warp::SimdWarp<16, warp::register_bytes>, T>(all, "simd");
  add_realisations<warp::SimdWarp<32, warp::register_bytes>, T>(all, "simd");
#endif
#endif
  return all;
}

// The name of a realisation as that of a test.
inline constexpr auto name_of = [](const auto& info) { return info.param.name; };

// W rows as the methods take them: views into `rows`, which must stay.
template <class T>
class Tile32 {
 public:
  explicit Tile32(const std::vector<testing::WeightRow<T>>& rows) {
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
    if (products_)
      way.draw_product(ProductRows<T>{left_.data(), right_.data(), sizes_.data()}, u.data(), memory, category.data(),
                       total.data());
    else
      way.draw_plain(PlainRows<T>{left_.data(), sizes_.data()}, u.data(), memory, category.data(), total.data());
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
  for (const std::int64_t k : {71, 100, 127, 128, 129, 257, 1000, 1023, 1024, 1025, 4096, 4097})
    if (k > counts.back()) counts.push_back(k);
  return counts;
}

inline std::vector<std::int64_t> walk_of(Order order, std::int64_t categories) {
  return order == Order::by_slots ? testing::slot_walk(categories) : testing::natural_walk(categories);
}

}  // namespace papilio::collective
