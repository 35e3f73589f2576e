#include "lda/training/trainer/held_out_evaluation.h"

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/check.h"
#include "execution/ranks/collectives.h"
#include "lda/evaluation/document_completion.h"
#include "lda/model/checked_on_threads.h"
#include "lda/model/options.h"
#include "lda/model/priors.h"
#include "lda/model/state.h"
#include "papilio/distributed.h"
#include "papilio/primitives.h"

namespace papilio::lda {

HeldOutEvaluation::HeldOutEvaluation(const CorpusView& corpus, const TrainOptions& options)
    : corpus_(corpus), options_(options), own_(*options.held_out) {
  if (ranks() != nullptr) own_ = part_.emplace(own_, ranks()->rank(), ranks()->ranks()).view();
  model_.topics = options.topics;
  model_.vocabulary.assign(corpus.vocabulary.begin(), corpus.vocabulary.end());
  const Seeds seeds = seeds_of_options(corpus, options, "train");
  model_.seed_words = seeds.words();
  model_.s_k = seeds.s_k();
  take_occurrences();
  map_ = map_words(model_, own_, options.threads);
  std::int64_t sums[] = {map_.unknown_tokens, documents_to_score(own_, map_)};
  if (ranks() != nullptr) ranks()->add_up(sums);
  map_.unknown_tokens = sums[0];
  base::require(sums[1] > 0, "papilio::train: no held-out document has two words of the training corpus ({} documents)",
                options.held_out->documents());
}

Communicator* HeldOutEvaluation::ranks() const { return trains_over_ranks(options_) ? options_.ranks : nullptr; }

// Which words are counted does not depend on the topics, so all tokens are given the first one. Over ranks the caller
// has checked that no word occurs too often.
void HeldOutEvaluation::take_occurrences() {
  const Priors priors = priors_of(options_);
  model_.alpha = priors.alpha;
  model_.beta = priors.beta;
  const auto topics = static_cast<std::size_t>(options_.topics);
  const std::vector<std::int64_t> occurrences = occurrences_of_words();
  model_.n_wk.assign(occurrences.size() * topics, 0);
  for (std::size_t w = 0; w < occurrences.size(); ++w) {
    model_.n_wk[w * topics] = static_cast<std::int32_t>(occurrences[w]);
  }
  model_.n_k.assign(topics, 0);
  model_.n_k.front() = corpus_.tokens();
}

std::vector<std::int64_t> HeldOutEvaluation::occurrences_of_words() const {
  std::vector<std::int64_t> occurrences(static_cast<std::size_t>(corpus_.vocabulary_size()));
  const RankDocuments own = ranks() != nullptr ? documents_of_rank(corpus_, ranks()->rank(), ranks()->ranks())
                                               : documents_of_rank(corpus_, 0, 1);
  const auto words =
      corpus_.words.subspan(static_cast<std::size_t>(own.first_token), static_cast<std::size_t>(own.tokens()));
  histogram(words, VectorView<std::int64_t>(occurrences), options_.threads);
  if (ranks() != nullptr) ranks()->add_up(occurrences);
  return occurrences;
}

Completion HeldOutEvaluation::operator()(Chain& chain) {
  if (std::optional<Completion> completion = chain.complete(*options_.held_out, map_)) return *completion;
  if (const State* state = chain.counted_state()) {
    take_counts(*state);
    return complete_over_ranks();
  }
  chain.show_state([this](const ChainState& state) { take_counts(state); });
  return complete_documents(model_, *options_.held_out, map_, {.threads = options_.threads});
}

void HeldOutEvaluation::take_counts(const State& state) {
  model_.alpha = state.priors.alpha;
  model_.beta = state.priors.beta;
  model_.n_wk = state.n_wk;
  model_.n_k = state.n_k;
  state.seeds.take_from_words(model_.n_wk);
  state.seeds.take_from_topics(model_.n_k);
}

Completion HeldOutEvaluation::complete_over_ranks() const {
  std::vector<std::int64_t> lengths(static_cast<std::size_t>(own_.documents()));
  std::vector<double> scores(lengths.size());
  score_documents(model_, own_, map_, {.threads = options_.threads}, 0, own_.documents(), lengths, scores);
  return completion_of(execution::join_everywhere(*ranks(), std::span<const std::int64_t>(lengths)),
                       execution::join_everywhere(*ranks(), std::span<const double>(scores)), map_);
}

void HeldOutEvaluation::take_counts(const ChainState& state) {
  const Priors priors = priors_of(options_, &state);
  model_.alpha = priors.alpha;
  model_.beta = priors.beta;
  count_words(corpus_, state.z, options_.topics, options_.threads, model_.n_wk);
  model_.n_k.assign(static_cast<std::size_t>(options_.topics), 0);
  histogram(state.z, VectorView<std::int64_t>(model_.n_k), options_.threads);
}

}  // namespace papilio::lda
