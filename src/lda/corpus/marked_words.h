#pragma once

#include <cstdint>
#include <span>

#include "base/function_ref.h"

namespace papilio::lda {

// Words on the way from text into a corpus, with marks. Two words are neighbours if nothing but white space, with at
// most one line end, stands between them in the text. A word that is not a neighbour of the word before it, such as the
// first of a document, is marked: it is stored as the complement of its number.
constexpr std::int32_t marked(std::int32_t word) { return ~word; }
constexpr bool is_marked(std::int32_t word) { return word < 0; }
constexpr std::int32_t unmarked(std::int32_t word) { return word < 0 ? ~word : word; }

// Passes all words of a corpus, in order and block by block, to the function it is given. Can be called more than once.
using MarkedWords = base::FunctionRef<void(base::FunctionRef<void(std::span<const std::int32_t>)>)>;

}  // namespace papilio::lda
