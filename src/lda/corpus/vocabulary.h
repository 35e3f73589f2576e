#pragma once

#include <span>
#include <string>

namespace papilio::lda {

// What is wrong with a vocabulary, whose words must be distinct, not empty, and well-formed UTF-8: "word 3 is empty,
// ...". Empty where nothing is. Words count from 0. Time linear in the bytes; takes 8 to 16 bytes per word for the time
// of the call.
std::string vocabulary_fault(std::span<const std::string> words);

// Throws InvalidArgument, "papilio::caller: ...", where something is.
void require_vocabulary(std::span<const std::string> words, const char* caller);

}  // namespace papilio::lda
