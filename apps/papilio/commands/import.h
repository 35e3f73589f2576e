#pragma once

#include <string>

#include "support/corpus_arguments.h"
#include "support/exit_code.h"

// The arguments of every command that writes a corpus file.
struct ImportArguments {
  CorpusArguments corpus;
  std::string output;                             // empty: named after the corpus
  std::string stop_words_option = "--stopwords";  // the option that takes a language, for a hint
  bool force = false;
  bool quiet = false;
};

// Throws CommandError (usage).
void check_import(const ImportArguments& arguments);
ExitCode run_import(const ImportArguments& arguments);
