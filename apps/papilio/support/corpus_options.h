#pragma once

#include <string>

#include "support/corpus_arguments.h"

namespace CLI {
class App;
}

// The options that say which corpus to read and how, the same for every subcommand
// that reads one.

// The corpus as the first positional argument, and how to read it.
void add_corpus_options(CLI::App& app, CorpusArguments& arguments, const std::string& format_flags = "--format");

// How to read it alone.
void add_reading_options(CLI::App& app, CorpusArguments& arguments, const std::string& format_flags = "--format");
