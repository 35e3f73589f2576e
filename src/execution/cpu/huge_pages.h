#pragma once

#include <algorithm>
#include <cstddef>
#include <memory>
#include <type_traits>
#include <vector>

namespace papilio::execution {

inline constexpr std::size_t huge_page = std::size_t{1} << 21;

// Asks for huge pages, if the system has them, for memory that has not been touched yet: random reads then need
// no walk of page tables, and the system provides the memory far faster. `memory` is a multiple of huge_page.
void prefer_huge_pages(void* memory, std::size_t bytes);

// Uninitialised memory, in huge pages if it is large and the system has them. Large memory comes from
// the system and goes back to it: the heap would keep much of what lies between multiples of huge pages.
void* allocate_fresh(std::size_t bytes);
void free_fresh(void* memory, std::size_t bytes);

// An array in such memory, whose size is given when it is made.
template <class T>
class FreshArray {
  static_assert(std::is_trivially_copyable_v<T> && std::is_trivially_destructible_v<T>);

 public:
  explicit FreshArray(std::size_t size)
      : values_(static_cast<T*>(allocate_fresh(size * sizeof(T))), Free{size * sizeof(T)}) {}

  T* data() { return values_.get(); }
  const T* data() const { return values_.get(); }
  std::size_t size() const { return values_.get_deleter().bytes / sizeof(T); }

 private:
  struct Free {
    std::size_t bytes;
    void operator()(T* values) const { free_fresh(values, bytes); }
  };

  std::unique_ptr<T, Free> values_;
};

// Adds room for more values that must keep their addresses. Slabs double in size until they
// are large, so that together they take little more memory than what is stored in them.
template <class T>
FreshArray<T>& add_slab(std::vector<FreshArray<T>>& slabs) {
  constexpr std::size_t least = (std::size_t{1} << 15) / sizeof(T);
  constexpr std::size_t most = 2 * huge_page / sizeof(T);
  return slabs.emplace_back(slabs.empty() ? least : std::min(2 * slabs.back().size(), most));
}

}  // namespace papilio::execution
