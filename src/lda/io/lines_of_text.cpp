#include <algorithm>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/check.h"
#include "execution/cpu/parallel_for.h"
#include "lda/corpus_builder.h"
#include "lda/io/atomic_file.h"
#include "lda/io/line_reader.h"
#include "lda/io/memory_limit.h"
#include "lda/io/tokenizer.h"
#include "lda/word_index.h"
#include "papilio/corpus.h"

namespace papilio {
namespace lda {
namespace {

constexpr std::int64_t piece_bytes = std::int64_t{1} << 20;  // of text, about, that a thread works on at a time
constexpr int most_pieces = 64;

// Some lines as tokens, words numbered by first occurrence in the piece.
struct Piece {
  const std::string_view* begin = nullptr;
  const std::string_view* end = nullptr;
  WordIndex words;
  std::vector<std::int32_t> tokens;
  std::vector<std::int64_t> ends;  // of each line's tokens
  std::int64_t invalid_utf8 = 0;
};

void tokenize(Piece& piece, int min_token_length) {
  Tokenizer tokenizer(min_token_length);
  piece.words.clear();
  piece.tokens.clear();
  piece.ends.clear();
  piece.invalid_utf8 = 0;
  for (const std::string_view* line = piece.begin; line != piece.end; ++line) {
    piece.invalid_utf8 +=
        tokenizer.tokenize(*line, [&](std::string_view token) { piece.tokens.push_back(piece.words.number(token)); });
    piece.ends.push_back(std::ssize(piece.tokens));
  }
}

// Gives each piece its share of the lines, about equally many bytes; the last piece's share is all that is left.
void share_out(const std::vector<std::string_view>& lines, std::vector<Piece>& pieces) {
  std::int64_t left = 0;
  for (const std::string_view line : lines) left += std::ssize(line) + 1;
  const std::string_view* next = lines.data();
  const std::string_view* const end = next + lines.size();
  std::int64_t pieces_left = std::ssize(pieces);
  for (Piece& piece : pieces) {
    const std::int64_t share = left / pieces_left--;
    piece.begin = next;
    for (std::int64_t taken = 0; next != end && taken < share; ++next) {
      taken += std::ssize(*next) + 1;
      left -= std::ssize(*next) + 1;
    }
    piece.end = next;
  }
}

// Appends the pieces in order, so that words are numbered by first occurrence in the whole text.
class TextCorpus {
 public:
  explicit TextCorpus(const TextOptions& options) : stop_words_(index_stop_words(options.stop_words)) {}

  void append(const Piece& piece, ReadReport& report) {
    number_of_.clear();
    for (const std::string& word : piece.words.words()) {
      number_of_.push_back(stop_words_.find(word) >= 0 ? -1 : words_.number(word));
    }
    std::int64_t token = 0;
    for (const std::int64_t end : piece.ends) {
      for (; token < end; ++token) {
        const std::int32_t number = number_of_[static_cast<std::size_t>(piece.tokens[static_cast<std::size_t>(token)])];
        if (number >= 0) corpus_.words.push_back(number);
      }
      corpus_.document_offsets.push_back(corpus_.tokens());
    }
    report.tokens_read += std::ssize(piece.tokens);
    report.invalid_utf8 += piece.invalid_utf8;
  }

  std::int64_t tokens() const { return corpus_.tokens(); }
  std::int64_t documents() const { return corpus_.documents(); }
  std::int64_t memory() const {
    return bytes_a_token * tokens() + bytes_a_document * documents() + 2 * words_.memory();
  }

  Corpus take() {
    corpus_.vocabulary = words_.take_words();
    return std::move(corpus_);
  }

 private:
  WordIndex stop_words_;
  WordIndex words_;
  Corpus corpus_;
  std::vector<std::int32_t> number_of_;  // of the piece's words; -1: a stop word
};

}  // namespace
}  // namespace lda

Corpus read_lines_of_text(const std::string& path, const TextOptions& options, ReadReport* report) {
  using namespace lda;
  constexpr const char* caller = "papilio::read_lines_of_text";
  require_text_options(options, caller);
  ReadReport counts;
  std::vector<Piece> pieces(static_cast<std::size_t>(std::min(execution::thread_count(options.threads), most_pieces)));
  LineReader reader({caller, path}, options.max_line_bytes, pieces.size() * piece_bytes);
  const MemoryLimit memory_limit(options.max_memory);
  TextCorpus text(options);
  while (true) {
    const std::vector<std::string_view>& lines = reader.next_block();
    if (lines.empty()) break;
    share_out(lines, pieces);
    execution::parallel_for(std::ssize(pieces), 1, options.threads, [&](std::int64_t begin, std::int64_t end) {
      for (std::int64_t i = begin; i < end; ++i) {
        tokenize(pieces[static_cast<std::size_t>(i)], options.min_token_length);
      }
    });
    for (const Piece& piece : pieces) {
      text.append(piece, counts);
      if (!memory_limit.holds(text.memory())) memory_limit.refuse(reader, text.tokens(), text.documents());
    }
  }
  Corpus corpus = text.take();
  counts.stop_words_dropped = counts.tokens_read - corpus.tokens();
  corpus = keep_words(std::move(corpus), options);
  complete_report(corpus, "text", counts);
  if (report != nullptr) *report = counts;
  return corpus;
}

void write_lines_of_text(const CorpusView& corpus, const std::string& path) {
  constexpr const char* caller = "papilio::write_lines_of_text";
  corpus.verify();
  for (std::size_t w = 0; w < corpus.vocabulary.size(); ++w) {
    base::require(corpus.vocabulary[w].find_first_of("\r\n") == std::string::npos,
                  "{}: word {} is {}, which holds the end of a line", caller, w, lda::quoted(corpus.vocabulary[w]));
  }
  lda::AtomicFile file(path, caller);
  for (std::size_t d = 0; d + 1 < corpus.document_offsets.size(); ++d) {
    const auto begin = static_cast<std::size_t>(corpus.document_offsets[d]);
    const auto end = static_cast<std::size_t>(corpus.document_offsets[d + 1]);
    for (std::size_t i = begin; i < end; ++i) {
      if (i > begin) file.write(" ");
      file.write(corpus.vocabulary[static_cast<std::size_t>(corpus.words[i])]);
    }
    file.write("\n");
  }
  file.commit();
}

}  // namespace papilio
