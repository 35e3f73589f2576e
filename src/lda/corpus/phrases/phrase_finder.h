#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "base/function_ref.h"
#include "lda/corpus/marked_words.h"
#include "papilio/phrases.h"

namespace papilio::lda {

// The words in which phrases are found or joined.
struct PhraseText {
  std::span<const std::string> vocabulary;
  std::span<const std::uint8_t> left_out = {};  // 0: the word stays and may be in phrases; empty: all stay
  MarkedWords words;
  std::int64_t most_followers = 1;  // words after a token that are kept at a time, 4 bytes each
};

// Normalised pointwise mutual information of a pair of neighbours that occurs n_ab times among n tokens, and whose
// words occur n_a and n_b times; 1 <= n_ab <= n_a, n_b < n. In [-1, 1]; exactly 1 if n_ab = n_a = n_b.
double npmi(std::int64_t n_ab, std::int64_t n_a, std::int64_t n_b, std::int64_t n);

// Finds phrases as papilio::find_phrases does, in the order in which the passes find them. Before it keeps more it
// calls hold(bytes), which may throw, with all memory that it keeps for words and phrases, followers aside.
//
// Reads the text about 1 + ceil(tokens / most_followers) times per pass.
std::vector<Phrase> find_phrases(const PhraseText& text, const PhraseOptions& options,
                                 base::FunctionRef<void(std::int64_t)> hold);

}  // namespace papilio::lda
