#include "lda/training/alias/sweep_cpu.h"

#include <algorithm>
#include <atomic>
#include <utility>
#include <vector>

#include "execution/cpu/parallel_for.h"
#include "lda/model/shared_counts.h"
#include "lda/training/alias/acceptance.h"
#include "lda/training/alias/proposals.h"
#include "lda/training/alias/words_cpu.h"
#include "lda/training/memory/scratch_pool.h"

namespace papilio::lda {
namespace {

constexpr std::int64_t documents_per_part = 16;
constexpr std::int64_t tokens_per_batch = 64;  // whose tables are prefetched together
constexpr std::int64_t tokens_per_part = 4096;

bool is_by_word(int step) { return step % 2 == 0; }

// A step: first where its proposal comes from, then the proposal.
struct Step {
  double place;
  double uniform;           // decides on acceptance
  std::int64_t token = -1;  // the token whose topic is proposed; -1: `topic` is proposed
  std::int32_t topic = -1;  // -1: none
};

struct Moves {
  std::int64_t by_word = 0;
  std::int64_t by_document = 0;
};

template <class Words>
class AliasSweep final : public CpuSweep {
 public:
  AliasSweep(const CorpusView& corpus, const TrainOptions& options, Order order)
      : corpus_(corpus),
        seed_(options.seed),
        threads_(options.threads),
        steps_(options.mh_steps),
        in_turn_(order == Order::by_document),
        words_(corpus, options),
        prior_(options.topics),
        drawn_(in_turn_ ? 0 : corpus.words.size()),
        scratch_(options.threads, [options] { return std::make_unique<Scratch>(options.topics, options.mh_steps); }) {}

  void run(State& state) override {
    words_.build(state);
    prior_.build([&](std::size_t k) { return state.priors.alpha[k]; });
    std::atomic<std::int64_t> by_word = 0;
    std::atomic<std::int64_t> by_document = 0;
    execution::parallel_for(corpus_.documents(), documents_per_part, threads_,
                            [&](std::int64_t begin, std::int64_t end) {
                              typename ScratchPool<Scratch>::Loan scratch(scratch_);
                              Moves moves;
                              for (std::int64_t d = begin; d < end; ++d) draw_document(state, d, *scratch, moves);
                              by_word += moves.by_word;
                              by_document += moves.by_document;
                            });
    if constexpr (Words::removes) take_drawn(state);
    state.count_topics(threads_);
    const double proposals = static_cast<double>(corpus_.tokens());
    const int of_word = (steps_ + 1) / 2;
    const int of_document = steps_ / 2;
    draws_ = {.alias = true,
              .word_moves = static_cast<double>(by_word) / (proposals * of_word),
              .document_moves = of_document == 0 ? 0 : static_cast<double>(by_document) / (proposals * of_document)};
  }

  // Gives the state n_wk; its z and n_k are up to date.
  void settle(State& state) override {
    if constexpr (Words::removes) {
      if (!std::exchange(moved_, false)) return;
      words_.give_counts(state);
    }
  }

  SweepDraws draws() const override { return draws_; }

 private:
  struct Scratch {
    Scratch(std::int32_t topics, int steps_per_token)
        : n_dk(static_cast<std::size_t>(topics)), steps(static_cast<std::size_t>(tokens_per_batch * steps_per_token)) {}
    std::vector<std::int32_t> n_dk;  // of one document, all 0 between documents
    std::vector<Step> steps;         // of one batch
  };

  struct Document {
    std::int64_t begin;
    std::int64_t end;
    std::int64_t others() const { return end - begin - 1; }
  };

  std::int32_t word(std::int64_t token) const { return corpus_.words[static_cast<std::size_t>(token)]; }

  void draw_document(State& state, std::int64_t d, Scratch& scratch, Moves& moves) {
    const Document document = {corpus_.document_offsets[static_cast<std::size_t>(d)],
                               corpus_.document_offsets[static_cast<std::size_t>(d) + 1]};
    const std::int32_t* z = state.z.data();
    for (std::int64_t i = document.begin; i < document.end; ++i) ++scratch.n_dk[static_cast<std::size_t>(z[i])];
    for (std::int64_t first = document.begin; first < document.end; first += tokens_per_batch) {
      const std::int64_t behind = std::min(first + tokens_per_batch, document.end);
      draw_numbers(state, document, first, behind, scratch);
      propose(state, document, first, behind, scratch);
      move(state, first, behind, scratch, moves);
    }
    for (std::int64_t i = document.begin; i < document.end; ++i) scratch.n_dk[static_cast<std::size_t>(z[i])] = 0;
  }

  void draw_numbers(const State& state, const Document& document, std::int64_t first, std::int64_t behind,
                    Scratch& scratch) const {
    const ProposalBlocks blocks(seed_, state.sweep, state.place.token);
    const double mass_of_document = static_cast<double>(document.others()) + prior_.sum();
    Step* step = scratch.steps.data();
    for (std::int64_t i = first; i < behind; ++i) {
      const std::int32_t w = word(i);
      const double mass_of_word = words_.mass(w);
      for (int s = 0; s < steps_; ++s, ++step) {
        const random::Block block = blocks(i, s);
        const double u = random::uniform53(block.word[0], block.word[1]);
        *step = {.place = u * (is_by_word(s) ? mass_of_word : mass_of_document),
                 .uniform = random::uniform53(block.word[2], block.word[3])};
        if (is_by_word(s)) words_.prefetch_topic(w, step->place);
      }
    }
  }

  // Proposals depend on no topic that changes meanwhile: one that comes from another token keeps that token's number.
  void propose(const State& state, const Document& document, std::int64_t first, std::int64_t behind,
               Scratch& scratch) const {
    const ProposalBlocks blocks(seed_, state.sweep, state.place.token);
    Step* step = scratch.steps.data();
    for (std::int64_t i = first; i < behind; ++i) {
      const std::int32_t w = word(i);
      const std::int32_t own = state.z[static_cast<std::size_t>(i)];
      words_.prefetch_weight(w, own);
      for (int s = 0; s < steps_; ++s, ++step) {
        if (is_by_word(s)) {
          // The drawn weights of a word can all lie below the range of float.
          if (words_.mass(w) > 0) step->topic = proposal_of_word(words_, blocks, i, s, w, own, step->place);
        } else {
          const DocumentProposal proposal(step->place, document.begin, i, document.others(), prior_);
          step->token = proposal.token;
          step->topic = proposal.topic;
        }
        const std::int32_t k = step->token < 0 ? step->topic : state.z[static_cast<std::size_t>(step->token)];
        if (k >= 0) words_.prefetch_weight(w, k);
      }
    }
  }

  void move(State& state, std::int64_t first, std::int64_t behind, Scratch& scratch, Moves& moves) {
    CountMove changes[tokens_per_batch];
    std::int64_t count = 0;
    const Step* step = scratch.steps.data();
    for (std::int64_t i = first; i < behind; ++i, step += steps_) {
      const auto token = static_cast<std::size_t>(i);
      const std::int32_t own = state.z[token];
      --scratch.n_dk[static_cast<std::size_t>(own)];
      const std::int32_t k = topic_after_steps(state, word(i), own, step, scratch.n_dk, moves);
      if (in_turn_) {
        ++scratch.n_dk[static_cast<std::size_t>(k)];
        if (k == own) continue;
        std::int32_t* n_w = state.n_wk.data() + std::int64_t{word(i)} * state.topics;
        changes[count] = {n_w + own, n_w + k};
        changes[count++].prefetch();
        state.z[token] = k;
      } else {
        ++scratch.n_dk[static_cast<std::size_t>(own)];
        drawn_[token] = k;
      }
    }
    std::for_each(changes, changes + count, [](const CountMove& change) { change.add(); });
  }

  // n_dk leaves the token out.
  std::int32_t topic_after_steps(const State& state, std::int32_t w, std::int32_t own, const Step* step,
                                 const std::vector<std::int32_t>& n_dk, Moves& moves) const {
    const auto of_document = [&](std::int32_t k) {
      return n_dk[static_cast<std::size_t>(k)] + state.priors.alpha[static_cast<std::size_t>(k)];
    };
    std::int32_t topic = own;
    for (int s = 0; s < steps_; ++s, ++step) {
      const std::int32_t k = step->token < 0 ? step->topic : state.z[static_cast<std::size_t>(step->token)];
      if (k == topic || k < 0) continue;
      if (is_by_word(s)) {
        if (!accepts(step->uniform, of_document(topic), of_document(k))) continue;
        ++moves.by_word;
      } else {
        if (!accepts(step->uniform, words_.weight(w, topic, own), words_.weight(w, k, own))) continue;
        ++moves.by_document;
      }
      topic = k;
    }
    return topic;
  }

  // Brings z and the words' counts up to date with what all tokens have drawn.
  void take_drawn(State& state) {
    moved_ = true;
    execution::parallel_for(std::ssize(drawn_), tokens_per_part, threads_, [&](std::int64_t begin, std::int64_t end) {
      CountMove changes[tokens_per_batch];
      for (std::int64_t first = begin; first < end; first += tokens_per_batch) {
        std::int64_t count = 0;
        for (std::int64_t i = first; i < std::min(first + tokens_per_batch, end); ++i) {
          const auto token = static_cast<std::size_t>(i);
          const std::int32_t old = std::exchange(state.z[token], drawn_[token]);
          if (old == drawn_[token]) continue;
          std::int32_t* n_w = words_.counts(word(i));
          changes[count] = {n_w + old, n_w + drawn_[token]};
          changes[count++].prefetch();
        }
        std::for_each(changes, changes + count, [](const CountMove& change) { change.add(); });
      }
    });
  }

  const CorpusView corpus_;
  const std::uint64_t seed_;
  const int threads_;
  const int steps_;
  const bool in_turn_;  // a token sees the new topics of its document's earlier tokens
  Words words_;
  TopicAlias prior_;                 // of alpha
  std::vector<std::int32_t> drawn_;  // N topics after the sweep; empty if in_turn_
  ScratchPool<Scratch> scratch_;
  bool moved_ = false;  // a sweep has run since the state was given n_wk
  SweepDraws draws_;
};

}  // namespace

std::unique_ptr<CpuSweep> make_alias_sweep(const CorpusView& corpus, const TrainOptions& options, const Plan& plan) {
  if (plan.recipe.phi == Parameter::drawn) {
    return std::make_unique<AliasSweep<WordsByPhi>>(corpus, options, plan.order);
  }
  return std::make_unique<AliasSweep<WordsByCounts>>(corpus, options, plan.order);
}

}  // namespace papilio::lda
