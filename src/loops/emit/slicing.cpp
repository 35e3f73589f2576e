#include "loops/emit/slicing.h"

#include <algorithm>
#include <array>
#include <string_view>

namespace papilio::loops {
namespace {

constexpr auto assigning = std::to_array<std::string_view>({"=", "+=", "-=", "*=", "/=", "&=", "|=", "^=", "++", "--"});

}  // namespace

int Slicing::assignment(const TextPart& part) const {
  int found = -1;
  for (int t = part.begin; t < part.end; ++t) {
    if (std::find(assigning.begin(), assigning.end(), c_.source.text_of(t)) == assigning.end()) continue;
    if (found >= 0) return -1;
    found = t;
  }
  return found;
}

void Slicing::need(int first, int last, std::set<std::string>& names) const {
  for (int t = first; t < last; ++t) {
    const bool is_member = t > 0 && (c_.source.is(t - 1, ".") || c_.source.is(t - 1, "->"));
    if (c_.source.kind(t) == Token::Kind::word && !is_member) names.emplace(c_.source.text_of(t));
  }
}

bool Slicing::is_own(int v) const {
  const auto declared = c_.accesses.declared_in.find(v);
  const bool is_inside = declared != c_.accesses.declared_in.end() &&
                         std::find(declared->second.begin(), declared->second.end(), c_.id) != declared->second.end();
  return !variable(v).is_array && (is_inside || privates_.contains(variable(v).name));
}

bool Slicing::take_shared(const std::set<std::string>& needed, std::string& text) const {
  for (const auto& [name, declaration] : c_.shared) {
    if (!needed.contains(name)) continue;
    if (declaration.empty()) return refuse(name + " becomes an array, which the scan's values need");
    text.insert(0, declaration + " ");
  }
  return true;
}

}  // namespace papilio::loops
