#pragma once

#include <array>
#include <optional>
#include <string>
#include <string_view>

#include "papilio/communicator.h"
#include "papilio/corpus_formats.h"
#include "papilio/texts.h"

namespace papilio::lda {

// The functions that error messages name.
inline constexpr const char* reader_name = "papilio::read_corpus";
inline constexpr const char* writer_name = "papilio::write_corpus";

// A format of corpus files. It is defined in the file that reads and writes it; io/formats.cpp lists all formats.
struct Format {
  CorpusFormat format;
  std::string_view name;
  std::string_view help;                         // one line
  std::array<std::string_view, 3> endings = {};  // of file names that are always in this format
  bool has_vocabulary_file = false;              // its words are in a file of their own
  bool has_ids = false;                          // words have ids, the first of which CorpusOptions::first_id gives
  bool is_matrix = false;                        // CorpusOptions::transposed exchanges rows and columns
  std::optional<TextForm> text = {};             // text, in this form; none: not text

  // `options.vocabulary` is the vocabulary file; if it is empty, words are named by their numbers.
  Corpus (*read)(const std::string& path, const CorpusOptions& options, ReadReport& report);

  // Reads a file that has parts (has_parts, byte_source.h), each rank its own, with the result of `read`: returns this
  // rank's documents, which follow those of the ranks before, and the vocabulary of all. The report counts what this
  // rank read, and what all left out. Collective. One rank throws an error. Null: rank 0 reads the whole file.
  Corpus (*read_parts)(const std::string& path, const CorpusOptions& options, ReadReport& report,
                       Communicator& ranks) = nullptr;

  // Writes the corpus to `path` and, unless `vocabulary` is empty, its words there. Null: the format is never written.
  void (*write)(const CorpusView& corpus, const std::string& path, const std::string& vocabulary) = nullptr;

  // Whether the text is in columns or fields, one of which the options name.
  constexpr bool has_columns() const { return text && *text != TextForm::lines && *text != TextForm::folder; }
};

}  // namespace papilio::lda
