#pragma once

#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace papilio::loops {

struct ProcessLimits {
  double seconds = 10;                        // of the clock
  double cpu_seconds = 2;                     // of the processor
  std::size_t output_bytes = 512u << 20;      // of standard output
  std::size_t memory_bytes = 2048ul << 20;    // of its address space; 0: not bounded
  std::size_t file_bytes = 256u << 20;        // of a file that it writes
  unsigned processes = 0;                     // of the user, all together; 0: not bounded
  std::string folder = {};                    // where it runs; empty: here
  std::vector<std::string> environment = {};  // "NAME=value"
  std::string name = {};                      // of the program in messages; empty: that of the command
  std::string advice = {};                    // the end of messages about time
  bool may_be_killed = false;                 // by the bound on the processor's time, which then is not an error
  std::function<void(double)> watch = {};     // is told what it has used of the processor, 20 times a second or more
};

struct ProcessResult {
  int status = 0;  // exit status; 128 + signal
  std::string output;
  std::string messages;    // the first 64 KiB of standard error
  double seconds = 0;      // of the clock
  double cpu_seconds = 0;  // of the processor, by all its threads
  long waits = 0;          // how often a thread gave up the processor: to wait for another, mostly
};

// A program that runs, as run_process says, and whose output is read while it writes it.
class Process {
 public:
  Process(const std::vector<std::string>& command, std::string_view input, const ProcessLimits& limits);
  ~Process();
  Process(const Process&) = delete;
  Process& operator=(const Process&) = delete;

  // The next part of its standard output, until the next call; empty at its end.
  std::string_view read();

  // Reads what is left, waits for its end, and says all but its output.
  ProcessResult end();

 private:
  class State;
  const std::unique_ptr<State> state_;
};

// Runs a program, found in PATH unless the name has a slash, with these arguments, nothing else in its environment, and
// `input` as its standard input, in a process group of its own, which is killed where a limit is exceeded. No shell is
// involved. Throws papilio::Error where it cannot be started or exceeds a limit.
ProcessResult run_process(const std::vector<std::string>& command, const std::string& input,
                          const ProcessLimits& limits);

}  // namespace papilio::loops
