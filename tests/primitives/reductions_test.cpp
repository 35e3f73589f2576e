// Reductions and scans of segments: the examples of the lecture notes, and exact references over laws of lengths.

#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <numeric>
#include <string>
#include <vector>

#include "papilio/error.h"
#include "papilio/primitives.h"
#include "papilio/scan_with.h"
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
using Offsets = VectorView<const std::int64_t>;
using Flags = VectorView<const std::uint8_t>;

TEST(Scan, ExamplesOfTheNotes) {
  const Int32s values = {1, 2, 3, 4, 5}, numbers = {0, 1, 2, 3, 4, 5, 6, 7}, ones = {1, 2, 3, 4, 5, 6, 7, 8};
  Int32s out(5);
  scan<std::int32_t>(values, out);
  EXPECT_EQ(out, (Int32s{1, 3, 6, 10, 15}));
  Int32s xors(8);
  scan<std::int32_t>(numbers, xors, {.op = ReduceOp::bit_xor});
  EXPECT_EQ(xors, (Int32s{0, 1, 3, 0, 4, 1, 7, 0}));
  const std::vector<std::uint8_t> flags = {1, 0, 0, 1, 0, 1, 0, 0};
  Int32s restarted(8);
  segmented_scan<std::int32_t>(Flags(flags), ones, restarted);
  EXPECT_EQ(restarted, (Int32s{1, 3, 6, 4, 9, 6, 13, 21}));
  const std::vector<std::int64_t> offsets = {0, 3, 5, 8};
  segmented_scan<std::int32_t>(Offsets(offsets), ones, restarted, {.exclusive = true});
  EXPECT_EQ(restarted, (Int32s{0, 1, 3, 0, 4, 0, 6, 13}));
  // The index that a loop raises under a condition (b = 1, 0, 1, 1, 0, 0, 1, 0, from 5): where it writes, and its last
  // value.
  const Int32s raised = {1, 0, 1, 1, 0, 0, 1, 0};
  Int32s before(9);
  scan<std::int32_t>(raised, before, {.exclusive = true});
  EXPECT_EQ(before, (Int32s{0, 1, 1, 2, 3, 3, 3, 4, 4}));
  EXPECT_EQ(5 + before.back(), 9);
}

// The induction variable k += 2 from 10: a(k0 + 2 (i + 1)), and k = k0 + max(2 N, 0) after the loop.
TEST(Scan, AnInductionVariableIsAScan) {
  const Int32s steps(4, 2);
  Int32s k(4);
  scan<std::int32_t>(steps, k);
  for (std::size_t i = 0; i < 4; ++i) EXPECT_EQ(10 + k[i], 10 + 2 * (static_cast<int>(i) + 1));
  EXPECT_EQ(10 + k.back(), 18);
}

TEST(Scan, ColumnsByTransposition) {
  const Int32s matrix = {1, 2, 3, 4, 5, 6};  // 3 x 2
  Int32s turned(6), scanned(6), back(6);
  transpose<std::int32_t>({matrix.data(), 3, 2}, {turned.data(), 2, 3});
  const std::vector<std::int64_t> rows = {0, 3, 6};
  segmented_scan<std::int32_t>(Offsets(rows), turned, scanned);
  transpose<std::int32_t>({scanned.data(), 2, 3}, {back.data(), 3, 2});
  EXPECT_EQ(back, (Int32s{1, 2, 4, 6, 9, 12}));
}

// Laws of segment lengths.
enum class Law { one, short_ones, pareto, giant, mostly_empty };
constexpr Law every_law[] = {Law::one, Law::short_ones, Law::pareto, Law::giant, Law::mostly_empty};

std::vector<std::int64_t> random_offsets(Law law, std::int64_t count, std::mt19937_64& generator) {
  std::vector<std::int64_t> offsets = {0};
  if (law == Law::giant) return {0, 0, 5, count - 3, count - 3, count};
  while (offsets.back() < count) {
    std::int64_t length = 1;
    const double u = (static_cast<double>(generator() >> 11) + 1) * 0x1p-53;
    if (law == Law::short_ones) length = static_cast<std::int64_t>(generator() % 9);
    if (law == Law::pareto) length = static_cast<std::int64_t>(std::min(1e5, std::pow(u, -1.2)));
    if (law == Law::mostly_empty) length = generator() % 100 == 0 ? 300 : 0;
    offsets.push_back(std::min(count, offsets.back() + length));
  }
  return offsets;
}

std::vector<std::uint8_t> flags_of(const std::vector<std::int64_t>& offsets) {
  std::vector<std::uint8_t> flags(static_cast<std::size_t>(offsets.back()));
  for (const std::int64_t offset : offsets) {
    if (offset < offsets.back()) flags[static_cast<std::size_t>(offset)] = 200;
  }
  return flags;
}

template <class T>
T apply(ReduceOp op, T a, T b) {
  if constexpr (std::is_integral_v<T>) {
    if (op == ReduceOp::sum) return a + b;
    if (op == ReduceOp::bit_and) return a & b;
    if (op == ReduceOp::bit_or) return a | b;
    if (op == ReduceOp::bit_xor) return a ^ b;
  }
  return op == ReduceOp::minimum ? (b < a || (b == a && std::signbit(b)) ? b : a)
                                 : (a < b || (a == b && std::signbit(a)) ? b : a);
}

template <class T>
T neutral(ReduceOp op) {
  using Limits = std::numeric_limits<T>;
  if (op == ReduceOp::minimum) return Limits::has_infinity ? Limits::infinity() : Limits::max();
  if (op == ReduceOp::maximum) return Limits::has_infinity ? -Limits::infinity() : Limits::min();
  return op == ReduceOp::bit_and ? static_cast<T>(-1) : T{0};
}

// All of segmented_reduce, segmented_scan by offsets and by flags, against `expected`, for any threads.
template <class T>
void expect_everywhere(ReduceOp op, const std::vector<std::int64_t>& offsets, const std::vector<T>& values,
                       const std::vector<T>& reduced, const std::vector<T>& inclusive,
                       const std::vector<T>& exclusive) {
  const std::vector<std::uint8_t> flags = flags_of(offsets);
  for (const int threads : thread_counts) {
    std::vector<T> sums(reduced.size()), out(values.size());
    segmented_reduce<T>(offsets, values, sums, {.op = op, .threads = threads});
    ASSERT_TRUE(same_bits(sums, reduced)) << name(op) << ", threads " << threads;
    segmented_scan<T>(Offsets(offsets), values, out, {.op = op, .threads = threads});
    ASSERT_TRUE(same_bits(out, inclusive)) << name(op) << ", threads " << threads;
    out = values;
    segmented_scan<T>(Flags(flags), out, out, {.op = op, .exclusive = true, .threads = threads});
    ASSERT_TRUE(same_bits(out, exclusive)) << name(op) << ", threads " << threads;
  }
}

template <class T>
class Reductions : public ::testing::Test {};
using Types = ::testing::Types<std::int32_t, std::int64_t, float, double>;
TYPED_TEST_SUITE(Reductions, Types);

// More than a part's least size of 2^15, so that segments are cut.
constexpr std::int64_t many = 140'001;

TYPED_TEST(Reductions, OfEveryOperatorAsAPlainLoop) {
  std::mt19937_64 generator(3);
  for (const Law law : every_law) {
    const std::vector<std::int64_t> offsets = random_offsets(law, many, generator);
    std::vector<TypeParam> values(many);
    for (TypeParam& value : values) {
      value = static_cast<TypeParam>(static_cast<std::int64_t>(generator() % 2001) - 1000);
      if (std::is_floating_point_v<TypeParam> && generator() % 7 == 0)
        value = generator() % 2 == 0 ? TypeParam{0} : -TypeParam{0};
    }
    for (const ReduceOp op : every_op) {
      if (std::is_floating_point_v<TypeParam> && op != ReduceOp::minimum && op != ReduceOp::maximum) continue;
      std::vector<TypeParam> reduced, inclusive(values.size()), exclusive(values.size());
      for (std::size_t s = 0; s + 1 < offsets.size(); ++s) {
        auto folded = neutral<TypeParam>(op);
        for (auto i = static_cast<std::size_t>(offsets[s]); i < static_cast<std::size_t>(offsets[s + 1]); ++i) {
          exclusive[i] = folded;
          folded = apply(op, folded, values[i]);
          inclusive[i] = folded;
        }
        reduced.push_back(folded);
      }
      ASSERT_NO_FATAL_FAILURE(expect_everywhere(op, offsets, values, reduced, inclusive, exclusive));
    }
  }
}

// The first segment need not begin with the first value, nor the last end with the last: results are those of the
// values between alone, and what lies outside is left as it is.
TYPED_TEST(Reductions, OfSegmentsThatBeginAnywhere) {
  std::mt19937_64 generator(13);
  constexpr std::int64_t before = 70'001, after = 999;
  for (const Law law : every_law) {
    const std::vector<std::int64_t> offsets = random_offsets(law, many, generator);
    std::vector<std::int64_t> later = offsets;
    for (std::int64_t& offset : later) offset += before;
    std::vector<TypeParam> values(many + before + after);
    for (TypeParam& value : values)
      value = static_cast<TypeParam>(static_cast<std::int64_t>(generator() % 2001) - 1000);
    const VectorView<const TypeParam> between(values.data() + before, many);
    std::vector<TypeParam> alone(offsets.size() - 1), found(alone.size()), scanned(many);
    segmented_reduce<TypeParam>(Offsets(offsets), between, alone, {.threads = 1});
    segmented_scan<TypeParam>(Offsets(offsets), between, scanned, {.threads = 1});
    for (const int threads : thread_counts) {
      segmented_reduce<TypeParam>(Offsets(later), values, found, {.threads = threads});
      ASSERT_TRUE(same_bits(found, alone)) << "threads " << threads;
      std::vector<TypeParam> out(values.size(), TypeParam{77}), expected = out;
      std::copy(scanned.begin(), scanned.end(), expected.begin() + before);
      segmented_scan<TypeParam>(Offsets(later), values, out, {.threads = threads});
      ASSERT_TRUE(same_bits(out, expected)) << "threads " << threads;
    }
  }
}

template <class T>
class FloatSums : public ::testing::Test {};
using Floats = ::testing::Types<float, double>;
TYPED_TEST_SUITE(FloatSums, Floats);

TYPED_TEST(FloatSums, AreExactAndRoundedOnce) {
  std::mt19937_64 generator(4);
  const auto spreads = testing::spreads<TypeParam>();
  for (const Law law : every_law) {
    const std::int64_t count = law == Law::giant ? 70'001 : 40'001;
    const std::vector<std::int64_t> offsets = random_offsets(law, count, generator);
    std::vector<TypeParam> values(static_cast<std::size_t>(count));
    const std::size_t some = static_cast<std::size_t>(law) % spreads.size();
    for (TypeParam& value : values) value = random_value<TypeParam>(spreads[some], generator);
    std::vector<TypeParam> reduced(offsets.size() - 1), inclusive(values.size()), exclusive(values.size());
    segmented_reduce<TypeParam>(offsets, values, reduced, {.threads = 1});
    segmented_scan<TypeParam>(Offsets(offsets), values, inclusive, {.threads = 1});
    segmented_scan<TypeParam>(Offsets(offsets), values, exclusive, {.exclusive = true, .threads = 1});
    for (std::size_t s = 0; s + 1 < offsets.size(); ++s) {
      ExactReference sum;
      TypeParam before = 0;
      for (auto i = static_cast<std::size_t>(offsets[s]); i < static_cast<std::size_t>(offsets[s + 1]); ++i) {
        ASSERT_EQ(before, exclusive[i]);
        sum.add(static_cast<double>(values[i]));
        before = inclusive[i];
        const bool looked_at = law != Law::giant || i % 16 == 0;
        ASSERT_TRUE(!looked_at || sum.rounds_to(inclusive[i])) << i;
      }
      ASSERT_TRUE(sum.rounds_to(reduced[s])) << s;
    }
    ASSERT_NO_FATAL_FAILURE(expect_everywhere(ReduceOp::sum, offsets, values, reduced, inclusive, exclusive));
  }
}

// A prefix of 2^25 numbers would have lost half of them in plain float arithmetic.
TEST(FloatSums, DoNotDrift) {
  const std::vector<float> values(100'000, 0.1f);
  std::vector<float> sums(values.size());
  scan<float>(values, sums, {.threads = 3});
  for (std::size_t i = 0; i < sums.size(); ++i) {
    ASSERT_EQ(sums[i],
              static_cast<float>(static_cast<double>(i + 1) * 0.1f));  // below 2^53 units: exact before the cast
  }
}

TYPED_TEST(FloatSums, InfinityAndNaNTakeHoldWhereTheyAre) {
  constexpr TypeParam infinity = std::numeric_limits<TypeParam>::infinity();
  const std::vector<TypeParam> values = {1, infinity, 2, -infinity, 3};
  std::vector<TypeParam> sums(5), least(1);
  scan<TypeParam>(values, sums);
  EXPECT_EQ(std::vector<TypeParam>(sums.begin(), sums.begin() + 3), (std::vector<TypeParam>{1, infinity, infinity}));
  const auto nan = std::numeric_limits<TypeParam>::quiet_NaN();
  EXPECT_TRUE(std::memcmp(&sums[3], &nan, sizeof nan) == 0 && std::memcmp(&sums[4], &nan, sizeof nan) == 0);
  std::vector<TypeParam> with_nan(3000, TypeParam{4});
  with_nan[2000] = -nan;
  const std::vector<std::int64_t> offsets = {0, 3000};
  for (const ReduceOp op : {ReduceOp::sum, ReduceOp::minimum, ReduceOp::maximum}) {
    segmented_reduce<TypeParam>(offsets, with_nan, least, {.op = op});
    EXPECT_EQ(std::memcmp(least.data(), &nan, sizeof nan), 0) << name(op);
  }
}

TEST(IntegerSums, ThatDoNotFitAreNamed) {
  constexpr std::int32_t largest = std::numeric_limits<std::int32_t>::max();
  Int32s values(100'000, 1), out(100'000), sums(3);
  values[70'000] = largest;
  const std::vector<std::int64_t> offsets = {0, 10, 99'000, 100'000};
  std::int64_t word = 0;
  for (const int threads : thread_counts) {
    EXPECT_EQ(error_of([&] { segmented_reduce<std::int32_t>(offsets, values, sums, {.threads = threads}); }),
              "papilio::segmented_reduce: the sum of segment 1 does not fit int32");
    EXPECT_EQ(error_of([&] { scan<std::int32_t>(values, out, {.threads = threads}); }),
              "papilio::scan: the sum at place 70000 does not fit int32");
    EXPECT_EQ(error_of([&] { scan<std::int32_t>(values, out, {.exclusive = true, .threads = threads}); }),
              "papilio::scan: the sum at place 70001 does not fit int32");
    scan<std::int32_t>(values, out, {.threads = threads, .status = {&word, 1}});
    EXPECT_EQ(primitive_status(word), (PrimitiveStatus{PrimitiveError::sum_overflow, 70'000}));
  }
  values[69'999] = -largest;  // leaves the type on no prefix
  scan<std::int32_t>(values, out, {.threads = 3, .status = {&word, 1}});
  EXPECT_EQ(primitive_status(word), PrimitiveStatus());
  std::vector<std::int64_t> wide(70'000, std::numeric_limits<std::int64_t>::max() / 4), total(1);
  for (std::size_t i = 1; i < wide.size(); i += 2) wide[i] = -wide[i];  // parts sum to more than fits, the whole to 0
  std::sort(wide.begin(), wide.end());
  const std::vector<std::int64_t> all = {0, 70'000};
  segmented_reduce<std::int64_t>(all, wide, total, {.threads = 3});
  EXPECT_EQ(total[0], 0);
}

struct Affine {
  double a, b;
  friend bool operator==(const Affine&, const Affine&) = default;
};
Affine then(Affine f, Affine g) { return {g.a + g.b * f.a, f.b * g.b}; }

TEST(ScanWith, AffineMapsRunARecurrence) {
  std::mt19937_64 generator(5);
  const std::int64_t count = 700'000;
  std::vector<Affine> maps(static_cast<std::size_t>(count)), first;
  for (Affine& map : maps) map = {static_cast<double>(generator() % 100), static_cast<double>(generator() % 3) - 1};
  for (const int threads : thread_counts) {
    std::vector<Affine> composed(maps.size());
    scan_with<Affine>(maps, composed, then, {0, 1}, {.threads = threads});
    double x = 0;  // small whole numbers: exact in any order
    for (std::size_t i = 0; i < maps.size(); ++i) ASSERT_EQ(composed[i].a, x = maps[i].a + maps[i].b * x) << i;
    if (first.empty()) first = composed;
    ASSERT_EQ(composed, first);
  }
}

// An operator that rounds: a segment's bits depend neither on threads nor on its neighbours, in place or not.
TEST(ScanWith, SegmentsAreScannedAsIfAlone) {
  std::mt19937_64 generator(6);
  for (const Law law : every_law) {
    const std::vector<std::int64_t> offsets = random_offsets(law, many, generator);
    std::vector<double> values(many), out(many);
    for (double& value : values) value = random_value<double>({0, 8}, generator);
    const auto plus = [](double a, double b) { return a + b; };
    for (const bool exclusive : {false, true}) {
      segmented_scan_with<double>(offsets, values, out, plus, 0.0, {.exclusive = exclusive, .threads = 8});
      std::vector<double> in_place = values, alone;
      segmented_scan_with<double>(offsets, in_place, in_place, plus, 0.0, {.exclusive = exclusive, .threads = 1});
      ASSERT_TRUE(same_bits(in_place, out));
      for (std::size_t s = 0; s + 1 < offsets.size(); s += 17) {
        const VectorView<const double> segment(values.data() + offsets[s], offsets[s + 1] - offsets[s]);
        alone.resize(static_cast<std::size_t>(segment.size));
        scan_with<double>(segment, alone, plus, 0.0, {.exclusive = exclusive, .threads = 2});
        ASSERT_TRUE(segment.size == 0 ||
                    std::memcmp(alone.data(), out.data() + offsets[s], alone.size() * sizeof(double)) == 0);
      }
    }
  }
}

// Fibonacci numbers modulo 2^64 by products of 2 x 2 matrices, which do not commute with others.
TEST(ScanWith, MatricesMultiplyInOrder) {
  struct Matrix {
    std::uint64_t p, q, r, s;
  };
  std::vector<Matrix> factors(5000), products(5000);
  for (std::size_t i = 0; i < factors.size(); ++i) factors[i] = {1, i % 3, 1, i % 2};
  const auto times = [](Matrix x, Matrix y) {
    return Matrix{x.p * y.p + x.q * y.r, x.p * y.q + x.q * y.s, x.r * y.p + x.s * y.r, x.r * y.q + x.s * y.s};
  };
  scan_with<Matrix>(factors, products, times, {1, 0, 0, 1}, {.exclusive = true});
  Matrix product{1, 0, 0, 1};
  for (std::size_t i = 0; i < factors.size(); ++i) {
    ASSERT_TRUE(products[i].p == product.p && products[i].q == product.q && products[i].r == product.r) << i;
    product = times(product, factors[i]);
  }
}

}  // namespace
}  // namespace papilio
