#pragma once

#include <string>

#include "commands.h"

// What every command that writes a corpus file is asked for.
struct ImportArguments {
  CorpusArguments corpus;
  std::string output;  // empty: named after the corpus
  bool force = false;
  bool quiet = false;
};

ExitCode run_import(const ImportArguments& arguments);
