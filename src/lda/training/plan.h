#pragma once

#include <cstdint>

#include "lda/training/recipe.h"
#include "papilio/lda.h"

namespace papilio::lda {

// The order in which a sweep draws tokens: which topics of the same sweep a token's weights follow.
enum class Order : std::uint8_t {
  all_at_once,     // none
  by_document,     // those of its document
  token_by_token,  // those of the whole corpus
};

// What options and corpus decide about a chain: computed once when it starts, read by its sweep, on the CPU as on a
// GPU.
struct Plan {
  // Throws InvalidArgument for what the device of the options cannot do with the corpus.
  Plan(const CorpusView& corpus, const TrainOptions& options);

  Recipe recipe;
  Order order;

  // Draws cost what a document's topics do (src/lda/training/sparse; token by token, src/lda/training/sequential), or
  // what all topics do (dense).
  bool is_sparse;

  // Steps by alias tables (src/lda/training/alias) take the place of draws.
  bool by_alias;

  // All tokens are drawn at once, by counts of the sweep's start that hold the token itself, which has to leave them.
  bool removes;

  // The draws are those of PartialSums::slots; else a warp keeps a table of partial sums.
  bool by_slots;

  // Rows of phi that are kept: one per word; token by token that of the word in hand.
  std::int64_t phi_rows;
};

}  // namespace papilio::lda
