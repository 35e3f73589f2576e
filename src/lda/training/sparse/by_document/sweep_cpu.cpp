#include "lda/training/sparse/by_document/sweep_cpu.h"

#include <algorithm>
#include <atomic>
#include <numeric>

#include "execution/cpu/parallel_for.h"
#include "lda/training/memory/scratch_pool.h"
#include "lda/training/parameters/dirichlet_cpu.h"
#include "lda/training/sparse/by_document/prior_part_cpu.h"
#include "lda/training/sparse/kernels.h"
#include "random/purpose.h"

namespace papilio::lda {
namespace {

constexpr std::int64_t floats_per_block = std::int64_t{64} * 1024;  // of counts: half of a typical L2 cache
constexpr std::int64_t least_documents = 8;
constexpr std::int64_t most_documents = 512;

class SparseByDocumentSweep final : public CpuSweep {
 public:
  SparseByDocumentSweep(const CorpusView& corpus, const TrainOptions& options)
      : corpus_(corpus),
        seed_(options.seed),
        threads_(options.threads),
        documents_per_block_(std::clamp(floats_per_block / options.topics, least_documents, most_documents)),
        phi_(corpus.vocabulary_size(), options.topics),
        prior_sums_(corpus.vocabulary_size(), options.topics, options.threads),
        tokens_(corpus.words.size()),
        slots_(corpus.words.size()),
        scratch_(options.threads,
                 [this, topics = options.topics] { return std::make_unique<Scratch>(documents_per_block_, topics); }) {
    for (std::int64_t d = 0; d < corpus.documents(); ++d) documents_ += offset(d + 1) > offset(d) ? 1 : 0;
    order_tokens();
  }

  void run(State& state) override;
  SweepDraws draws() const override { return draws_; }

 private:
  struct Scratch {
    Scratch(std::int64_t documents, std::int32_t topics)
        : counts(documents, topics),
          running(1, topics),
          line_ids(static_cast<std::size_t>((topics + sparse::topics_per_line - 1) / sparse::topics_per_line)),
          line_words(static_cast<std::int32_t>((line_ids.size() + 63) / 64)),
          lines(static_cast<std::size_t>(documents * line_words)) {}

    sparse::ByDocumentScratch view() {
      return {counts.row(0), lines.data(), line_words, running.row(0), line_ids.data()};
    }

    AlignedTable counts;
    AlignedTable running;
    std::vector<std::uint32_t> line_ids;
    std::int32_t line_words;
    std::vector<std::uint64_t> lines;
  };

  std::int64_t offset(std::int64_t d) const { return corpus_.document_offsets[static_cast<std::size_t>(d)]; }
  void order_tokens();
  void draw_phi_of(const State& state);
  std::int64_t count_block(const State& state, std::int64_t first, std::int64_t end, Scratch& scratch) const;

  const CorpusView corpus_;
  const std::uint64_t seed_;
  const int threads_;
  const std::int64_t documents_per_block_;
  std::int64_t documents_ = 0;  // number of documents that have tokens
  AlignedTable phi_;
  sparse::PriorSums prior_sums_;
  std::vector<std::uint32_t> tokens_;  // block after block; in each, word by word, then by document
  std::vector<std::uint16_t> slots_;   // their documents' places in the block
  ScratchPool<Scratch> scratch_;
  SweepDraws draws_;
};

void SparseByDocumentSweep::order_tokens() {
  execution::parallel_for(
      corpus_.documents(), documents_per_block_, threads_, [&](std::int64_t begin, std::int64_t end) {
        for (std::int64_t d = begin; d < end; d += documents_per_block_) {
          const std::int64_t behind = std::min(d + documents_per_block_, end);
          const auto first = tokens_.begin() + offset(d);
          std::iota(first, tokens_.begin() + offset(behind), static_cast<std::uint32_t>(offset(d)));
          std::stable_sort(first, tokens_.begin() + offset(behind),
                           [&](std::uint32_t a, std::uint32_t b) { return corpus_.words[a] < corpus_.words[b]; });
          const auto offsets = corpus_.document_offsets.begin();
          for (std::int64_t i = offset(d); i < offset(behind); ++i) {
            const auto place = static_cast<std::size_t>(i);
            const auto above = std::upper_bound(offsets + d, offsets + behind, std::int64_t{tokens_[place]});
            slots_[place] = static_cast<std::uint16_t>(above - offsets - 1 - d);
          }
        }
      });
}

void SparseByDocumentSweep::draw_phi_of(const State& state) {
  draw_phi({.n_wk = state.n_wk.data(),
            .words = phi_.rows(),
            .topics = state.topics,
            .tokens = state.tokens_of_all() + state.seeds.total(),
            .beta = state.priors.beta,
            .seed = seed_,
            .stream = random::stream(random::Purpose::phi, static_cast<std::uint32_t>(state.sweep)),
            .threads = threads_},
           phi_);
}

// Returns the sum over these documents of the number of topics that each has.
std::int64_t SparseByDocumentSweep::count_block(const State& state, std::int64_t first, std::int64_t end,
                                                Scratch& scratch) const {
  std::int64_t topics = 0;
  for (std::int64_t d = first; d < end; ++d) {
    float* counts = scratch.counts.row(d - first);
    std::uint64_t* lines = scratch.lines.data() + (d - first) * scratch.line_words;
    std::fill_n(counts, state.topics, 0.0f);
    std::fill_n(lines, scratch.line_words, std::uint64_t{0});
    for (std::int64_t i = offset(d); i < offset(d + 1); ++i) {
      const std::int32_t k = state.z[static_cast<std::size_t>(i)];
      const std::int32_t line = k / sparse::topics_per_line;
      topics += counts[k] == 0 ? 1 : 0;
      counts[k] += 1;
      lines[line / 64] |= std::uint64_t{1} << (line % 64);
    }
  }
  return topics;
}

void SparseByDocumentSweep::run(State& state) {
  draw_phi_of(state);
  const sparse::PriorPart& prior = prior_sums_.update(state.priors, phi_);
  std::atomic<std::int64_t> from_document = 0;
  std::atomic<std::int64_t> topics = 0;
  execution::parallel_for(
      corpus_.documents(), documents_per_block_, threads_, [&](std::int64_t begin, std::int64_t end) {
        ScratchPool<Scratch>::Loan scratch(scratch_);
        for (std::int64_t d = begin; d < end; d += documents_per_block_) {
          const std::int64_t behind = std::min(d + documents_per_block_, end);
          topics += count_block(state, d, behind, *scratch);
          from_document +=
              sparse::kernels_in_use().draw_by_document({.prior = &prior,
                                                         .tokens = tokens_.data() + offset(d),
                                                         .slots = slots_.data() + offset(d),
                                                         .count = offset(behind) - offset(d),
                                                         .words = corpus_.words.data(),
                                                         .z = state.z.data(),
                                                         .n_wk = state.n_wk.data(),
                                                         .seed = seed_,
                                                         .sweep = static_cast<std::uint32_t>(state.sweep),
                                                         .first_token = static_cast<std::uint64_t>(state.place.token)},
                                                        (*scratch).view());
        }
      });
  state.count_topics(threads_);
  const double share = static_cast<double>(from_document) / static_cast<double>(corpus_.tokens());
  draws_.sparse = true;
  draws_.topics_per_document = static_cast<double>(topics) / static_cast<double>(documents_);
  draws_.from_document = share;
  draws_.from_prior = 1 - share;
}

}  // namespace

std::unique_ptr<CpuSweep> make_sparse_by_document_sweep(const CorpusView& corpus, const TrainOptions& options) {
  return std::make_unique<SparseByDocumentSweep>(corpus, options);
}

}  // namespace papilio::lda
