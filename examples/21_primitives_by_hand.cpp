// Prints the tables that docs/primitives_by_hand.md makes by hand, on eight numbers: a scan by parts, by a tree and in
// rounds, a scan of segments, a recurrence, a histogram with private copies, a compaction, a transposition in tiles.
//
// The scans in rounds run the library's own code, on a warp of eight lanes that prints what its lanes have and get.

#include <papilio/collective/scan.h>
#include <papilio/primitives.h>
#include <papilio/warp/scalar_warp.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <vector>

namespace {

namespace collective = papilio::collective;
using Numbers = std::vector<std::int32_t>;
using Map = collective::AffineMap<std::int32_t>;
using Eight = papilio::warp::ScalarWarp<8>;

void print(std::int32_t x) { std::printf("%8d", x); }
void print(const Map& map) { std::printf("  %3d+%2dx", map.shift, map.factor); }

template <class List>
void print(const char* what, const List& list) {
  std::printf("  %-12s", what);
  for (const auto& x : list) print(x);
  std::printf("\n");
}

struct TracingWarp : Eight {
  template <class T>
  static Lanes<T> shuffle(Lanes<T> x, Lanes<std::int32_t> from) {
    const Lanes<T> got = Eight::shuffle(x, from);
    print("has", x.at);
    print("from lane", from.at);
    return got;
  }
};

const Numbers numbers = {2, 5, 1, 3, 4, 0, 6, 2};

// Two parts: their totals, the total before each, and a scan of each part that continues it.
void scan_by_parts() {
  std::printf("a scan by two parts\n");
  const std::array<std::int32_t, 2> totals = {2 + 5 + 1 + 3, 4 + 0 + 6 + 2}, before = {0, totals[0]};
  print("numbers", numbers);
  print("totals", totals);
  print("before", before);
  Numbers sums;
  for (std::size_t part = 0; part < 2; ++part) {
    std::int32_t sum = before[part];
    for (std::size_t i = 4 * part; i < 4 * part + 4; ++i) sums.push_back(sum += numbers[i]);
  }
  print("sums", sums);
}

// Up: each pair's sum replaces its right half. Down: the total before a pair goes to its left half, and this total plus
// the left sum to its right half.
void scan_by_tree() {
  std::printf("an exclusive scan by a tree\n");
  Numbers tree = numbers;
  print("numbers", tree);
  for (std::size_t half = 1; half < 8; half *= 2) {
    for (std::size_t i = 2 * half - 1; i < 8; i += 2 * half) tree[i] += tree[i - half];
    print("up", tree);
  }
  tree[7] = 0;
  print("total to 0", tree);
  for (std::size_t half = 4; half > 0; half /= 2) {
    for (std::size_t i = 2 * half - 1; i < 8; i += 2 * half) {
      const std::int32_t left = tree[i - half];
      tree[i - half] = tree[i];
      tree[i] += left;
    }
    print("down", tree);
  }
}

void scan_in_rounds() {
  std::printf("a scan in rounds, of a warp\n");
  const auto sums =
      collective::inclusive_scan<TracingWarp, std::int32_t>(Eight::load(numbers.data()), collective::Add{});
  print("sums", sums.at);
}

void scan_segments() {
  std::printf("a scan of segments\n");
  const Numbers values = {1, 2, 3, 4, 5, 6, 7, 8};
  const Eight::Mask heads = {{true, false, false, true, false, true, false, false}};
  const auto begins = Eight::apply(collective::LastHead{Eight::bits(heads)}, Eight::lane_id());
  print("begins at", begins.at);
  const auto sums =
      collective::segmented_scan<TracingWarp, std::int32_t>(Eight::load(values.data()), heads, collective::Add{});
  print("sums", sums.at);
}

void solve_recurrence() {
  std::printf("x = 1 + 2 x before, by its maps\n");
  const std::vector<Map> maps(8, {1, 2});
  const auto composed = collective::inclusive_scan<TracingWarp, Map>(Eight::load(maps.data()), collective::Compose{});
  print("composed", composed.at);
  Numbers x;
  for (const Map& map : composed.at) x.push_back(map(0));
  print("x, from 0", x);
}

void count_in_private_copies() {
  std::printf("a histogram with private copies\n");
  const Numbers indices = {0, 3, 1, 3, 2, 3, 0, 1}, values = {1, 2, 3, 4, 5, 6, 7, 8};
  print("indices", indices);
  print("values", values);
  Numbers copies[2] = {Numbers(4), Numbers(4)}, bins(4);
  for (std::size_t i = 0; i < 8; ++i) copies[i / 4][static_cast<std::size_t>(indices[i])] += values[i];
  print("first half", copies[0]);
  print("second half", copies[1]);
  papilio::reduce_by_index<std::int32_t, std::int32_t>(indices, values, bins);
  print("bins", bins);
}

void keep_flagged() {
  std::printf("a compaction\n");
  const Numbers flags = {1, 0, 1, 1, 0, 0, 1, 0};
  Numbers places(8), kept(4);
  print("numbers", numbers);
  print("flags", flags);
  papilio::scan<std::int32_t>(flags, places, {.exclusive = true});
  print("places", places);
  papilio::compact<std::int32_t, std::int32_t>(flags, numbers, kept);
  print("kept", kept);
}

void transpose_in_tiles() {
  std::printf("a transposition in tiles of 2 x 2\n");
  const Numbers values = {1, 2, 3, 4, 5, 6, 7, 8};
  Numbers turned(8);
  print("row 0", Numbers(values.begin(), values.begin() + 4));
  print("row 1", Numbers(values.begin() + 4, values.end()));
  papilio::transpose<std::int32_t>({values.data(), 2, 4}, {turned.data(), 4, 2});
  for (std::ptrdiff_t j = 0; j < 4; ++j) print("column", Numbers(turned.begin() + 2 * j, turned.begin() + 2 * j + 2));
}

}  // namespace

int main() {
  scan_by_parts();
  scan_by_tree();
  scan_in_rounds();
  scan_segments();
  solve_recurrence();
  count_in_private_copies();
  keep_flagged();
  transpose_in_tiles();
}
