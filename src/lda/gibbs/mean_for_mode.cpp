#include "lda/gibbs/mean_for_mode.h"

#include <algorithm>
#include <utility>

#include "execution/cpu/parallel_for.h"
#include "papilio/sampling.h"
#include "random/philox.h"
#include "random/purpose.h"
#include "random/uniform.h"

namespace papilio::lda {
namespace {

constexpr std::int64_t theta_floats = std::int64_t{32} * 1024;  // of one block of documents: half of a usual L2 cache
constexpr std::int64_t most_documents = 256;                    // in a block
constexpr std::int64_t tokens_a_call = 8192;

}  // namespace

// What one thread needs for one block of documents.
struct MeanForMode::Scratch {
  AlignedTable theta;                    // documents of the block x K
  std::vector<std::int32_t> n_dk;        // K, of one document, all 0 between documents
  std::vector<std::int32_t> theta_rows;  // the row of theta of each token of one call
};

// Scratch out of the pool, for the time of a scope.
class MeanForMode::BorrowedScratch {
 public:
  explicit BorrowedScratch(MeanForMode& owner) : owner_(owner) {
    const std::lock_guard lock(owner_.scratch_mutex_);
    if (!owner_.free_scratch_.empty()) {
      scratch_ = std::move(owner_.free_scratch_.back());
      owner_.free_scratch_.pop_back();
      return;
    }
    scratch_ = std::make_unique<Scratch>();
    scratch_->theta = AlignedTable(owner_.documents_a_block_, owner_.topics_);
    scratch_->n_dk.resize(static_cast<std::size_t>(owner_.topics_));
    scratch_->theta_rows.resize(static_cast<std::size_t>(tokens_a_call));
  }
  ~BorrowedScratch() {
    const std::lock_guard lock(owner_.scratch_mutex_);
    owner_.free_scratch_.push_back(std::move(scratch_));
  }
  BorrowedScratch(const BorrowedScratch&) = delete;
  BorrowedScratch& operator=(const BorrowedScratch&) = delete;

  Scratch& operator*() { return *scratch_; }

 private:
  MeanForMode& owner_;
  std::unique_ptr<Scratch> scratch_;
};

MeanForMode::MeanForMode(const CorpusView& corpus, const TokensByWord& by_word, const TrainOptions& options)
    : corpus_(corpus),
      by_word_(by_word),
      topics_(options.topics),
      alpha_(options.alpha),
      beta_(options.beta),
      seed_(options.seed),
      threads_(options.threads),
      documents_a_block_(
          std::clamp<std::int64_t>(theta_floats / options.topics, 1, std::min(most_documents, corpus.documents()))),
      phi_(corpus.vocabulary_size(), options.topics),
      n_k_prior_(static_cast<std::size_t>(options.topics)) {
  // The destructor of BorrowedScratch must not allocate.
  free_scratch_.reserve(static_cast<std::size_t>(execution::thread_count(threads_)));
}

MeanForMode::~MeanForMode() = default;

State MeanForMode::initial_state() const {
  State state;
  state.topics = topics_;
  state.z.resize(corpus_.words.size());
  const std::uint64_t stream = random::stream(random::Purpose::initial_topics);
  execution::parallel_for(corpus_.tokens(), 4096, threads_, [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t i = begin; i < end; ++i) {
      const random::Block block = random::draw_block(seed_, stream, static_cast<std::uint64_t>(i));
      // Never K: (1 - 2^-53) K rounds to a double below K.
      state.z[static_cast<std::size_t>(i)] =
          static_cast<std::int32_t>(random::uniform53(block.word[0], block.word[1]) * topics_);
    }
  });
  state.count(by_word_, threads_);
  return state;
}

void MeanForMode::sweep(State& state) {
  ++state.sweep;
  estimate_phi(state);
  execution::parallel_for(corpus_.documents(), documents_a_block_, threads_, [&](std::int64_t begin, std::int64_t end) {
    BorrowedScratch scratch(*this);
    for (std::int64_t d = begin; d < end; d += documents_a_block_) {
      draw_topics(state, d, std::min(d + documents_a_block_, end), *scratch);
    }
  });
  state.count(by_word_, threads_);
}

void MeanForMode::estimate_phi(const State& state) {
  const double prior_mass = static_cast<double>(corpus_.vocabulary_size()) * beta_;
  for (std::size_t k = 0; k < n_k_prior_.size(); ++k) {
    n_k_prior_[k] = static_cast<double>(state.n_k[k]) + prior_mass;
  }
  execution::parallel_for(corpus_.vocabulary_size(), 64, threads_, [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t w = begin; w < end; ++w) {
      const std::int32_t* n_wk = state.n_wk.data() + w * topics_;
      float* phi = phi_.row(w);
      for (std::int32_t k = 0; k < topics_; ++k) {
        phi[k] = static_cast<float>((n_wk[k] + beta_) / n_k_prior_[static_cast<std::size_t>(k)]);
      }
    }
  });
}

// theta_dk = n_dk + alpha: a row need not sum to 1 to be drawn from.
void MeanForMode::estimate_theta(const State& state, std::int64_t first_document, std::int64_t end_document,
                                 Scratch& scratch) {
  for (std::int64_t d = first_document; d < end_document; ++d) {
    float* theta = scratch.theta.row(d - first_document);
    std::fill_n(theta, topics_, static_cast<float>(alpha_));
    const std::int32_t* z = state.z.data();
    const std::int64_t begin = corpus_.document_offsets[static_cast<std::size_t>(d)];
    const std::int64_t end = corpus_.document_offsets[static_cast<std::size_t>(d) + 1];
    for (std::int64_t i = begin; i < end; ++i) {
      ++scratch.n_dk[static_cast<std::size_t>(z[i])];
    }
    for (std::int64_t i = begin; i < end; ++i) {
      std::int32_t& n_dk = scratch.n_dk[static_cast<std::size_t>(z[i])];
      if (n_dk > 0) {  // the topic's first token here
        theta[z[i]] = static_cast<float>(n_dk + alpha_);
        n_dk = 0;
      }
    }
  }
}

// The new topics take the place of the old ones, which theta already holds.
void MeanForMode::draw_topics(State& state, std::int64_t first_document, std::int64_t end_document, Scratch& scratch) {
  estimate_theta(state, first_document, end_document, scratch);
  const auto& offsets = corpus_.document_offsets;
  const std::int64_t end_token = offsets[static_cast<std::size_t>(end_document)];
  std::int64_t document = first_document;
  for (std::int64_t first = offsets[static_cast<std::size_t>(first_document)]; first < end_token;) {
    const std::int64_t count = std::min(tokens_a_call, end_token - first);
    for (std::int64_t i = 0; i < count; ++i) {
      while (first + i >= offsets[static_cast<std::size_t>(document) + 1]) {
        ++document;
      }
      scratch.theta_rows[static_cast<std::size_t>(i)] = static_cast<std::int32_t>(document - first_document);
    }
    const ProductWeights<float> weights = {.left = scratch.theta.view(),
                                           .left_rows = {scratch.theta_rows.data(), count},
                                           .right = phi_.view(),
                                           .right_rows = {corpus_.words.data() + first, count}};
    const random::Purpose purpose = random::Purpose::topics;
    sample_categorical(weights, VectorView<std::int32_t>(state.z.data() + first, count),
                       {.seed = seed_,
                        .stream = random::stream(purpose, static_cast<std::uint32_t>(state.sweep)),
                        .first_row_id = static_cast<std::uint64_t>(first),
                        .check_negative = false,
                        .threads = 1});
    first += count;
  }
}

}  // namespace papilio::lda
