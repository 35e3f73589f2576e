#pragma once

#include <initializer_list>
#include <string>

#include "support/corpus_arguments.h"

namespace CLI {
class App;
}

// The options that say which corpus to read and how.
// They are the same for every subcommand that reads one.

// Adds the corpus as the first positional argument, and the options for reading it.
void add_corpus_options(CLI::App& app, CorpusArguments& arguments, const std::string& format_flags = "--format");

// Throws CommandError (usage) if more than one of these names, the word lists and the
// vocabulary of `reading` is "-": two readers of standard input would each get a part of
// it. A word list that is read once for each of several corpora cannot be "-" either.
struct NamedInput {
  const char* name;  // as messages call it
  std::string path;
};
void require_one_standard_input(const CorpusArguments& reading, std::initializer_list<NamedInput> inputs);

// Adds only the options for reading it.
void add_reading_options(CLI::App& app, CorpusArguments& arguments, const std::string& format_flags = "--format");
