#pragma once

#include "lda/training/sparse/rounding.h"
#include "warp/portability.h"

// The weights of one token's topics, on every processor: bit for bit the same. docs/lda/sparse.md has the formulas.
//
// Targets go first through the token's own topic, by what that weighs without the token; then through the document's
// other topics; then, in integers, through the word's and all topics.

namespace papilio::lda::sparse {

// Where an entry is in the sums of its list: what is before it, and how much of its lane it takes.
struct EntryPart {
  double before;
  double size;
};

// lanes_before: the prefix sum of the lanes before the entry's own; in_lane, up_to: the running sums of its lane
// before the entry and with it.
PAPILIO_LANEWISE EntryPart entry_part(float lanes_before, float in_lane, float up_to) {
  const auto before = static_cast<double>(in_lane);
  return {static_cast<double>(lanes_before) + before, static_cast<double>(up_to) - before};
}

// n_wk - 1 + beta.
PAPILIO_LANEWISE double word_without_token(double n_wk, double beta) { return (n_wk - 1) + beta; }

// What the own topic weighs without the token; of_word: word_without_token; inverse: TopicMass::without_token. Here and
// below Double is double, or the lanes of a warp.
template <class Double>
PAPILIO_LANEWISE Double own_weight_of(Double n_dk, Double alpha, Double of_word, Double inverse) {
  return (((n_dk - 1.0) + alpha) * of_word) * inverse;
}
PAPILIO_LANEWISE double own_weight(double n_dk, double alpha, double of_word, double inverse) {
  return own_weight_of<double>(n_dk, alpha, of_word, inverse);
}

// The same with the document's other topics; `list` is the sum of all, of which the own entry takes `taken`.
template <class Double>
PAPILIO_LANEWISE Double weight_until_others_of(Double own, Double list, Double taken) {
  return own + (list - taken);
}
PAPILIO_LANEWISE double weight_until_others(double own, double list, double taken) {
  return weight_until_others_of<double>(own, list, taken);
}

// Where a target past the own topic is in the sums of the list, which still include the own entry.
PAPILIO_LANEWISE double target_in_list(double target, double own, double before, double taken) {
  const double past_own = target - own;
  return past_own >= before ? past_own + taken : past_own;
}

// Rounding may leave a target beyond the list's sum where the own entry was taken out: then the last place is taken.
PAPILIO_LANEWISE double target_below(double target, float list, bool removes) {
  const auto most = static_cast<double>(removes ? below(list) : list);
  return target < most ? target : most;
}

}  // namespace papilio::lda::sparse
