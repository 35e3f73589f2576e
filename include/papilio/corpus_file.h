#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "papilio/corpus.h"
#include "papilio/corpus_formats.h"
#include "papilio/texts.h"

namespace papilio {

namespace lda {
class CorpusFileOfRanks;
struct BytesOfStrings;
}  // namespace lda

// A corpus file, NAME.papilio-corpus, is a safetensors file with the arrays of a Corpus:
//
//   "document_offsets"  I64, D + 1
//   "words"             I32, N
//   "vocabulary"        U8, the bytes of all words, and "vocabulary_offsets", I64, where each begins and ends
//   "names"             U8, the bytes of the documents' names, and "name_offsets", I64, likewise
//   "hashes"            U8, 7 x 16: an XXH3-128 of the header and of each tensor
//
// The same corpus gives the same bytes.

// Writes a corpus file, which appears whole or not at all. Throws IoError, and InvalidArgument for a corpus that does
// not verify and for words that are empty, duplicate, or not UTF-8.
void write_corpus_file(const CorpusView& corpus, const std::string& path);

// Writes the corpus file of documents of text without holding their words in memory: the words stay in an unnamed file
// beside `path` until it is known which are kept. Gives the same file as read_text and write_corpus_file.
//
// Memory: 8 bytes per document, the names, about 200 bytes per distinct word, and 2 MiB per thread. Disk: 4 bytes per
// token, twice. Throws what read_text and write_corpus_file throw.
ReadReport import_text(const TextSource& source, const std::string& path, const TextOptions& options = {});

// The same for a corpus of any format. text, csv, tsv, jsonl, json and folders go through import_text; other formats
// are read into memory first (see read_corpus).
ReadReport import_corpus(const std::string& corpus, const std::string& path, const CorpusOptions& options = {});

// A corpus file mapped into memory. Opening it reads only its header, in a time that does not depend on its size;
// arrays are read from the file when they are used.
//
// A file that is incomplete, or whose header is not exactly what papilio writes, is refused at once. `verify` checks
// that the arrays are what was written. All functions are thread-safe. All throw InvalidArgument for a moved-from
// object.
//
// The file must not become shorter while it is mapped: the system would end the process (SIGBUS). When a file is
// replaced by a new one of its name, as papilio does, programs that have mapped it keep the old one.
//
//   const MappedCorpus corpus("news.papilio-corpus");
//   corpus.verify();
//   const TrainResult result = train(corpus.view(), {.topics = 100});
class MappedCorpus {
 public:
  // Throws IoError, FormatError.
  explicit MappedCorpus(const std::string& path);
  ~MappedCorpus();
  MappedCorpus(MappedCorpus&&) noexcept;
  MappedCorpus& operator=(MappedCorpus&&) noexcept;

  std::int64_t documents() const;
  std::int64_t tokens() const;
  std::int64_t vocabulary_size() const;

  // The arrays of the file. Their values may be out of range unless `verify` has returned.
  std::span<const std::int64_t> document_offsets() const;  // D + 1
  std::span<const std::int32_t> words() const;             // N

  // Copied into memory by the first call. Throws FormatError where the file is damaged.
  const std::vector<std::string>& vocabulary() const;      // V
  const std::vector<std::string>& document_names() const;  // D, or none

  // The whole corpus; valid as long as this object.
  CorpusView view() const;

  // Reads the whole file; ranks share the work in verify_over_ranks. Throws FormatError unless every hash matches,
  // offsets do not decrease, tokens are in range, and the vocabulary's words are distinct, not empty, and UTF-8.
  // `threads`: of the CPU, up to 4096; 0: all. Throws InvalidArgument for another number.
  void verify(int threads = 0) const;

 private:
  friend class lda::CorpusFileOfRanks;
  friend struct lda::BytesOfStrings;
  struct Mapping;
  Mapping& mapping() const;
  std::unique_ptr<Mapping> mapping_;
};

// Reads a corpus file into memory, verifies it, and leaves out words as `options` say (stop_words, min_df, max_df,
// max_vocabulary; min_df = 1 drops words that never occur). Throws IoError, FormatError.
Corpus read_corpus_file(const std::string& path, const TextOptions& options = {}, ReadReport* report = nullptr);

// Returns whether the file begins like a corpus file; false if it cannot be read.
bool is_corpus_file(const std::string& path);

}  // namespace papilio
