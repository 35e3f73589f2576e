#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "papilio/corpus.h"
#include "papilio/phrases.h"

namespace papilio::lda {

// The largest number of words in a phrase, found or listed.
inline constexpr int most_phrase_words = 16;

// How many words a spelling joins: 1 if it does not contain the delimiter; 0 if a part is empty or there are more than
// most_phrase_words parts, as in no phrase.
int count_parts(std::string_view spelling, std::string_view delimiter);

// The parts of a spelling between delimiters.
std::vector<std::string_view> split_at(std::string_view spelling, std::string_view delimiter);

// The phrases of a list as they are joined, in NFC and case-folded as words are, each once. Throws InvalidArgument
// naming the first that does not have 2 to most_phrase_words words.
std::vector<std::string> spell_phrases(const TextOptions& options, const char* caller);

// Throws InvalidArgument naming the first phrase option that is out of range.
void require_phrase_options(const TextOptions& options, const char* caller);

// Throws InvalidArgument if options ask for phrases of something that is not a text; `what` says what it is.
void require_no_phrases(const TextOptions& options, const char* caller, std::string_view what);

}  // namespace papilio::lda
