#pragma once

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <limits>
#include <map>
#include <string>

#include "papilio/choice.h"

// Kinds of options that several subcommands have.

// An option whose value is one of the names in a table of papilio::Choice rows. What `value` holds is the default.
template <class Enum, class Rows>
CLI::Option* add_choice(CLI::App& app, const std::string& flags, Enum& value, const Rows& rows,
                        const std::string& help) {
  std::map<std::string, Enum> values;
  std::string names;
  for (const papilio::Choice<Enum>& row : rows) {
    values.emplace(row.name, row.value);
    names.append(names.empty() ? "" : "|").append(row.name);
  }
  return app
      .add_option_function<std::string>(
          flags, [&value, values](const std::string& name) { value = values.at(name); }, help)
      ->check(CLI::IsMember(values))
      ->option_text(names);
}

// The same with a line of help for each row, below that of the option.
template <class Enum, class Rows>
CLI::Option* add_explained_choice(CLI::App& app, const std::string& flags, Enum& value, const Rows& rows,
                                  const std::string& help) {
  std::string lines = help;
  for (const papilio::Choice<Enum>& row : rows) {
    lines += fmt::format("\n  {}: {}{}", row.name, row.help, row.value == value ? " (the default)" : "");
  }
  return add_choice(app, flags, value, rows, lines);
}

// Integers from `low` up.
template <class T>
CLI::Validator at_least(T low) {
  return CLI::Range(low, std::numeric_limits<T>::max(), fmt::format(">= {}", low));
}

// A prior: 0 < value <= 1e6.
CLI::Validator prior();

// An integer from 0 to 2^64 - 1.
CLI::Validator seed();

// A name that papilio::Device::parse reads. Whether the device is there shows when the command runs.
CLI::Validator device_name();
