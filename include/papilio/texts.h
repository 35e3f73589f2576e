#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "papilio/corpus.h"

namespace papilio {

// How documents of text are stored. docs/corpus_formats.md has the rules.
enum class TextForm : std::uint8_t {
  lines,       // one document per line
  csv,         // one document per record, fields separated by commas and quoted as in RFC 4180
  tsv,         // the same with tabs
  json_lines,  // one JSON object per line
  json_array,  // one JSON array of objects, or of strings, in a file
  folder,      // one file per document, in the folder and its subfolders
};

// Where documents of text are.
struct TextSource {
  std::string path;  // "-": standard input, except for a folder
  TextForm form = TextForm::lines;

  // csv, tsv: the column with the text, by name or by number from 1. json_lines, json_array: the field. Empty: the one
  // called "text", the only column of a table, or the elements of an array of strings, which has no fields.
  std::string text = "";
  std::string id = "";  // likewise for the names of the documents; empty: documents have no names

  bool header = true;  // csv, tsv: the first record names the columns
  bool quotes = true;  // csv, tsv: '"' at the beginning of a field quotes it
};

// Reads documents of text. TextOptions say how text becomes words; max_line_bytes limits each line, each record of a
// table, each element of a JSON array, and each file of a folder.
//
// Names of documents are the ids, or the paths of files within the folder. The files of a folder are read in the order
// of their paths, compared by bytes, which is the same on every machine. Hidden files and folders, links to folders,
// special files and what papilio writes (is_papilio_file_name) are skipped and counted. Files may be gzip or zstd.
//
// FormatError for a line or file that does not begin like text: a NUL byte among its first 4,096, or the mark of a PDF.
//
// Memory: the corpus, and 1 MiB per thread. Throws IoError; InvalidArgument where the source does not fit its form;
// FormatError with path, line, column, what was expected and what was found: missing columns or fields, records with
// more or fewer fields than the first, unclosed quotes, invalid JSON, repeated keys, fields that are not strings, a
// corpus beyond max_memory.
//
//   Corpus news = read_text({.path = "news.csv.gz", .form = TextForm::csv, .text = "body", .id = "url"});
Corpus read_text(const TextSource& source, const TextOptions& options = {}, ReadReport* report = nullptr);

// Whether papilio writes files of that name, which are then not documents of a folder: a model or a checkpoint
// (".safetensors", also with ".previous", ".damaged" or ".sweep-40.rank-1-of-2" after it), a corpus file
// (".papilio-corpus"), one of them put aside (a number after it: ".1") or unfinished ("NAME.papilio-RANDOM.tmp").
bool is_papilio_file_name(std::string_view name);

// Some documents as they stand in their source.
struct SourceTexts {
  std::vector<std::string> texts;  // of the documents asked for
  std::vector<std::string> names;  // of all documents, or none where the source has none
  std::int64_t documents = 0;      // that the source has
};

// Reads the beginnings of documents of a source: at most `max_bytes` bytes each, which may end within a character.
// `documents` holds their numbers, strictly ascending. Of `options` only max_line_bytes is used. Throws what read_text
// throws, and InvalidArgument for numbers that do not ascend or that the source does not have.
SourceTexts read_source_texts(const TextSource& source, std::span<const std::int64_t> documents, std::int64_t max_bytes,
                              const TextOptions& options = {});

// Makes a corpus from texts in memory, one document each, by the same rules; line ends separate words. The corpus is
// the same for any number of threads. Memory: the corpus, and 1 MiB per thread. Throws InvalidArgument for options out
// of range, FormatError for a corpus beyond max_memory.
Corpus corpus_from_texts(std::span<const std::string_view> texts, const TextOptions& options = {},
                         ReadReport* report = nullptr);

}  // namespace papilio
