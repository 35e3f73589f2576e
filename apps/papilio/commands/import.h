#pragma once

#include <string>

#include "support/corpus_arguments.h"
#include "support/exit_code.h"

// The arguments of every command that writes a corpus file.
struct ImportArguments {
  CorpusArguments corpus;
  std::string output;  // empty: named after the corpus
  bool force = false;
  bool quiet = false;
};

ExitCode run_import(const ImportArguments& arguments);
