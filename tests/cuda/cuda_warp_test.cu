#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>
#include <random>
#include <type_traits>
#include <vector>

#include "collective/partial_sums/butterfly.h"
#include "collective/search.h"
#include "collective/transpose.h"
#include "collective/warp_scan.cuh"
#include "cuda/support.h"
#include "random/uniform_lanes.h"
#include "warp/cuda_warp.cuh"
#include "warp/scalar_warp.h"

// A body of code over a warp runs twice, with ScalarWarp<32> here and with CudaWarp
// on a device, and must write the same bits.

namespace papilio::testing {
namespace {

constexpr int width = 32;
using Reference = warp::ScalarWarp<width>;
using Cuda = warp::CudaWarp<width>;

template <class W, class T>
using Lanes = warp::Lanes<W, T>;

template <class Body, class In, class Out>
__global__ void run_body(const In* in, Out* out) {
  Body::template run<Cuda>(in, out);
}

template <class T>
bool same_number(T a, T b) {  // NaN: its sign and payload are left open
  return std::memcmp(&a, &b, sizeof a) == 0 || (a != a && b != b);
}

// Runs Body on both with the same input; `out_size` values must come out the same.
template <class Body, class Out, class In>
void expect_parity(const std::vector<In>& in, std::size_t out_size) {
  constexpr Out untouched = 77;
  std::vector<Out> expected(out_size, untouched);
  Body::template run<Reference>(in.data(), expected.data());
  DeviceCopy<In> device_in(in);
  DeviceCopy<Out> device_out(std::vector<Out>(out_size, untouched));
  run_body<Body><<<1, width>>>(static_cast<const In*>(device_in.data()), device_out.data());
  execution::check_launch("a test's kernel");
  const std::vector<Out> found = device_out.host();
  for (std::size_t i = 0; i < out_size; ++i)
    ASSERT_TRUE(same_number(found[i], expected[i]))
        << "value " << i / width << ", lane " << i % width << ": " << found[i] << " for " << expected[i];
  EXPECT_TRUE(device_out.gaps_intact());
}

// Values to be stored one after the other, 32 at a time.
template <class W, class T>
struct Writer {
  T* next;
  PAPILIO_LANEWISE void operator()(Lanes<W, T> lanes) {
    W::store(next, lanes);
    next += W::width;
  }
};

template <class T>
std::vector<T> numbers(std::size_t count, std::mt19937_64& bits) {
  using L = std::numeric_limits<T>;
  const T hostile[] = {0,
                       T(-0.0),
                       1,
                       -1,
                       L::max(),
                       L::lowest(),
                       L::min(),
                       L::denorm_min(),
                       L::infinity(),
                       L::quiet_NaN(),
                       1 + L::epsilon()};
  std::vector<T> all;
  while (all.size() < count) {
    const std::uint64_t random = bits();
    if (random % 4 == 0)
      all.push_back(hostile[random / 4 % std::size(hostile)]);
    else
      all.push_back(
          std::ldexp(static_cast<T>(static_cast<std::int64_t>(random) >> 10), static_cast<int>(random % 64) - 64));
  }
  return all;
}

template <class T>
class WarpOf : public CudaTest {};
using FloatingPoint = ::testing::Types<float, double>;
TYPED_TEST_SUITE(WarpOf, FloatingPoint);

// --- Operations ---------------------------------------------------------------------

template <class T>
struct Arithmetic {
  static constexpr std::size_t values = 12;
  template <class W>
  PAPILIO_LANEWISE static void run(const T* in, T* out) {
    Writer<W, T> write{out};
    const auto a = W::load(in), b = W::load(in + width), c = W::load(in + 2 * width);
    write(a + b);
    write(a - b);
    write(a * b);
    write(a * in[1]);
    write(W::fma(a, b, c));
    write(W::select(W::less(a, b), a, b));
    write(W::select(W::equal(a, b) | !W::less(b, c), a, c));
    write(W::select(W::less(a, b) & W::lane_has_bit(4), b, c));
    write(W::template splat<T>(in[5]));
    write(W::template convert<T>(W::template convert<float>(a)));
    write(W::template convert<T>(W::template convert<double>(b)));
    write(W::template convert<T>(W::lane_id()));
  }
};
TYPED_TEST(WarpOf, ArithmeticComparisonAndChoice) {
  std::mt19937_64 bits(1);
  for (int round = 0; round < 50; ++round) {
    expect_parity<Arithmetic<TypeParam>, TypeParam>(numbers<TypeParam>(3 * width, bits),
                                                    Arithmetic<TypeParam>::values * width);
    if (this->HasFatalFailure()) return;
  }
}

template <class T>
struct Exchange {
  template <class W>
  PAPILIO_LANEWISE static void run(const T* in, T* out) {
    Writer<W, T> write{out};
    const auto a = W::load(in);
    for (int bit = 1; bit < width; bit *= 2) write(W::shuffle_xor(a, bit));
    const auto from = (W::lane_id() * 7 + 3) & (width - 1), one = W::lane_id() & 24;
    write(W::shuffle(a, from));
    write(W::shuffle(a, one));
    write(W::gather(in, from + 5));
    W::for_each_lane(a, [&](int l, T value) {
      out[8 * width + 2 * l] = value;
      out[8 * width + 2 * l + 1] = static_cast<T>(l);
    });
  }
};
TYPED_TEST(WarpOf, ExchangeBetweenLanes) {
  std::mt19937_64 bits(2);
  expect_parity<Exchange<TypeParam>, TypeParam>(numbers<TypeParam>(2 * width, bits), 10 * width);
}

template <class T>
struct Memory {
  static constexpr int counts = 4 * width + 2, starts = 3;
  template <class W>
  PAPILIO_LANEWISE static void run(const T* in, T* out) {
    Writer<W, T> write{out};
    for (int start = 0; start < starts; ++start) {
      const T* p = in + start;
      for (int count = -1; count < counts; ++count) {
        write(W::load(p, count));
        write(W::lane_sums(W::load_quads(p, count)));
      }
      write(W::lane_sums(W::load_quads(p)));
      const auto x = W::load_quads(p), y = W::load_quads(p + 4);
      write(W::lane_sums(W::fma(x, y, W::template zero_quads<T>() + x)));
      const T* rows[width];
      for (int q = 0; q < width; ++q) rows[q] = p + 3 * q % 5;
      Lanes<W, T> element[4];
      W::gather_quads(rows, W::lane_id() * 2, W::lane_id() * 2 + (W::lane_id() & 7), element);
      for (int e = 0; e < 4; ++e) write(element[e]);
    }
  }
};
TYPED_TEST(WarpOf, LoadsOfEveryCountAndAlignment) {
  using Body = Memory<TypeParam>;
  std::mt19937_64 bits(3);
  expect_parity<Body, TypeParam>(numbers<TypeParam>(5 * width, bits),
                                 Body::starts * (2 * (Body::counts + 1) + 6) * width);
}

template <class T>
struct SignBits {
  template <class W>
  PAPILIO_LANEWISE static void run(const T* in, std::uint32_t* out) {
    Writer<W, std::uint32_t> write{out};
    const auto a = W::load(in), b = W::load(in + width);
    const auto masks = {W::less(a, b), W::less(b, a), W::equal(a, a), W::lane_has_bit(8), W::lane_has_bit(0)};
    for (const auto& m : masks) write(W::template splat<std::uint32_t>(static_cast<std::uint32_t>(W::bits(m))));
    for (int first = 0; first < 64; ++first) {
      typename W::template Signs<T> signs{}, of_products{};
      auto x = W::load_quads(in + first, 9), y = W::load_quads(in + 64 + first, 9);
      W::collect_signs(signs, x);
      W::collect_signs(of_products, x, y);
      write(W::template splat<std::uint32_t>(W::any_sign(signs) ? 1 : 0));
      write(W::template splat<std::uint32_t>(W::any_sign(of_products) ? 1 : 0));
    }
  }
};
TYPED_TEST(WarpOf, MasksAndSigns) {
  std::mt19937_64 bits(4);
  auto in = numbers<TypeParam>(8 * width, bits);
  for (std::size_t i = 0; i < in.size(); ++i)
    if (i % 64 % 16 != 0) in[i] = std::fabs(in[i]);  // some windows without a sign
  expect_parity<SignBits<TypeParam>, std::uint32_t>(in, 133 * width);
}

template <class T>
struct Integers {
  template <class W>
  PAPILIO_LANEWISE static void run(const T* in, T* out) {
    Writer<W, T> write{out};
    const auto a = W::load(in), b = W::load(in + width);
    write(a & b);
    write(a | b);
    write(a ^ b);
    write(a << T{3});
    write(a >> T{5});
    write(a + b);
    write(a - b);
    write(a * T{3});
    write(W::select(W::less(a, b), a, b));
  }
};
class WarpOfIntegers : public CudaTest {};
TEST_F(WarpOfIntegers, ArithmeticAndShifts) {
  std::mt19937_64 bits(5);
  std::vector<std::uint32_t> words(2 * width);
  std::vector<std::int32_t> small(2 * width);
  for (auto& x : words) x = static_cast<std::uint32_t>(bits());
  for (auto& x : small) x = static_cast<std::int32_t>(bits() % 100'000'000) - 50'000'000;
  expect_parity<Integers<std::uint32_t>, std::uint32_t>(words, 9 * width);
  expect_parity<Integers<std::int32_t>, std::int32_t>(small, 9 * width);
}

struct RandomNumbers {
  template <class W>
  PAPILIO_LANEWISE static void run(const std::uint32_t* in, double* out) {
    Writer<W, double> write{out};
    const auto block =
        random::draw_blocks<W>(0x0123'4567'89ab'cdefull, 0xfedc'ba98'7654'3210ull, W::load(in), W::load(in + width));
    for (const auto& word : block.word) write(W::template convert<double>(word));
    write(random::uniform53<W>(block.word[0], block.word[1]));
  }
};
TEST_F(WarpOfIntegers, RandomBlocks) {
  std::mt19937_64 bits(6);
  std::vector<std::uint32_t> index(2 * width);
  for (auto& x : index) x = static_cast<std::uint32_t>(bits());
  expect_parity<RandomNumbers, double>(index, 5 * width);
}

// --- Sums over groups of threads ---------------------------------------------------

template <int group, class T>
__global__ void sum_groups(const T* in, T* out) {
  const T x = in[threadIdx.x];
  out[threadIdx.x] = collective::warp_sum<group>(x);
  out[width + threadIdx.x] = collective::warp_scan<group>(x);
  out[2 * width + threadIdx.x] = collective::warp_scan_by_halves<group>(x);
}

// The sums of x[0] ... x[size - 1] and the running ones, in the order of a tree and of halves.
template <class T>
T sum_of_tree(std::vector<T> x, std::size_t group) {
  for (std::size_t half = group / 2; half > 0; half /= 2) {
    for (std::size_t i = 0; i < half; ++i) x[i] = x[i] + x[i + half];
  }
  return x[0];
}
template <class T>
void scan_halves(T* x, std::size_t size) {
  if (size == 1) return;
  scan_halves(x, size / 2);
  scan_halves(x + size / 2, size / 2);
  for (std::size_t i = size / 2; i < size; ++i) x[i] = x[i] + x[size / 2 - 1];
}

template <int group, class T>
void expect_sums(const std::vector<T>& in) {
  DeviceCopy<T> device_in(in);
  DeviceCopy<T> device_out(std::vector<T>(3 * width));
  sum_groups<group><<<1, width>>>(static_cast<const T*>(device_in.data()), device_out.data());
  execution::check_launch("a test's kernel");
  const std::vector<T> found = device_out.host();
  for (std::size_t first = 0; first < width; first += group) {
    const std::vector<T> x(in.begin() + static_cast<std::ptrdiff_t>(first),
                           in.begin() + static_cast<std::ptrdiff_t>(first + group));
    std::vector<T> halves = x;
    scan_halves(halves.data(), group);
    T running = 0;
    for (std::size_t i = 0; i < group; ++i) {
      running = running + x[i];
      ASSERT_EQ(found[first + i], sum_of_tree(x, group)) << "group " << group << ", thread " << first + i;
      if (std::is_integral_v<T>) {
        ASSERT_EQ(found[width + first + i], running) << "group " << group << ", thread " << first + i;
      }
      ASSERT_EQ(found[2 * width + first + i], halves[i]) << "group " << group << ", thread " << first + i;
    }
  }
}

TEST_F(WarpOfIntegers, SumsOverGroupsOfThreads) {
  std::mt19937_64 bits(9);
  std::vector<std::uint64_t> integers(width);
  std::vector<float> reals(width);
  for (auto& x : integers) x = bits();
  for (auto& x : reals) x = std::ldexp(static_cast<float>(bits() >> 40), -static_cast<int>(bits() % 40));
  reals[5] = reals[21] = 0;
  const auto expect_all = [](const auto& in) {
    expect_sums<8>(in);
    expect_sums<16>(in);
    expect_sums<32>(in);
  };
  expect_all(integers);
  expect_all(reals);
}

// --- Tiles and searches ----------------------------------------------------------------

template <class T>
struct Tiles {
  static constexpr int tiles = 4, tile_size = width * width;
  template <class W>
  PAPILIO_LANEWISE static void run(const T* in, T* out) {
    const auto tile = [&] {
      collective::Tile<W, T> t;
      PAPILIO_UNROLL
      for (int i = 0; i < width; ++i) t.row[i] = W::load(in + i * width);
      return t;
    };
    auto swapped = tile(), kept = tile(), in_registers = tile(), through_scratch = tile();
    collective::build_butterfly<collective::ButterflyForm::swap>(swapped);
    collective::store_tile(swapped, out);
    collective::build_butterfly<collective::ButterflyForm::add_subtract>(kept);
    collective::store_tile(kept, out + tile_size);
    collective::transpose_in_registers(in_registers);
    collective::store_tile(in_registers, out + 2 * tile_size);
    collective::transpose_through_scratch(through_scratch, out + tiles * tile_size);
    collective::store_tile(through_scratch, out + 3 * tile_size);
    // The scratch has another shape on each side.
    const auto zero = W::template splat<T>(0);
    for (int i = 0; i < width + 1; ++i) W::store(out + tiles * tile_size + i * width, zero);
  }
};
TYPED_TEST(WarpOf, ButterfliesAndTranspositions) {
  using Body = Tiles<TypeParam>;
  std::mt19937_64 bits(7);
  std::vector<TypeParam> weights(Body::tile_size);
  for (auto& w : weights) w = std::ldexp(static_cast<TypeParam>(bits() >> 40), -24);
  expect_parity<Body, TypeParam>(weights, Body::tiles * Body::tile_size + width * (width + 1));
}

// in: 40 rows of sums, then the targets.
template <class T>
struct Searches {
  static constexpr int most = 40, targets = 8;
  template <class W>
  PAPILIO_LANEWISE static void run(const T* in, std::int32_t* out) {
    Writer<W, std::int32_t> write{out};
    for (std::int32_t count = 1; count <= most / 2; ++count) {
      for (int t = 0; t < targets; ++t) {
        const auto target = W::load(in + (most + t) * width);
        write(collective::search_linear<W>(in, {.count = count}, target));
        write(collective::search_binary<W>(in, {.count = count}, target));
        write(collective::search_binary<W>(in, {.count = count, .stride = 2, .offset = 1}, target));
      }
    }
  }
};
TYPED_TEST(WarpOf, SearchesOfColumns) {
  using Body = Searches<TypeParam>;
  std::mt19937_64 bits(8);
  std::vector<TypeParam> in((Body::most + Body::targets) * width);
  for (std::size_t i = 0; i < in.size(); ++i) {
    const bool is_target = i >= Body::most * width;
    in[i] = is_target ? static_cast<TypeParam>(bits() % 45)
                      : static_cast<TypeParam>(bits() % 3) + (i < width ? TypeParam{0} : in[i - width]);
  }
  expect_parity<Body, std::int32_t>(in, Body::most / 2 * Body::targets * 3 * width);
}

}  // namespace
}  // namespace papilio::testing
