#pragma once

#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace papilio::loops {

struct ProcessLimits {
  double seconds = 10;                        // clock time
  double cpu_seconds = 2;                     // processor time
  std::size_t output_bytes = 512u << 20;      // of standard output
  std::size_t memory_bytes = 2048ul << 20;    // of its address space; 0: not bounded
  std::size_t file_bytes = 256u << 20;        // of a file that it writes
  unsigned processes = 0;                     // all processes of the user; 0: not bounded
  std::string folder = {};                    // where it runs; empty: here
  std::vector<std::string> environment = {};  // "NAME=value"
  std::string name = {};                      // the program's name in messages; empty: that of the command
  std::string advice = {};                    // the end of messages about time
  bool may_be_killed = false;                 // when its processor time is up, which then is not an error
  std::function<void(double)> watch = {};     // is told the processor time used, at least 20 times a second
};

struct ProcessResult {
  int status = 0;  // exit status; 128 + signal
  std::string output;
  std::string messages;    // the first 64 KiB of standard error
  double seconds = 0;      // clock time
  double cpu_seconds = 0;  // processor time of all its threads
  long waits = 0;          // how often a thread gave up the processor, mostly to wait for another
};

// A running program, as for run_process, whose output is read while it is written.
class Process {
 public:
  Process(const std::vector<std::string>& command, std::string_view input, const ProcessLimits& limits);
  ~Process();
  Process(const Process&) = delete;
  Process& operator=(const Process&) = delete;

  // The next part of its standard output, which lives until the next call; empty at the end.
  std::string_view read();

  // Reads the rest, waits for the end, and returns everything except the output.
  ProcessResult end();

 private:
  class State;
  const std::unique_ptr<State> state_;
};

// Runs a program with these arguments; it is found in PATH unless its name has a slash. It gets only this
// environment, has `input` as its standard input, and runs in a process group of its own, which is killed if
// it exceeds a limit. No shell is involved. Throws papilio::Error if it cannot be started or exceeds a limit.
ProcessResult run_process(const std::vector<std::string>& command, const std::string& input,
                          const ProcessLimits& limits);

}  // namespace papilio::loops
