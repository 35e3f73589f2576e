#include "execution/cpu/huge_pages.h"

#if defined(__linux__)
#include <sys/mman.h>
#endif

namespace papilio::execution {

void prefer_huge_pages([[maybe_unused]] void* memory, [[maybe_unused]] std::size_t bytes) {
#if defined(__linux__)
  if (bytes >= huge_page) madvise(memory, bytes / huge_page * huge_page, MADV_HUGEPAGE);  // a system may say no
#endif
}

}  // namespace papilio::execution
