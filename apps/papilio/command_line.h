#pragma once

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "commands/subcommands.h"
#include "support/exit_code.h"

// What the arguments ask for; nothing has been done yet.
struct Request {
  std::string text = {};                   // to be printed: help, the version; empty where a subcommand is to run
  const Subcommand* subcommand = nullptr;  // whose options have their values; none for text
  std::vector<std::string> canonical;      // the arguments in one form that means the same
};

// The subcommands with their options, and the arguments given to them.
class CommandLine {
 public:
  CommandLine();
  ~CommandLine();
  CommandLine(const CommandLine&) = delete;
  CommandLine& operator=(const CommandLine&) = delete;

  // Call once. Reads the arguments after the command's name, and checks what can be checked without opening a file.
  // `subcommand` receives the subcommand's name as soon as it is known, for messages. Throws CommandError (usage).
  Request read(std::span<const std::string> arguments, std::string& subcommand);

  const CLI::App& app() const { return *app_; }

 private:
  std::unique_ptr<CLI::App> app_;
  std::vector<Subcommand> subcommands_;
};

// Reads the command line and runs the subcommand.
ExitCode run_command_line(int argc, char** argv, std::string& subcommand);
