#pragma once

#include <cstdint>
#include <span>

#include "base/function_ref.h"

namespace papilio::lda {

// Words on the way from text into a corpus, with marks. Two words are neighbours where nothing but white space, with
// one line end at most, stands between them in the text. A word that is not its predecessor's neighbour, such as the
// first of a document, is marked: it is the complement of its number.
constexpr std::int32_t marked(std::int32_t word) { return ~word; }
constexpr bool is_marked(std::int32_t word) { return word < 0; }
constexpr std::int32_t unmarked(std::int32_t word) { return word < 0 ? ~word : word; }

// Gives all words of a corpus in order, block by block, to what it is called with. Can be called more than once.
using MarkedWords = base::FunctionRef<void(base::FunctionRef<void(std::span<const std::int32_t>)>)>;

}  // namespace papilio::lda
