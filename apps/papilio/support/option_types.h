#pragma once

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <cstdint>
#include <limits>
#include <map>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "papilio/choice.h"

// Kinds of options that several subcommands have. If a value does not fit, the error message says what would fit.

// One of these words.
CLI::Validator one_of(std::vector<std::string> words);

// An option whose value is a name in a table of papilio::Choice rows. The present content of `value` is the default.
template <class Enum, class Rows>
CLI::Option* add_choice(CLI::App& app, const std::string& flags, Enum& value, const Rows& rows,
                        const std::string& help) {
  std::map<std::string, Enum> values;
  std::string names;
  std::vector<std::string> words;
  for (const papilio::Choice<Enum>& row : rows) {
    values.emplace(row.name, row.value);
    words.emplace_back(row.name);
    names.append(names.empty() ? "" : "|").append(row.name);
  }
  return app
      .add_option_function<std::string>(
          flags, [&value, values](const std::string& name) { value = values.at(name); }, help)
      ->check(one_of(words))
      ->option_text(names);
}

// The same, with a line of help per row below that of the option.
template <class Enum, class Rows>
CLI::Option* add_explained_choice(CLI::App& app, const std::string& flags, Enum& value, const Rows& rows,
                                  const std::string& help) {
  std::string lines = help;
  for (const papilio::Choice<Enum>& row : rows) {
    lines += fmt::format("\n  {}: {}{}", row.name, row.help, row.value == value ? " (the default)" : "");
  }
  return add_choice(app, flags, value, rows, lines);
}

namespace option_types {

// What is wrong with a text that should be an integer from low to high; empty if nothing is. Decimal digits only; a
// minus sign only if negative numbers are in range.
std::string integer_fault(std::string_view text, std::int64_t low, std::uint64_t high, std::string_view expected);

// The same for a finite number.
std::string number_fault(std::string_view text, double low, double high, std::string_view expected);

std::string integers_named(std::int64_t low, std::uint64_t high, std::uint64_t largest);

}  // namespace option_types

// Integers from low to high.
template <class T>
requires std::is_integral_v<T> CLI::Validator between(T low, T high) {
  const auto most = static_cast<std::uint64_t>(high);
  const std::string expected =
      option_types::integers_named(low, most, static_cast<std::uint64_t>(std::numeric_limits<T>::max()));
  return CLI::Validator(
      [=](std::string& text) {
        return option_types::integer_fault(text, static_cast<std::int64_t>(low), most, expected);
      },
      expected, "");
}

// Integers from low up.
template <class T>
CLI::Validator at_least(T low) {
  return between(low, std::numeric_limits<T>::max());
}

// Finite numbers from low to high.
CLI::Validator between(double low, double high);

// A prior: 1e-100 to 1e6.
CLI::Validator prior();

// A number of CPU threads, up to 4096; 0 means all.
CLI::Validator thread_count();

// An integer from 0 to 2^64 - 1.
CLI::Validator seed();

// A regular expression that RE2 understands.
CLI::Validator token_pattern();

// A name that papilio::Device::parse can read. Whether the device exists shows when the command runs.
CLI::Validator device_name();
CLI::Validator device_names();  // one or several
