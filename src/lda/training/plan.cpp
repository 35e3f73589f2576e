#include "lda/training/plan.h"

#include <algorithm>
#include <limits>

#include "base/check.h"
#include "lda/model/options.h"
#include "lda/model/state.h"

namespace papilio::lda {
namespace {

using base::require;

constexpr std::int64_t most_counted_by_floats = (std::int64_t{1} << 24) - 1;

Order order_of(const TrainOptions& options) {
  const Recipe recipe = recipe_of(options.sampler);
  if (recipe.phi == Parameter::integrated_out) {
    return options.schedule == Schedule::sequential ? Order::token_by_token : Order::all_at_once;
  }
  // Given phi, documents are independent.
  return recipe.theta == Parameter::integrated_out && recipe.phi == Parameter::drawn ? Order::by_document
                                                                                     : Order::all_at_once;
}

// use(document, tokens) for each document.
template <class Use>
void for_each_document(const CorpusView& corpus, Use use) {
  for (std::size_t d = 1; d < corpus.document_offsets.size(); ++d) {
    use(d - 1, corpus.document_offsets[d] - corpus.document_offsets[d - 1]);
  }
}

// On a GPU, tokens that are drawn all at once are numbered within ranges of documents.
bool numbers_in_ranges(const TrainOptions& options, Order order) {
  return !options.device.is_cpu() && order == Order::all_at_once;
}

void require_sparse(const CorpusView& corpus, Order order) {
  require(corpus.tokens() <= most_sparse_tokens && corpus.documents() <= most_sparse_tokens,
          "papilio::train: sparse draws number tokens and documents with 32 bits; the corpus has {} tokens and {} "
          "documents, expected at most {} each",
          corpus.tokens(), corpus.documents(), most_sparse_tokens);
  if (order != Order::by_document) return;
  for_each_document(corpus, [](std::size_t document, std::int64_t tokens) {
    require(tokens <= most_counted_by_floats,
            "papilio::train: sparse draws of theta_collapsed count a document's tokens in floats; document {} has "
            "{} tokens, expected at most {}",
            document, tokens, most_counted_by_floats);
  });
}

// The last bits of one method's table depend on a row's position among those that are drawn with it. They are the same
// on every device only if one token is drawn at a time.
void require_same_anywhere(const TrainOptions& options, Order order) {
  require(!choice_of(options.method).depends_on_position || order == Order::token_by_token,
          "papilio::train: on {} the method {} would not give the model of the CPU, because its roundings depend "
          "on a token's place among those that are drawn together; butterfly_swap has the same table without that",
          options.device.name(), name(options.method));
}

// On a GPU, a document whose tokens are drawn one after the other is one item.
void require_short_documents(const CorpusView& corpus) {
  for_each_document(corpus, [](std::size_t document, std::int64_t tokens) {
    require(tokens <= std::numeric_limits<std::int32_t>::max(),
            "papilio::train: document {} has {} tokens, expected at most 2^31 - 1 for the sampler {} on a GPU",
            document, tokens, name(Sampler::theta_collapsed));
  });
}

}  // namespace

Plan::Plan(const CorpusView& corpus, const TrainOptions& options)
    : recipe(recipe_of(options.sampler)),
      order(order_of(options)),
      is_sparse(draws_sparsely(options, corpus.tokens())),
      by_alias(options.draws == Draws::alias),
      removes(order == Order::all_at_once && recipe.phi == Parameter::integrated_out && options.topics > 1),
      by_slots(options.method == PartialSums::slots),
      phi_rows(order == Order::token_by_token ? 1 : corpus.vocabulary_size()) {
  if (is_sparse && !numbers_in_ranges(options, order)) require_sparse(corpus, order);
  if (!options.device.is_cpu()) {
    require_same_anywhere(options, order);
    if (order == Order::by_document) require_short_documents(corpus);
  }
  std::int32_t heaviest = 0;
  for (const SeedWord& seed : options.seed_words) heaviest = std::max(heaviest, seed.weight);
  require_countable(corpus, options.threads, heaviest);
}

}  // namespace papilio::lda
