#include "command_line.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>

#include "papilio/version.h"
#include "support/arguments.h"
#include "support/help.h"
#include "support/job_ranks.h"
#include "support/output.h"
#include "support/suggestion.h"
#include "support/text.h"

namespace {

// What the arguments after the subcommand's name ask for.
Request requested(const Subcommand& chosen, std::span<const std::string> arguments) {
  const std::string name = chosen.app->get_name();
  const Arguments given(*chosen.app, arguments);
  if (given.asks_for_help() == Arguments::Help::usual) {
    keep_usual_options(*chosen.app);
    return {.text = chosen.app->help("papilio"), .canonical = {name, "--help"}};
  }
  if (given.asks_for_help() == Arguments::Help::all) {
    return {.text = chosen.app->help("papilio"), .canonical = {name, "--help-all"}};
  }
  given.apply();
  chosen.check();
  Request request = {.subcommand = &chosen, .canonical = given.canonical()};
  request.canonical.insert(request.canonical.begin(), name);
  return request;
}

}  // namespace

CommandLine::CommandLine(std::string_view only)
    : app_(std::make_unique<CLI::App>("papilio: topic models; the same seed gives the same bits on every machine",
                                      "papilio")) {
  CLI::App& app = *app_;
  app.set_version_flag("--version", fmt::format("papilio {}", papilio::version()));
  app.require_subcommand(1);
  app.formatter(help_format());
  app.set_help_flag("-h,--help", "Print the common options, and exit");
  app.set_help_all_flag("--help-all", "Print all options, and exit");
  if (only != "completion" && only != "man") {
#define PAPILIO_ADD(name) \
  if (only == #name) subcommands_.push_back(add_##name(app));
    PAPILIO_SUBCOMMANDS(PAPILIO_ADD)
#undef PAPILIO_ADD
    has_all_ = subcommands_.empty();
  }
#define PAPILIO_ADD(name) add_##name(app),
  if (has_all_) subcommands_ = {PAPILIO_SUBCOMMANDS(PAPILIO_ADD)};
#undef PAPILIO_ADD
}

CommandLine::~CommandLine() = default;

Request CommandLine::read(std::span<const std::string> arguments, std::string& subcommand) {
  std::vector<std::string> names;
  for (const Subcommand& one : subcommands_) names.push_back(one.app->get_name());
  if (arguments.empty()) {
    throw CommandError(ExitCode::usage,
                       fmt::format("expected a subcommand: {} (papilio --help explains)", listed(names)));
  }
  const std::string& first = arguments.front();
  if (first == "--help" || first == "-h" || first == "--help-all") {
    return {.text = app_->help(), .canonical = {"--help"}};
  }
  if (first == "--version") {
    return {.text = fmt::format("papilio {}\n", papilio::version()), .canonical = {"--version"}};
  }
  const auto chosen = std::find_if(subcommands_.begin(), subcommands_.end(), [&](const Subcommand& one) {
    const std::vector<std::string>& aliases = one.app->get_aliases();
    return one.app->get_name() == first || std::find(aliases.begin(), aliases.end(), first) != aliases.end();
  });
  if (chosen == subcommands_.end()) {
    if (first.starts_with('-')) names = {"--help", "--version"};
    const std::string meant = did_you_mean(first, names);
    throw CommandError(ExitCode::usage,
                       fmt::format("{} is not a subcommand{} (papilio --help explains)", shown(first),
                                   meant.empty() ? fmt::format("; expected {}", listed(names)) : meant));
  }
  subcommand = chosen->app->get_name();
  return requested(*chosen, arguments.subspan(1));
}

bool CommandLine::works_over_ranks(std::string_view subcommand) const {
  return std::any_of(subcommands_.begin(), subcommands_.end(),
                     [&](const Subcommand& one) { return one.works_over_ranks && one.app->get_name() == subcommand; });
}

namespace {

// If the message names a file that does not exist, its name may be misspelled.
std::string with_hint(const CommandError& error, const std::vector<std::string>& canonical) {
  const std::string message = error.what();
  if (error.code != ExitCode::no_input) {
    return message;
  }
  for (const std::string& argument : canonical) {
    const std::size_t equals = argument.starts_with("--") ? argument.find('=') : argument.npos;
    const std::string path = equals == argument.npos ? argument : argument.substr(equals + 1);
    const std::string hint = message.find(path) == message.npos ? "" : did_you_mean_file(path);
    if (!hint.empty()) {
      return message + hint;
    }
  }
  return message;
}

}  // namespace

ExitCode run_command_line(int argc, char** argv, std::string& subcommand) {
  const std::vector<std::string> arguments(argv + std::min(argc, 1), argv + argc);
  CommandLine command_line(arguments.empty() ? std::string_view() : arguments.front());
  const auto read = [&] {
    try {
      return command_line.read(arguments, subcommand);
    } catch (const CommandError&) {
      if (!command_line.has_all()) CommandLine().read(arguments, subcommand);  // says which one has an option
      throw;
    }
  };
  const Request request = [&] {
    try {
      return read();
    } catch (const CommandError& error) {
      if (command_line.works_over_ranks(subcommand)) fail_before_joining(subcommand, error.what());
      throw;
    }
  }();
  if (request.subcommand == nullptr) {
    write_result(request.text);
    return ExitCode::ok;
  }
  try {
    return request.subcommand->run(shell_command(argc, argv));
  } catch (const CommandError& error) {
    throw CommandError(error.code, with_hint(error, request.canonical));
  }
}
