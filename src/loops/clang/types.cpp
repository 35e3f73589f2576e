#include "loops/clang/types.h"

#include <algorithm>
#include <map>
#include <string>

namespace papilio::loops {
namespace {

// For the targets of papilio: 64-bit, long has 64 bits, char is signed.
const std::map<std::string, Type, std::less<>>& numbers() {
  using enum Type::Kind;
  static const std::map<std::string, Type, std::less<>> known = {
      {"_Bool", {integer, 1, false}},      {"char", {integer, 8, true}},
      {"signed char", {integer, 8, true}}, {"unsigned char", {integer, 8, false}},
      {"short", {integer, 16, true}},      {"unsigned short", {integer, 16, false}},
      {"int", {integer, 32, true}},        {"unsigned int", {integer, 32, false}},
      {"long", {integer, 64, true}},       {"unsigned long", {integer, 64, false}},
      {"long long", {integer, 64, true}},  {"unsigned long long", {integer, 64, false}},
      {"float", {real, 32, true}},         {"double", {real, 64, true}},
      {"long double", {real, 80, true}}};
  return known;
}

void read_base(std::string_view base, CType& type) {
  const std::string_view space = " \t\n\v\f\r";
  std::string kept;
  for (std::size_t at = base.find_first_not_of(space); at < base.size(); at = base.find_first_not_of(space, at)) {
    const std::size_t end = std::min(base.find_first_of(space, at), base.size());
    const std::string_view word = base.substr(at, end - at);
    at = end;
    if (word == "volatile" || word.starts_with("_Atomic")) {
      type.is_volatile = true;
    } else if (word != "const" && word != "restrict" && word != "__restrict") {
      if (!kept.empty()) kept += ' ';
      kept += word;
    }
  }
  type.is_union = kept.starts_with("union");
  type.is_record = type.is_union || kept.starts_with("struct");
  const auto known = numbers().find(kept);
  type.type = known == numbers().end() ? Type{Type::Kind::other, 0, false} : known->second;
}

}  // namespace

CType read_type(std::string_view spelled) {
  CType type;
  const std::size_t derived = std::min(spelled.find_first_of("*[("), spelled.size());
  const bool is_atomic = spelled.starts_with("_Atomic(");
  const bool is_nameless = spelled.find("(unnamed", derived) != std::string_view::npos ||
                           spelled.find("(anonymous", derived) != std::string_view::npos;
  read_base(is_atomic || is_nameless ? spelled : spelled.substr(0, derived), type);
  if (is_atomic || is_nameless) return type;
  const std::string_view rest = spelled.substr(derived);
  if (rest.empty()) return type;
  type.pointers = static_cast<int>(std::count(rest.begin(), rest.end(), '*'));
  type.is_restrict = rest.find("restrict") != std::string_view::npos;
  type.is_volatile = type.is_volatile || rest.find("volatile") != std::string_view::npos;
  if (const std::size_t parenthesis = rest.find('('); parenthesis != std::string_view::npos) {
    type.pointer_to_array = rest.find("(*") == parenthesis && parenthesis == 0 &&
                            std::count(rest.begin(), rest.end(), '(') == 1 && rest.find('[') != std::string_view::npos;
    if (!type.pointer_to_array) type.type.kind = Type::Kind::other, type.pointers += 2;  // a function, or worse
  }
  for (std::size_t at = rest.find('['); at != std::string_view::npos; at = rest.find('[', at + 1)) {
    const std::size_t end = std::min(rest.find(']', at), rest.size());
    type.extents.emplace_back(rest.substr(at + 1, end - at - 1));
  }
  return type;
}

}  // namespace papilio::loops
