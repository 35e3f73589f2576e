#include "lda/training/alias/words_cpu.h"

#include <algorithm>
#include <numeric>
#include <span>

#include "execution/cpu/parallel_for.h"

namespace papilio::lda {
namespace {

constexpr std::int64_t words_per_part = 64;

// Makes the table of a row from its weights.
void finish(AliasRow& row, std::span<const double> weights, AliasCell* cells) {
  row.items = static_cast<std::uint32_t>(weights.size());
  row.mass = std::accumulate(weights.begin(), weights.end(), 0.0);
  row.items_per_mass = row.mass > 0 ? static_cast<double>(weights.size()) / row.mass : 0;
  if (row.mass > 0) make_alias_cells(weights, row.mass, {cells + row.first, weights.size()});
}

}  // namespace

WordsByCounts::WordsByCounts(const CorpusView& corpus, const TrainOptions& options)
    : K_(options.topics),
      threads_(options.threads),
      n_k_(static_cast<std::size_t>(options.topics)),
      prior_(options.topics),
      rows_(static_cast<std::size_t>(corpus.vocabulary_size())) {}

// Copies the counts and makes room for the tables. A word has at most as many topics as tokens, the weights of seeds
// counted as tokens; sweeps do not change that number.
void WordsByCounts::make_room(const State& state) {
  n_wk_ = BigArray<std::int32_t>(state.n_wk.size());
  std::copy(state.n_wk.begin(), state.n_wk.end(), n_wk_.data());
  std::int64_t cells = 0;
  for (std::size_t w = 0; w < rows_.size(); ++w) {
    const std::int32_t* n_w = state.n_wk.data() + w * static_cast<std::size_t>(K_);
    rows_[w].first = cells;
    cells += std::min<std::int64_t>(std::accumulate(n_w, n_w + K_, std::int64_t{0}), K_);
  }
  cells_ = BigArray<AliasCell>(static_cast<std::size_t>(cells));
  topics_ = BigArray<std::int32_t>(static_cast<std::size_t>(cells));
}

void WordsByCounts::build(const State& state) {
  if (n_wk_.size() == 0) {
    make_room(state);
  } else if (state.is_part()) {  // other ranks have moved tokens too
    std::copy(state.n_wk.begin(), state.n_wk.end(), n_wk_.data());
  }
  beta_ = state.priors.beta;
  v_beta_ = static_cast<double>(rows_.size()) * beta_;
  std::copy(state.n_k.begin(), state.n_k.end(), n_k_.begin());
  prior_.build([&](std::size_t k) { return beta_ / (n_k_[k] + v_beta_); });
  execution::parallel_for(std::ssize(rows_), words_per_part, threads_, [&](std::int64_t begin, std::int64_t end) {
    std::vector<double> weights;
    for (std::int64_t w = begin; w < end; ++w) {
      AliasRow& of = rows_[static_cast<std::size_t>(w)];
      const std::int32_t* n_w = row(static_cast<std::int32_t>(w));
      std::int32_t* topics = topics_.data() + of.first;
      weights.clear();
      for (std::int32_t k = 0; k < K_; ++k) {
        if (n_w[k] == 0) continue;
        *topics++ = k;
        weights.push_back(n_w[k] / (n_k_[static_cast<std::size_t>(k)] + v_beta_));
      }
      finish(of, weights, cells_.data());
    }
  });
}

void WordsByCounts::give_counts(State& state) const { std::copy_n(n_wk_.data(), n_wk_.size(), state.n_wk.begin()); }

std::int32_t WordsByCounts::topic_by_sums(std::int32_t w, std::int32_t own, double u) const {
  double sum = 0;
  for (std::int32_t k = 0; k < K_; ++k) sum += weight(w, k, own);
  const double target = u * sum;
  sum = 0;
  for (std::int32_t k = 0; k < K_; ++k) {
    sum += weight(w, k, own);
    if (target < sum) return k;
  }
  return own;  // never reached: u < 1
}

WordsByPhi::WordsByPhi(const CorpusView& corpus, const TrainOptions& options)
    : K_(options.topics),
      threads_(options.threads),
      seed_(options.seed),
      phi_(corpus.vocabulary_size(), options.topics, options.threads),
      rows_(static_cast<std::size_t>(corpus.vocabulary_size())),
      cells_(rows_.size() * static_cast<std::size_t>(options.topics)) {}

void WordsByPhi::build(const State& state) {
  phi_.draw(state, seed_);
  execution::parallel_for(std::ssize(rows_), words_per_part, threads_, [&](std::int64_t begin, std::int64_t end) {
    std::vector<double> weights(static_cast<std::size_t>(K_));
    for (std::int64_t w = begin; w < end; ++w) {
      AliasRow& of = rows_[static_cast<std::size_t>(w)];
      of.first = w * K_;
      std::copy_n(phi_.row(w), K_, weights.begin());
      finish(of, weights, cells_.data());
    }
  });
}

}  // namespace papilio::lda
