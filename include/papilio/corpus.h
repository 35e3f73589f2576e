#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "papilio/left_out.h"
#include "papilio/word_rules.h"

namespace papilio {

// A borrowed corpus, its documents one after the other. The tokens of document d, in order, are
// words[document_offsets[d]] ... words[document_offsets[d + 1] - 1]. A token is one occurrence of a word; word w is
// spelled vocabulary[w].
struct CorpusView {
  std::span<const std::int64_t> document_offsets;  // D + 1
  std::span<const std::int32_t> words;             // N
  std::span<const std::string> vocabulary;         // V
  std::span<const std::string> document_names;     // D, or none

  // 0 for an empty view, which has no document_offsets.
  std::int64_t documents() const {
    return document_offsets.empty() ? 0 : static_cast<std::int64_t>(document_offsets.size()) - 1;
  }
  std::int64_t tokens() const { return static_cast<std::int64_t>(words.size()); }
  std::int64_t vocabulary_size() const { return static_cast<std::int64_t>(vocabulary.size()); }

  // Whether every document's words are sorted by number, as in a bag of words and in hardly any text: then windows of
  // tokens mean little (coherence). Throws InvalidArgument for offsets that do not verify.
  bool is_bag_of_words() const;

  // Throws InvalidArgument naming the first offset or word that is out of range, or an array that is null but has
  // entries. An empty view, such as that of a corpus that was moved from, does not verify. `threads`: of the CPU, up
  // to 4096; 0: all. Throws InvalidArgument for another number.
  void verify(int threads = 0) const;
};

// A corpus that owns its memory. Converts to a CorpusView.
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
  bool is_bag_of_words() const { return view().is_bag_of_words(); }
  void verify(int threads = 0) const { view().verify(threads); }
};

// Which neighbouring words become one word ("new york": "new_york"), before words are left out and counted.
// docs/phrases.md has the rules. None if `find` is false and the list is empty.
struct PhraseOptions {
  bool find = false;                   // find pairs of words whose NPMI and count are high enough, or
  std::vector<std::string> list = {};  // join these, each of 2 to 16 words: "new york" or "new_york"
  double threshold = 0.5;              // of a pair's NPMI, -1 to 1 (Bouma 2009)
  std::int64_t min_count = 5;          // ... and of its occurrences
  int length = 3;                      // the most words in a phrase that is found, 2 to 16
  std::string delimiter = "_";         // between the words of a phrase

  bool used() const { return find || !list.empty(); }
};

// How plain text becomes words.
//
// `words` says what a token is: by default a run of letters (Unicode category L, with combining marks), which may
// contain single punctuation characters ("don't", "x-ray"). It is normalised to NFC and, with `fold_case`, case-folded.
struct TextOptions {
  // Leave out tokens of fewer code points. By default 3; 2 for tokens with a digit; 1 with token_pattern and for
  // WordRule::icu.
  std::optional<int> min_token_length = {};
  WordRule words = WordRule::letters;
  // In place of `words`: a regular expression in RE2's syntax. Each match is a token, or, if there is a group, the
  // match of the first group. It is applied to each line of a document, normalised and case-folded as tokens are.
  std::string token_pattern = {};
  bool fold_case = true;
  std::vector<std::string> stop_words = {};             // left out; compared case-folded and in NFC
  std::int64_t min_df = 1;                              // keep words that occur in at least this many documents; with
                                                        // 0 also the unused words of a vocabulary file
  double max_df = 1.0;                                  // ... and in at most this share of the documents
  std::int64_t max_vocabulary = 0;                      // keep this many of the most frequent words; 0: all
  std::int64_t max_line_bytes = std::int64_t{1} << 30;  // longest line, record, array element, or file of a folder
  std::int64_t max_memory = 0;                          // bytes that reading may take, the corpus, buffers and lists
                                                        // together; 0: half of the machine's memory, or of the
                                                        // container's
  int threads = 0;                                      // CPU threads; 0: all; never changes the corpus
  PhraseOptions phrases = {};                           // words to join; only text has them (docs/phrases.md)
};

// The most tokens that a document may have: counts are 32 bits wide.
inline constexpr std::int64_t most_document_tokens = (std::int64_t{1} << 31) - 1;

// What a reader found. None of this is an error.
struct ReadReport {
  std::int64_t documents = 0;
  std::int64_t empty_documents = 0;  // documents without words; they are kept
  std::int64_t tokens_read = 0;
  std::int64_t tokens_kept = 0;
  std::int64_t stop_words_dropped = 0;
  std::int64_t rare_or_common_dropped = 0;  // tokens dropped by min_df, max_df or max_vocabulary
  std::int64_t phrases = 0;                 // distinct phrases that were joined
  std::int64_t tokens_joined = 0;           // tokens that became part of a phrase, less one per phrase
  std::int64_t invalid_utf8 = 0;            // ill-formed sequences; they separate words
  std::int64_t skipped_files = 0;           // of a folder: hidden files, links to folders, special files
  std::int64_t unspaced_tokens = 0;         // of 8 characters or more of a script that is written without spaces
  std::string format;                       // "text", "uci", "csv", ...
  std::string icu_version;                  // of the ICU that split the text; empty except for WordRule::icu
  LeftOut left_out;                         // which words were left out, and why
};

// Whether the text seems to be in a script without spaces between words (Chinese, Japanese, Thai and the like), but was
// read by a rule that needs spaces; WordRule::icu is for such text. True if a tenth of the tokens read are long runs of
// such characters.
bool seems_unspaced(const ReadReport& report);

// About 500 English function words, including contractions with either apostrophe, sorted by byte.
const std::vector<std::string>& english_stop_words();

// Reads a list of words, one per line; '#' starts a comment. Throws IoError, and FormatError for a line that is not
// UTF-8 or longer than 1 MiB and for a list that takes more than max_memory bytes (0: as in TextOptions).
std::vector<std::string> read_word_list(const std::string& path, std::int64_t max_memory = 0);

// Reads plain text, one document per line. `path` may be "-" (standard input). gzip and zstd are recognised by their
// first bytes and decompressed. Words are numbered by first occurrence.
//
// Handles CRLF, a byte-order mark, and a last line without an end. An empty line is an empty document. Memory: the
// corpus and one line. Throws IoError (cannot open or read) and FormatError with path and line (a line longer than
// max_line_bytes, a damaged stream, a corpus beyond max_memory).
Corpus read_lines_of_text(const std::string& path, const TextOptions& options = {}, ReadReport* report = nullptr);

// Reads UCI bag of words. `docword` has D, W and NNZ, one per line, then lines "document word count", numbered from 1.
// `vocabulary` has one word per line; if the path is empty, words are called "1", "2", ... Either file may be plain,
// gzip or zstd, and one of them "-" (standard input).
//
// min_df, max_df, max_vocabulary and stop_words of `options` apply. Counts may be written as integral floats ("3.0").
// Entries may be in any order, and the counts of a repeated pair add up; the words of each document come out sorted.
// The header alone allocates nothing: documents (and, without a vocabulary, words) beyond 2^20 + 16 per entry are
// refused.
//
// Throws IoError, and FormatError with path, line, column, what was expected and what was found: numbers out of range,
// a body shorter or longer than NNZ, counts below 1 or above 2^31 - 1, fields missing or extra, a vocabulary that is
// not W distinct words in UTF-8, a corpus beyond max_memory.
Corpus read_uci_bag_of_words(const std::string& docword, const std::string& vocabulary, const TextOptions& options = {},
                             ReadReport* report = nullptr);

// Writes UCI bag of words. One of the paths may be "-" (standard output). The words of a document are counted and
// sorted. Each file appears whole or not at all. Throws IoError, and InvalidArgument for a corpus that does not verify
// or words that would not read back: empty, repeated, not UTF-8, or containing the end of a line.
void write_uci_bag_of_words(const CorpusView& corpus, const std::string& docword, const std::string& vocabulary);

// Writes one document per line, its words separated by blanks. Throws IoError, and InvalidArgument for a corpus that
// does not verify or words that contain the end of a line.
void write_lines_of_text(const CorpusView& corpus, const std::string& path);

// Identifies a corpus: its sizes, and hashes of its arrays and words.
struct CorpusIdentity {
  std::int64_t documents = 0;
  std::int64_t tokens = 0;
  std::int64_t vocabulary_size = 0;
  std::string hash_of_document_offsets;  // XXH3-128, 32 hexadecimal digits
  std::string hash_of_words;
  std::string hash_of_vocabulary;
};

// Computes the identity; reads the whole corpus. Every checkpoint needs it. If you save often, compute it once:
//
//   const papilio::CorpusIdentity identity = papilio::identity_of(corpus);
//   options.checkpoint = [&](const papilio::ChainState& state) {
//     papilio::save_checkpoint(state, corpus, options, "news.chain", &identity);
//   };
CorpusIdentity identity_of(const CorpusView& corpus);

// A corpus drawn from a known model, for tests and benchmarks.
struct GenerateOptions {
  std::int64_t documents = 10000;
  std::int64_t vocabulary = 5000;
  int topics = 20;
  double mean_length = 80;      // tokens per document; lengths are Poisson-like and at least 1
  double length_spread = 0;     // standard deviation of the log of a document's expected length (at most 1e6), 0 to 5
  double alpha = 0.1;           // symmetric prior of the topics of a document
  double zipf_exponent = 1.07;  // overall word frequencies fall as rank^-zipf_exponent
  double overlap = 0.1;         // share of the mass of a topic that is spread over the whole vocabulary
  std::uint64_t seed = 0;       // same seed, same corpus
  int threads = 0;              // CPU threads; 0: all; never changes the corpus
};

struct GeneratedCorpus {
  Corpus corpus;
  std::vector<std::int32_t> topics;  // the topic of each token
  std::vector<float> phi;            // K x V, rows sum to 1
};

// Draws a corpus from a known model. The same options give the same corpus on every machine and for any number of
// threads. Throws InvalidArgument for options out of range.
GeneratedCorpus generate_corpus(const GenerateOptions& options);

}  // namespace papilio
