// The tables of partial sums that the papers print, entry by entry: what the code builds, for the figures' number of
// lanes, must sum the categories that the figure says, of the row that it says. Weights are symbols here: the set of
// categories that a sum contains.

#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cstdint>
#include <sstream>
#include <string>
#include <vector>

#include "collective/partial_sums/butterfly.h"
#include "collective/partial_sums/prefix.h"
#include "warp/scalar_warp.h"

namespace papilio::collective {
namespace {

// A sum of weights of one row. A sum over two rows, or of a category twice, is an error that stays.
struct Sum {
  int row = -1;
  std::uint32_t categories = 0;
  bool wrong = false;

  Sum() = default;
  Sum(int zero) : wrong(zero != 0) {}  // NOLINT: the zero that sums begin with
  Sum(int of_row, int category) : row(of_row), categories(1u << category) {}

  friend Sum operator+(Sum a, Sum b) {
    Sum sum;
    sum.wrong = a.wrong || b.wrong || (a.categories & b.categories) != 0 ||
                (a.categories != 0 && b.categories != 0 && a.row != b.row);
    sum.row = std::max(a.row, b.row);
    sum.categories = a.categories | b.categories;
    return sum;
  }
  friend bool operator==(const Sum&, const Sum&) = default;
};

Sum sum_of(int row, int from, int to) {
  Sum sum(row, from);
  for (int c = from + 1; c <= to; ++c) sum = sum + Sum(row, c);
  return sum;
}

// The lines of a figure: entries "C8-11", the sum of the categories 8 to 11 of row C, or "2:8-11", of row 2.
std::vector<Sum> read_figure(const std::vector<std::string>& lines) {
  std::vector<Sum> sums;
  for (const std::string& line : lines) {
    std::istringstream entries(line);
    for (std::string entry; entries >> entry;) {
      const bool lettered = entry[0] >= 'A';
      std::istringstream range(entry.substr(lettered ? 1 : 2));
      int from = 0, to = 0;
      range >> from >> to;  // the second is read with the hyphen as its sign
      sums.push_back(sum_of(entry[0] - (lettered ? 'A' : '0'), from, -to));
    }
  }
  return sums;
}

std::string text(const Sum& sum) {
  const int from = std::countr_zero(sum.categories), to = 31 - std::countl_zero(sum.categories);
  if (sum.wrong || sum != sum_of(sum.row, from, to)) return "no range of one row";
  return "row " + std::to_string(sum.row) + ", " + std::to_string(from) + " to " + std::to_string(to);
}

void expect_figure(const std::vector<Sum>& table, const std::vector<Sum>& figure, std::size_t width) {
  ASSERT_EQ(table.size(), figure.size());
  for (std::size_t i = 0; i < table.size(); ++i)
    EXPECT_EQ(text(table[i]), text(figure[i])) << "line " << i / width << ", lane " << i % width;
}

// Lane r of register i is category first + r of row i, as a coalesced load leaves it.
template <int W>
Tile<warp::ScalarWarp<W>, Sum> loaded(int first = 0) {
  Tile<warp::ScalarWarp<W>, Sum> tile;
  for (int i = 0; i < W; ++i)
    for (int r = 0; r < W; ++r) tile.row[i].at[r] = Sum(i, first + r);
  return tile;
}

template <int W, ButterflyForm form>
std::vector<Sum> table_of_one_block() {
  auto tile = loaded<W>();
  build_butterfly<form>(tile);
  std::vector<Sum> table(W * W);
  store_tile(tile, table.data());
  return table;
}

// Steele and Tristan, ACM TOPC 6(4):22, 2019, Figure 4 (W = 16, add-only). Lanes from left to right; the last line has
// the totals.
const std::vector<std::string> figure_4_of_2019 = {
    "A0-0 B0-0 A2-2 B2-2 A4-4 B4-4 A6-6 B6-6 A8-8 B8-8 A10-10 B10-10 A12-12 B12-12 A14-14 B14-14",
    "A0-1 B0-1 C0-1 D0-1 A4-5 B4-5 C4-5 D4-5 A8-9 B8-9 C8-9 D8-9 A12-13 B12-13 C12-13 D12-13",
    "C0-0 D0-0 C2-2 D2-2 C4-4 D4-4 C6-6 D6-6 C8-8 D8-8 C10-10 D10-10 C12-12 D12-12 C14-14 D14-14",
    "A0-3 B0-3 C0-3 D0-3 E0-3 F0-3 G0-3 H0-3 A8-11 B8-11 C8-11 D8-11 E8-11 F8-11 G8-11 H8-11",
    "E0-0 F0-0 E2-2 F2-2 E4-4 F4-4 E6-6 F6-6 E8-8 F8-8 E10-10 F10-10 E12-12 F12-12 E14-14 F14-14",
    "E0-1 F0-1 G0-1 H0-1 E4-5 F4-5 G4-5 H4-5 E8-9 F8-9 G8-9 H8-9 E12-13 F12-13 G12-13 H12-13",
    "G0-0 H0-0 G2-2 H2-2 G4-4 H4-4 G6-6 H6-6 G8-8 H8-8 G10-10 H10-10 G12-12 H12-12 G14-14 H14-14",
    "A0-7 B0-7 C0-7 D0-7 E0-7 F0-7 G0-7 H0-7 I0-7 J0-7 K0-7 L0-7 M0-7 N0-7 O0-7 P0-7",
    "I0-0 J0-0 I2-2 J2-2 I4-4 J4-4 I6-6 J6-6 I8-8 J8-8 I10-10 J10-10 I12-12 J12-12 I14-14 J14-14",
    "I0-1 J0-1 K0-1 L0-1 I4-5 J4-5 K4-5 L4-5 I8-9 J8-9 K8-9 L8-9 I12-13 J12-13 K12-13 L12-13",
    "K0-0 L0-0 K2-2 L2-2 K4-4 L4-4 K6-6 L6-6 K8-8 L8-8 K10-10 L10-10 K12-12 L12-12 K14-14 L14-14",
    "I0-3 J0-3 K0-3 L0-3 M0-3 N0-3 O0-3 P0-3 I8-11 J8-11 K8-11 L8-11 M8-11 N8-11 O8-11 P8-11",
    "M0-0 N0-0 M2-2 N2-2 M4-4 N4-4 M6-6 N6-6 M8-8 N8-8 M10-10 N10-10 M12-12 N12-12 M14-14 N14-14",
    "M0-1 N0-1 O0-1 P0-1 M4-5 N4-5 O4-5 P4-5 M8-9 N8-9 O8-9 P8-9 M12-13 N12-13 O12-13 P12-13",
    "O0-0 P0-0 O2-2 P2-2 O4-4 P4-4 O6-6 P6-6 O8-8 P8-8 O10-10 P10-10 O12-12 P12-12 O14-14 P14-14",
    "A0-15 B0-15 C0-15 D0-15 E0-15 F0-15 G0-15 H0-15 I0-15 J0-15 K0-15 L0-15 M0-15 N0-15 O0-15 P0-15",
};

// The same, Figure 8 (W = 16, add-subtract).
const std::vector<std::string> figure_8_of_2019 = {
    "A0-0 B1-1 A2-2 B3-3 A4-4 B5-5 A6-6 B7-7 A8-8 B9-9 A10-10 B11-11 A12-12 B13-13 A14-14 B15-15",
    "A0-1 B0-1 C2-3 D2-3 A4-5 B4-5 C6-7 D6-7 A8-9 B8-9 C10-11 D10-11 A12-13 B12-13 C14-15 D14-15",
    "C0-0 D1-1 C2-2 D3-3 C4-4 D5-5 C6-6 D7-7 C8-8 D9-9 C10-10 D11-11 C12-12 D13-13 C14-14 D15-15",
    "A0-3 B0-3 C0-3 D0-3 E4-7 F4-7 G4-7 H4-7 A8-11 B8-11 C8-11 D8-11 E12-15 F12-15 G12-15 H12-15",
    "E0-0 F1-1 E2-2 F3-3 E4-4 F5-5 E6-6 F7-7 E8-8 F9-9 E10-10 F11-11 E12-12 F13-13 E14-14 F15-15",
    "E0-1 F0-1 G2-3 H2-3 E4-5 F4-5 G6-7 H6-7 E8-9 F8-9 G10-11 H10-11 E12-13 F12-13 G14-15 H14-15",
    "G0-0 H1-1 G2-2 H3-3 G4-4 H5-5 G6-6 H7-7 G8-8 H9-9 G10-10 H11-11 G12-12 H13-13 G14-14 H15-15",
    "A0-7 B0-7 C0-7 D0-7 E0-7 F0-7 G0-7 H0-7 I8-15 J8-15 K8-15 L8-15 M8-15 N8-15 O8-15 P8-15",
    "I0-0 J1-1 I2-2 J3-3 I4-4 J5-5 I6-6 J7-7 I8-8 J9-9 I10-10 J11-11 I12-12 J13-13 I14-14 J15-15",
    "I0-1 J0-1 K2-3 L2-3 I4-5 J4-5 K6-7 L6-7 I8-9 J8-9 K10-11 L10-11 I12-13 J12-13 K14-15 L14-15",
    "K0-0 L1-1 K2-2 L3-3 K4-4 L5-5 K6-6 L7-7 K8-8 L9-9 K10-10 L11-11 K12-12 L13-13 K14-14 L15-15",
    "I0-3 J0-3 K0-3 L0-3 M4-7 N4-7 O4-7 P4-7 I8-11 J8-11 K8-11 L8-11 M12-15 N12-15 O12-15 P12-15",
    "M0-0 N1-1 M2-2 N3-3 M4-4 N5-5 M6-6 N7-7 M8-8 N9-9 M10-10 N11-11 M12-12 N13-13 M14-14 N15-15",
    "M0-1 N0-1 O2-3 P2-3 M4-5 N4-5 O6-7 P6-7 M8-9 N8-9 O10-11 P10-11 M12-13 N12-13 O14-15 P14-15",
    "O0-0 P1-1 O2-2 P3-3 O4-4 P5-5 O6-6 P7-7 O8-8 P9-9 O10-10 P11-11 O12-12 P13-13 O14-14 P15-15",
    "A0-15 B0-15 C0-15 D0-15 E0-15 F0-15 G0-15 H0-15 I0-15 J0-15 K0-15 L0-15 M0-15 N0-15 O0-15 P0-15",
};

// The level of the search tree that a line of both figures serves; 0: totals.
constexpr int level_of_line[16] = {4, 3, 4, 2, 4, 3, 4, 1, 4, 3, 4, 2, 4, 3, 4, 0};

// Steele and Tristan, arXiv 1505.03851, 2015, Figure 1, on the right (W = 8, K = 19, add-subtract): a remnant of three
// categories, then two blocks.
const std::vector<std::string> figure_1_of_2015 = {
    "0:0-0 1:0-0 2:0-0 3:0-0 4:0-0 5:0-0 6:0-0 7:0-0",
    "0:0-1 1:0-1 2:0-1 3:0-1 4:0-1 5:0-1 6:0-1 7:0-1",
    "0:0-2 1:0-2 2:0-2 3:0-2 4:0-2 5:0-2 6:0-2 7:0-2",
    "0:3-3 1:4-4 0:5-5 1:6-6 0:7-7 1:8-8 0:9-9 1:10-10",
    "0:3-4 1:3-4 2:5-6 3:5-6 0:7-8 1:7-8 2:9-10 3:9-10",
    "2:3-3 3:4-4 2:5-5 3:6-6 2:7-7 3:8-8 2:9-9 3:10-10",
    "0:3-6 1:3-6 2:3-6 3:3-6 4:7-10 5:7-10 6:7-10 7:7-10",
    "4:3-3 5:4-4 4:5-5 5:6-6 4:7-7 5:8-8 4:9-9 5:10-10",
    "4:3-4 5:3-4 6:5-6 7:5-6 4:7-8 5:7-8 6:9-10 7:9-10",
    "6:3-3 7:4-4 6:5-5 7:6-6 6:7-7 7:8-8 6:9-9 7:10-10",
    "0:0-10 1:0-10 2:0-10 3:0-10 4:0-10 5:0-10 6:0-10 7:0-10",
    "0:11-11 1:12-12 0:13-13 1:14-14 0:15-15 1:16-16 0:17-17 1:18-18",
    "0:11-12 1:11-12 2:13-14 3:13-14 0:15-16 1:15-16 2:17-18 3:17-18",
    "2:11-11 3:12-12 2:13-13 3:14-14 2:15-15 3:16-16 2:17-17 3:18-18",
    "0:11-14 1:11-14 2:11-14 3:11-14 4:15-18 5:15-18 6:15-18 7:15-18",
    "4:11-11 5:12-12 4:13-13 5:14-14 4:15-15 5:16-16 4:17-17 5:18-18",
    "4:11-12 5:11-12 6:13-14 7:13-14 4:15-16 5:15-16 6:17-18 7:17-18",
    "6:11-11 7:12-12 6:13-13 7:14-14 6:15-15 7:16-16 6:17-17 7:18-18",
    "0:0-18 1:0-18 2:0-18 3:0-18 4:0-18 5:0-18 6:0-18 7:0-18",
};

TEST(PapersFigures, Figure4Of2019) {
  expect_figure(table_of_one_block<16, ButterflyForm::swap>(), read_figure(figure_4_of_2019), 16);
}

TEST(PapersFigures, Figure8Of2019) {
  expect_figure(table_of_one_block<16, ButterflyForm::add_subtract>(), read_figure(figure_8_of_2019), 16);
}

TEST(PapersFigures, Figure1Of2015) {
  constexpr int W = 8, K = 19, remnant = K % W;
  using Warp = warp::ScalarWarp<W>;
  std::vector<Sum> table(K * W);
  PrefixSums<Warp, Sum> ahead(table.data());
  for (int k = 0; k < remnant; ++k) {
    Warp::Lanes<Sum> weights;
    for (int r = 0; r < W; ++r) weights.at[r] = Sum(r, k);
    ahead.add(weights);
  }
  ButterflySums<Warp, Sum, ButterflyForm::add_subtract> sums(table.data() + remnant * W);
  sums.start_after(ahead.total());
  for (int first = remnant; first < K; first += W) {
    auto tile = loaded<W>(first);
    sums.add_block(tile);
  }
  expect_figure(table, read_figure(figure_1_of_2015), W);
}

// The figures differ, so neither table can pass for the other.
TEST(PapersFigures, TheTwoFormsDifferInHalfOfTheEntriesAboveTheTotals) {
  const auto only_adds = read_figure(figure_4_of_2019), subtracts = read_figure(figure_8_of_2019);
  int different = 0;
  for (std::size_t i = 0; i < only_adds.size(); ++i) different += only_adds[i] != subtracts[i];
  EXPECT_EQ(different, 15 * 16 / 2);
}

// Section 3 of 2019 gives the pattern as a formula: entry j of line i, with m = i xor (i + 1) and k = m / 2, is the sum
// from y = j and not k to y + k, of row (i and not m) + (j and m). That is Figure 8. In Figure 4 y is j and not m
// (docs/butterfly.md, corrections). Both at widths without a figure, too.
template <int W, ButterflyForm form>
void expect_pattern() {
  const std::vector<Sum> table = table_of_one_block<W, form>();
  for (int i = 0; i + 1 < W; ++i) {
    for (int j = 0; j < W; ++j) {
      const int m = i ^ (i + 1), k = m / 2;
      const int y = form == ButterflyForm::swap ? j & ~m : j & ~k;
      EXPECT_EQ(text(table[static_cast<std::size_t>(i * W + j)]), text(sum_of((i & ~m) + (j & m), y, y + k)))
          << "line " << i << ", lane " << j << ", W = " << W;
    }
  }
}

TEST(PapersFigures, TheFormulaOfSection3) {
  expect_pattern<4, ButterflyForm::swap>(), expect_pattern<4, ButterflyForm::add_subtract>();
  expect_pattern<8, ButterflyForm::swap>(), expect_pattern<8, ButterflyForm::add_subtract>();
  expect_pattern<16, ButterflyForm::swap>(), expect_pattern<16, ButterflyForm::add_subtract>();
  expect_pattern<32, ButterflyForm::swap>(), expect_pattern<32, ButterflyForm::add_subtract>();
}

// Notes which entries are read.
struct TracingWarp : warp::ScalarWarp<16> {
  using Places = Lanes<std::int32_t>;
  using warp::ScalarWarp<16>::gather;
  static inline std::vector<Places> read;
  static Places gather(const std::int32_t* table, Places at) {
    read.push_back(at);
    return warp::ScalarWarp<16>::gather(table, at);
  }
};

// Sections 3 and 6: on level i of its tree a lane reads one entry, from a line of level i, which is half of the segment
// that the search has come to, of the lane's own row. From Figure 4 it is the lower half always; from Figure 8 it is
// the upper half where the lane's number has the bit of that level. Every lane with every category.
template <ButterflyForm form>
void expect_reads(const std::vector<Sum>& figure) {
  constexpr int W = 16;
  Tile<TracingWarp, std::int32_t> tile;
  for (auto& row : tile.row) row = TracingWarp::splat<std::int32_t>(1);  // so that the target is the category
  build_butterfly<form>(tile);
  std::vector<std::int32_t> table(W * W);
  store_tile(tile, table.data());

  const auto zero = TracingWarp::splat<std::int32_t>(0), total = TracingWarp::splat<std::int32_t>(W);
  for (int shift = 0; shift < W; ++shift) {
    TracingWarp::Places target;
    for (int r = 0; r < W; ++r) target.at[r] = (r + shift) % W;
    TracingWarp::read.clear();
    const auto found = search_butterfly<form, TracingWarp>(table.data(), zero, target, zero, total);
    ASSERT_EQ(TracingWarp::read.size(), 4u);
    for (int r = 0; r < W; ++r) {
      EXPECT_EQ(found.at[r], target.at[r]) << "lane " << r;
      for (int level = 1; level <= 4; ++level) {
        const auto place = static_cast<std::size_t>(TracingWarp::read[static_cast<std::size_t>(level - 1)].at[r]);
        EXPECT_EQ(level_of_line[place / W], level) << "lane " << r;
        const int half = W >> level, segment = target.at[r] / (2 * half) * (2 * half);
        const int from = segment + (form == ButterflyForm::add_subtract && (r & half) != 0 ? half : 0);
        EXPECT_EQ(text(figure[place]), text(sum_of(r, from, from + half - 1))) << "lane " << r << ", level " << level;
      }
    }
  }
}

TEST(PapersFigures, ASearchReadsOneEntryOfEachLevel) {
  expect_reads<ButterflyForm::swap>(read_figure(figure_4_of_2019));
  expect_reads<ButterflyForm::add_subtract>(read_figure(figure_8_of_2019));
}

}  // namespace
}  // namespace papilio::collective
