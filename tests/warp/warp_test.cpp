#include <gtest/gtest.h>

#include <array>
#include <cstdint>
#include <random>
#include <vector>

#include "warp/native_warp.h"
#include "warp/scalar_warp.h"
#include "warp/warp_support.h"

// Each operation of the vector warps gives what the loop of ScalarWarp gives.

namespace papilio::warp {
namespace {

constexpr int trials = 300;

// A warp that lacks an operation is none.
using Whole = ScalarWarp<4>;
static_assert(Warp<Whole>);
struct WithoutEqual : Whole {
  template <class T>
  static Mask equal(T, T) = delete;
};
static_assert(!Warp<WithoutEqual>);
struct WithoutForEachLane : Whole {
  template <class T, class F>
  static void for_each_lane(T, F) = delete;
};
static_assert(!Warp<WithoutForEachLane>);
struct WithoutPartialLoads : Whole {
  template <class T>
  static Lanes<T> load(const T* p) {
    return Whole::load(p);
  }
};
static_assert(!Warp<WithoutPartialLoads>);
struct WithoutPrefetch : Whole {
  static void prefetch(const void*) = delete;
};
static_assert(!Warp<WithoutPrefetch>);
struct WithoutGatherQuads : Whole {
  template <class T, class I>
  static void gather_quads(const T* const*, I, I, Lanes<T> (&)[4]) = delete;
};
static_assert(!Warp<WithoutGatherQuads>);
struct WithoutSigns : Whole {
  template <class T>
  struct Signs {};
};
static_assert(!Warp<WithoutSigns>);

template <class S>
class SimdWarpTest : public testing::Test {
 protected:
  using Simd = S;
  using Scalar = ScalarWarp<S::width>;
  static constexpr int W = S::width;
  static_assert(Warp<Simd> && Warp<Scalar>);

  // `operation` is a generic lambda over the warp that returns its lanes of T.
  template <class T, class Operation>
  static void expect_same(const char* what, Operation operation) {
    expect_same_arrays<T>(what, stored<Simd, T>(operation.template operator()<Simd>()),
                          stored<Scalar, T>(operation.template operator()<Scalar>()));
  }
  template <class T, class Operation>
  static void expect_same_quads(const char* what, Operation operation) {
    expect_same_arrays<T>(what, stored_quads<Simd, T>(operation.template operator()<Simd>()),
                          stored_quads<Scalar, T>(operation.template operator()<Scalar>()));
  }
  template <class Operation>
  static void expect_same_mask(const char* what, Operation operation) {
    const auto simd = Simd::bits(operation.template operator()<Simd>());
    ASSERT_EQ(simd, Scalar::bits(operation.template operator()<Scalar>())) << what;
    ASSERT_EQ(W < 64 ? simd >> W : 0, 0u) << what << ": bits of lanes that do not exist";
  }

 private:
  template <class T, class Array>
  static void expect_same_arrays(const char* what, const Array& simd, const Array& scalar) {
    for (std::size_t i = 0; i < simd.size(); ++i)
      ASSERT_TRUE(same_number(simd[i], scalar[i])) << what << ", element " << i << " of type of " << sizeof(T)
                                                   << " bytes: " << +simd[i] << ", expected " << +scalar[i];
  }
};
TYPED_TEST_SUITE(SimdWarpTest, SimdWarps);

TYPED_TEST(SimdWarpTest, FloatingArithmetic) {
  std::mt19937_64 bits(1);
  const auto check = [&]<class T>() {
    const auto a = values<TypeParam, T>(bits), b = values<TypeParam, T>(bits);
    const T x = value<T>(bits);
    this->template expect_same<T>("a + b", [&]<class W>() { return W::load(a.data()) + W::load(b.data()); });
    this->template expect_same<T>("a - b", [&]<class W>() { return W::load(a.data()) - W::load(b.data()); });
    this->template expect_same<T>("a * b", [&]<class W>() { return W::load(a.data()) * W::load(b.data()); });
    this->template expect_same<T>("a + x", [&]<class W>() { return W::load(a.data()) + x; });
    this->template expect_same<T>("a - x", [&]<class W>() { return W::load(a.data()) - x; });
    this->template expect_same<T>("a * x", [&]<class W>() { return W::load(a.data()) * x; });
    this->template expect_same<T>("splat", [&]<class W>() { return W::template splat<T>(x); });
  };
  for (int trial = 0; trial < trials; ++trial) {
    check.template operator()<float>();
    check.template operator()<double>();
  }
}

// Values small enough that no signed result overflows.
TYPED_TEST(SimdWarpTest, IntegerArithmetic) {
  std::mt19937_64 bits(2);
  const auto check = [&]<class T>() {
    ArrayOf<TypeParam, T> a, b;
    const std::uint64_t range = std::is_signed_v<T> ? 60'000 : std::uint64_t{1} << 32;
    const auto next = [&] {
      return static_cast<T>(static_cast<std::int64_t>(bits() % range) - (std::is_signed_v<T> ? 30'000 : 0));
    };
    for (T& v : a) v = next();
    for (T& v : b) v = next();
    const T x = next();
    const T shift = static_cast<T>(bits() % 15);
    this->template expect_same<T>("a + b", [&]<class W>() { return W::load(a.data()) + W::load(b.data()); });
    this->template expect_same<T>("a - b", [&]<class W>() { return W::load(a.data()) - W::load(b.data()); });
    this->template expect_same<T>("a * b", [&]<class W>() { return W::load(a.data()) * W::load(b.data()); });
    this->template expect_same<T>("a & b", [&]<class W>() { return W::load(a.data()) & W::load(b.data()); });
    this->template expect_same<T>("a | b", [&]<class W>() { return W::load(a.data()) | W::load(b.data()); });
    this->template expect_same<T>("a ^ b", [&]<class W>() { return W::load(a.data()) ^ W::load(b.data()); });
    this->template expect_same<T>("a + x", [&]<class W>() { return W::load(a.data()) + x; });
    this->template expect_same<T>("a - x", [&]<class W>() { return W::load(a.data()) - x; });
    this->template expect_same<T>("a * x", [&]<class W>() { return W::load(a.data()) * x; });
    this->template expect_same<T>("a & x", [&]<class W>() { return W::load(a.data()) & x; });
    this->template expect_same<T>("a | x", [&]<class W>() { return W::load(a.data()) | x; });
    this->template expect_same<T>("a ^ x", [&]<class W>() { return W::load(a.data()) ^ x; });
    this->template expect_same<T>("a << x", [&]<class W>() { return W::load(a.data()) << shift; });
    this->template expect_same<T>("a >> x", [&]<class W>() { return W::load(a.data()) >> shift; });
    this->template expect_same<T>("splat", [&]<class W>() { return W::template splat<T>(x); });
  };
  for (int trial = 0; trial < trials; ++trial) {
    check.template operator()<std::int32_t>();
    check.template operator()<std::uint32_t>();
  }
}

TYPED_TEST(SimdWarpTest, LaneIds) {
  const auto ids = stored<TypeParam, std::int32_t>(TypeParam::lane_id());
  for (int l = 0; l < TypeParam::width; ++l) EXPECT_EQ(ids[static_cast<std::size_t>(l)], l);
}

TYPED_TEST(SimdWarpTest, WideProducts) {
  std::mt19937_64 bits(3);
  for (int trial = 0; trial < trials; ++trial) {
    const auto a = values<TypeParam, std::uint32_t>(bits);
    const std::uint32_t constants[] = {0, 1, 0xffffffffu, 0xD2511F53u, static_cast<std::uint32_t>(bits())};
    for (const std::uint32_t b : constants) {
      const auto product = multiply_wide(TypeParam::load(a.data()), b);
      const auto high = stored<TypeParam, std::uint32_t>(product.high);
      const auto low = stored<TypeParam, std::uint32_t>(product.low);
      for (std::size_t l = 0; l < a.size(); ++l)
        ASSERT_EQ(std::uint64_t{high[l]} << 32 | low[l], std::uint64_t{a[l]} * b) << a[l] << " * " << b;
    }
  }
}

TYPED_TEST(SimdWarpTest, Conversions) {
  std::mt19937_64 bits(4);
  for (int trial = 0; trial < trials; ++trial) {
    const auto f = values<TypeParam, float>(bits);
    const auto d = values<TypeParam, double>(bits);
    const auto i = values<TypeParam, std::int32_t>(bits);
    const auto u = values<TypeParam, std::uint32_t>(bits);
    ArrayOf<TypeParam, float> whole_f;
    ArrayOf<TypeParam, double> whole_d;
    for (std::size_t l = 0; l < i.size(); ++l) {
      whole_f[l] = static_cast<float>(i[l] >> 8);
      whole_d[l] = static_cast<double>(i[l]);
    }
    using std::int32_t;
    this->template expect_same<double>("float to double",
                                       [&]<class W>() { return W::template convert<double>(W::load(f.data())); });
    this->template expect_same<float>("double to float",
                                      [&]<class W>() { return W::template convert<float>(W::load(d.data())); });
    this->template expect_same<float>("int to float",
                                      [&]<class W>() { return W::template convert<float>(W::load(i.data())); });
    this->template expect_same<double>("int to double",
                                       [&]<class W>() { return W::template convert<double>(W::load(i.data())); });
    this->template expect_same<float>("unsigned to float",
                                      [&]<class W>() { return W::template convert<float>(W::load(u.data())); });
    this->template expect_same<double>("unsigned to double",
                                       [&]<class W>() { return W::template convert<double>(W::load(u.data())); });
    this->template expect_same<int32_t>("unsigned to int",
                                        [&]<class W>() { return W::template convert<int32_t>(W::load(u.data())); });
    this->template expect_same<int32_t>(
        "float to int", [&]<class W>() { return W::template convert<int32_t>(W::load(whole_f.data())); });
    this->template expect_same<int32_t>(
        "double to int", [&]<class W>() { return W::template convert<int32_t>(W::load(whole_d.data())); });
  }
}

TYPED_TEST(SimdWarpTest, SameBitsAsAnotherType) {
  std::mt19937_64 bits(10);
  for (int trial = 0; trial < trials; ++trial) {
    const auto u = values<TypeParam, std::uint32_t>(bits);
    const auto f = stored<TypeParam, float>(TypeParam::template bit_cast<float>(TypeParam::load(u.data())));
    const auto i =
        stored<TypeParam, std::int32_t>(TypeParam::template bit_cast<std::int32_t>(TypeParam::load(f.data())));
    for (std::size_t l = 0; l < u.size(); ++l) {
      ASSERT_EQ(std::bit_cast<std::uint32_t>(f[l]), u[l]);
      ASSERT_EQ(i[l], static_cast<std::int32_t>(u[l]));
    }
    this->template expect_same<float>("bits to float",
                                      [&]<class W>() { return W::template bit_cast<float>(W::load(u.data())); });
  }
}

TYPED_TEST(SimdWarpTest, ComparisonAndChoice) {
  std::mt19937_64 bits(5);
  for (int trial = 0; trial < trials; ++trial) {
    for_all_types([&]<class T>() {
      const auto a = values<TypeParam, T>(bits), c = values<TypeParam, T>(bits);
      auto b = values<TypeParam, T>(bits);
      for (std::size_t l = 0; l < a.size(); l += 1 + bits() % 3) b[l] = a[l];
      const auto less = [&]<class W>() { return W::less(W::load(a.data()), W::load(b.data())); };
      const auto equal = [&]<class W>() { return W::equal(W::load(a.data()), W::load(c.data())); };
      this->expect_same_mask("less", less);
      this->expect_same_mask("equal", [&]<class W>() { return W::equal(W::load(a.data()), W::load(b.data())); });
      this->expect_same_mask("not", [&]<class W>() { return !less.template operator()<W>(); });
      this->expect_same_mask(
          "and", [&]<class W>() { return less.template operator()<W>() & !equal.template operator()<W>(); });
      this->expect_same_mask("or",
                             [&]<class W>() { return less.template operator()<W>() | equal.template operator()<W>(); });

      const auto x = TypeParam::load(a.data()), y = TypeParam::load(b.data());
      ASSERT_EQ(TypeParam::less_bits(x, y), TypeParam::bits(TypeParam::less(x, y)));
      ASSERT_EQ(TypeParam::equal_bits(x, y), TypeParam::bits(TypeParam::equal(x, y)));

      // Choosing copies bits, those of a NaN too.
      const auto chosen = stored<TypeParam, T>(TypeParam::select(less.template operator()<TypeParam>(),
                                                                 TypeParam::load(a.data()), TypeParam::load(c.data())));
      for (std::size_t l = 0; l < a.size(); ++l) ASSERT_TRUE(same_bits(chosen[l], a[l] < b[l] ? a[l] : c[l])) << l;
    });
  }
}

// A mask made from lanes of one size chooses among lanes of another.
TYPED_TEST(SimdWarpTest, MasksFitLanesOfAnySize) {
  std::mt19937_64 bits(6);
  for (int trial = 0; trial < trials; ++trial) {
    const auto f = values<TypeParam, float>(bits), g = values<TypeParam, float>(bits);
    const auto d = values<TypeParam, double>(bits), e = values<TypeParam, double>(bits);
    this->template expect_same<double>("floats choose doubles", [&]<class W>() {
      return W::select(W::less(W::load(f.data()), W::load(g.data())), W::load(d.data()), W::load(e.data()));
    });
    this->template expect_same<float>("doubles choose floats", [&]<class W>() {
      return W::select(W::less(W::load(d.data()), W::load(e.data())), W::load(f.data()), W::load(g.data()));
    });
    this->expect_same_mask("both", [&]<class W>() {
      return W::less(W::load(d.data()), W::load(e.data())) & !W::less(W::load(f.data()), W::load(g.data()));
    });
  }
}

TYPED_TEST(SimdWarpTest, LanesByBit) {
  this->expect_same_mask("bit 0", []<class W>() { return W::lane_has_bit(0); });
  for (int bit = 1; bit < TypeParam::width; bit *= 2) {
    this->expect_same_mask("bit", [&]<class W>() { return W::lane_has_bit(bit); });
    const std::uint64_t all = TypeParam::bits(TypeParam::lane_has_bit(bit));
    for (int l = 0; l < TypeParam::width; ++l) ASSERT_EQ((all >> l & 1) != 0, (l & bit) != 0) << bit << ' ' << l;
  }
}

TYPED_TEST(SimdWarpTest, FusedMultiplyAdd) {
  std::mt19937_64 bits(7);
  const auto check = [&]<class T>() {
    std::vector<T> x(4 * TypeParam::width), y(x.size()), c(x.size());
    for (auto* all : {&x, &y, &c})
      for (T& v : *all) v = value<T>(bits);
    this->template expect_same<T>(
        "fma", [&]<class W>() { return W::fma(W::load(x.data()), W::load(y.data()), W::load(c.data())); });
    this->template expect_same_quads<T>("fma of quads", [&]<class W>() {
      return W::fma(W::load_quads(x.data()), W::load_quads(y.data()), W::load_quads(c.data()));
    });
    this->template expect_same_quads<T>("sum of quads",
                                        [&]<class W>() { return W::load_quads(x.data()) + W::load_quads(y.data()); });
    this->template expect_same<T>("lane sums", [&]<class W>() { return W::lane_sums(W::load_quads(x.data())); });
  };
  for (int trial = 0; trial < trials; ++trial) {
    check.template operator()<float>();
    check.template operator()<double>();
  }
}

// Each value in turn has its sign set, that of -0 and of NaN too.
TYPED_TEST(SimdWarpTest, CollectedSigns) {
  const auto check = [&]<class T, class W>() {
    std::vector<T> x(4 * W::width), y(x.size());
    std::mt19937_64 bits(9);
    for (T& v : x) v = std::abs(value<T>(bits));
    for (T& v : y) v = std::abs(value<T>(bits));
    const auto any = [&](int repeats) {
      typename W::template Signs<T> signs{};
      auto quads = W::load_quads(x.data());
      for (int i = 0; i < repeats; ++i) W::collect_signs(signs, quads);
      return W::any_sign(signs);
    };
    const auto any_of_products = [&] {
      typename W::template Signs<T> signs{};
      auto left = W::load_quads(x.data()), right = W::load_quads(y.data());
      W::collect_signs(signs, left, right);
      return W::any_sign(signs);
    };
    EXPECT_FALSE(any(0));
    EXPECT_FALSE(any(1));
    EXPECT_FALSE(any_of_products());
    for (std::size_t i = 0; i < x.size(); ++i) {
      for (const T v : Hostile<T>::values) {
        const T was = x[i];
        x[i] = v;
        ASSERT_EQ(any(1), std::signbit(v)) << "element " << i << " is " << v;
        ASSERT_EQ(any(2), std::signbit(v));
        ASSERT_EQ(any_of_products(), std::signbit(v));
        y[i] = -y[i];
        ASSERT_EQ(any_of_products(), !std::signbit(v));
        y[i] = -y[i];
        x[i] = was;
      }
    }
  };
  check.template operator()<float, TypeParam>();
  check.template operator()<double, TypeParam>();
  check.template operator()<float, typename TestFixture::Scalar>();
}

TYPED_TEST(SimdWarpTest, PrefetchMayPointAnywhere) {
  TypeParam::prefetch(nullptr);
  TypeParam::prefetch(reinterpret_cast<const void*>(~std::uintptr_t{0}));
}

}  // namespace
}  // namespace papilio::warp
