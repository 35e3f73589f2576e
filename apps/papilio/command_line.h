#pragma once

#include <string>

#include "support/exit_code.h"

// Reads the command line and runs the subcommand. `subcommand` receives its name
// as soon as it is known, for messages.
ExitCode run_command_line(int argc, char** argv, std::string& subcommand);
