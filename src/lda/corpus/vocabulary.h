#pragma once

#include <cstdint>
#include <span>
#include <string>

namespace papilio::lda {

// What is wrong with a vocabulary, whose words must be distinct, not empty, and
// well-formed UTF-8: "word 3 is empty, ...". Empty if nothing is. Words are numbered
// from 0. Time is linear in the bytes; takes 8 to 16 bytes per word during the call.
std::string vocabulary_fault(std::span<const std::string> words);

// Throws InvalidArgument, "papilio::caller: ...", if something is wrong.
void require_vocabulary(std::span<const std::string> words, const char* caller);

// Throws InvalidArgument likewise, unless each word has a count, 0 or more, and their sum is below 2^63.
void require_word_counts(std::span<const std::string> words, std::span<const std::int64_t> counts, const char* caller);

}  // namespace papilio::lda
