#pragma once

#include "lda/training/sparse/rounding.h"
#include "warp/portability.h"

// The weights of one token's topics, with the same bits on every processor. docs/lda/sparse.md has the formulas.
//
// A target goes first through the token's own topic, with its weight without the token; then through the document's
// other topics; then, in integers, through the word's topics and all topics.

namespace papilio::lda::sparse {

// Here and below, Double is double or the lanes of a warp W; OneLane takes the place of W for double.
struct OneLane {
  PAPILIO_LANEWISE static bool less(double a, double b) { return a < b; }
  PAPILIO_LANEWISE static double select(bool first, double a, double b) { return first ? a : b; }
};

// Where an entry is in the sums of its list: the sum before it, and how much of its lane it takes.
template <class Double>
struct EntryPartOf {
  Double before;
  Double size;
};
using EntryPart = EntryPartOf<double>;

// lanes_before: the prefix sum before the entry's lane. in_lane, up_to: the running sums of its lane
// before the entry and including it.
template <class Double>
PAPILIO_LANEWISE EntryPartOf<Double> entry_part_of(Double lanes_before, Double in_lane, Double up_to) {
  return {lanes_before + in_lane, up_to - in_lane};
}
PAPILIO_LANEWISE EntryPart entry_part(float lanes_before, float in_lane, float up_to) {
  return entry_part_of<double>(static_cast<double>(lanes_before), static_cast<double>(in_lane),
                               static_cast<double>(up_to));
}

// n_wk - 1 + beta.
PAPILIO_LANEWISE double word_without_token(double n_wk, double beta) { return (n_wk - 1) + beta; }

// The weight of the own topic without the token. of_word: word_without_token; inverse: TopicMass::without_token.
template <class Double>
PAPILIO_LANEWISE Double own_weight_of(Double n_dk, Double alpha, Double of_word, Double inverse) {
  return (((n_dk - 1.0) + alpha) * of_word) * inverse;
}
PAPILIO_LANEWISE double own_weight(double n_dk, double alpha, double of_word, double inverse) {
  return own_weight_of<double>(n_dk, alpha, of_word, inverse);
}

// The same plus the document's other topics. `list` is the sum of all of them, of which the own entry takes `taken`.
template <class Double>
PAPILIO_LANEWISE Double weight_until_others_of(Double own, Double list, Double taken) {
  return own + (list - taken);
}
PAPILIO_LANEWISE double weight_until_others(double own, double list, double taken) {
  return weight_until_others_of<double>(own, list, taken);
}

// Where a target past the own topic lies in the sums of the list, which still include the own entry.
template <class W, class Double>
PAPILIO_LANEWISE Double target_in_list_of(Double target, Double own, Double before, Double taken) {
  const Double past_own = target - own;
  return W::select(W::less(past_own, before), past_own, past_own + taken);
}
PAPILIO_LANEWISE double target_in_list(double target, double own, double before, double taken) {
  return target_in_list_of<OneLane, double>(target, own, before, taken);
}

// Rounding may leave a target beyond the list's sum after the own entry was taken out; then the last place is taken.
template <class W, class Double>
PAPILIO_LANEWISE Double target_below_of(Double target, Double most) {
  return W::select(W::less(target, most), target, most);
}
PAPILIO_LANEWISE double target_below(double target, float list, bool removes) {
  return target_below_of<OneLane, double>(target, static_cast<double>(removes ? below(list) : list));
}

}  // namespace papilio::lda::sparse
