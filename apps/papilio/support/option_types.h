#pragma once

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <limits>
#include <map>
#include <string>

#include "papilio/device.h"

// Kinds of options that several subcommands have.

// An option whose value is one of the names in a map.
template <class Enum>
CLI::Option* add_choice(CLI::App& app, const std::string& flags, Enum& value, const std::map<std::string, Enum>& names,
                        const std::string& help) {
  std::string choices;
  for (const auto& [name, unused] : names) {
    choices += (choices.empty() ? "" : "|") + name;
  }
  return app
      .add_option_function<std::string>(
          flags, [&value, &names](const std::string& name) { value = names.at(name); }, help)
      ->check(CLI::IsMember(names))
      ->option_text(choices);
}

// Integers from `low` on.
template <class T>
CLI::Validator at_least(T low) {
  return CLI::Range(low, std::numeric_limits<T>::max(), fmt::format(">= {}", low));
}

// A prior: 0 < value <= 1e6.
CLI::Validator prior();

// An integer from 0 to 2^64 - 1.
CLI::Validator seed();

// "cpu", "cuda" or "cuda:N".
CLI::Validator device_name();

// The device of that name, or the best there is where it is empty. Throws
// DeviceUnavailable where one was named that is not there.
papilio::Device device_called(const std::string& name);
