#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "lda/io/bytes/memory_limit.h"
#include "lda/io/bytes/origin.h"
#include "papilio/corpus.h"

namespace papilio::lda {

// Reads distinct words in UTF-8, one per line, none of them empty; `memory` counts what they take. Throws IoError, and
// FormatError with the line of the first word that is not so.
std::vector<std::string> read_vocabulary(const Origin& origin, const TextOptions& options, MemoryShare& memory);

// The same; also throws FormatError unless there are `expected`
// words. That number is at `where` ("line 2 of docword.txt: W").
std::vector<std::string> read_vocabulary(const Origin& origin, const TextOptions& options, MemoryShare& memory,
                                         std::int64_t expected, const std::string& where);

// `count` words named by their numbers: "first", "first + 1", ...
std::vector<std::string> numbers_as_words(std::int64_t first, std::int64_t count);

inline constexpr std::int64_t bytes_per_number = 2 * sizeof(std::string);  // of memory, for a word named by its number

// Throws InvalidArgument for words that read_vocabulary would not read back unchanged.
void require_writable(std::span<const std::string> vocabulary, const char* caller);

}  // namespace papilio::lda
