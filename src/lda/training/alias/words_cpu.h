#pragma once

#include <cstdint>
#include <vector>

#include "lda/model/state.h"
#include "lda/training/alias/alias_cells.h"
#include "lda/training/memory/big_array.h"
#include "lda/training/parameters/phi_table_cpu.h"

// What words say about topics, for the whole of a sweep: the factor w(k) of a token's weights, and alias tables that
// propose topics by it (lda/training/alias/acceptance.h). Both are made when a sweep begins.

namespace papilio::lda {

// The alias table of a word, in an array that holds many.
struct AliasRow {
  std::int64_t first = 0;   // number of its first cell
  std::uint32_t items = 0;  // number of its cells
  double mass = 0;          // weight of all items
  double items_per_mass = 0;
};

// An alias table over all topics.
class TopicAlias {
 public:
  explicit TopicAlias(std::int32_t topics)
      : cells_(static_cast<std::size_t>(topics)), weights_(static_cast<std::size_t>(topics)) {}

  // weight(k) is called for each topic k.
  template <class Weight>
  void build(const Weight& weight) {
    sum_ = 0;
    for (std::size_t k = 0; k < weights_.size(); ++k) sum_ += weights_[k] = weight(k);
    per_sum_ = static_cast<double>(weights_.size()) / sum_;
    make_alias_cells(weights_, sum_, cells_);
  }

  double sum() const { return sum_; }

  // The topic at a place in [0, sum).
  std::int32_t topic(double place) const {
    return static_cast<std::int32_t>(
        alias_item(cells_.data(), static_cast<std::uint32_t>(cells_.size()), place * per_sum_));
  }

 private:
  std::vector<AliasCell> cells_;
  std::vector<double> weights_;
  double sum_ = 0;
  double per_sum_ = 0;
};

// phi integrated out, by the counts of the sweep's start. They are in a copy of the state's n_wk that later sweeps go
// on with, in huge pages: else looking up pages takes most of the time of reading single counts of a large table. A
// word's table has only the topics of its tokens, for the term n_wk / y_k; one table, of beta / y_k, is for all words.
class WordsByCounts {
 public:
  static constexpr bool removes = true;  // the tables count the token itself, which has to be taken out

  WordsByCounts(const CorpusView& corpus, const TrainOptions& options);

  // Reads the state's n_wk the first time, later the counts here, to which each sweep's moves have been added. For a
  // part of a corpus it always reads the state's.
  void build(const State& state);

  // counts: the K counts of a word. give_counts: all counts, into the state.
  std::int32_t* counts(std::int32_t w) { return n_wk_.data() + std::int64_t{w} * K_; }
  void give_counts(State& state) const;

  // w(k) without one token of topic `own`; own = -1: with all tokens.
  double weight(std::int32_t w, std::int32_t k, std::int32_t own) const {
    const double itself = k == own ? 1 : 0;
    return (row(w)[k] - itself + beta_) / (n_k_[static_cast<std::size_t>(k)] - itself + v_beta_);
  }

  // The topic at a place in [0, mass(w)), with all tokens counted: topic k has an interval of length weight(w, k, -1).
  double mass(std::int32_t w) const { return rows_[static_cast<std::size_t>(w)].mass + prior_.sum(); }
  std::int32_t topic(std::int32_t w, double place) const {
    const AliasRow& of = rows_[static_cast<std::size_t>(w)];
    if (place >= of.mass) return prior_.topic(place - of.mass);
    const std::uint32_t item = alias_item(cells_.data() + of.first, of.items, place * of.items_per_mass);
    return topics_[static_cast<std::size_t>(of.first + item)];
  }
  void prefetch_topic(std::int32_t w, double place) const {
    const AliasRow& of = rows_[static_cast<std::size_t>(w)];
    if (place >= of.mass) return;
    const auto cell = static_cast<std::size_t>(of.first + static_cast<std::int64_t>(place * of.items_per_mass));
    __builtin_prefetch(cells_.data() + cell);
    __builtin_prefetch(topics_.data() + cell);
  }
  void prefetch_weight(std::int32_t w, std::int32_t k) const { __builtin_prefetch(row(w) + k); }

  // A topic by weights without a token of topic `own`, found by adding up all weights; u is in [0, 1).
  std::int32_t topic_by_sums(std::int32_t w, std::int32_t own, double u) const;

 private:
  const std::int32_t* row(std::int32_t w) const { return n_wk_.data() + std::int64_t{w} * K_; }
  void make_room(const State& state);

  const std::int32_t K_;
  const int threads_;
  BigArray<std::int32_t> n_wk_{0};
  double beta_ = 0;
  double v_beta_ = 0;
  std::vector<double> n_k_;
  TopicAlias prior_;
  std::vector<AliasRow> rows_;
  BigArray<AliasCell> cells_{0};
  BigArray<std::int32_t> topics_{0};  // of each cell
};

// phi drawn: it does not depend on any single token, and the tables have all topics.
class WordsByPhi {
 public:
  static constexpr bool removes = false;

  WordsByPhi(const CorpusView& corpus, const TrainOptions& options);

  void build(const State& state);

  double weight(std::int32_t w, std::int32_t k, std::int32_t) const { return phi_.row(w)[k]; }
  double mass(std::int32_t w) const { return rows_[static_cast<std::size_t>(w)].mass; }
  std::int32_t topic(std::int32_t w, double place) const {
    const AliasRow& of = rows_[static_cast<std::size_t>(w)];
    return static_cast<std::int32_t>(alias_item(cells_.data() + of.first, of.items, place * of.items_per_mass));
  }
  void prefetch_topic(std::int32_t w, double place) const {
    const AliasRow& of = rows_[static_cast<std::size_t>(w)];
    __builtin_prefetch(cells_.data() + of.first + static_cast<std::int64_t>(place * of.items_per_mass));
  }
  void prefetch_weight(std::int32_t w, std::int32_t k) const { __builtin_prefetch(phi_.row(w) + k); }

 private:
  const std::int32_t K_;
  const int threads_;
  const std::uint64_t seed_;
  PhiTable phi_;
  std::vector<AliasRow> rows_;
  BigArray<AliasCell> cells_;
};

}  // namespace papilio::lda
