#include <gtest/gtest.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cstdint>
#include <cstring>
#include <limits>
#include <random>
#include <vector>

#include "warp/native_warp.h"
#include "warp/scalar_warp.h"
#include "warp/warp_support.h"

// Loads give the values that they should, and touch no byte beyond: the memory
// that they read lies between two pages that may not be touched.

namespace papilio::warp {
namespace {

// One page of T between two that fault.
template <class T>
class GuardedPage {
 public:
  GuardedPage() : bytes_(static_cast<std::size_t>(sysconf(_SC_PAGESIZE))) {
    void* all = mmap(nullptr, 3 * bytes_, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (all == MAP_FAILED) throw std::bad_alloc();
    start_ = static_cast<char*>(all);
    if (mprotect(start_ + bytes_, bytes_, PROT_READ | PROT_WRITE) != 0) throw std::bad_alloc();
    std::mt19937_64 bits(1);
    for (T* p = begin(); p < end(); ++p) *p = value<T>(bits);
  }
  ~GuardedPage() { munmap(start_, 3 * bytes_); }
  GuardedPage(const GuardedPage&) = delete;
  GuardedPage& operator=(const GuardedPage&) = delete;

  T* begin() { return reinterpret_cast<T*>(start_ + bytes_); }
  T* end() { return reinterpret_cast<T*>(start_ + 2 * bytes_); }

 private:
  std::size_t bytes_;
  char* start_;
};

template <class S>
class WarpMemoryTest : public testing::Test {};
using Warps = testing::Types<ScalarWarp<4>, ScalarWarp<32>, SimdWarp<4, register_bytes>, SimdWarp<8, register_bytes>,
                             SimdWarp<16, register_bytes>, SimdWarp<32, register_bytes>, SimdWarp<32, 16>>;
TYPED_TEST_SUITE(WarpMemoryTest, Warps);

template <class F>
void for_float_and_double(F f) {
  f.template operator()<float>();
  f.template operator()<double>();
}

// `got` is the `count` values at p, and zeros.
template <class Array, class T>
void expect_values(const Array& got, const T* p, std::int64_t count) {
  for (std::size_t i = 0; i < got.size(); ++i) {
    const bool valid = static_cast<std::int64_t>(i) < count;
    ASSERT_TRUE(same_bits(got[i], valid ? p[i] : T{0})) << "element " << i << " of " << count;
  }
}

TYPED_TEST(WarpMemoryTest, WholeLoadsAndStoresAtAnyAddress) {
  using W = TypeParam;
  const auto check = [&]<class T>() {
    GuardedPage<T> page;
    T* const last = page.end() - W::width;
    for (T* p : {page.begin(), page.begin() + 1, page.begin() + 3, last - 1, last}) {
      expect_values(stored<W, T>(W::load(p)), p, W::width);
      std::vector<T> before(page.begin(), page.end());
      auto lanes = W::load(p);
      for (std::size_t i = 0; i < static_cast<std::size_t>(W::width); ++i) p[i] = T{7};
      W::store(p, lanes);
      ASSERT_EQ(std::memcmp(before.data(), page.begin(), before.size() * sizeof(T)), 0);
    }
    T* const last_quads = page.end() - 4 * W::width;
    for (T* p : {page.begin(), page.begin() + 1, last_quads - 1, last_quads})
      expect_values(stored_quads<W, T>(W::load_quads(p)), p, 4 * W::width);
  };
  for_float_and_double(check);
  check.template operator()<std::int32_t>();
  check.template operator()<std::uint32_t>();
}

TYPED_TEST(WarpMemoryTest, PartialLoadsOfEveryCount) {
  using W = TypeParam;
  for_float_and_double([&]<class T>() {
    GuardedPage<T> page;
    for (std::int64_t count = 0; count <= W::width; ++count) {
      expect_values(stored<W, T>(W::load(page.end() - count, count)), page.end() - count, count);
      expect_values(stored<W, T>(W::load(page.begin(), count)), page.begin(), count);
    }
    for (std::int64_t count = 0; count <= 4 * W::width; ++count) {
      expect_values(stored_quads<W, T>(W::load_quads(page.end() - count, count)), page.end() - count, count);
      expect_values(stored_quads<W, T>(W::load_quads(page.begin(), count)), page.begin(), count);
    }
    // Counts beyond the lanes: below zero nothing, above all.
    for (const std::int64_t count : {std::int64_t{-1}, std::int64_t{-1} << 40}) {
      expect_values(stored<W, T>(W::load(page.end(), count)), page.end(), 0);
      expect_values(stored_quads<W, T>(W::load_quads(page.end(), count)), page.end(), 0);
    }
    for (const std::int64_t more : {std::int64_t{1}, std::int64_t{1} << 33}) {
      const T* p = page.end() - W::width;
      expect_values(stored<W, T>(W::load(p, W::width + more)), p, W::width);
      const T* q = page.end() - 4 * W::width;
      expect_values(stored_quads<W, T>(W::load_quads(q, 4 * W::width + more)), q, 4 * W::width);
    }
  });
}

TYPED_TEST(WarpMemoryTest, GathersReadTheirElementsOnly) {
  using W = TypeParam;
  for_float_and_double([&]<class T>() {
    GuardedPage<T> page;
    const auto size = static_cast<std::int32_t>(page.end() - page.begin());
    std::mt19937_64 bits(2);
    for (int trial = 0; trial < 200; ++trial) {
      ArrayOf<W, std::int32_t> index;
      for (std::int32_t& i : index) i = static_cast<std::int32_t>(bits() % static_cast<std::uint64_t>(size));
      index[bits() % index.size()] = 0;
      index[bits() % index.size()] = size - 1;
      const auto got = stored<W, T>(W::gather(page.begin(), W::load(index.data())));
      for (std::size_t l = 0; l < got.size(); ++l) ASSERT_TRUE(same_bits(got[l], page.begin()[index[l]])) << l;
    }
  });
}

// Every offset in rows of every size up to 12, the sizes and offsets mixed over the
// lanes; each row ends where the page ends.
TYPED_TEST(WarpMemoryTest, QuadsOfRowsOfTheirOwn) {
  using W = TypeParam;
  for_float_and_double([&]<class T>() {
    GuardedPage<T> page;
    constexpr int sizes = 13;
    for (int shift = 0; shift < sizes; ++shift) {
      for (int step = 0; step < sizes + 4; ++step) {
        const T* rows[W::width];
        ArrayOf<W, std::int32_t> offset, size;
        for (std::size_t l = 0; l < offset.size(); ++l) {
          size[l] = (static_cast<int>(l) + shift) % sizes;
          offset[l] = (3 * static_cast<int>(l) + step) % (sizes + 4);
          rows[l] = page.end() - size[l];
        }
        Lanes<W, T> element[4];
        W::gather_quads(rows, W::load(offset.data()), W::load(size.data()), element);
        for (std::size_t e = 0; e < 4; ++e) {
          const auto got = stored<W, T>(element[e]);
          for (std::size_t l = 0; l < got.size(); ++l) {
            const int at = offset[l] + static_cast<int>(e);
            ASSERT_TRUE(same_bits(got[l], at < size[l] ? rows[l][at] : T{0}))
                << "lane " << l << ", element " << at << " of " << size[l];
          }
        }
      }
    }
  });
}

}  // namespace
}  // namespace papilio::warp
