#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "papilio/choice.h"
#include "papilio/corpus.h"

namespace papilio {

// The forms in which corpora are kept in files; docs/corpus_formats.md shows each.
enum class CorpusFormat : std::uint8_t {
  detect,         // by the file's name and first bytes
  text,           // text, a document a line
  uci,            // UCI bag of words: docword, and vocab beside it
  ldac,           // LDA-C: "M id:count ...", a document a line
  svmlight,       // SVMlight, libsvm: "label id:count ...", a document a line
  matrix_market,  // Matrix Market, coordinate
  npz,            // a sparse matrix by scipy.sparse.save_npz
  low,            // the number of documents, then a document's words a line
  mallet,         // "name label text", a document a line
  csv,            // fields between commas, a document a record
  tsv,            // fields between tabs, a document a record
  json_lines,     // a JSON object a document
  folder,         // a file of text a document, in all folders below
  corpus_file,    // what write_corpus_file and import_corpus write
};

// "auto" for detect, else "text", "uci", "ldac", "svmlight", "mtx", "npz", "low", "mallet",
// "csv", "tsv", "jsonl", "folder", "corpus"; "unknown" for a number that is no enumerator.
std::string_view name(CorpusFormat format);

// The format of such a name. Throws InvalidArgument with the known names.
CorpusFormat parse_corpus_format(std::string_view name);

// A row of `corpus_formats()`.
struct CorpusFormatChoice : Choice<CorpusFormat> {
  bool is_written;           // write_corpus writes it
  bool has_vocabulary_file;  // its words are in a file of their own
};

// Every format, detect first. All are read.
std::span<const CorpusFormatChoice> corpus_formats();

// Whether write_corpus writes it.
bool is_written(CorpusFormat format);

// Whether its words stand in a file of their own: uci, ldac, svmlight, mtx, npz.
bool has_vocabulary_file(CorpusFormat format);

// What the file's name says, without folder, ".gz" and ".zst": uci for "docword.*"
// and ".uci"; ldac for ".ldac", ".lda-c", ".blei"; svmlight for ".svmlight", ".svm",
// ".libsvm"; ".mtx" and ".mm"; ".npz"; ".low"; ".mallet"; ".csv"; ".tsv";
// ".jsonl", ".ndjson"; ".papilio-corpus". Else detect.
CorpusFormat corpus_format_of_name(const std::string& path);

// What the file most likely is: a folder; a corpus file whatever it is called; else first by its name, then by its
// first bytes, decompressed; text where nothing else fits, and for "-" and pipes. Throws IoError where the file cannot
// be read.
CorpusFormat detect_corpus_format(const std::string& path);

// The vocabulary that lies beside a corpus: for "docword.X" "vocab.X", else the
// corpus's name with ".vocab" behind it or in the place of its last ending; with
// or without ".gz" and ".zst". Empty where there is none.
std::string find_vocabulary(const std::string& path);

struct CorpusOptions {
  CorpusFormat format = CorpusFormat::detect;
  // A file of words, one a line; empty: looked for beside the corpus, and where
  // there is none, words are called by their numbers in the file.
  std::string vocabulary = {};
  // Of ldac and svmlight: the id of the first word, 0 or 1. By default 0 for ldac,
  // and for svmlight 0 where an id is 0, else 1.
  std::optional<int> first_id = {};
  bool transposed = false;  // of mtx and npz: rows are words, columns documents
  // Of csv, tsv and jsonl: see TextSource in papilio/texts.h.
  std::string text_column = {};
  std::string id_column = {};
  bool header = true;     // of csv and tsv
  bool quotes = true;     // likewise
  TextOptions text = {};  // which words stay, limits, threads
};

// Reads a corpus of any format. `path` may be "-" (standard input), and the
// content compressed by gzip or zstd. The corpus does not depend on the number
// of threads. With a vocabulary but no format, what looks like text is read as uci.
//
// Counts may be written as integral floats; those of a pair (document, word) that
// comes again add up, entries may come in any order, and the words of a document
// come out sorted (those of text, low and mallet as they stand). Documents without
// words stay. Nothing is allocated on a header's word: documents and nameless
// words beyond 2^20 + 16 an entry are refused. Memory: the corpus and 16 bytes an
// entry; of npz the whole file, inflated, as well; never more than text.max_memory.
//
// Throws IoError, FormatError with path, line, column, what was expected and what
// was found, and InvalidArgument for options that do not fit the format.
Corpus read_corpus(const std::string& path, const CorpusOptions& options = {}, ReadReport* report = nullptr);

// Writes a corpus as text, uci, ldac, svmlight, mtx, npz or a corpus file, uncompressed; "-" is
// standard output. Words go to `vocabulary`, one a line, unless that is empty (for
// text and corpus files it must be). ldac numbers words from 0, uci, svmlight and mtx from 1.
// Each file appears whole or not at all.
//
// Throws IoError, and InvalidArgument for formats that are not written, a corpus
// that does not verify, or words that would not come back: empty, double, not
// UTF-8, or with the end of a line.
void write_corpus(const CorpusView& corpus, const std::string& path, CorpusFormat format,
                  const std::string& vocabulary = {});

}  // namespace papilio
