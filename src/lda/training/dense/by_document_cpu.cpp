#include "lda/training/dense/by_document_cpu.h"

#include <algorithm>
#include <memory>

#include "execution/cpu/parallel_for.h"
#include "lda/model/shared_counts.h"
#include "lda/training/parameters/estimates.h"
#include "random/purpose.h"

namespace papilio::lda {
namespace {

constexpr std::int64_t count_floats = std::int64_t{32} * 1024;  // per block of documents: half of a typical L2 cache
constexpr std::int64_t least_documents = 16;                    // as many as the widest warp has lanes
constexpr std::int64_t most_documents = sampling::ProductDraws::most_rows;

}  // namespace

ByDocumentSweep::Scratch::Scratch(const TrainOptions& options, std::int64_t most)
    : theta(most, options.topics),
      n_dk(static_cast<std::size_t>(most * options.topics)),
      draws(options.topics, options.method) {
  documents.reserve(static_cast<std::size_t>(most));
}

ByDocumentSweep::ByDocumentSweep(const CorpusView& corpus, const TrainOptions& options)
    : corpus_(corpus),
      seed_(options.seed),
      threads_(options.threads),
      documents_per_block_(
          std::min(std::clamp(count_floats / options.topics, least_documents, most_documents), corpus.documents())),
      phi_(corpus.vocabulary_size(), options.topics, options.threads),
      scratch_(options.threads, [this, options] { return std::make_unique<Scratch>(options, documents_per_block_); }) {}

void ByDocumentSweep::run(State& state) {
  phi_.draw(state, seed_);
  execution::parallel_for(corpus_.documents(), documents_per_block_, threads_,
                          [&](std::int64_t begin, std::int64_t end) {
                            typename ScratchPool<Scratch>::Loan scratch(scratch_);
                            for (std::int64_t d = begin; d < end; d += documents_per_block_) {
                              start(state, d, std::min(d + documents_per_block_, end), *scratch);
                              while (!(*scratch).documents.empty()) draw_next_tokens(state, *scratch);
                            }
                          });
  state.count_topics(threads_);
}

void ByDocumentSweep::start(const State& state, std::int64_t first, std::int64_t end, Scratch& scratch) const {
  const std::vector<double>& alpha = state.priors.alpha;
  scratch.documents.clear();
  std::fill(scratch.n_dk.begin(), scratch.n_dk.end(), 0);
  for (std::int64_t d = first; d < end; ++d) {
    const std::int64_t begin = corpus_.document_offsets[static_cast<std::size_t>(d)];
    const std::int64_t behind = corpus_.document_offsets[static_cast<std::size_t>(d) + 1];
    if (begin == behind) continue;
    const auto row = static_cast<std::int64_t>(scratch.documents.size());
    std::int32_t* n_d = scratch.n_dk.data() + row * state.topics;
    for (std::int64_t i = begin; i < behind; ++i) ++n_d[state.z[static_cast<std::size_t>(i)]];
    float* theta = scratch.theta.row(row);
    for (std::size_t k = 0; k < alpha.size(); ++k) theta[k] = estimated_theta(n_d[k], alpha[k]);
    scratch.documents.push_back({begin, behind, row});
  }
}

// Draws one token of each document that has any left.
void ByDocumentSweep::draw_next_tokens(State& state, Scratch& scratch) const {
  const auto add = [&](std::int64_t row, std::int32_t k, std::int32_t change) {
    std::int32_t& n = scratch.n_dk[static_cast<std::size_t>(row * state.topics + k)];
    n += change;
    scratch.theta.row(row)[k] = estimated_theta(n, state.priors.alpha[static_cast<std::size_t>(k)]);
  };
  for (const Document& d : scratch.documents) {
    const auto token = static_cast<std::size_t>(d.token);
    add(d.row, state.z[token], -1);
    scratch.draws.add(scratch.theta.row(d.row), phi_.row(corpus_.words[token]),
                      static_cast<std::uint64_t>(state.place.token + d.token));
  }
  scratch.draws.draw(seed_, random::stream(random::Purpose::topics, static_cast<std::uint32_t>(state.sweep)));

  CountMove moves[most_documents];
  std::int64_t count = 0;
  std::int64_t at = 0;
  for (Document& d : scratch.documents) {
    const auto token = static_cast<std::size_t>(d.token++);
    const auto drawn = static_cast<std::int32_t>(scratch.draws.drawn(at++));
    const std::int32_t old = state.z[token];
    const std::int32_t k = drawn >= 0 ? drawn : old;  // no positive weight: the token keeps its topic
    add(d.row, k, 1);
    if (k == old) continue;
    std::int32_t* n_w = state.n_wk.data() + std::int64_t{corpus_.words[token]} * state.topics;
    moves[count] = {n_w + old, n_w + k};
    moves[count++].prefetch();
    state.z[token] = k;
  }
  std::for_each(moves, moves + count, [](const CountMove& move) { move.add(); });
  std::erase_if(scratch.documents, [](const Document& d) { return d.token == d.end; });
}

}  // namespace papilio::lda
