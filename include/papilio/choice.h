#pragma once

#include <string_view>

namespace papilio {

// One value that an option can take: a row of a table such as `samplers()` or `schedules()`.
//
// The tables are the only places where these values are named. The command line, Python, files and
// error messages read them there.
//
//   for (const auto& row : papilio::samplers()) std::cout << row.name << ": " << row.help << '\n';
template <class Enum>
struct Choice {
  Enum value;
  std::string_view name;  // as the enumerator is spelled; lives as long as the program
  std::string_view help;  // one line
};

}  // namespace papilio
