// Reduction by index, compaction and transposition on a device: the bytes of the CPU's.

#include "cuda/primitives.h"

namespace papilio::testing {
namespace {

template <class T>
class CudaByIndex : public CudaTest {};
using Types = ::testing::Types<std::int32_t, std::int64_t, float, double>;
TYPED_TEST_SUITE(CudaByIndex, Types);

// Uniform, skewed, one hot bin, neighbours alike.
enum class Hits { uniform, skewed, one, runs };
template <class Index>
std::vector<Index> indices(Numbers& numbers, std::int64_t count, std::int64_t bins, Hits hits) {
  std::vector<Index> made(static_cast<std::size_t>(count));
  for (std::size_t i = 0; i < made.size(); ++i) {
    const std::int64_t any = numbers.in(0, bins - 1);
    const std::int64_t skewed = any >> numbers.in(0, 40);
    made[i] = static_cast<Index>(hits == Hits::uniform  ? any
                                 : hits == Hits::skewed ? skewed
                                 : hits == Hits::one    ? bins / 2
                                 : i % 100 != 0         ? static_cast<std::int64_t>(made[i - 1])
                                                        : any);
  }
  return made;
}

TYPED_TEST(CudaByIndex, SmokeOfBothTables) {
  using T = TypeParam;
  Numbers numbers(1);
  for (const std::int64_t bins : {3, 1000, 40'000}) {
    for (const Hits hits : {Hits::uniform, Hits::one}) {
      const auto by = indices<std::int32_t>(numbers, 10'000, bins, hits);
      expect_same_by_index(by, numbers.values<T>(10'000, Law::small), numbers.values<T>(bins, Law::small));
      if constexpr (std::is_integral_v<T>) expect_same_by_index(by, {}, numbers.values<T>(bins, Law::small));
      expect_same_by_index(by, numbers.values<T>(10'000, Law::small), numbers.values<T>(bins, Law::small),
                           ReduceOp::minimum);
    }
  }
}

TYPED_TEST(CudaByIndex, SumsOfEveryLaw) {
  using T = TypeParam;
  Numbers numbers(2);
  for (const std::int64_t bins : {1, 2, 31, 256, 6000, 12'289, 30'000, 1'000'000}) {
    for (const Law law : {Law::small, Law::random, Law::spread, Law::cancelling, Law::special}) {
      for (const Hits hits : {Hits::uniform, Hits::skewed, Hits::one, Hits::runs}) {
        SCOPED_TRACE(std::to_string(bins) + " bins, law " + std::to_string(static_cast<int>(law)) + ", hits " +
                     std::to_string(static_cast<int>(hits)));
        const std::int64_t items = 60'000 + numbers.in(0, 99);
        expect_same_by_index(indices<std::int32_t>(numbers, items, bins, hits), numbers.values<T>(items, law),
                             numbers.values<T>(bins, Law::small));
      }
    }
  }
}

TYPED_TEST(CudaByIndex, EveryOperatorAndBothIndices) {
  using T = TypeParam;
  Numbers numbers(3);
  for (const ReduceOpChoice& row : reduce_ops()) {
    if (!row.floats && !std::is_integral_v<T>) continue;
    for (const Law law : {Law::small, Law::random, Law::special}) {
      SCOPED_TRACE(row.name);
      const auto by = indices<std::int64_t>(numbers, 50'000, 700, Hits::skewed);
      const auto bins = numbers.values<T>(700, law == Law::special ? Law::random : law);
      expect_same_by_index(by, numbers.values<T>(50'000, law), bins, row.value);
    }
  }
}

TYPED_TEST(CudaByIndex, BinsThatAreNotFinite) {
  using T = TypeParam;
  if constexpr (std::is_floating_point_v<T>) {
    constexpr T infinity = std::numeric_limits<T>::infinity();
    std::vector<T> bins = {infinity, -infinity, std::numeric_limits<T>::quiet_NaN(),
                           T{-0.0},  1,         std::numeric_limits<T>::max()};
    expect_same_by_index<std::int32_t, T>({0, 1, 2, 3, 4, 5}, {1, 2, 3, -0.0, -1, 1}, bins);
    expect_same_by_index<std::int32_t, T>({0, 1, 2, 3, 4, 4},
                                          {-infinity, -infinity, infinity, infinity, infinity, -infinity}, bins);
    expect_same_by_index<std::int32_t, T>(
        {5, 5, 5}, {std::numeric_limits<T>::max(), std::numeric_limits<T>::max(), -std::numeric_limits<T>::max()},
        bins);
  }
}

TYPED_TEST(CudaByIndex, IndicesOutOfRange) {
  using T = TypeParam;
  Numbers numbers(4);
  for (const bool skip : {false, true}) {
    auto by = indices<std::int64_t>(numbers, 30'000, 500, Hits::uniform);
    for (const std::size_t at : {29'999u, 17'000u, 16'999u, 12'345u})
      by[at] = at % 2 == 0 ? 500 : std::numeric_limits<std::int64_t>::min();
    const auto values = numbers.values<T>(30'000, Law::special);
    expect_same_by_index(by, values, numbers.values<T>(500, Law::small), ReduceOp::sum, skip);
    expect_same_by_index(by, values, numbers.values<T>(500, Law::small), ReduceOp::maximum, skip);
    if constexpr (std::is_integral_v<T>)
      expect_same_by_index(by, {}, numbers.values<T>(500, Law::small), ReduceOp::sum, skip);
  }
  expect_same_by_index<std::int32_t, T>({}, {}, numbers.values<T>(10, Law::small));
}

TYPED_TEST(CudaByIndex, OverflowNamesTheBin) {
  using T = TypeParam;
  if constexpr (std::is_integral_v<T>) {
    constexpr T most = std::numeric_limits<T>::max(), least = std::numeric_limits<T>::min();
    Numbers numbers(5);
    for (const std::int64_t bins : {50, 100'000}) {
      std::vector<T> old(static_cast<std::size_t>(bins), most - 2);
      old[7] = least;
      const auto by = indices<std::int32_t>(numbers, 20'000, 50, Hits::uniform);
      expect_same_by_index<std::int32_t, T>(by, {}, old);
      expect_same_by_index(by, numbers.values<T>(20'000, Law::small), old);
      // On the way beyond the type, and back: no error.
      std::vector<std::int32_t> few = {3, 3, 3, 3, 7, 7};
      expect_same_by_index<std::int32_t, T>(few, {most, most, -most, -most, most, most}, std::vector<T>(old.size(), 0));
      expect_same_by_index<std::int32_t, T>(few, {most, most, -most, -most, most, 1}, std::vector<T>(old.size(), 0));
    }
  }
}

// More bins than a device's cache holds sums of: the items are gone through once per range of bins.
TYPED_TEST(CudaByIndex, RangesOfBins) {
  using T = TypeParam;
  Numbers numbers(6);
  const std::int64_t bins = 5'000'003;
  const auto old = numbers.values<T>(bins, Law::small);
  for (const Law law : {Law::small, Law::spread}) {
    SCOPED_TRACE("law " + std::to_string(static_cast<int>(law)));
    const auto values = numbers.values<T>(50'000, law);
    expect_same_by_index(indices<std::int32_t>(numbers, 50'000, bins, Hits::uniform), values, old);
    auto by = indices<std::int64_t>(numbers, 50'000, bins, Hits::runs);
    by[33'333] = bins;
    by[44'444] = -1;
    expect_same_by_index(by, values, old, ReduceOp::sum, law == Law::small);
  }
  if constexpr (std::is_integral_v<T>) {
    expect_same_by_index(indices<std::int32_t>(numbers, 50'000, bins, Hits::uniform), {}, old);
    std::vector<T> full = old;
    full[4'999'999] = std::numeric_limits<T>::max();
    expect_same_by_index<std::int64_t, T>({5, 4'999'999, 7}, {}, full);
    expect_same_by_index<std::int64_t, T>({5, 4'999'999, 7}, {1, 1, 1}, full);
  }
}

// So many bins that the items are sorted by ranges of bins first, unless the workspace is to be small.
TYPED_TEST(CudaByIndex, SortedItems) {
  using T = TypeParam;
  Numbers numbers(9);
  constexpr std::int64_t bins = 22'000'003, items = 100'003;
  const auto old = numbers.values<T>(bins, Law::small);
  for (const Law law : {Law::small, Law::spread}) {
    SCOPED_TRACE("law " + std::to_string(static_cast<int>(law)));
    const auto values = numbers.values<T>(items, law);
    expect_same_by_index(indices<std::int32_t>(numbers, items, bins, Hits::skewed), values, old, ReduceOp::sum, false,
                         law == Law::spread);
    auto by = indices<std::int64_t>(numbers, items, bins, Hits::uniform);
    expect_same_by_index(by, values, old);
    by[77'777] = std::numeric_limits<std::int64_t>::min();
    by[66'666] = bins;
    by[55'555] = -1;
    expect_same_by_index(by, values, old, ReduceOp::sum, law == Law::small);
  }
  expect_same_by_index(indices<std::int32_t>(numbers, items, bins, Hits::one), numbers.values<T>(items, Law::random),
                       old);
  expect_same_by_index(indices<std::int32_t>(numbers, items, bins, Hits::runs), numbers.values<T>(items, Law::special),
                       old);
  expect_same_by_index<std::int32_t, T>({static_cast<std::int32_t>(bins - 1)}, {T{3}}, old);
  expect_same_by_index<std::int32_t, T>({-1, static_cast<std::int32_t>(bins)}, {T{3}, T{4}}, old, ReduceOp::sum, true);
  if constexpr (std::is_integral_v<T>) {
    std::vector<T> full = old;
    full[21'999'999] = std::numeric_limits<T>::max();
    expect_same_by_index<std::int64_t, T>({5, 21'999'999, 7}, {1, 1, 1}, full);
  }
}

// What a call asks for: a copy of the items where it sorts them, and that alone.
TYPED_TEST(CudaByIndex, SmallWorkspaces) {
  using T = TypeParam;
  constexpr std::int64_t items = 1000, mebibytes_32 = std::int64_t{32} << 20;
  DeviceCopy<std::int32_t> by{std::vector<std::int32_t>(items)};
  DeviceCopy<T> values{std::vector<T>(items)};
  const auto bytes = [&](std::int64_t bins, bool small) {
    // Nothing is read.
    const VectorView<T> out(reinterpret_cast<T*>(std::uintptr_t{1} << 40), bins, Device::cuda());
    const VectorView<const std::int32_t> indices = by.view();
    const VectorView<const T> given = values.view();
    return reduce_by_index_workspace_bytes<std::int32_t, T>(indices, given, out, {.small_workspace = small});
  };
  constexpr std::int64_t copy = items * static_cast<std::int64_t>(sizeof(std::int32_t) + sizeof(T));
  for (const std::int64_t bins : {21'000'000, 100'000'000}) {
    EXPECT_GE(bytes(bins, false), mebibytes_32 + copy);
    EXPECT_LE(bytes(bins, false), mebibytes_32 + copy + 4096);
    const std::int64_t one_in_20 = (copy + bins * static_cast<std::int64_t>(sizeof(T))) / 20;
    EXPECT_LE(bytes(bins, true), std::max(mebibytes_32, one_in_20) + 4096);
  }
  for (const std::int64_t bins : {1000, 8'000'000, 100'000'001}) EXPECT_EQ(bytes(bins, false), bytes(bins, true));
}

// Sums that take two words: values of more bits than one holds, and beyond that.
TYPED_TEST(CudaByIndex, SumsOfLongValues) {
  using T = TypeParam;
  Numbers numbers(8);
  for (const std::int64_t bins : {100, 20'000, 300'000}) {
    const auto old = numbers.values<T>(bins, Law::small);
    std::vector<T> values = numbers.values<T>(100'003, Law::random);
    if constexpr (std::is_floating_point_v<T>) {
      for (std::size_t i = 0; i < values.size(); ++i)  // of 28 or 19 more bits
        values[i] = std::ldexp(values[i], -static_cast<int>(i % (sizeof(T) == 4 ? 28 : 19)));
    }
    const auto by = indices<std::int32_t>(numbers, 100'003, bins, Hits::skewed);
    expect_same_by_index(by, values, old);
    values[4] = static_cast<T>(sizeof(T) == 4 ? 1e-25 : 1e-40);
    expect_same_by_index(by, values, old);
  }
}

// --- Compaction -------------------------------------------------------------------

class CudaCompact : public CudaTest {};

template <int size>
struct Piece {
  unsigned char byte[size];
  bool operator==(const Piece&) const = default;
  friend std::ostream& operator<<(std::ostream& to, const Piece& piece) {
    return to << static_cast<int>(piece.byte[0]);
  }
};

template <class Flag, class T>
void expect_same_compaction(std::int64_t items, int one_in, std::int64_t room_less, std::int64_t shift) {
  Numbers numbers(static_cast<std::uint64_t>(items));
  std::vector<Flag> flags(static_cast<std::size_t>(items));
  std::vector<T> values(flags.size());
  std::int64_t flagged = 0;
  for (std::size_t i = 0; i < flags.size(); ++i) {
    flags[i] = static_cast<Flag>(one_in > 0 && numbers.in(1, one_in) == 1 ? numbers.in(1, 100) : 0);
    flagged += flags[i] != 0 ? 1 : 0;
    for (std::size_t b = 0; b < sizeof(T); ++b)
      reinterpret_cast<unsigned char*>(&values[i])[b] = static_cast<unsigned char>(numbers.bits());
  }
  const std::int64_t room = std::max<std::int64_t>(0, flagged - room_less);
  std::vector<T> expected(static_cast<std::size_t>(room));
  std::int64_t expected_word = 0, expected_count = 0;
  compact<Flag, T>(VectorView<const Flag>(flags), VectorView<const T>(values), expected,
                   {.count = {&expected_count, 1}, .status = {&expected_word, 1}});
  DeviceCopy<Flag> marks(flags, shift);
  DeviceCopy<T> there(values, shift), kept(std::vector<T>(static_cast<std::size_t>(room)), shift);
  DeviceCopy<std::int64_t> count(std::vector<std::int64_t>(1, -7));
  CallOnCuda<CompactOptions> call({.count = count.view()});
  const auto on = [](auto view) {
    if (view.size == 0) view.device = Device::cuda();
    return view;
  };
  const VectorView<const Flag> by = on(marks.view());
  const VectorView<const T> given = on(there.view());
  const VectorView<T> to = on(kept.view());
  call.give_workspace(compact_workspace_bytes<Flag, T>(by, given, to, call.options));
  EXPECT_EQ((compact<Flag, T>(by, given, to, call.options)), -1);
  call.stream.wait();
  EXPECT_EQ(count.host()[0], flagged);
  EXPECT_EQ(expected_count, flagged);
  expect_same(call.status.word(), kept.host(), expected_word, expected);
  EXPECT_TRUE(kept.gaps_intact()) << "written beside the results";
}

template <class T>
void expect_compactions() {
  for (const std::int64_t items : {0, 1, 15, 4095, 4096, 4097, 200'003}) {
    for (const int one_in : {0, 1, 2, 50}) {
      SCOPED_TRACE(std::to_string(sizeof(T)) + " bytes, " + std::to_string(items) + " values, one in " +
                   std::to_string(one_in));
      expect_same_compaction<std::uint8_t, T>(items, one_in, 0, 0);
      expect_same_compaction<std::int32_t, T>(items, one_in, 0, 1);
      expect_same_compaction<std::uint8_t, T>(items, one_in, one_in == 2 ? 1 : 0, 1);
    }
  }
}

TEST_F(CudaCompact, Smoke) {
  expect_same_compaction<std::uint8_t, std::int32_t>(10'000, 3, 0, 0);
  expect_same_compaction<std::int32_t, Piece<12>>(10'000, 3, 0, 1);
}

TEST_F(CudaCompact, EveryKindOfValue) {
  expect_compactions<std::uint8_t>();
  expect_compactions<std::uint16_t>();
  expect_compactions<float>();
  expect_compactions<double>();
  expect_compactions<Piece<3>>();
  expect_compactions<Piece<16>>();
  expect_compactions<Piece<40>>();
}

// --- Transposition ----------------------------------------------------------------

class CudaTranspose : public CudaTest {};

struct Shape {
  std::int64_t rows, columns, batch = 1;
  std::int64_t gap = 0;     // entries between rows of both
  bool by_columns = false;  // `in` goes down its columns
  std::int64_t shift = 0;
};

template <class T>
void expect_same_transposition(const Shape& shape) {
  SCOPED_TRACE(std::to_string(shape.rows) + " x " + std::to_string(shape.columns) + ", " + std::to_string(shape.batch) +
               " times, " + std::to_string(sizeof(T)) + " bytes");
  const std::int64_t in_line = (shape.by_columns ? shape.rows : shape.columns) + shape.gap,
                     out_line = shape.rows + shape.gap;
  const std::int64_t in_size = in_line * (shape.by_columns ? shape.columns : shape.rows),
                     out_size = out_line * shape.columns;
  std::vector<T> values(static_cast<std::size_t>(in_size * shape.batch)),
      expected(static_cast<std::size_t>(out_size * shape.batch));
  Numbers numbers(6);
  for (T& v : values)
    for (std::size_t b = 0; b < sizeof(T); ++b)
      reinterpret_cast<unsigned char*>(&v)[b] = static_cast<unsigned char>(numbers.bits());
  const auto transpose_on = [&](const T* from, T* to, Device device, void* stream) {
    const MatrixView<const T> in(from, shape.rows, shape.columns, shape.by_columns ? 1 : in_line,
                                 shape.by_columns ? in_line : 1, device);
    const MatrixView<T> out(to, shape.columns, shape.rows, out_line, 1, device);
    transpose<T>(
        in, out,
        {.batch = shape.batch, .in_batch_stride = in_size, .out_batch_stride = out_size, .cuda_stream = stream});
  };
  DeviceCopy<T> there(values, shape.shift), result(expected, shape.shift);
  transpose_on(values.data(), expected.data(), Device::cpu(), nullptr);
  const execution::Stream stream;
  transpose_on(there.data(), result.data(), Device::cuda(), stream.get());
  stream.wait();
  EXPECT_TRUE(same_results(result.host(), expected));
  EXPECT_TRUE(result.gaps_intact()) << "written beside the results";
}

template <class T>
void expect_transpositions() {
  for (const Shape& shape : {Shape{1, 1},
                             Shape{1, 1000},
                             Shape{1000, 1},
                             Shape{3, 5, 7},
                             Shape{64, 64},
                             Shape{256, 512, 2},
                             Shape{65, 63},
                             Shape{2, 100'000},
                             Shape{100'000, 2},
                             Shape{17, 9000},
                             Shape{9000, 31},
                             Shape{300, 700},
                             Shape{128, 128, 3, 4},
                             Shape{100, 200, 2, 3},
                             Shape{256, 256, 1, 0, true},
                             Shape{200, 90, 2, 1, true},
                             Shape{128, 192, 1, 0, false, 1},
                             Shape{8, 8, 3001},
                             Shape{3, 17, 500},
                             Shape{1, 9, 2000},
                             Shape{2, 40'000, 3},
                             Shape{40'003, 4, 3},
                             Shape{32, 4099},
                             Shape{4100, 24},
                             Shape{5000, 3, 1, 0, false, 1},
                             Shape{4096, 16, 1, 1},
                             Shape{701, 300},
                             Shape{303, 705, 2},
                             Shape{1000, 520},
                             Shape{520, 1000, 2, 4},
                             Shape{333, 129, 1, 1, false, 3}}) {
    expect_same_transposition<T>(shape);
  }
}

TEST_F(CudaTranspose, Smoke) {
  expect_same_transposition<float>({128, 192});
  expect_same_transposition<double>({33, 70, 2});
}

TEST_F(CudaTranspose, EveryShapeAndSize) {
  expect_transpositions<std::uint8_t>();
  expect_transpositions<std::uint16_t>();
  expect_transpositions<Piece<3>>();
  expect_transpositions<float>();
  expect_transpositions<double>();
  expect_transpositions<Piece<12>>();
  expect_transpositions<Piece<16>>();
}

}  // namespace
}  // namespace papilio::testing
