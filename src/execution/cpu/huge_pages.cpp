#include "execution/cpu/huge_pages.h"

#include <cstdint>
#include <new>

#if defined(__linux__)
#include <sys/mman.h>
#endif

namespace papilio::execution {
namespace {

constexpr std::align_val_t cache_line{64};

#if defined(__linux__) && !defined(PAPILIO_SANITIZE)  // a sanitizer watches the heap alone
constexpr bool is_of_system(std::size_t bytes) { return bytes >= huge_page; }

std::byte* map(std::size_t bytes) {
  void* const memory = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (memory == MAP_FAILED) throw std::bad_alloc();
  return static_cast<std::byte*>(memory);
}

std::size_t beyond_huge_page(const std::byte* memory) { return reinterpret_cast<std::uintptr_t>(memory) % huge_page; }

// Maps memory at a multiple of huge_page, which is where newer systems put it anyway.
void* map_aligned(std::size_t bytes) {
  std::byte* const first = map(bytes);
  if (beyond_huge_page(first) == 0) return first;
  munmap(first, bytes);
  std::byte* const wide = map(bytes + huge_page);
  const std::size_t before = huge_page - beyond_huge_page(wide);
  munmap(wide, before);
  if (before < huge_page) munmap(wide + before + bytes, huge_page - before);
  return wide + before;
}

void unmap(void* memory, std::size_t bytes) { munmap(memory, bytes); }
#else
constexpr bool is_of_system(std::size_t /*bytes*/) { return false; }
void* map_aligned(std::size_t /*bytes*/) { throw std::bad_alloc(); }
void unmap(void* /*memory*/, std::size_t /*bytes*/) {}
#endif

constexpr std::align_val_t alignment_of(std::size_t bytes) {
  return bytes < huge_page ? cache_line : std::align_val_t{huge_page};
}

std::size_t in_pages(std::size_t bytes) {
  if (bytes > SIZE_MAX - 2 * huge_page) throw std::bad_alloc();
  return (bytes + huge_page - 1) / huge_page * huge_page;
}

}  // namespace

void prefer_huge_pages([[maybe_unused]] void* memory, [[maybe_unused]] std::size_t bytes) {
#if defined(__linux__)
  if (bytes >= huge_page) madvise(memory, bytes / huge_page * huge_page, MADV_HUGEPAGE);  // the system may refuse
#endif
}

void* allocate_fresh(std::size_t bytes) {
  void* const memory = is_of_system(bytes) ? map_aligned(in_pages(bytes)) : ::operator new(bytes, alignment_of(bytes));
  prefer_huge_pages(memory, bytes);
  return memory;
}

void free_fresh(void* memory, std::size_t bytes) {
  if (is_of_system(bytes)) return unmap(memory, in_pages(bytes));
  ::operator delete(memory, alignment_of(bytes));
}

}  // namespace papilio::execution
