#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "papilio/choice.h"
#include "papilio/corpus.h"
#include "papilio/texts.h"

namespace papilio {

// File formats of corpora. docs/corpus_formats.md describes each.
enum class CorpusFormat : std::uint8_t {
  detect,         // found by the name and the first bytes of the file
  text,           // plain text, one document per line
  uci,            // UCI bag of words: docword, and vocab beside it
  ldac,           // LDA-C: "M id:count ...", one document per line
  svmlight,       // SVMlight, libsvm: "label id:count ...", one document per line
  matrix_market,  // Matrix Market, coordinate
  npz,            // a sparse matrix written by scipy.sparse.save_npz
  low,            // the number of documents, then the words of one document per line
  mallet,         // "name label text", one document per line
  csv,            // comma-separated values, one document per record
  tsv,            // tab-separated values, one document per record
  json_lines,     // one JSON object per line and document
  json_array,     // one JSON array, one object or string per document
  folder,         // one text file per document, in the folder and its subfolders
  corpus_file,    // what write_corpus_file and import_corpus write
};

// "auto" for detect, else as in `corpus_formats()`: "text", "mtx", "jsonl", ...; "unknown" for a number that is not an
// enumerator.
std::string_view name(CorpusFormat format);

// The format of such a name. Throws InvalidArgument with the known names.
CorpusFormat parse_corpus_format(std::string_view name);

// A row of `corpus_formats()`.
struct CorpusFormatChoice : Choice<CorpusFormat> {
  bool is_written;           // write_corpus writes it
  bool has_vocabulary_file;  // its words are in a separate file
};

// Every format, detect first. All are read.
std::span<const CorpusFormatChoice> corpus_formats();

// Returns whether write_corpus writes the format.
bool is_written(CorpusFormat format);

// Returns whether the words are in a separate file: uci, ldac, svmlight, mtx, npz.
bool has_vocabulary_file(CorpusFormat format);

// Returns the format that a file's name implies, without regard to folder, ".gz" and ".zst": uci for "docword.*" and
// ".uci"; ldac for ".ldac", ".lda-c", ".blei"; svmlight for ".svmlight", ".svm", ".libsvm"; ".mtx" and ".mm"; ".npz";
// ".low"; ".mallet"; ".csv"; ".tsv"; ".jsonl", ".ndjson" and ".json"; ".papilio-corpus". Otherwise detect.
CorpusFormat corpus_format_of_name(const std::string& path);

// Returns the most likely format: that of a folder or of a corpus file, whatever its name; then that of the name; then
// that of the first bytes, decompressed; otherwise text, also for "-" and pipes. What is json_lines by its name and
// begins with "[" is json_array. Throws IoError where the file cannot be read.
CorpusFormat detect_corpus_format(const std::string& path);

// Returns the path of the vocabulary beside a corpus: "vocab.X" for "docword.X", else the name of the corpus with
// ".vocab" appended or (not docword) in place of its last extension; also ".gz" and ".zst". Empty if there is none.
std::string find_vocabulary(const std::string& path);

struct CorpusOptions {
  CorpusFormat format = CorpusFormat::detect;
  // A file of words, one per line. Empty: find_vocabulary; without any, words are called by their numbers in the file.
  std::string vocabulary = {};
  // ldac and svmlight: the id of the first word, 0 or 1. By default 0 for ldac; for svmlight 0 if any id is 0, else 1.
  std::optional<int> first_id = {};
  bool transposed = false;  // mtx and npz: rows are words and columns are documents
  // csv, tsv, jsonl and json: see TextSource in papilio/texts.h.
  std::string text_column = {};
  std::string id_column = {};
  bool header = true;     // csv and tsv: see TextSource
  bool quotes = true;     // csv and tsv: see TextSource
  TextOptions text = {};  // which words are kept, limits, threads
};

// Reads a corpus of any format. `path` may be "-" (standard input), and the content compressed by gzip or zstd. The
// corpus does not depend on the number of threads. If a vocabulary is given but no format, a file that looks like text
// is read as uci.
//
// Counts may be written as integral floats. Entries may be in any order, the counts of a repeated pair (document, word)
// add up, and the words of a document come out sorted (those of text, low and mallet in the order of the file).
// Documents without words are kept. A header alone allocates nothing: documents and unnamed words beyond 2^20 + 16 per
// entry are refused.
//
// Memory: the corpus and 16 bytes per entry; for npz also the whole inflated file; never more than text.max_memory.
//
// Throws IoError; FormatError with path, line, column, what was expected and what was found; InvalidArgument for
// options that do not fit the format.
Corpus read_corpus(const std::string& path, const CorpusOptions& options = {}, ReadReport* report = nullptr);

// Returns the source of the texts that read_corpus reads with these options, if the corpus is text: lines, csv, tsv,
// jsonl, json or a folder. Looks at the file only to find its format. A file that does not exist counts as lines, which
// read_corpus then refuses.
std::optional<TextSource> find_texts(const std::string& path, const CorpusOptions& options = {});

// Writes a corpus, uncompressed, in a format for which `is_written` holds. "-" is standard output. The words go to
// `vocabulary`, one per line, unless that is empty (as it must be for text and corpus files). ldac numbers words from
// 0; uci, svmlight and mtx from 1. Each file appears whole or not at all.
//
// Throws IoError, and InvalidArgument for formats that are not written, a corpus that does not verify, or words that
// would not read back: empty, repeated, not UTF-8, or containing the end of a line.
void write_corpus(const CorpusView& corpus, const std::string& path, CorpusFormat format,
                  const std::string& vocabulary = {});

}  // namespace papilio
