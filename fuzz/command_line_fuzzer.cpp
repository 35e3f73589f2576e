#include <CLI/CLI.hpp>
#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "apps/papilio/command_line.h"
#include "apps/papilio/support/text.h"
#include "input_file.h"

namespace {

constexpr std::size_t most_arguments = 64;

// The arguments, each ended by a byte of 0, which none can hold.
std::vector<std::string> arguments_in(std::string_view input) {
  std::vector<std::string> arguments;
  while (!input.empty() && arguments.size() < most_arguments) {
    const std::size_t end = std::min(input.find('\0'), input.size());
    arguments.emplace_back(input.substr(0, end));
    input.remove_prefix(std::min(end + 1, input.size()));
  }
  return arguments;
}

// What a user should read: whole lines that a terminal shows as they are, without the names of types and fields.
void check_complaint(const std::string& subcommand, const std::string& message, std::string_view input) {
  require(!message.empty());
  const std::string lines = complaint(subcommand, message);
  require(lines.starts_with("papilio") && lines.ends_with('\n'));
  require(printable(lines, "\n") == lines);
  for (std::size_t end = lines.find('\n'); end + 1 < lines.size(); end = lines.find('\n', end + 1)) {
    require(lines.compare(end + 1, 2, "  ") == 0);
  }
  for (const char* name : {"papilio::", "std::", "CLI::", "basic_string", "INT", "UINT", "FLOAT", "TEXT", "options."}) {
    require(lines.find(name) == lines.npos || input.find(name) != input.npos);
  }
}

// Everything that an option was given, by its first name.
std::vector<std::string> values_of(const CLI::App& app) {
  std::vector<std::string> values;
  for (const CLI::Option* option : app.get_options([](const CLI::Option*) { return true; })) {
    values.push_back(option->get_name(true, true));
    values.insert(values.end(), option->results().begin(), option->results().end());
  }
  return values;
}

}  // namespace

// The input is the arguments of the command. They are read, and no work begins.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view input = as_text(data, size);
  const std::vector<std::string> arguments = arguments_in(input);
  std::string subcommand;
  CommandLine first;
  Request request;
  try {
    request = first.read(arguments, subcommand);
  } catch (const CommandError& error) {
    require(error.code == ExitCode::usage);
    check_complaint(subcommand, error.what(), input);
    return 0;
  }
  require(request.text.empty() != (request.subcommand == nullptr));
  std::string subcommand_again;
  CommandLine second;
  const Request again = second.read(request.canonical, subcommand_again);  // throws nothing
  require(subcommand_again == subcommand && again.canonical == request.canonical && again.text == request.text);
  if (request.subcommand != nullptr) {
    require(values_of(*again.subcommand->app) == values_of(*request.subcommand->app));
  }
  return 0;
}
