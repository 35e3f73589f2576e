#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "papilio/corpus.h"
#include "papilio/phrases.h"

namespace papilio::lda {

// The most words that a phrase has, found or listed.
inline constexpr int most_phrase_words = 16;

// How many words a spelling joins: 1 for a word without the delimiter; 0 where a part is empty or there are more than
// most_phrase_words, which no phrase has.
int count_parts(std::string_view spelling, std::string_view delimiter);

// The parts of a spelling between delimiters.
std::vector<std::string_view> split_at(std::string_view spelling, std::string_view delimiter);

// The phrases of a list as they are joined, in NFC and case-folded as words are; each once. Throws InvalidArgument
// naming the first that does not have 2 to most_phrase_words words.
std::vector<std::string> spell_phrases(const TextOptions& options, const char* caller);

// Throws InvalidArgument naming the first option of phrases that is out of range.
void require_phrase_options(const TextOptions& options, const char* caller);

// Throws InvalidArgument if options ask for phrases of what is not a text; `what` says what it is.
void require_no_phrases(const TextOptions& options, const char* caller, std::string_view what);

}  // namespace papilio::lda
