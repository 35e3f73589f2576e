#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "execution/cpu/huge_pages.h"
#include "lda/corpus/phrases/joined_words.h"
#include "lda/corpus/tokenizer.h"
#include "lda/corpus/white_space.h"
#include "lda/corpus/word_index.h"
#include "lda/io/bytes/line_reader.h"
#include "lda/io/bytes/memory_limit.h"
#include "lda/io/bytes/origin.h"
#include "papilio/communicator.h"
#include "papilio/corpus.h"

namespace papilio::lda {

// Receives documents whose words have become numbers.
class DocumentSink {
 public:
  virtual ~DocumentSink() = default;

  // Takes the next words of the document. Words are numbered from 0 in the order of their first occurrence.
  virtual void append(std::span<const std::int32_t> words) = 0;
  virtual void end_document() = 0;

  // The approximate memory of the documents so far, in bytes.
  virtual std::int64_t memory() const = 0;
};

// Keeps the documents in memory.
class CorpusSink : public DocumentSink {
 public:
  void append(std::span<const std::int32_t> words) override;
  void end_document() override;
  std::int64_t memory() const override;
  Corpus take();

 private:
  std::vector<execution::FreshArray<std::int32_t>> slabs_;  // of words
  std::int32_t* next_ = nullptr;
  std::int32_t* end_ = nullptr;  // of the last slab
  std::int64_t tokens_ = 0;
  std::vector<std::int64_t> offsets_ = {0};
};

// Where the last document is in its source.
struct Place {
  const Origin& origin;
  std::int64_t line;  // 0: unknown
};

// Makes a corpus from documents of text: cuts them into tokens on all threads,
// leaves stop words out and numbers words by first occurrence in the whole
// text, for any number of threads. The words go to a sink, block by block.
//
// If phrases are to be joined, no word is left out, and a word that is not a neighbour of the word before it is marked
// (lda/corpus/marked_words.h); join_text_phrases does the rest.
class TextCorpus {
 public:
  // The options are in range. The sink must outlive the object.
  TextCorpus(const TextOptions& options, DocumentSink& sink);
  virtual ~TextCorpus() = default;

  // The parts of a reader count what they hold towards it.
  MemoryLimit& memory_limit() { return memory_limit_; }

  // Says where texts may be cut.
  const Tokenizer& tokenizer() const { return pieces_.front().tokenizer; }

  // Call it before the first document, if the text is a part of one whose other parts other ranks have.
  void begin_part(std::int64_t documents_before);

  // How much text to pass at a time, in bytes.
  std::size_t block_bytes() const { return pieces_.size() * piece_bytes_; }
  std::size_t piece_bytes() const { return piece_bytes_; }

  // Appends documents of any length; `place` is that of the last. If that one goes on, the next text continues it, and
  // the texts are cut where no token is (Tokenizer). Throws FormatError if the corpus outgrows max_memory.
  virtual void append(std::span<const std::string_view> texts, const Place& place, bool goes_on = false);

  // Appends all lines of a reader, each as a document; the reader's blocks have piece_bytes(). Threads take blocks out
  // of the reader themselves and append them in turn: while one appends, others cut their blocks.
  virtual void append_lines(LineReader& reader);

  // Names a document; all are named or none.
  virtual void append_name(std::string_view name);

  // What is known of documents, tokens and stop words so far; after the last document also what was left out. If the
  // text is in parts, all ranks complete the report together, and rank 0 knows what all ranks left out.
  ReadReport& report() { return report_; }
  void complete_report(Communicator* ranks = nullptr);
  std::vector<std::string> take_words() { return words_.take_words(); }
  std::vector<std::string> take_names() { return std::move(names_); }

  // fate: whether the options leave a word out. count_left_out: counts tokens of a word that they leave out.
  WordFate fate(const std::string& word);
  void count_left_out(const std::string& word, std::int64_t tokens);

  const TextOptions& options() const { return options_; }

 private:
  class Turns;

  // A document, or a part of a long one.
  struct Part {
    std::string_view text;
    bool ends_document;
  };

  // Texts on their way to pieces.
  struct Queue {
    std::span<const std::string_view> texts;
    bool last_goes_on;
    std::size_t taken = 0;   // bytes taken of the first text
    std::int64_t bytes = 0;  // bytes left, and one more per text
  };

  // Some documents as tokens. Words are numbered by first occurrence in the pieces at this place of a block, of earlier
  // blocks too: words are kept until they are many, so that most of them are already known in the corpus.
  struct Piece {
    explicit Piece(const TextOptions& options);
    Tokenizer tokenizer;
    std::vector<Part> parts;
    WordIndex words;
    std::vector<std::int32_t> number_of;  // corpus numbers of the words of earlier blocks; -1 - s: stop word s
    std::vector<std::int32_t> tokens;
    std::vector<std::int64_t> ends;   // where each part's tokens end
    std::vector<TextBetween> before;  // what stands before the first token of each part, and ...
    std::vector<TextBetween> after;   // after its last token; only for phrases
    std::int64_t invalid_utf8 = 0;
    std::int64_t bytes = 0;  // at the time it was appended
    std::int64_t memory() const;
  };

  static Queue queue_of(std::span<const std::string_view> texts, bool goes_on);
  void share_out(Queue& queue, const Place& place);
  void share_out(std::int64_t bytes, Queue& queue, const Place& place, Piece& piece) const;
  Part take_part(Queue& queue, const Place& place, const Tokenizer& tokenizer) const;
  void tokenize(Piece& piece) const;
  static void tokenize_with_marks(Piece& piece);
  std::int32_t stop_word(const std::string& word);
  void mark_first(const Piece& piece, std::size_t part, std::int64_t begin);
  void number_words(Piece& piece);
  void append(Piece& piece, const Place& place);
  void append_if_room(Piece& piece, const Place& place);
  std::int64_t memory() const;

  TextOptions options_;
  MemoryLimit memory_limit_;
  MemoryShare memory_;
  DocumentSink& sink_;
  WordIndex stop_words_;
  WordIndex words_;
  std::vector<Piece> pieces_;
  std::size_t piece_bytes_;  // about the bytes of text that a thread works on at a time
  Tokenizer rules_;
  Tokenizer folding_{1};
  TokenTally left_out_{most_left_out_words};
  std::vector<std::int64_t> stop_word_counts_;
  std::vector<std::int32_t> numbers_;
  std::vector<std::string> names_;
  std::int64_t documents_before_ = 0;      // in the parts before this one
  std::int64_t document_tokens_ = 0;       // of the last document so far
  TextBetween between_ = {.parts = true};  // after its last token; only for phrases
  std::int64_t bytes_of_names_ = 0;
  std::int64_t bytes_of_stop_words_ = 0;
  ReadReport report_;
};

// Gathers consecutive documents into blocks for a TextCorpus.
class TextBlock {
 public:
  TextBlock(TextCorpus& corpus, const Origin& origin) : corpus_(corpus), origin_(origin) {}

  // Appends a document that ends at `line` of the source. If it goes
  // on, the next text continues it; texts are cut where no token is.
  void append(std::string_view text, std::int64_t line, bool goes_on = false);

  // Call it once, after the last document.
  void flush();

 private:
  TextCorpus& corpus_;
  Origin origin_;
  std::string text_;
  std::vector<std::size_t> ends_;
  std::int64_t line_ = 0;
  bool open_ = false;
};

}  // namespace papilio::lda
