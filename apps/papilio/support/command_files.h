#pragma once

#include <deque>
#include <string>
#include <vector>

#include "papilio/output_file.h"
#include "support/corpus_arguments.h"

// The files of a command. Each subcommand declares once what it reads and
// writes; `reserve` finds, before any work, what would go wrong after it.
class CommandFiles {
 public:
  explicit CommandFiles(bool force) : force_(force) {}

  struct Output {
    std::string option;  // as on the command line: "-o"
    std::string path;    // empty: no file
    std::string advice = "use --force to replace it";
    bool may_replace = false;     // may replace an existing file even without --force
    bool takes_streams = true;    // a pipe is allowed, or a descriptor such as /dev/stdout
    bool goes_with_last = false;  // belongs to the output before it, and is replaced with that
  };

  // `option` names the input in messages. An empty path or "-" (standard input) is not a file.
  void reads(const std::string& option, const std::string& path);

  // The corpus, its vocabulary and the lists of stop words.
  void reads(const CorpusArguments& corpus, const std::string& option = "the corpus");

  void writes(Output output);

  // Throws CommandError: usage if an output is also another output or an input, under whatever names; cannot_create if
  // an output cannot be made, may not be replaced, or is being written by another process. From then on, SIGINT,
  // SIGTERM, SIGHUP and SIGPIPE leave no unfinished file, and the outputs' names stay reserved while this object lives.
  void reserve();

  // Whether an output is a pipe or a descriptor: then writing takes as long as its reader does.
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
