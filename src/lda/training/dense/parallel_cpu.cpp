#include "lda/training/dense/parallel_cpu.h"

#include <algorithm>
#include <memory>
#include <optional>

#include "execution/cpu/parallel_for.h"
#include "lda/model/shared_counts.h"
#include "random/philox.h"
#include "random/purpose.h"
#include "random/uniform.h"

namespace papilio::lda {
namespace {

constexpr std::int64_t theta_floats = std::int64_t{32} * 1024;  // per block of documents: half of a typical L2 cache
constexpr std::int64_t most_documents = 256;                    // per block
constexpr std::int64_t tokens_per_batch = sampling::ProductDraws::most_rows;

}  // namespace

ParallelSweep::ParallelSweep(const CorpusView& corpus, const TrainOptions& options, const Plan& plan)
    : corpus_(corpus),
      plan_(plan),
      seed_(options.seed),
      threads_(options.threads),
      phi_(corpus.vocabulary_size(), options.topics, options.threads),
      documents_per_block_(
          std::clamp<std::int64_t>(theta_floats / options.topics, 1, std::min(most_documents, corpus.documents()))),
      scratch_(options.threads,
               [this, options] { return std::make_unique<Scratch>(corpus_, options, documents_per_block_); }) {}

// Draws a block of documents.
class ParallelSweep::Block {
 public:
  Block(const ParallelSweep& sweep, State& state, Scratch& scratch)
      : corpus_(sweep.corpus_),
        seed_(sweep.seed_),
        first_stream_(random::stream(random::Purpose::topics, static_cast<std::uint32_t>(state.sweep))),
        second_stream_(random::stream(random::Purpose::topics_again, static_cast<std::uint32_t>(state.sweep))),
        first_token_(state.place.token),
        removes_(sweep.plan_.removes),
        remainder_(sweep.phi_, state.priors, sweep.plan_.recipe),
        state_(state),
        phi_(sweep.phi_),
        scratch_(scratch) {}

  // theta has been made from the documents' old topics, so new topics may overwrite them.
  void draw(std::int64_t first_document, std::int64_t end_document) {
    const auto& offsets = corpus_.document_offsets;
    const std::int64_t end = offsets[static_cast<std::size_t>(end_document)];
    std::int64_t document = first_document;
    for (std::int64_t first = offsets[static_cast<std::size_t>(first_document)]; first < end;) {
      const std::int64_t behind = std::min(first + tokens_per_batch, end);
      for (std::int64_t i = first; i < behind; ++i) {
        while (i >= offsets[static_cast<std::size_t>(document) + 1]) ++document;
        const auto at = static_cast<std::size_t>(i - first);
        theta_[at] = scratch_.theta.row(document);
        scratch_.first.add(theta_[at], phi_.row(word(i)), static_cast<std::uint64_t>(first_token_ + i));
      }
      scratch_.first.draw(seed_, first_stream_);
      take(first, behind);
      first = behind;
    }
    draw_again();
  }

 private:
  std::int32_t word(std::int64_t token) const { return corpus_.words[static_cast<std::size_t>(token)]; }
  std::int32_t& topic(std::int64_t token) { return state_.z[static_cast<std::size_t>(token)]; }

  // Takes the results of the first draws of tokens [first, end).
  void take(std::int64_t first, std::int64_t end) {
    std::int64_t moves = 0;
    for (std::int64_t i = first; i < end; ++i) {
      const auto k = static_cast<std::int32_t>(scratch_.first.drawn(i - first));
      if (k == topic(i)) {
        if (removes_) accept_or_refuse(i, theta_[static_cast<std::size_t>(i - first)], k);
      } else if (k >= 0) {
        moves_[static_cast<std::size_t>(moves)] = move(i, k);
        moves_[static_cast<std::size_t>(moves++)].prefetch();
      }
    }
    std::for_each(moves_, moves_ + moves, [](const CountMove& m) { m.add(); });
  }

  void accept_or_refuse(std::int64_t token, const float* theta, std::int32_t k) {
    const double r = remainder_(theta, word(token), k);
    // The draw has used the first two words of its block; these are the others.
    const random::Block block =
        random::draw_block(seed_, first_stream_, static_cast<std::uint64_t>(first_token_ + token));
    if (random::uniform53(block.word[2], block.word[3]) < r) return;
    if (scratch_.second.full()) draw_again();
    scratch_.second.add(first_token_ + token, theta, phi_.row(word(token)), k, r);
  }

  void draw_again() {
    scratch_.second.draw(seed_, second_stream_, [&](std::int64_t number, std::int32_t k) {
      const std::int64_t token = number - first_token_;
      if (k != topic(token)) move(token, k).add();
    });
  }

  CountMove move(std::int64_t token, std::int32_t k) {
    std::int32_t* n_w = state_.n_wk.data() + std::int64_t{word(token)} * state_.topics;
    const CountMove move = {n_w + topic(token), n_w + k};
    topic(token) = k;
    return move;
  }

  const CorpusView& corpus_;
  const std::uint64_t seed_;
  const std::uint64_t first_stream_;
  const std::uint64_t second_stream_;
  const std::int64_t first_token_;
  const bool removes_;
  const Remainder remainder_;
  State& state_;
  const PhiTable& phi_;
  Scratch& scratch_;
  const float* theta_[tokens_per_batch];  // the row of each token of a batch
  CountMove moves_[tokens_per_batch];
};

void ParallelSweep::run(State& state) {
  if (plan_.recipe.phi == Parameter::drawn) {
    phi_.draw(state, seed_);
  } else {
    phi_.estimate(state);
  }
  draw_z(state);
  state.count_topics(threads_);
}

// Updates n_wk together with z, but not n_k.
void ParallelSweep::draw_z(State& state) {
  std::optional<sampling::GammaPrior> alpha;
  if (plan_.recipe.theta == Parameter::drawn) alpha.emplace(state.priors.alpha);
  execution::parallel_for(corpus_.documents(), documents_per_block_, threads_,
                          [&](std::int64_t begin, std::int64_t end) {
                            typename ScratchPool<Scratch>::Loan scratch(scratch_);
                            Block block(*this, state, *scratch);
                            for (std::int64_t d = begin; d < end; d += documents_per_block_) {
                              const std::int64_t behind = std::min(d + documents_per_block_, end);
                              if (alpha) {
                                (*scratch).theta.draw(state, d, behind, *alpha, seed_);
                              } else {
                                (*scratch).theta.estimate(state, d, behind);
                              }
                              block.draw(d, behind);
                            }
                          });
}

}  // namespace papilio::lda
