#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/function_ref.h"
#include "lda/corpus/phrases/phrase_finder.h"
#include "lda/corpus/phrases/phrase_matcher.h"

namespace papilio::lda {

// Whether a word stays, or why it is left out.
enum class WordFate : std::uint8_t { stays, stop_word, too_short };

// The result of joining.
struct JoinedWords {
  std::vector<std::string> vocabulary;  // in order of first occurrence in the joined text
  std::int64_t phrases = 0;             // distinct phrases that stay
  std::int64_t tokens_read = 0;         // without words that are too short, unless they are in a phrase
  std::int64_t tokens_joined = 0;       // words in phrases, less one per phrase
  std::vector<std::int64_t> left_out;   // tokens left out of each word of the text, then of each phrase
};

// Joins the phrases in documents, then leaves words out: those of text.left_out, and phrases for which
// leaves_out(phrase) says so. Calls append(words) with the rest, numbered by first occurrence, and end_document() at
// the end of each document. Reads the text once.
JoinedWords join_words(const PhraseText& text, std::span<const std::int64_t> document_offsets,
                       const PhraseMatcher& matcher, base::FunctionRef<void(std::span<const std::int32_t>)> append,
                       base::FunctionRef<void()> end_document,
                       base::FunctionRef<WordFate(std::string_view)> leaves_out);

}  // namespace papilio::lda
