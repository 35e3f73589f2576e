#pragma once

#include <cstddef>

namespace papilio::execution {

inline constexpr std::size_t huge_page = std::size_t{1} << 21;

// Asks that memory, not yet touched, be in huge pages, where the system has them: random reads then need no search
// for the page. `memory` is a multiple of huge_page.
void prefer_huge_pages(void* memory, std::size_t bytes);

}  // namespace papilio::execution
