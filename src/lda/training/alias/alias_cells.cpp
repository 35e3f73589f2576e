#include "lda/training/alias/alias_cells.h"

#include <cstddef>
#include <limits>

namespace papilio::lda {

void make_alias_cells(std::span<const double> weights, double sum, std::span<AliasCell> cells) {
  const std::size_t items = weights.size();
  const double mean = sum / static_cast<double>(items);
  constexpr std::uint32_t full = std::numeric_limits<std::uint32_t>::max();
  const auto keep = [&](double weight) {
    const double numbers = weight / mean * 0x1p32;
    return numbers < full ? static_cast<std::uint32_t>(numbers) : full;
  };
  const auto next = [&](std::size_t item, bool light) {
    while (item < items && (weights[item] < mean) != light) ++item;
    return item;
  };
  const auto put = [&](std::size_t item, double weight, std::size_t other) {
    cells[item] = {keep(weight), static_cast<std::uint32_t>(other)};
  };
  std::size_t light = next(0, true);
  std::size_t heavy = next(0, false);
  double left = heavy < items ? weights[heavy] : 0;  // weight left of the heavy item, which fills up the light ones
  while (heavy < items) {
    if (left < mean) {
      const std::size_t giver = next(heavy + 1, false);
      if (giver == items) break;
      put(heavy, left, giver);
      left = weights[giver] - (mean - left);
      heavy = giver;
    } else if (light < items) {
      put(light, weights[light], heavy);
      left -= mean - weights[light];
      light = next(light + 1, true);
    } else {
      break;
    }
  }
  // What remains has the mean weight, but for rounding.
  for (std::size_t item = heavy; item < items; item = next(item + 1, false)) {
    cells[item] = {full, static_cast<std::uint32_t>(item)};
  }
  for (; light < items; light = next(light + 1, true)) put(light, weights[light], heavy < items ? heavy : light);
}

}  // namespace papilio::lda
