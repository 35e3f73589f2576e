#pragma once

#include <map>
#include <string>

#include "commands.h"

// The options that say which corpus to read and how, the same for every subcommand
// that reads one.

// The forms that are read, "auto" among them.
const std::map<std::string, CorpusFormat>& corpus_formats_by_name();

// The corpus as the first positional argument, and how to read it.
void add_corpus_options(CLI::App& app, CorpusArguments& arguments, const std::string& format_flags = "--format");

// How to read it alone.
void add_reading_options(CLI::App& app, CorpusArguments& arguments, const std::string& format_flags = "--format");
