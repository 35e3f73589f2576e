#include <fmt/format.h>

#include <chrono>
#include <exception>
#include <memory>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "base/check.h"
#include "lda/corpus/part_of_rank.h"
#include "lda/corpus/verify_corpus.h"
#include "lda/corpus/vocabulary.h"
#include "lda/io/model/corpus_identity.h"
#include "lda/model/options.h"
#include "lda/model/priors.h"
#include "lda/model/state.h"
#include "lda/training/distributed/agreement.h"
#include "lda/training/trainer/held_out_evaluation.h"
#include "lda/training/trainer/saves.h"
#include "lda/training/trainer/start_chain.h"
#include "lda/training/trainer/train_on_devices.h"
#include "papilio/distributed.h"
#include "papilio/lda.h"

namespace papilio {
namespace {

using base::require;
using lda::Clock;
using lda::seconds_since;

// Verifies the words of all documents, or, over ranks with an identity, only those of this rank's documents.
void verify_corpus(const CorpusView& corpus, const TrainOptions& options, const CorpusIdentity* identity) {
  lda::verify_documents(corpus);
  RankDocuments read = {.end_document = corpus.documents(), .end_token = corpus.tokens()};
  if (lda::trains_over_ranks(options) && identity != nullptr) {
    read = documents_of_rank(corpus, options.ranks->rank(), options.ranks->ranks());
  }
  lda::verify_words(corpus, read.first_token, read.end_token, options.threads);
  if (identity != nullptr) lda::require_sizes(*identity, corpus, "train");
}

void require_corpus_to_train_on(const CorpusView& corpus, const TrainOptions& options) {
  lda::require_vocabulary(corpus.vocabulary, "train");
  require(corpus.tokens() > 0, "papilio::train: the corpus has no tokens ({} documents, {} words), nothing to train on",
          corpus.documents(), corpus.vocabulary_size());
  static_cast<void>(lda::seeds_of_options(corpus, options, "train"));
  const std::int64_t most_entries = std::int64_t{1} << 40;
  require(corpus.vocabulary_size() <= most_entries / options.topics,
          "papilio::train: a table of {} words x {} topics is too large, expected at most 2^40 entries",
          corpus.vocabulary_size(), options.topics);
}

void require_resumable(const CorpusView& corpus, const TrainOptions& options, const ChainState& resume) {
  require(0 <= resume.sweep && resume.sweep <= options.sweeps,
          "papilio::train: the topics to resume from are of sweep {}, expected 0 <= sweep <= {}", resume.sweep,
          options.sweeps);
  require(resume.start == Start::uniform || resume.start == Start::progressive,
          "papilio::train: the topics to resume from started as {}, expected uniform or progressive",
          name(resume.start));
  if (lda::trains_over_ranks(options)) {
    const lda::PartOfRank part(corpus, options.ranks->rank(), options.ranks->ranks());
    lda::require_topics(part.view(), resume.z, options.topics, "train");
  } else {
    lda::require_topics(corpus, resume.z, options.topics, "train");
  }
  require(resume.alpha.empty() || std::ssize(resume.alpha) == options.topics,
          "papilio::train: the topics to resume from have {} priors, expected none or one per topic: {}",
          resume.alpha.size(), options.topics);
  for (std::size_t k = 0; k < resume.alpha.size(); ++k) {
    require(lda::is_prior(resume.alpha[k]),
            "papilio::train: alpha of topic {} to resume from is {}, expected 1e-100 to 1e6", k, resume.alpha[k]);
  }
  require(resume.beta == 0 || lda::is_prior(resume.beta),
          "papilio::train: beta to resume from is {}, expected 1e-100 to 1e6, or 0 for that of the options",
          resume.beta);
}

Model model_of(const CorpusView& corpus, const TrainOptions& options, lda::State& state) {
  Model model;
  model.topics = options.topics;
  model.vocabulary.assign(corpus.vocabulary.begin(), corpus.vocabulary.end());
  model.alpha = state.priors.alpha;
  model.beta = state.priors.beta;
  state.seeds.take_from_words(state.n_wk);
  state.seeds.take_from_topics(state.n_k);
  model.seed_words = state.seeds.words();
  model.s_k = state.seeds.s_k();
  model.n_wk = std::move(state.n_wk);
  model.n_k = std::move(state.n_k);
  model.settings = {{"sampler", std::string(name(options.sampler))},
                    {"schedule", std::string(name(options.schedule))},
                    {"seed", std::to_string(options.seed)},
                    {"sweeps", std::to_string(state.sweep)},
                    {"start", std::string(name(state.start))},
                    {"draws", std::string(name(lda::draws_of(options, corpus.tokens())))},
                    {"partial_sums", std::string(name(options.method))},
                    {"alpha", options.topic_alpha.empty() ? fmt::format("{}", options.alpha) : "one per topic"},
                    {"beta", fmt::format("{}", options.beta)},
                    {"optimize_every", std::to_string(options.optimize_every)},
                    {"documents", std::to_string(corpus.documents())},
                    {"tokens", std::to_string(corpus.tokens())}};
  if (options.draws == Draws::alias) model.settings["mh_steps"] = std::to_string(options.mh_steps);
  if (options.optimize_every > 0) model.settings["optimize_after"] = std::to_string(options.optimize_after);
  return model;
}

void require_one_way_to_save(const TrainOptions& options) {
  require(!options.checkpoint || options.checkpoint_writer == nullptr,
          "papilio::train: checkpoint and checkpoint_writer are both given; expected one of them");
}

void require_start(const CorpusView& corpus, const TrainOptions& options, const ChainState* resume) {
  lda::require_options(options, "train");
  lda::require_devices(options);
  require_one_way_to_save(options);
  verify_corpus(corpus, options, options.corpus_identity);
  require_corpus_to_train_on(corpus, options);
  if (resume != nullptr) require_resumable(corpus, options, *resume);
  if (options.held_out) verify_corpus(*options.held_out, options, options.held_out_identity);
  if (lda::trains_over_ranks(options)) lda::require_agreement(corpus, options);
}

// Trains with options that require_start has accepted.
TrainResult train_from(const CorpusView& corpus, const TrainOptions& options, std::optional<ChainState> resume,
                       Clock::time_point start) {
  const auto tokens = static_cast<double>(corpus.tokens());
  const std::unique_ptr<lda::Chain> chain = lda::start_chain(corpus, options, std::move(resume));

  TrainResult result;
  lda::SweepTimer timer(seconds_since(start));
  lda::Saves saves(options, start);
  std::optional<lda::HeldOutEvaluation> held_out;
  if (options.held_out) held_out.emplace(corpus, options);
  bool evaluated = false;
  while (chain->sweeps() < options.sweeps && !result.stopped) {
    timer.sweep(*chain);
    const std::int64_t sweep = chain->sweeps();
    const auto is_due = [&](std::int64_t every) {
      return sweep == options.sweeps || (every > 0 && sweep % every == 0);
    };
    evaluated = is_due(options.evaluate_every);
    if (evaluated) {
      timer.stop(*chain);
      result.log_joint_per_token = chain->log_joint() / tokens;
    }
    const bool scored = held_out && is_due(options.held_out_every);
    if (scored) {
      timer.stop(*chain);
      result.held_out.push_back({sweep, timer.total_seconds(), (*held_out)(*chain)});
    }
    if (options.progress && is_due(options.progress_every)) {
      timer.stop(*chain);
      Progress progress = {.sweep = sweep, .sweeps = options.sweeps};
      progress.tokens_per_second = tokens * timer.take_drawn_per_second();
      progress.share = chain->share();
      progress.seconds = seconds_since(start);
      progress.evaluated = evaluated;
      if (evaluated) progress.log_joint_per_token = result.log_joint_per_token;
      progress.training_seconds = timer.total_seconds();
      progress.held_out_evaluated = scored;
      if (scored) progress.held_out_perplexity = result.held_out.back().completion.perplexity();
      progress.draws = chain->draws();
      result.stopped = !options.progress(progress) && sweep < options.sweeps;
    }
    saves.after_sweep(*chain, timer, result.stopped);
  }
  if (!evaluated) {
    result.log_joint_per_token = chain->log_joint() / tokens;
  }
  lda::State state = chain->take_state();
  result.model = model_of(corpus, options, state);
  result.topics = lda::take_chain_state(state, options);
  saves.finish();
  return result;
}

// If this rank throws, it tells the others.
TrainResult train_with_others(const CorpusView& corpus, const TrainOptions& options, std::optional<ChainState> resume) {
  const Clock::time_point start = Clock::now();
  try {
    require_start(corpus, options, resume ? &*resume : nullptr);
    if (options.devices.size() > 1) {
      return lda::train_on_devices(corpus, options, resume ? &*resume : nullptr,
                                   [&](const TrainOptions& own, std::optional<ChainState> part) {
                                     return train_from(corpus, own, std::move(part), start);
                                   });
    }
    if (options.devices.empty()) return train_from(corpus, options, std::move(resume), start);
    TrainOptions on_one = options;
    on_one.device = options.devices.front();
    return train_from(corpus, on_one, std::move(resume), start);
  } catch (const std::exception& error) {
    if (lda::trains_over_ranks(options)) options.ranks->fail(reason_of(error));
    throw;
  }
}

}  // namespace

TrainResult train(const CorpusView& corpus, const TrainOptions& options, const ChainState* resume) {
  return train_with_others(corpus, options, resume != nullptr ? std::optional<ChainState>(*resume) : std::nullopt);
}

TrainResult train(const CorpusView& corpus, const TrainOptions& options, ChainState&& resume) {
  return train_with_others(corpus, options, std::move(resume));
}

ChainState gather_topics(const ChainState& part, Communicator& ranks) {
  ChainState whole = {.sweep = part.sweep, .z = {}, .alpha = part.alpha, .beta = part.beta, .start = part.start};
  const std::vector<std::vector<std::byte>> parts = ranks.gather(std::as_bytes(std::span(part.z)), 0);
  std::size_t size = 0;
  for (const std::vector<std::byte>& bytes : parts) size += bytes.size() / sizeof(std::int32_t);
  whole.z.reserve(size);
  for (const std::vector<std::byte>& bytes : parts) {
    const auto* topics = reinterpret_cast<const std::int32_t*>(bytes.data());
    whole.z.insert(whole.z.end(), topics, topics + bytes.size() / sizeof(std::int32_t));
  }
  return whole;
}

}  // namespace papilio
