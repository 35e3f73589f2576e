#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "collective/draw.h"
#include "collective/draw_slots.h"
#include "collective/partial_sums/transposed.h"
#include "collective/realisations.h"
#include "warp/native_warp.h"
#include "warp/scalar_warp.h"

// The realisations of one warp, instantiated; slow to compile. PAPILIO_TEST_SCALAR
// gives those of ScalarWarp, else those of SimdWarp on the target that the file is
// compiled for.

namespace papilio::collective {

using testing::canary;
using testing::canary_value;
using testing::Method;
using testing::Realisation;

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

template <Method method, class W, class T>
void draw_rows(const testing::TileRows<T>& rows, const double* u, std::vector<T>& memory, std::int64_t* category,
               double* total) {
  if (rows.right == nullptr)
    draw_tile<method, W>(PlainRows<T>{rows.left, rows.sizes}, u, memory, category, total);
  else
    draw_tile<method, W>(ProductRows<T>{rows.left, rows.right, rows.sizes}, u, memory, category, total);
}

template <class T>
std::int64_t guarded(const testing::TileRows<T>& rows, std::int64_t category) {
  if (rows.right == nullptr) return positive_at_or_before(PlainRows<T>{rows.left, rows.sizes}, 0, category);
  return positive_at_or_before(ProductRows<T>{rows.left, rows.right, rows.sizes}, 0, category);
}

template <class W, class T, Method method>
Realisation<T> realisation(const std::string& warp, const std::string& name) {
  return {warp + std::to_string(W::width) + "_" + name + (sizeof(T) == 4 ? "_float" : "_double"), method, W::width,
          draw_rows<method, W, T>, guarded<T>};
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

#if defined(PAPILIO_TEST_SCALAR)
template <int width>
using TestedWarp = warp::ScalarWarp<width>;
inline constexpr const char* warp_name = "scalar";
#else
template <int width>
using TestedWarp = warp::SimdWarp<width, warp::register_bytes>;
inline constexpr const char* warp_name = "simd";
#endif

template <class T>
std::vector<Realisation<T>> realisations_of_warp() {
  std::vector<Realisation<T>> all;
  add_realisations<TestedWarp<8>, T>(all, warp_name);
#if !defined(PAPILIO_TEST_FEW)
  add_realisations<TestedWarp<4>, T>(all, warp_name);
  add_realisations<TestedWarp<16>, T>(all, warp_name);
  add_realisations<TestedWarp<32>, T>(all, warp_name);
#endif
  return all;
}

}  // namespace papilio::collective
