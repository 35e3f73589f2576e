#include "loops/emit/slicing.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string_view>

namespace papilio::loops {
namespace {

constexpr auto assigning = std::to_array<std::string_view>({"=", "+=", "-=", "*=", "/=", "&=", "|=", "^=", "++", "--"});

// The name as texts write it, with a point for an arrow.
std::string path_of(const std::string& name) {
  std::string path;
  for (const char c : name) {
    if (c != '-') path += c == '>' ? '.' : c;
  }
  return path;
}

// Whether the name is that of the variable, or of the struct that contains it.
bool is_of(const Variable& v, const std::string& name) {
  const std::string path = path_of(v.name);
  return path.substr(0, path.find('.')) == name;
}

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
    if (c_.source.kind(t) != Token::Kind::word || is_member) continue;
    const std::string name(c_.source.text_of(t));
    names.insert(name);
    std::string path = name;
    for (int at = t + 1; at > 0 && at < last;) {
      if (c_.source.is(at, "[")) {
        at = c_.source.after_matching(at);
      } else if (c_.source.is(at, ".") || c_.source.is(at, "->")) {
        path = fmt::format("{}.{}", path, c_.source.text_of(at + 1));
        at += 2;
      } else {
        break;
      }
    }
    const bool is_known = path != name && std::any_of(c_.program.variables.begin(), c_.program.variables.end(),
                                                      [&](const Variable& v) { return path_of(v.name) == path; });
    names.insert(is_known ? path : name + ".*");
  }
}

bool Slicing::is_needed(int v, const std::set<std::string>& needed) const {
  const std::string path = path_of(variable(v).name);
  const std::size_t root = path.find('.');
  return needed.contains(path) || (root != std::string::npos && needed.contains(path.substr(0, root) + ".*"));
}

bool Slicing::is_declared(const std::string& name) const {
  const int own = c_.accesses.loops[static_cast<std::size_t>(c_.id)].variable;
  for (std::size_t v = 0; v < c_.program.variables.size(); ++v) {
    const auto declared = c_.accesses.declared_in.find(static_cast<int>(v));
    const bool is_inside = declared != c_.accesses.declared_in.end() &&
                           std::find(declared->second.begin(), declared->second.end(), c_.id) != declared->second.end();
    if (is_inside && static_cast<int>(v) != own && is_of(variable(static_cast<int>(v)), name)) return true;
  }
  return false;
}

bool Slicing::is_changed(const std::string& name) const {
  const int own = c_.accesses.loops[static_cast<std::size_t>(c_.id)].variable;
  return is_declared(name) || std::any_of(c_.accesses.list.begin(), c_.accesses.list.end(), [&](const Access& a) {
           const bool is_inside = std::find(a.loops.begin(), a.loops.end(), c_.id) != a.loops.end();
           return is_inside && a.is_write && a.variable != own && is_of(variable(a.variable), name);
         });
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
