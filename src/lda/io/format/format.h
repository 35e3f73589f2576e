#pragma once

#include <array>
#include <optional>
#include <string>
#include <string_view>

#include "papilio/communicator.h"
#include "papilio/corpus_formats.h"
#include "papilio/texts.h"

namespace papilio::lda {

// The callers that messages of errors name.
inline constexpr const char* reader_name = "papilio::read_corpus";
inline constexpr const char* writer_name = "papilio::write_corpus";

// A format of corpus files. The file that reads and writes it defines it, and io/formats.cpp lists it.
struct Format {
  CorpusFormat format;
  std::string_view name;
  std::string_view help;                         // one line
  std::array<std::string_view, 3> endings = {};  // of file names that are always of this format
  bool has_vocabulary_file = false;              // its words are in a file of their own
  bool has_ids = false;                          // words have ids, the first of which CorpusOptions::first_id gives
  bool is_matrix = false;                        // CorpusOptions::transposed exchanges rows and columns
  std::optional<TextForm> text = {};             // text, in this form

  // `options.vocabulary` is the file to use; where it is empty, words are called by number.
  Corpus (*read)(const std::string& path, const CorpusOptions& options, ReadReport& report);

  // Reads a file that has parts (has_parts, byte_source.h), each rank its own, as `read` does: returns documents of
  // this rank, which follow those of the ranks before, and the vocabulary of all. What the report counts is of this
  // rank, and what was left out of all. Collective. An error is thrown by one rank. Null: rank 0 reads all.
  Corpus (*read_parts)(const std::string& path, const CorpusOptions& options, ReadReport& report,
                       Communicator& ranks) = nullptr;

  // Writes the corpus to `path` and, unless `vocabulary` is empty, its words there. Null: never written.
  void (*write)(const CorpusView& corpus, const std::string& path, const std::string& vocabulary) = nullptr;

  // Whether text is in columns or fields, of which options name one.
  constexpr bool has_columns() const {
    return text == TextForm::csv || text == TextForm::tsv || text == TextForm::json_lines;
  }
};

}  // namespace papilio::lda
