#include "lda/io/text/token_corpus.h"

#include <fmt/format.h>

#include <utility>

#include "lda/corpus/corpus_builder.h"
#include "lda/corpus/tokenizer.h"

namespace papilio::lda {

TokenCorpus::TokenCorpus(const TextOptions& options, MemoryLimit& memory_limit, const LineReader& lines)
    : options_(options),
      lines_(lines),
      memory_(memory_limit),
      stop_words_(index_stop_words(options.stop_words)),
      stop_word_counts_(stop_words_.words().size()) {}

void TokenCorpus::add(std::string_view word, std::string_view folded) {
  ++tokens_read_;
  if (const std::int32_t stop = stop_words_.find(folded); stop >= 0) {
    ++stop_word_counts_[static_cast<std::size_t>(stop)];
  } else {
    corpus_.words.push_back(words_.number(word));
  }
  if (tokens_read_ % 1024 == 0 || word.size() > Tokenizer::long_word) require_room();  // a line may be long
}

void TokenCorpus::end_document(std::string_view name) {
  corpus_.document_names.emplace_back(name);
  name_bytes_ += 2 * static_cast<std::int64_t>(sizeof(std::string) + name.size());
  end_document();
}

void TokenCorpus::require_room() {
  const std::int64_t document_tokens = corpus_.tokens() - corpus_.document_offsets.back();
  if (document_tokens > most_document_tokens) {
    refuse_document(lines_.origin(), lines_.line_number(), corpus_.documents() + 1, document_tokens);
  }
  const std::int64_t bytes = bytes_per_token * corpus_.tokens() + bytes_per_document * corpus_.documents() +
                             2 * words_.memory() + stop_words_.memory() + name_bytes_ + left_out_.memory();
  if (!memory_.set(bytes)) {
    memory_.limit().refuse(lines_.origin(), lines_.line_number(), corpus_.tokens(), corpus_.documents());
  }
}

void TokenCorpus::require_room_for_token(std::string_view text) const {
  if (text.size() <= Tokenizer::long_word || memory_.limit().holds(Tokenizer::memory_for(text.size()))) return;
  memory_.limit().refuse(lines_.origin(), lines_.line_number(), fmt::format("a word of {} bytes", text.size()));
}

void TokenCorpus::leave_out(const TokenTally& left_out) { left_out_.add(left_out); }

Corpus TokenCorpus::make_corpus(const char* format, ReadReport& report) && {
  corpus_.vocabulary = words_.take_words();
  report.tokens_read = tokens_read_;
  report.stop_words_dropped = tokens_read_ - corpus_.tokens();
  left_out_.tell(report.left_out);
  report.unspaced_tokens = left_out_.unspaced;
  report.left_out[LeftOutReason::stop_word] =
      pick_words(stop_words_.words(), stop_word_counts_, [&](std::size_t w) { return stop_word_counts_[w] > 0; });
  Corpus corpus = keep_words(std::move(corpus_), options_, &report.left_out);
  complete_report(corpus, format, report);
  return corpus;
}

}  // namespace papilio::lda
