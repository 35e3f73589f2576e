#pragma once

#include <functional>
#include <string>

#include "support/exit_code.h"

namespace CLI {
class App;
}

// A subcommand on the command line.
struct Subcommand {
  CLI::App* app;

  // Runs it with the parsed arguments. `given` is the whole command
  // line, quoted for a shell, for messages that say what to type next.
  std::function<ExitCode(const std::string& given)> run;

  // Throws CommandError (usage) for arguments that contradict one another. Opens no file.
  std::function<void()> check = [] {};

  // Whether the processes of an MPI job that all run it work together.
  bool works_over_ranks = false;
};

// All subcommands, in the order of the help. A new subcommand needs a file in commands/ that defines `Subcommand
// add_NAME(CLI::App& app)`, and an entry here.
#define PAPILIO_SUBCOMMANDS(row)                                                                                       \
  row(train) row(topics) row(infer) row(evaluate) row(choose) row(inspect) row(label) row(merge) row(drop) row(report) \
      row(ldavis) row(import) row(import_file) row(import_dir) row(convert) row(split) row(generate) row(devices)      \
          row(completion) row(man)

#define PAPILIO_DECLARE(name) Subcommand add_##name(CLI::App& app);
PAPILIO_SUBCOMMANDS(PAPILIO_DECLARE)
#undef PAPILIO_DECLARE
