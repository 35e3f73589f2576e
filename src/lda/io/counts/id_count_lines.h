#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "lda/io/bytes/fields.h"
#include "lda/io/bytes/line_reader.h"
#include "lda/io/counts/bag_of_words.h"
#include "papilio/corpus_formats.h"

namespace papilio::lda {

// What LDA-C and SVMlight have in common: one document per line,
// made of pairs "id:count", without the sizes of the matrix.
class IdCountLines {
 public:
  struct Rules {
    std::optional<std::int64_t> first_id;  // none: 0 if any id is 0, else 1
    std::int64_t least_count;              // counts of 0, if allowed, mean nothing
  };

  // Opens the file and reads the vocabulary.
  IdCountLines(const std::string& path, const CorpusOptions& options, const Rules& rules);

  // The next line; false at the end of the file.
  bool next_line(std::string_view& line) { return reader_.next_line(line); }

  // Adds a field "id:count" of the line to the current document.
  void add_pair(const FieldLine& line, std::string_view field);

  // Ends the current document, which is the line's.
  void end_document();

  const LineReader& reader() const { return reader_; }

  Corpus make_corpus(const char* format, ReadReport& report) &&;

 private:
  std::vector<std::string> name_words(std::int64_t first);

  MemoryLimit memory_limit_;
  MemoryShare vocabulary_memory_;
  LineReader reader_;
  Rules rules_;
  bool named_;  // words have names from a vocabulary
  std::vector<std::string> vocabulary_;
  BagOfWords bag_;
  std::int64_t documents_ = 0;
  std::int64_t smallest_id_ = most_words;
  std::int64_t largest_id_ = -1;
  std::int64_t largest_at_ = 0;  // its line
};

}  // namespace papilio::lda
