#pragma once

#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "commands/subcommands.h"
#include "support/exit_code.h"

// What the arguments ask for; nothing has been done yet.
struct Request {
  std::string text = {};                   // to be printed: help, the version; empty if a subcommand is to run
  const Subcommand* subcommand = nullptr;  // its options have their values; null if there is text
  std::vector<std::string> canonical;      // the arguments in a standard form with the same meaning
};

// The subcommands with their options, and the arguments given to them.
class CommandLine {
 public:
  // With all subcommands, or only the one with that name, which takes half the time. For any other name, and for a
  // subcommand that looks at the others, all are added.
  explicit CommandLine(std::string_view only = {});
  ~CommandLine();
  CommandLine(const CommandLine&) = delete;
  CommandLine& operator=(const CommandLine&) = delete;

  // Call it once. Reads the arguments after the command's name, and checks what can be checked without opening a file.
  // `subcommand` receives the subcommand's name as soon as it is known, for messages. Throws CommandError (usage).
  Request read(std::span<const std::string> arguments, std::string& subcommand);

  // Whether the processes of an MPI job that all run this subcommand work together.
  bool works_over_ranks(std::string_view subcommand) const;

  const CLI::App& app() const { return *app_; }
  bool has_all() const { return has_all_; }

 private:
  std::unique_ptr<CLI::App> app_;
  std::vector<Subcommand> subcommands_;
  bool has_all_ = true;
};

// Reads the command line and runs the subcommand.
ExitCode run_command_line(int argc, char** argv, std::string& subcommand);
