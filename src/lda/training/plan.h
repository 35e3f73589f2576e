#pragma once

#include <cstdint>

#include "lda/training/recipe.h"
#include "papilio/lda.h"

namespace papilio::lda {

// The order in which a sweep draws tokens: which topics drawn in the same sweep a token's weights depend on.
enum class Order : std::uint8_t {
  all_at_once,     // none
  by_document,     // those of its document
  token_by_token,  // those of the whole corpus
};

// What options and corpus decide about a chain. It is computed once, when the chain starts; sweeps on the CPU and on a
// GPU read it.
struct Plan {
  // Throws InvalidArgument if the device of the options cannot do this with the corpus.
  Plan(const CorpusView& corpus, const TrainOptions& options);

  Recipe recipe;
  Order order;

  // A draw's cost grows with the number of topics in a document (src/lda/training/sparse; token by token,
  // src/lda/training/sequential). Otherwise draws are dense: it grows with the number of all topics.
  bool is_sparse;

  // Metropolis-Hastings steps by alias tables (src/lda/training/alias) take the place of draws.
  bool by_alias;

  // All tokens are drawn at once, from counts of the sweep's start. These include the token itself, which is removed.
  bool removes;

  // Draws are those of PartialSums::slots. Otherwise a warp keeps a table of partial sums.
  bool by_slots;

  // The number of rows of phi that are kept: one per word; token by token, only that of the current word.
  std::int64_t phi_rows;
};

}  // namespace papilio::lda
