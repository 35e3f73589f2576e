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

// A corpus file, NAME.papilio-corpus, is a safetensors file whose tensors are the
// arrays of a Corpus: "document_offsets" (I64, D + 1), "words" (I32, N), the
// vocabulary and the names of documents as bytes ("vocabulary", "names", U8) and
// where each begins and ends in them ("vocabulary_offsets", "name_offsets",
// I64), and an XXH3-128 of the header and of each tensor ("hashes", U8, 7 x 16).
// The same corpus gives the same bytes.

// Writes a corpus file, which appears whole or not at all. Throws IoError, and
// InvalidArgument for a corpus that does not verify.
void write_corpus_file(const CorpusView& corpus, const std::string& path);

// Makes a corpus file of documents of text without holding their words in
// memory: they wait in a file without a name beside `path` until it is known
// which words stay. The same file as from read_text and write_corpus_file.
//
// Memory: 8 bytes a document, the names, 200 bytes or so a distinct word, 2 MiB a
// thread; disk: 4 bytes a token twice. Throws what read_text and write_corpus_file throw.
ReadReport import_text(const TextSource& source, const std::string& path, const TextOptions& options = {});

// The same for a corpus of any format: import_text for text, csv, tsv, jsonl and
// folders; others are read into memory first, see read_corpus.
ReadReport import_corpus(const std::string& corpus, const std::string& path, const CorpusOptions& options = {});

// A corpus file, mapped: opening reads its header alone, in a time that does not
// depend on its size, and arrays are read where they lie when they are used.
//
// A file that is not whole, or whose header is not exactly what papilio writes, is refused
// at once; whether the arrays are what was written, `verify` tells. Functions
// are safe to call from several threads. The file must not become shorter while
// it is mapped: the system would end the process (SIGBUS). A file that is
// replaced under its name, as papilio does it, stays as it was for those who mapped it.
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

  // As they lie in the file; not known to be in range before `verify`.
  std::span<const std::int64_t> document_offsets() const;  // D + 1
  std::span<const std::int32_t> words() const;             // N

  // Made at the first call, in memory. Throws FormatError where the file is damaged.
  const std::vector<std::string>& vocabulary() const;      // V
  const std::vector<std::string>& document_names() const;  // D, or none

  // All of it; lives as long as this object.
  CorpusView view() const;

  // Reads the whole file: throws FormatError unless every hash fits, offsets do not
  // decrease and words are in range.
  void verify() const;

 private:
  struct Mapping;
  std::unique_ptr<Mapping> mapping_;
};

// Reads a corpus file into memory, verifies it, and leaves words out as `options` say
// (stop_words, min_df, max_df, max_vocabulary; min_df = 1 drops words that never
// occur). Throws IoError, FormatError.
Corpus read_corpus_file(const std::string& path, const TextOptions& options = {}, ReadReport* report = nullptr);

// Whether the file begins as a corpus file does; false where it cannot be read.
bool is_corpus_file(const std::string& path);

}  // namespace papilio
