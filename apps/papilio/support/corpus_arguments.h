#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "papilio/corpus.h"
#include "papilio/corpus_formats.h"

using papilio::CorpusFormat;

// Phrases to be joined in text.
struct PhraseArguments {
  std::string source;  // empty: none; "auto"; a list; a model or corpus file, whose vocabulary has them
  double threshold = papilio::PhraseOptions().threshold;
  std::int64_t min_count = papilio::PhraseOptions().min_count;
  int length = papilio::PhraseOptions().length;
  std::string delimiter = papilio::PhraseOptions().delimiter;
  std::optional<std::vector<std::string>> known = {};  // the list, if it is already known
};

// A corpus to read, and how.
struct CorpusArguments {
  std::string path;
  CorpusFormat format = CorpusFormat::detect;
  std::string vocabulary;        // empty: look beside the corpus
  std::string stop_words;        // empty: none; languages and files, separated by commas
  std::string extra_stop_words;  // a file with more of them; empty: none
  bool preserve_case = false;    // words of text keep upper and lower case
  std::optional<int> first_id;   // of the first word in an LDA-C or SVMlight file
  bool transposed = false;       // rows of a matrix are words
  std::string text_column;       // of csv, tsv; a field of jsonl or json; empty: "text", or the only column
  std::string id_column;         // the same for the documents' names; empty: none
  bool no_header = false;        // the first record of a table is a document
  bool no_quotes = false;        // '"' is a character like any other
  PhraseArguments phrases;
  papilio::TextOptions text;
};
