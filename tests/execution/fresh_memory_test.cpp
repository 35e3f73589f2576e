#include "execution/cpu/fresh_memory.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <new>
#include <vector>

#include "execution/cpu/huge_pages.h"

namespace papilio::execution {
namespace {

// Around the sizes from which pages are touched by several threads, and of a huge page.
constexpr std::size_t sizes[] = {0, 1, (1 << 20) - 1, 1 << 20, (1 << 20) + 1, (3 << 20) + 4097};

TEST(FreshMemory, MakesZerosOfAnyVector) {
  for (const int threads : {1, 2, 7}) {
    for (const std::size_t size : sizes) {
      std::vector<std::int32_t> values;
      for (const std::size_t before : {std::size_t{0}, size / 2, 2 * size}) {
        values.assign(before, 5);
        make_zeros(values, size, threads);
        ASSERT_EQ(values.size(), size);
        EXPECT_EQ(std::count(values.begin(), values.end(), 0), static_cast<std::ptrdiff_t>(size)) << before;
      }
    }
  }
}

TEST(FreshMemory, OfArraysIsTheirOwn) {
  std::vector<FreshArray<unsigned char>> arrays;
  unsigned char value = 0;
  for (const std::size_t size : sizes) {
    for (const std::size_t more : {std::size_t{0}, huge_page - 1, huge_page, 2 * huge_page + 1}) {
      FreshArray<unsigned char>& array = arrays.emplace_back(size + more);
      ASSERT_EQ(array.size(), size + more);
      std::fill_n(array.data(), array.size(), ++value);
      if (array.size() >= huge_page) {
        EXPECT_EQ(reinterpret_cast<std::uintptr_t>(array.data()) % huge_page, 0U);
      }
    }
  }
  value = 0;
  for (const FreshArray<unsigned char>& array : arrays) {
    ++value;
    EXPECT_EQ(std::count(array.data(), array.data() + array.size(), value), static_cast<std::ptrdiff_t>(array.size()));
  }
}

#if !defined(__SANITIZE_ADDRESS__)  // which ends the process at such a size
TEST(FreshMemory, OfMoreThanThereIsIsNone) {
  EXPECT_THROW(FreshArray<unsigned char>(SIZE_MAX), std::bad_alloc);
  EXPECT_THROW(FreshArray<unsigned char>(SIZE_MAX / 2), std::bad_alloc);
}
#endif

TEST(FreshMemory, IsTouchedWithinItsBounds) {
  constexpr std::size_t bytes = (std::size_t{9} << 20) + 1234, around = 4096;
  std::vector<unsigned char> memory(bytes + 2 * around, 7);
  touch_fresh(memory.data() + around, bytes, 3);
  EXPECT_EQ(std::count(memory.begin(), memory.begin() + around, 7), static_cast<std::ptrdiff_t>(around));
  EXPECT_EQ(std::count(memory.end() - around, memory.end(), 7), static_cast<std::ptrdiff_t>(around));
  EXPECT_GE(std::count(memory.begin(), memory.end(), 0), static_cast<std::ptrdiff_t>(bytes / 4096));  // of each page
}

}  // namespace
}  // namespace papilio::execution
