#pragma once

#include <stdexcept>
#include <string>

// What the command returns to the shell, following <sysexits.h>.
enum class ExitCode {
  ok = 0,
  usage = 64,     // options that do not exist or do not fit together; topics that the model does not have
  bad_data = 65,  // an input that does not match its format
  no_input = 66,  // an input that does not exist or may not be read
  internal = 70,  // a fault of papilio or of a device
  no_memory = 71,
  cannot_create = 73,  // an output that cannot be made, or may not be replaced
  io_error = 74,       // reading or writing failed midway
  try_again = 75,      // another rank failed or did not answer: start the job again, from its checkpoint
  // 128 + N: stopped cleanly by signal N
};

// Ends the command with a message and a code.
struct CommandError : std::runtime_error {
  CommandError(ExitCode exit_code, const std::string& what) : std::runtime_error(what), code(exit_code) {}
  ExitCode code;
};
