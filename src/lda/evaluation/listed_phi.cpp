#include "lda/evaluation/listed_phi.h"

#include <algorithm>

#include "execution/cpu/interruption.h"
#include "lda/evaluation/fixed_phi.h"
#include "lda/evaluation/fold_in/fold_in_formulas.h"
#include "lda/model/seeds.h"

namespace papilio::lda {

ListedPhi::ListedPhi(const Model& model) : model_(model) {
  for (const double mass : fixed_topic_masses(model)) reciprocals_.push_back(1 / mass);
}

void ListedPhi::set_words(const KnownDocument& document) {
  begins_.assign(1, 0);
  rows_.clear();
  row_begins_.clear();
  for (const std::int32_t word : document.words) add_word(word);
}

// A word's list, in the order that fold_in_formulas.h says.
void ListedPhi::add_word(std::int32_t word) {
  constexpr std::int32_t residues = list_lanes;
  const std::int32_t topics = model_.topics, per_range = topics_per_range(topics);
  const std::int32_t places = per_range / residues;
  const std::int32_t* const n_wk = model_.n_wk.data() + std::int64_t{word} * topics;
  row_.assign(n_wk, n_wk + topics);
  for (const SeedWord& seed : seeds_of(model_.seed_words, word))
    row_[static_cast<std::size_t>(seed.topic)] += seed.weight;
  residues_.resize(static_cast<std::size_t>(per_range));
  std::size_t end = begins_.back();
  if (topics_.size() < end + row_.size()) {
    topics_.resize(2 * end + row_.size());
    counts_.resize(topics_.size());
  }
  for (std::int32_t first = 0; first < topics; first += per_range) {
    const std::int32_t behind = std::min(topics, first + per_range);
    std::int32_t sizes[residues] = {};
    for (std::int32_t k = first; k < behind; ++k) {
      std::int32_t& size = sizes[k % residues];
      residues_[static_cast<std::size_t>(k % residues * places + std::min(size, places - 1))] = k;
      size += row_[static_cast<std::size_t>(k)] > 0 ? 1 : 0;
    }
    const std::int32_t most = *std::max_element(sizes, sizes + residues);
    for (std::int32_t i = 0; i < most; ++i) {
      for (std::int32_t r = 0; r < residues; ++r) {
        if (i >= sizes[r]) continue;
        topics_[end] = residues_[static_cast<std::size_t>(r * places + i)];
        counts_[end] = row_[static_cast<std::size_t>(topics_[end])];
        ++end;
      }
    }
  }
  const bool has_most = 2 * (end - begins_.back()) >= row_.size();
  row_begins_.push_back(has_most ? rows_.size() : no_row);
  if (has_most) rows_.insert(rows_.end(), row_.begin(), row_.end());
  begins_.push_back(end);
}

double ListedPhi::probability(std::int32_t place) const {
  constexpr std::size_t lanes = list_lanes;
  const std::size_t end = begins_[static_cast<std::size_t>(place) + 1];
  const std::int32_t* const topics = topics_.data();
  const double* const counts = counts_.data();
  const double* const weights = weights_.data();
  double sums[lanes] = {};
  std::size_t i = begins_[static_cast<std::size_t>(place)];
  for (; i + lanes <= end; i += lanes) {
    for (std::size_t lane = 0; lane < lanes; ++lane) sums[lane] += weights[topics[i + lane]] * counts[i + lane];
  }
  for (std::size_t lane = 0; i < end; ++i, ++lane) sums[lane] += weights[topics[i]] * counts[i];
  return of_beta_ + sum_of_lanes(sums);
}

void ListedPhi::make_factors(std::span<const std::int32_t> counts) {
  factors_.clear();
  for (std::size_t place = 0; place < counts.size(); ++place) {
    if (counts[place] > 0) factors_.push_back(counts[place] / probability(static_cast<std::int32_t>(place)));
  }
}

void ListedPhi::add_shares(std::span<const std::int32_t> counts) {
  std::ranges::fill(shares_, 0.0);
  double* const shares = shares_.data();
  const double* factor = factors_.data();
  for (std::size_t place = 0; place < counts.size(); ++place) {
    if (counts[place] == 0) continue;
    const double f = *factor++;
    if (row_begins_[place] != no_row) {  // a topic that the word lacks is given 0, which changes nothing
      const double* const row = rows_.data() + row_begins_[place];
      for (std::size_t k = 0; k < shares_.size(); ++k) shares[k] += f * row[k];
      continue;
    }
    for (std::size_t i = begins_[place]; i < begins_[place + 1]; ++i) shares[topics_[i]] += f * counts_[i];
  }
}

void ListedPhi::fold_in(std::span<const std::int32_t> counts, int steps, std::vector<double>& theta) {
  const auto topics = static_cast<std::size_t>(model_.topics);
  theta.assign(topics, 1.0 / model_.topics);
  weights_.resize(topics);
  shares_.resize(topics);
  const auto weigh = [&] {
    for (std::size_t k = 0; k < topics; ++k) weights_[k] = weight_of_topic(theta[k], reciprocals_[k]);
    of_beta_ = model_.beta * sum_in_lanes(weights_);
  };
  for (int step = 0; step < steps; ++step) {
    execution::stop_point();
    weigh();
    make_factors(counts);
    add_shares(counts);
    const double of_beta = model_.beta * sum_in_lanes(factors_);
    for (std::size_t k = 0; k < topics; ++k) {
      theta[k] = folded_theta(model_.alpha[k], weights_[k], shares_[k], of_beta);
    }
  }
  const double total = sum_in_lanes(theta);
  for (double& t : theta) t /= total;
  weigh();
}

}  // namespace papilio::lda
