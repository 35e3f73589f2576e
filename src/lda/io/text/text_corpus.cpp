#include "lda/io/text/text_corpus.h"

#include <algorithm>

#include "execution/cpu/parallel_for.h"
#include "lda/corpus/corpus_builder.h"
#include "lda/corpus/tokenizer.h"

namespace papilio::lda {
namespace {

constexpr int most_pieces = 64;

// What an empty document takes in a block.
constexpr std::size_t bytes_per_place = sizeof(std::size_t) + sizeof(std::string_view);

}  // namespace

void CorpusSink::append(std::span<const std::int32_t> words) {
  corpus_.words.insert(corpus_.words.end(), words.begin(), words.end());
  corpus_.document_offsets.push_back(corpus_.tokens());
}

std::int64_t CorpusSink::memory() const {
  return bytes_per_token * corpus_.tokens() + bytes_per_document * corpus_.documents();
}

TextCorpus::TextCorpus(const TextOptions& options, DocumentSink& sink)
    : options_(options),
      memory_limit_(options.max_memory),
      sink_(sink),
      stop_words_(index_stop_words(options.stop_words)),
      pieces_(static_cast<std::size_t>(std::min(execution::thread_count(options.threads), most_pieces))) {}

void TextCorpus::append(std::span<const std::string_view> texts, const Place& place) {
  share_out(texts);
  execution::parallel_for(std::ssize(pieces_), 1, options_.threads, [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t i = begin; i < end; ++i) tokenize(pieces_[static_cast<std::size_t>(i)]);
  });
  for (const Piece& piece : pieces_) {
    append(piece);
    if (!memory_limit_.holds(memory())) {
      memory_limit_.refuse(place.origin, place.line, report_.tokens_kept, report_.documents);
    }
  }
}

void TextCorpus::append_name(std::string_view name) {
  names_.emplace_back(name);
  bytes_of_names_ += static_cast<std::int64_t>(sizeof(std::string) + names_.back().capacity());
}

// Gives each piece its share of the documents, about equally many bytes; the last piece's share is all that is left.
void TextCorpus::share_out(std::span<const std::string_view> texts) {
  std::int64_t left = 0;
  for (const std::string_view text : texts) left += std::ssize(text) + 1;
  std::int64_t pieces_left = std::ssize(pieces_);
  for (Piece& piece : pieces_) {
    const std::int64_t share = left / pieces_left--;
    std::size_t count = 0;
    for (std::int64_t taken = 0; count < texts.size() && taken < share; ++count) {
      taken += std::ssize(texts[count]) + 1;
      left -= std::ssize(texts[count]) + 1;
    }
    piece.texts = texts.first(count);
    texts = texts.subspan(count);
  }
}

void TextCorpus::tokenize(Piece& piece) const {
  Tokenizer tokenizer(options_.min_token_length, options_.fold_case);
  piece.words.clear();
  piece.tokens.clear();
  piece.ends.clear();
  piece.invalid_utf8 = 0;
  for (const std::string_view text : piece.texts) {
    piece.invalid_utf8 +=
        tokenizer.tokenize(text, [&](std::string_view token) { piece.tokens.push_back(piece.words.number(token)); });
    piece.ends.push_back(std::ssize(piece.tokens));
  }
}

bool TextCorpus::is_stop_word(const std::string& word) const {
  if (options_.stop_words.empty()) return false;
  return stop_words_.find(options_.fold_case ? word : Tokenizer(1).fold(word)) >= 0;
}

// Pieces come in order, so that words are numbered by first occurrence in the whole text.
void TextCorpus::append(const Piece& piece) {
  number_of_.clear();
  for (const std::string& word : piece.words.words()) {
    number_of_.push_back(is_stop_word(word) ? -1 : words_.number(word));
  }
  std::int64_t token = 0;
  for (const std::int64_t end : piece.ends) {
    document_.clear();
    for (; token < end; ++token) {
      const std::int32_t number = number_of_[static_cast<std::size_t>(piece.tokens[static_cast<std::size_t>(token)])];
      if (number >= 0) document_.push_back(number);
    }
    sink_.append(document_);
    report_.tokens_kept += std::ssize(document_);
  }
  report_.documents += std::ssize(piece.ends);
  report_.tokens_read += std::ssize(piece.tokens);
  report_.invalid_utf8 += piece.invalid_utf8;
}

std::int64_t TextCorpus::memory() const { return sink_.memory() + 2 * words_.memory() + 2 * bytes_of_names_; }

void TextBlock::append(std::string_view text, std::int64_t line) {
  text_ += text;
  ends_.push_back(text_.size());
  line_ = line;
  if (text_.size() + bytes_per_place * ends_.size() >= corpus_.block_bytes()) flush();
}

void TextBlock::flush() {
  std::vector<std::string_view> texts;
  texts.reserve(ends_.size());
  std::size_t begin = 0;
  for (const std::size_t end : ends_) {
    texts.push_back(std::string_view(text_).substr(begin, end - begin));
    begin = end;
  }
  if (!texts.empty()) corpus_.append(texts, {origin_, line_});
  text_.clear();
  ends_.clear();
}

}  // namespace papilio::lda
