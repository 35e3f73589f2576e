#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "lda/corpus/word_index.h"
#include "lda/io/bytes/memory_limit.h"
#include "lda/io/bytes/origin.h"
#include "papilio/corpus.h"

namespace papilio::lda {

// Where documents go whose words have become numbers.
class DocumentSink {
 public:
  virtual ~DocumentSink() = default;

  // The next document. Words are numbered from 0 in the order in which they first occur.
  virtual void append(std::span<const std::int32_t> words) = 0;

  // The bytes of memory that the documents so far take, nearly.
  virtual std::int64_t memory() const = 0;
};

// Keeps the documents in memory.
class CorpusSink : public DocumentSink {
 public:
  void append(std::span<const std::int32_t> words) override;
  std::int64_t memory() const override;
  Corpus take() { return std::move(corpus_); }

 private:
  Corpus corpus_;
};

// Where in its source the last document stands.
struct Place {
  const Origin& origin;
  std::int64_t line;  // 0: nothing to tell
};

// Makes a corpus of documents of text: cuts them into tokens on all threads,
// leaves stop words out and numbers words by first occurrence in the whole text,
// whatever the number of threads. The words go to a sink, block by block.
class TextCorpus {
 public:
  // Options that are in range. The sink must outlive the object.
  TextCorpus(const TextOptions& options, DocumentSink& sink);

  // How much text is worth giving at a time, in bytes.
  std::size_t block_bytes() const { return pieces_.size() * piece_bytes; }

  // Appends documents, `place` that of the last. Throws FormatError where the corpus outgrows max_memory.
  void append(std::span<const std::string_view> texts, const Place& place);

  // Names the documents; all are named or none.
  void append_name(std::string_view name);

  // What is known of documents, tokens and stop words so far.
  ReadReport& report() { return report_; }
  std::vector<std::string> take_words() { return words_.take_words(); }
  std::vector<std::string> take_names() { return std::move(names_); }

 private:
  static constexpr std::size_t piece_bytes = std::size_t{1} << 20;  // of text, about, that a thread works on at a time

  // Some documents as tokens, words numbered by first occurrence in the piece.
  struct Piece {
    std::span<const std::string_view> texts;
    WordIndex words;
    std::vector<std::int32_t> tokens;
    std::vector<std::int64_t> ends;  // of each document's tokens
    std::int64_t invalid_utf8 = 0;
  };

  void share_out(std::span<const std::string_view> texts);
  void tokenize(Piece& piece) const;
  bool is_stop_word(const std::string& word) const;
  void append(const Piece& piece);
  std::int64_t memory() const;

  TextOptions options_;
  MemoryLimit memory_limit_;
  DocumentSink& sink_;
  WordIndex stop_words_;
  WordIndex words_;
  std::vector<Piece> pieces_;
  std::vector<std::int32_t> number_of_;  // of a piece's words; -1: a stop word
  std::vector<std::int32_t> document_;
  std::vector<std::string> names_;
  std::int64_t bytes_of_names_ = 0;
  ReadReport report_;
};

// Gathers documents that come one after the other into blocks for a TextCorpus.
class TextBlock {
 public:
  TextBlock(TextCorpus& corpus, const Origin& origin) : corpus_(corpus), origin_(origin) {}

  // Appends a document that ends at `line` of the source.
  void append(std::string_view text, std::int64_t line);

  // Once, after the last document.
  void flush();

 private:
  TextCorpus& corpus_;
  Origin origin_;
  std::string text_;
  std::vector<std::size_t> ends_;
  std::int64_t line_ = 0;
};

}  // namespace papilio::lda
