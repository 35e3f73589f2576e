#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace papilio {

// A borrowed corpus: documents as compressed rows. The words of document d, in order, are
// words[document_offsets[d]] ... words[document_offsets[d + 1] - 1]; word w is
// spelled vocabulary[w]. Every occurrence is an entry of its own (a token).
struct CorpusView {
  std::span<const std::int64_t> document_offsets;  // D + 1
  std::span<const std::int32_t> words;             // N
  std::span<const std::string> vocabulary;         // V
  std::span<const std::string> document_names;     // D, or none

  std::int64_t documents() const { return static_cast<std::int64_t>(document_offsets.size()) - 1; }
  std::int64_t tokens() const { return static_cast<std::int64_t>(words.size()); }
  std::int64_t vocabulary_size() const { return static_cast<std::int64_t>(vocabulary.size()); }

  // Throws InvalidArgument naming the first offset or word that does not fit.
  void verify() const;
};

// A corpus in memory of its own; passes for a CorpusView wherever one is asked for.
struct Corpus {
  std::vector<std::int64_t> document_offsets = {0};  // D + 1
  std::vector<std::int32_t> words;                   // N
  std::vector<std::string> vocabulary;               // V
  std::vector<std::string> document_names = {};      // D, or none where the source has no names

  CorpusView view() const { return {document_offsets, words, vocabulary, document_names}; }
  operator CorpusView() const { return view(); }

  std::int64_t documents() const { return view().documents(); }
  std::int64_t tokens() const { return view().tokens(); }
  std::int64_t vocabulary_size() const { return view().vocabulary_size(); }
  void verify() const { view().verify(); }
};

// How plain text becomes words. A token is a maximal run of letters (Unicode
// category L, combining marks included), possibly joined by single punctuation
// characters inside ("don't", "x-ray"), at least `min_token_length` code points
// long, in NFC and, with `fold_case`, case-folded.
struct TextOptions {
  int min_token_length = 3;
  bool fold_case = true;
  std::vector<std::string> stop_words = {};  // they and words are case-folded and in NFC when they are compared
  std::int64_t min_df = 1;  // keep words of at least this many documents; 0: unused words of a given vocabulary too
  double max_df = 1.0;      // ... and of at most this share of the documents
  std::int64_t max_vocabulary = 0;  // keep the most frequent words only (of equal ones the first); 0: all
  std::int64_t max_line_bytes = std::int64_t{1} << 30;
  std::int64_t max_memory = 0;  // bytes that reading may take; 0: half of the machine's memory, or the container's
  int threads = 0;              // 0: all; never changes the corpus
};

// What a reader met on the way; nothing of it is an error.
struct ReadReport {
  std::int64_t documents = 0;
  std::int64_t empty_documents = 0;  // kept, as rows without words
  std::int64_t tokens_read = 0;
  std::int64_t tokens_kept = 0;
  std::int64_t stop_words_dropped = 0;
  std::int64_t rare_or_common_dropped = 0;  // by min_df, max_df, max_vocabulary
  std::int64_t invalid_utf8 = 0;            // ill-formed sequences, read as separators
  std::int64_t skipped_files = 0;           // of a folder: hidden, links to folders, no regular files
  std::string format;                       // "text", "uci", "csv", ...
};

// About 500 function words of English, contractions with either apostrophe
// among them, sorted by byte.
const std::vector<std::string>& english_stop_words();

// Reads a list of words, one a line, '#' starts a comment.
std::vector<std::string> read_word_list(const std::string& path);

// Reads plain text, a document a line. `path` may be "-" (standard input);
// content compressed by gzip or zstd is recognised by its first bytes and
// decompressed. Word numbers go by first occurrence.
//
// Handles CRLF, a byte-order mark and a last line without an end; an empty line
// is an empty document. Memory: the corpus, and one line. Throws IoError
// (cannot open or read), FormatError (a line longer than max_line_bytes, a
// damaged stream, a corpus beyond max_memory) with path and line.
Corpus read_lines_of_text(const std::string& path, const TextOptions& options = {}, ReadReport* report = nullptr);

// Reads UCI bag of words: `docword` holds D, W, NNZ, one a line, then lines
// "document word count", numbers from 1; `vocabulary` a word a line (empty
// path: words are called "1", "2", ...). Each plain, gzip or zstd, or "-".
//
// min_df, max_df, max_vocabulary and stop_words of `options` apply. Counts may
// be written as integral floats ("3.0"). Entries may come in any order, and the
// counts of a repeated pair add up; each document's words come out sorted.
// Nothing is allocated on the word of the header alone; documents (and, without
// a vocabulary, words) that it claims beyond 2^20 + 16 an entry are refused.
//
// Throws IoError, and FormatError with path, line, column, what was expected and
// what was found: numbers out of range, bodies shorter or longer than NNZ,
// counts below 1 or beyond 2^31 - 1, fields missing or extra, a vocabulary that
// is not W distinct words of UTF-8, a corpus beyond max_memory.
Corpus read_uci_bag_of_words(const std::string& docword, const std::string& vocabulary, const TextOptions& options = {},
                             ReadReport* report = nullptr);

// Writes UCI bag of words; one of the paths may be "-" (standard output). Words
// of a document are counted and sorted. Each file appears whole or not at all.
// Throws IoError, and InvalidArgument for a corpus that does not verify or words
// that would not come back: empty, double, not UTF-8, or with the end of a line.
void write_uci_bag_of_words(const CorpusView& corpus, const std::string& docword, const std::string& vocabulary);

// Writes the words of each document, one document a line, with a blank between.
// Throws IoError, and InvalidArgument for a corpus that does not verify or words
// with the end of a line.
void write_lines_of_text(const CorpusView& corpus, const std::string& path);

// A corpus drawn from a known model, for tests and benchmarks.
struct GenerateOptions {
  std::int64_t documents = 10000;
  std::int64_t vocabulary = 5000;
  int topics = 20;
  double mean_length = 80;      // Poisson-like lengths, at least 1
  double alpha = 0.1;           // symmetric prior of documents' topics
  double zipf_exponent = 1.07;  // overall word frequencies fall as rank^-exponent
  double overlap = 0.1;         // share of a topic's mass spread over the whole vocabulary
  std::uint64_t seed = 0;
  int threads = 0;
};

struct GeneratedCorpus {
  Corpus corpus;
  std::vector<std::int32_t> topics;  // the topic of each token
  std::vector<float> phi;            // K x V, rows sum to 1
};

// The same options give the same corpus on every machine and for any number of
// threads. Throws InvalidArgument for options out of range.
GeneratedCorpus generate_corpus(const GenerateOptions& options);

}  // namespace papilio
