#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "papilio/corpus.h"

namespace papilio {

// How documents of text lie in a file or folder. docs/corpus_formats.md has the rules.
enum class TextForm : std::uint8_t {
  lines,       // a document a line
  csv,         // a record a document, fields between commas, quoted as RFC 4180 says
  tsv,         // the same with tabs
  json_lines,  // a JSON object a line
  folder,      // a file a document, in all folders below
};

// Where documents of text are.
struct TextSource {
  std::string path;  // "-" is standard input; a folder has none
  TextForm form = TextForm::lines;

  // The column (its name, or its number from 1) or the field that holds the text.
  // Empty: the one called "text", or a table's only column.
  std::string text = "";
  std::string id = "";  // likewise, of the documents' names; empty: documents have none

  bool header = true;  // the first record of a table names its columns
  bool quotes = true;  // '"' at the beginning of a table's field quotes it
};

// Reads documents of text; TextOptions say how they become words, and
// max_line_bytes bounds each record of a table and each file of a folder.
//
// Names of documents are the ids, or the files' paths within the folder. A
// folder's files come in the order of their paths, compared by bytes, the same on
// every machine; hidden files and folders, links to folders and what is no
// regular file are left out and counted. Files may be gzip or zstd.
//
// Memory: the corpus, and 1 MiB a thread. Throws IoError; InvalidArgument where
// the source does not fit its form; FormatError with path, line, column, what was
// expected and what was found: columns or fields missing, records with more or
// fewer fields than the first, quotes that do not close, JSON that is not,
// keys that come twice, fields that are not strings, a corpus beyond max_memory.
//
//   Corpus news = read_text({.path = "news.csv.gz", .form = TextForm::csv, .text = "body", .id = "url"});
Corpus read_text(const TextSource& source, const TextOptions& options = {}, ReadReport* report = nullptr);

// Makes a corpus of texts in memory, a document each, by the same rules; line ends are separators
// like others. The same corpus for any number of threads. Memory: the corpus, and 1 MiB a thread.
// Throws InvalidArgument for options out of range, FormatError for a corpus beyond max_memory.
Corpus corpus_from_texts(std::span<const std::string_view> texts, const TextOptions& options = {},
                         ReadReport* report = nullptr);

}  // namespace papilio
