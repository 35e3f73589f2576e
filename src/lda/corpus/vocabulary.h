#pragma once

#include <cstdint>
#include <span>
#include <string>

namespace papilio::lda {

// What is wrong with a vocabulary, whose words must be distinct, not empty, and well-formed UTF-8: "word 3 is empty,
// ...". Empty if nothing is. Words count from 0. Time linear in the bytes; takes 8 to 16 bytes per word for the time
// of the call.
std::string vocabulary_fault(std::span<const std::string> words);

// Throws InvalidArgument, "papilio::caller: ...", where something is.
void require_vocabulary(std::span<const std::string> words, const char* caller);

// Throws InvalidArgument likewise, unless there is a count for each word, 0 or more, and all together are below 2^63.
void require_word_counts(std::span<const std::string> words, std::span<const std::int64_t> counts, const char* caller);

}  // namespace papilio::lda
