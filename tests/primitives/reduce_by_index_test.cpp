// reduce_by_index, compact and transpose: the examples of the lecture notes, and plain loops and exact references.

#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <numeric>
#include <random>
#include <string>
#include <vector>

#include "papilio/error.h"
#include "papilio/primitives.h"
#include "primitives/exact_reference.h"

namespace papilio {
namespace {

using testing::ExactReference;
using testing::random_value;

constexpr int thread_counts[] = {1, 2, 3, 8};
constexpr ReduceOp every_op[] = {ReduceOp::sum,     ReduceOp::minimum, ReduceOp::maximum,
                                 ReduceOp::bit_and, ReduceOp::bit_or,  ReduceOp::bit_xor};

template <class Call>
std::string error_of(Call call) {
  try {
    call();
  } catch (const InvalidArgument& error) {
    return error.what();
  }
  return "nothing thrown";
}

template <class T>
bool same_bits(const std::vector<T>& a, const std::vector<T>& b) {
  return a.size() == b.size() && (a.empty() || std::memcmp(a.data(), b.data(), a.size() * sizeof(T)) == 0);
}

using Int32s = std::vector<std::int32_t>;
using Int64s = std::vector<std::int64_t>;

TEST(ReduceByIndex, ExamplesOfTheNotes) {
  const Int32s indices = {0, 3, 1, 3, 2, 3, 0, 1};
  const std::vector<float> values = {1, 2, 3, 4, 5, 6, 7, 8};
  std::vector<float> bins(4);
  reduce_by_index<std::int32_t, float>(indices, values, bins);
  EXPECT_EQ(bins, (std::vector<float>{8, 11, 5, 12}));
  // Val to one bin and 1 - val to another: the total is the number of items.
  std::vector<double> both(5), val = {0.25, 0.5, 0.125, 1, 0, 0.75, 0.5, 0.25}, rest(8);
  for (std::size_t i = 0; i < 8; ++i) rest[i] = 1 - val[i];
  Int32s next = indices;
  for (std::int32_t& index : next) ++index;
  reduce_by_index<std::int32_t, double>(indices, val, both);
  reduce_by_index<std::int32_t, double>(next, rest, both);
  EXPECT_EQ(std::accumulate(both.begin(), both.end(), 0.0), 8);
  // 32 lanes into one bin; all distinct; half and half; no items; more threads than items.
  Int64s one(1), distinct(32), half(2), none(3, 7);
  Int32s lanes(32), zeros(32), halves(32);
  std::iota(lanes.begin(), lanes.end(), 0);
  for (std::size_t i = 0; i < 32; ++i) halves[i] = i < 16 ? 0 : 1;
  reduce_by_index<std::int32_t, std::int64_t>(zeros, one, {.threads = 64});
  reduce_by_index<std::int32_t, std::int64_t>(lanes, distinct);
  reduce_by_index<std::int32_t, std::int64_t>(halves, half);
  reduce_by_index<std::int32_t, std::int64_t>(VectorView<const std::int32_t>(), none);
  EXPECT_EQ(one, (Int64s{32}));
  EXPECT_EQ(distinct, Int64s(32, 1));
  EXPECT_EQ(half, (Int64s{16, 16}));
  EXPECT_EQ(none, (Int64s{7, 7, 7}));
}

enum class Law { uniform, zipf, one_hot };

template <class Index>
std::vector<Index> random_indices(Law law, std::size_t count, std::int64_t bins, std::mt19937_64& generator) {
  std::vector<Index> indices(count);
  for (Index& index : indices) {
    const double u = (static_cast<double>(generator() >> 11) + 1) * 0x1p-53;
    const auto drawn = law == Law::uniform ? generator() % static_cast<std::uint64_t>(bins)
                       : law == Law::zipf  ? static_cast<std::uint64_t>(std::min(static_cast<double>(bins), 1 / u)) - 1
                                           : static_cast<std::uint64_t>(bins / 2);
    index = static_cast<Index>(drawn);
  }
  return indices;
}

template <class T>
T apply(ReduceOp op, T a, T b) {
  if constexpr (std::is_integral_v<T>) {
    if (op == ReduceOp::bit_and) return a & b;
    if (op == ReduceOp::bit_or) return a | b;
    if (op == ReduceOp::bit_xor) return a ^ b;
  }
  if (op == ReduceOp::sum) return a + b;
  return op == ReduceOp::minimum ? std::min(a, b) : std::max(a, b);
}

// Index and value types in pairs, so that all occur.
template <class I, class V>
struct Pair {
  using Index = I;
  using Value = V;
};
template <class P>
class ByIndex : public ::testing::Test {};
using Pairs = ::testing::Types<Pair<std::int32_t, std::int32_t>, Pair<std::int64_t, std::int64_t>,
                               Pair<std::int64_t, float>, Pair<std::int32_t, double>>;
TYPED_TEST_SUITE(ByIndex, Pairs);

// Few bins: a table per part, spread or not. Many: buckets. Whole numbers, so that a plain loop is exact.
TYPED_TEST(ByIndex, IsAPlainLoop) {
  using Index = typename TypeParam::Index;
  using T = typename TypeParam::Value;
  std::mt19937_64 generator(8);
  for (const std::int64_t bins : {std::int64_t{1}, std::int64_t{60}, std::int64_t{9000}, std::int64_t{400'000}}) {
    for (const Law law : {Law::uniform, Law::zipf, Law::one_hot}) {
      const std::vector<Index> indices = random_indices<Index>(law, 150'001, bins, generator);
      std::vector<T> values(indices.size()), before(static_cast<std::size_t>(bins));
      for (T& value : values) value = static_cast<T>(static_cast<std::int64_t>(generator() % 2001) - 1000);
      for (T& bin : before) bin = static_cast<T>(static_cast<std::int64_t>(generator() % 2001) - 1000);
      for (const ReduceOp op : every_op) {
        if (std::is_floating_point_v<T> && op > ReduceOp::maximum) continue;
        std::vector<T> expected = before;
        for (std::size_t i = 0; i < values.size(); ++i) {
          T& bin = expected[static_cast<std::size_t>(indices[i])];
          bin = apply(op, bin, values[i]);
        }
        for (const int threads : thread_counts) {
          std::vector<T> out = before;
          reduce_by_index<Index, T>(indices, values, out, {.op = op, .threads = threads});
          ASSERT_EQ(out, expected) << name(op) << ", " << bins << " bins, threads " << threads;
        }
      }
    }
  }
}

TEST(ByIndexCounts, AreThoseOfAPlainLoop) {
  std::mt19937_64 generator(9);
  for (const std::int64_t bins : {std::int64_t{1}, std::int64_t{70}, std::int64_t{300'000}}) {
    const Int64s indices = random_indices<std::int64_t>(Law::zipf, 150'001, bins, generator);
    Int32s expected(static_cast<std::size_t>(bins), 3);
    for (const std::int64_t index : indices) ++expected[static_cast<std::size_t>(index)];
    for (const int threads : thread_counts) {
      Int32s out(static_cast<std::size_t>(bins), 3);
      reduce_by_index<std::int64_t, std::int32_t>(indices, out, {.threads = threads});
      ASSERT_EQ(out, expected) << bins << " bins, threads " << threads;
    }
  }
}

template <class T>
class ByIndexFloatSums : public ::testing::Test {};
using Floats = ::testing::Types<float, double>;
TYPED_TEST_SUITE(ByIndexFloatSums, Floats);

// Where exponents differ by no more than the header says, only the last rounding is left; old values of any size.
TYPED_TEST(ByIndexFloatSums, AreExactWithinTheWindow) {
  std::mt19937_64 generator(10);
  constexpr int bits = 18;  // of 150,001
  constexpr int span = (sizeof(TypeParam) == sizeof(float) ? 103 : 74) - bits;
  for (const std::int64_t bins : {std::int64_t{50}, std::int64_t{300'000}}) {
    for (const int binades : {8, span}) {
      const Int32s indices = random_indices<std::int32_t>(Law::uniform, 150'001, bins, generator);
      std::vector<TypeParam> values(indices.size()), old(static_cast<std::size_t>(bins));
      for (TypeParam& value : values) {
        const double mantissa = 1 + static_cast<double>(generator() >> 12) * 0x1p-52;
        const int exponent = static_cast<int>(generator() % static_cast<std::uint64_t>(binades + 1)) - binades / 2;
        value = static_cast<TypeParam>(std::ldexp(generator() % 2 == 0 ? mantissa : -mantissa, exponent));
        value = std::min(std::max(value, static_cast<TypeParam>(-std::ldexp(1.0, binades - binades / 2))),
                         static_cast<TypeParam>(std::ldexp(1.0, binades - binades / 2)));
      }
      for (TypeParam& bin : old) bin = random_value<TypeParam>({0, 200}, generator);
      std::vector<ExactReference> expected(bins < 1000 ? static_cast<std::size_t>(bins) : 0);
      for (std::size_t b = 0; b < expected.size(); ++b) expected[b].add(static_cast<double>(old[b]));
      for (std::size_t i = 0; i < values.size() && !expected.empty(); ++i) {
        expected[static_cast<std::size_t>(indices[i])].add(static_cast<double>(values[i]));
      }
      std::vector<TypeParam> first;
      for (const int threads : thread_counts) {
        std::vector<TypeParam> out = old;
        reduce_by_index<std::int32_t, TypeParam>(indices, values, out, {.threads = threads});
        for (std::size_t b = 0; b < expected.size(); ++b) ASSERT_TRUE(expected[b].rounds_to(out[b])) << b;
        if (first.empty()) first = out;
        ASSERT_TRUE(same_bits(out, first)) << "threads " << threads;
      }
      // Any order of the items: the same bits.
      Int32s turned(indices.rbegin(), indices.rend());
      std::vector<TypeParam> values_turned(values.rbegin(), values.rend()), out = old;
      reduce_by_index<std::int32_t, TypeParam>(turned, values_turned, out, {.threads = 3});
      ASSERT_TRUE(same_bits(out, first));
    }
  }
}

TYPED_TEST(ByIndexFloatSums, LoseLessThanAUnitPerValueOutsideOfIt) {
  // 5 items (3 bits), the largest below 2^127 or 2^1001: units of 2^(e + 3 - 127).
  constexpr int e = sizeof(TypeParam) == sizeof(float) ? 127 : 1001;
  const auto power = [](int exponent) { return static_cast<TypeParam>(std::ldexp(1.0, exponent)); };
  const Int32s indices = {0, 1, 1, 2, 3};
  const std::vector<TypeParam> values = {power(e - 1), power(e - 125), power(e - 124), power(e - 124) + power(e - 126),
                                         1};
  std::vector<TypeParam> out(4, TypeParam{0});
  out[3] = 5;
  reduce_by_index<std::int32_t, TypeParam>(indices, values, out);
  EXPECT_EQ(out, (std::vector<TypeParam>{power(e - 1), power(e - 124), power(e - 124), 5}));
}

TYPED_TEST(ByIndexFloatSums, InfinityAndNaNStayInTheirBins) {
  constexpr TypeParam infinity = std::numeric_limits<TypeParam>::infinity(),
                      largest = std::numeric_limits<TypeParam>::max();
  const TypeParam nan = std::numeric_limits<TypeParam>::quiet_NaN();
  const Int32s indices = {0, 1, 1, 2, 2, 3, 3, 4, 5, 6, 6};
  const std::vector<TypeParam> values = {largest / 4, infinity, 1, infinity, -infinity, largest,
                                         -infinity,   -nan,     1, largest,  largest};
  const std::vector<TypeParam> expected = {largest / 4, infinity, nan, -infinity, nan, -infinity, infinity};
  for (const int threads : thread_counts) {
    std::vector<TypeParam> out(7, TypeParam{0});
    out[3] = largest;
    out[5] = -infinity;
    reduce_by_index<std::int32_t, TypeParam>(indices, values, out, {.threads = threads});
    EXPECT_TRUE(same_bits(out, expected)) << threads;
  }
  std::vector<TypeParam> out(7, TypeParam{9});
  out[1] = nan;
  reduce_by_index<std::int32_t, TypeParam>(indices, values, out, {.op = ReduceOp::minimum});
  EXPECT_TRUE(same_bits(out, std::vector<TypeParam>{9, nan, -infinity, -infinity, nan, 1, 9}));
}

TEST(ReduceByIndex, SkipsOrNamesIndicesOutOfRange) {
  Int64s indices(100'000);
  for (std::size_t i = 0; i < indices.size(); ++i) indices[i] = static_cast<std::int64_t>(i % 10);
  indices[60'000] = 10;
  indices[61'000] = -1;
  indices[62'000] = std::int64_t{1} << 32;
  std::vector<float> values(indices.size(), 1.0f);
  values[60'000] = 1e38f;  // does not count towards the unit of the others
  values[50'000] = 0x1p-30f;
  for (const int threads : thread_counts) {
    std::vector<float> out(10);
    EXPECT_EQ(error_of([&] { reduce_by_index<std::int64_t, float>(indices, values, out, {.threads = threads}); }),
              "papilio::reduce_by_index: index 60000 is 10, expected 0 <= index < 10");
    std::fill(out.begin(), out.end(), 0.0f);
    reduce_by_index<std::int64_t, float>(indices, values, out, {.skip_out_of_range = true, .threads = threads});
    EXPECT_EQ(out, (std::vector<float>{9996, 10'000, 10'000, 10'000, 10'000, 10'000, 10'000, 10'000, 10'000, 10'000}));
    Int32s many(300'000);  // by buckets
    std::int64_t word = 0;
    many[9] = 1;
    reduce_by_index<std::int64_t, std::int32_t>(indices, many, {.threads = threads, .status = {&word, 1}});
    EXPECT_EQ(primitive_status(word), (PrimitiveStatus{PrimitiveError::index_out_of_range, 61'000}));
  }
}

// The sum may leave its type on the way; it counts whether it fits at the end.
TEST(ReduceByIndex, FindsSumsThatDoNotFit) {
  constexpr std::int32_t largest = std::numeric_limits<std::int32_t>::max();
  for (const std::size_t bins : {std::size_t{20}, std::size_t{500'000}}) {
    Int32s indices(100'000), values(100'000);
    for (std::size_t i = 0; i < indices.size(); ++i) indices[i] = static_cast<std::int32_t>(i % 20);
    for (std::size_t i = 7; i < 90'000; i += 20) values[i] = i < 45'000 ? 1'000'000 : -1'000'000;
    for (const int threads : thread_counts) {
      Int32s out(bins, 5);
      reduce_by_index<std::int32_t, std::int32_t>(indices, values, out, {.threads = threads});
      ASSERT_EQ(out, Int32s(bins, 5)) << bins << " bins, threads " << threads;
      out[9] = out[11] = largest - 4999;
      EXPECT_EQ(error_of([&] { reduce_by_index<std::int32_t, std::int32_t>(indices, out, {.threads = threads}); }),
                "papilio::reduce_by_index: the sum of bin 9 does not fit int32");
      Int32s just(bins, largest - 5000);
      reduce_by_index<std::int32_t, std::int32_t>(indices, just, {.threads = threads});
      EXPECT_EQ(just[19], largest);
    }
  }
}

TEST(CompactElements, KeepsOrderForAnySize) {
  std::mt19937_64 generator(11);
  for (const std::size_t count : {std::size_t{0}, std::size_t{1}, std::size_t{100'003}}) {
    Int32s flags(count);
    std::vector<std::uint8_t> bytes(count);
    struct Triple {
      std::int32_t a, b, c;
    };
    std::vector<Triple> triples(count), kept_triples(count);
    std::vector<std::uint16_t> shorts(count), kept_shorts(count), expected;
    for (std::size_t i = 0; i < count; ++i) {
      flags[i] = generator() % 3 == 0 ? 0 : static_cast<std::int32_t>(generator()) | 1;
      bytes[i] = flags[i] != 0 ? 2 : 0;
      shorts[i] = static_cast<std::uint16_t>(i);
      triples[i] = {static_cast<std::int32_t>(i), 1, 2};
      if (flags[i] != 0) expected.push_back(shorts[i]);
    }
    for (const int threads : thread_counts) {
      std::int64_t written = -1;
      const std::int64_t number = compact<std::int32_t, std::uint16_t>(flags, shorts, kept_shorts,
                                                                       {.count = {&written, 1}, .threads = threads});
      ASSERT_EQ(number, std::ssize(expected));
      ASSERT_EQ(written, number);
      ASSERT_TRUE(std::equal(expected.begin(), expected.end(), kept_shorts.begin()));
      ASSERT_EQ((compact<std::uint8_t, Triple>(bytes, triples, kept_triples, {.threads = threads})), number);
      for (std::size_t i = 0; i < expected.size(); ++i)
        ASSERT_EQ(static_cast<std::uint16_t>(kept_triples[i].a), expected[i]);
    }
  }
}

// The loop of the notes: if b(i), a(civ) = 2 i and so on: indices 6, 7, 8, 9 get 0, 2, 3, 6.
TEST(CompactElements, IsAConditionalInductionVariable) {
  const Int32s b = {1, 0, 1, 1, 0, 0, 1, 0}, numbers = {0, 1, 2, 3, 4, 5, 6, 7};
  Int32s a(4);
  EXPECT_EQ((compact<std::int32_t, std::int32_t>(b, numbers, a)), 4);
  EXPECT_EQ(a, (Int32s{0, 2, 3, 6}));
}

template <int size>
struct Element {
  unsigned char bytes[size];
};

template <int size>
void expect_transposed() {
  std::mt19937_64 generator(12);
  for (const auto& [rows, columns] : {std::pair{1, 1}, {3, 2}, {33, 65}, {200, 31}}) {
    const std::size_t elements = static_cast<std::size_t>(rows) * static_cast<std::size_t>(columns);
    std::vector<Element<size>> in(3 * 2 * elements), out(2 * elements + 7);
    for (auto& element : in) {
      for (unsigned char& byte : element.bytes) byte = static_cast<unsigned char>(generator());
    }
    // Two matrices, every third column of the first one's rows turned round, to matrices without gaps.
    const std::int64_t row_stride = 3 * columns, batch = 3 * rows * columns;
    transpose<Element<size>>({in.data() + 3 * (columns - 1), rows, columns, row_stride, -3},
                             {out.data(), columns, rows},
                             {.batch = 2, .in_batch_stride = batch, .out_batch_stride = rows * columns, .threads = 3});
    for (int m = 0; m < 2; ++m) {
      for (int i = 0; i < rows; ++i) {
        for (int j = 0; j < columns; ++j) {
          const auto& from = in[static_cast<std::size_t>(m * batch + i * row_stride + 3 * (columns - 1 - j))];
          const auto& to = out[static_cast<std::size_t>((m * columns + j) * rows + i)];
          ASSERT_EQ(std::memcmp(&from, &to, size), 0) << rows << " x " << columns << ", " << size << " bytes";
        }
      }
    }
  }
}

TEST(Transpose, MovesElementsOfAnySize) {
  expect_transposed<1>();
  expect_transposed<3>();
  expect_transposed<4>();
  expect_transposed<8>();
  expect_transposed<12>();
  expect_transposed<16>();
}

// B0 = a0^2, Bj = B(j - 1)^2 + aj^2 by row, with coalesced columns: transposed, computed, transposed back.
TEST(Transpose, TheRecurrenceOfTheNotes) {
  const std::vector<float> a = {0.5f, 0.25f, 0.1f, 0.5f, 0.25f, 0.1f};
  std::vector<float> turned(6), back(6);
  transpose<float>({a.data(), 2, 3}, {turned.data(), 3, 2});
  EXPECT_EQ(turned, (std::vector<float>{0.5f, 0.5f, 0.25f, 0.25f, 0.1f, 0.1f}));
  for (std::size_t j = 0; j < 3; ++j) {
    for (std::size_t i = 0; i < 2; ++i) {
      const float before = j == 0 ? 0 : turned[2 * (j - 1) + i], x = turned[2 * j + i];
      turned[2 * j + i] = before * before + x * x;
    }
  }
  transpose<float>({turned.data(), 3, 2}, {back.data(), 2, 3});
  EXPECT_NEAR(back[5], 0.025625, 1e-8);
  EXPECT_EQ(back[3], 0.25f);
  EXPECT_EQ(back[4], 0.125f);
  const Int32s matrix = {1, 2, 3, 4, 5, 6};
  Int32s transposed(6);
  transpose<std::int32_t>({matrix.data(), 2, 3}, {transposed.data(), 3, 2});
  EXPECT_EQ(transposed, (Int32s{1, 4, 2, 5, 3, 6}));
}

}  // namespace
}  // namespace papilio
