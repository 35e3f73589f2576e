#include "execution/cpu/fresh_memory.h"

#include <algorithm>
#include <cstdint>

#include "execution/cpu/huge_pages.h"
#include "execution/cpu/parallel_for.h"

namespace papilio::execution {
namespace {

constexpr std::size_t page = 4096;                         // the smallest page of any system
constexpr std::size_t least_bytes = std::size_t{1} << 22;  // less is not worth a second thread
constexpr std::int64_t bytes_per_task = std::int64_t{1} << 22;

}  // namespace

void prefer_huge_pages_within(void* memory, std::size_t bytes) {
  const auto begin = reinterpret_cast<std::uintptr_t>(memory);
  const std::uintptr_t first_huge = (begin + huge_page - 1) / huge_page * huge_page;
  if (first_huge < begin + bytes) {
    prefer_huge_pages(reinterpret_cast<void*>(first_huge), begin + bytes - first_huge);
  }
}

void touch_fresh(void* memory, std::size_t bytes, int threads) {
  if (bytes < least_bytes) return;
  prefer_huge_pages_within(memory, bytes);
  auto* const first = static_cast<std::byte*>(memory);
  parallel_for(static_cast<std::int64_t>(bytes), bytes_per_task, threads, [&](std::int64_t from, std::int64_t to) {
    for (auto at = static_cast<std::size_t>(from); at < static_cast<std::size_t>(to); at += page) {
      first[at] = std::byte{0};
    }
  });
}

}  // namespace papilio::execution
