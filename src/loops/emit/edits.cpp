#include "loops/emit/edits.h"

#include <algorithm>

namespace papilio::loops {

std::string Edits::apply(std::string_view text, std::size_t begin, std::size_t end) const {
  std::vector<Edit> sorted = list_;
  std::stable_sort(sorted.begin(), sorted.end(), [](const Edit& a, const Edit& b) { return a.begin < b.begin; });
  std::string result;
  std::size_t at = begin;
  for (const Edit& e : sorted) {
    if (e.begin < at || e.end > end) continue;
    result += text.substr(at, e.begin - at);
    result += e.text;
    at = e.end;
  }
  return result += text.substr(at, end - at);
}

}  // namespace papilio::loops
