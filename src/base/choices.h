#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <string_view>
#include <type_traits>

#include "base/check.h"
#include "papilio/choice.h"

// What every table of Choice rows needs: finding the row of a value, and the value of a name.

namespace papilio::base {

// Text from outside in an error message: in quotation marks, control characters escaped, and not longer than a line.
inline std::string quoted(std::string_view text) {
  constexpr std::size_t most = 60;
  std::string quoted = "\"";
  for (const char c : text.substr(0, most)) {
    const auto byte = static_cast<unsigned char>(c);
    if (byte < 0x20 || byte == 0x7f) {
      quoted += fmt::format("\\x{:02x}", byte);
    } else {
      quoted += c;
    }
  }
  return quoted + (text.size() > most ? "...\"" : "\"");
}

// "a, b, c".
template <class Rows>
std::string names_in(const Rows& rows) {
  std::string names;
  for (const auto& row : rows) names.append(names.empty() ? "" : ", ").append(row.name);
  return names;
}

// The row of a value; null for a number that is not an enumerator.
template <class Rows, class Enum>
constexpr auto* find_row(const Rows& rows, Enum value) noexcept {
  const auto row = std::find_if(std::begin(rows), std::end(rows), [&](const auto& r) { return r.value == value; });
  return row == std::end(rows) ? nullptr : &*row;
}

template <class Rows, class Enum>
constexpr std::string_view name_in(const Rows& rows, Enum value) noexcept {
  const auto* row = find_row(rows, value);
  return row == nullptr ? "unknown" : row->name;
}

// The value of that name. Throws InvalidArgument with the known names.
template <class Rows>
auto parse_in(const Rows& rows, std::string_view name, const char* function, const char* what) {
  const auto row = std::find_if(std::begin(rows), std::end(rows), [&](const auto& r) { return r.name == name; });
  if (row == std::end(rows)) {
    throw InvalidArgument(
        fmt::format("papilio::{}: unknown {} {}, expected one of {}", function, what, quoted(name), names_in(rows)));
  }
  return row->value;
}

// Throws InvalidArgument for a number that is not an enumerator.
template <class Rows, class Enum>
void require_known(const Rows& rows, Enum value, const char* function, const char* what) {
  require(find_row(rows, value) != nullptr, "papilio::{}: unknown {} {}, expected one of {}", function, what,
          static_cast<int>(value), names_in(rows));
}

}  // namespace papilio::base
