// Prints the example that docs/butterfly.md computes by hand: the exchanges that turn a
// 4 x 4 tile into its butterfly-patterned partial sums, both tables, and a search of each.
//
// It runs the library's own code, on a warp of four lanes that prints what its lanes
// exchange and read.

#include <papilio/collective/partial_sums/butterfly.h>
#include <papilio/warp/scalar_warp.h>

#include <cstdint>
#include <cstdio>

namespace {

using papilio::collective::ButterflyForm;
using Reference = papilio::warp::ScalarWarp<4>;
using Weights = Reference::Lanes<std::int32_t>;

void print(const char* what, Weights lanes) {
  std::printf("%-22s", what);
  for (const std::int32_t value : lanes.at) std::printf("%4d", value);
  std::printf("\n");
}

struct TracingWarp : Reference {
  using Reference::gather, Reference::shuffle_xor;  // of other types: silent
  static Weights shuffle_xor(Weights sent, int distance) {
    const Weights got = Reference::shuffle_xor(sent, distance);
    std::printf("exchange at distance %d\n", distance);
    print("  sent", sent);
    print("  got", got);
    return got;
  }
  static Weights gather(const std::int32_t* table, Weights index) {
    const Weights sums = Reference::gather(table, index);
    print("  half sums read", sums);
    return sums;
  }
};

template <ButterflyForm form>
void build_and_search(const char* name) {
  std::printf("--- %s\n", name);
  papilio::collective::Tile<TracingWarp, std::int32_t> tile = {{
      {{3, 1, 2, 4}},
      {{5, 2, 1, 0}},
      {{2, 7, 3, 2}},
      {{8, 5, 1, 1}},
  }};
  papilio::collective::build_butterfly<form>(tile);

  std::int32_t table[4 * 4];
  for (int i = 0; i < 4; ++i) {
    print("table", tile.row[i]);
    TracingWarp::store(table + 4 * i, tile.row[i]);
  }
  const Weights zero = {}, target = {{5, 6, 10, 14}};
  print("target", target);
  print("category", papilio::collective::search_butterfly<form, TracingWarp>(table, zero, target, zero, tile.row[3]));
}

}  // namespace

int main() {
  build_and_search<ButterflyForm::swap>("add-only");
  build_and_search<ButterflyForm::add_subtract>("add-subtract");
}
