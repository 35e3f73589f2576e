#pragma once

#include <deque>
#include <string>
#include <vector>

#include "papilio/output_file.h"
#include "support/corpus_arguments.h"

// The files of a command: each subcommand declares once what it reads and writes, and `reserve` finds before any work
// what would go wrong after it.
class CommandFiles {
 public:
  explicit CommandFiles(bool force) : force_(force) {}

  struct Output {
    std::string option;  // as on the command line: "-o"
    std::string path;    // empty: none
    std::string advice = "use --force to replace it";
    bool may_replace = false;     // an existing file, also without --force
    bool takes_streams = true;    // a pipe, or a descriptor such as /dev/stdout
    bool goes_with_last = false;  // belongs to the output before it, and is replaced with that
  };

  // `option` says in a message which input it is. An empty path or "-" (standard input) is not a file.
  void reads(const std::string& option, const std::string& path);

  // The corpus, its vocabulary and the lists of stop words.
  void reads(const CorpusArguments& corpus, const std::string& option = "the corpus");

  void writes(Output output);

  // Throws CommandError: usage, where an output is another output or an input, by whatever names; cannot_create, where
  // an output cannot be made, may not be replaced, or is being written by another process. From here on, SIGINT,
  // SIGTERM, SIGHUP and SIGPIPE leave no unfinished file, and the names of the outputs are kept until this is gone.
  void reserve();

  // Whether an output is a pipe or a descriptor: writing it takes as long as its reader takes.
  bool writes_streams() const;

 private:
  struct Input {
    std::string option;
    std::string path;
  };

  void require_creatable(const Output& output);
  void require_distinct() const;
  void keep_name(const Output& output, const papilio::OutputTarget& target);

  const bool force_;
  std::vector<Input> inputs_;
  std::vector<Output> outputs_;
  std::vector<papilio::OutputTarget> targets_;  // of outputs_
  std::deque<papilio::OutputReservation> reservations_;
};
