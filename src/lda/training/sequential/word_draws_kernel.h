#pragma once

#include <cstdint>

#include "lda/training/sequential/near_sums_kernel.h"
#include "lda/training/sequential/sparse_kernel.h"
#include "lda/training/sequential/topic_groups_kernel.h"

// draw_in_sequence of sparse_kernel.h for a CPU: the same counts, lists and topics.
//
// A draw searches the sums for its number, and exact sums have to wait for the draw before it. So the topic is found in
// approximate sums, which are ready sooner: they are made eight entries at a time, or by differences. With them goes a
// bound on how far they can be from the sums of sparse_kernel.h. If the number is farther than that from both ends of
// its interval, the topic is the same. If it is not, which hardly ever happens, the sums are added up as in
// draw_in_sequence.

namespace papilio::inline PAPILIO_TARGET::sequential_kernel {

using lda::SequentialSparse;
using lda::SequentialWord;

inline constexpr std::int64_t tokens_ahead = 16;       // whose topics and lists are prefetched
inline constexpr std::int64_t entries_asked_for = 24;  // prefetched per list, from its beginning

// If a word has more topics than K / this, all sums are made anew; otherwise only those above its topics.
inline constexpr std::int32_t topics_per_path = 8;

// What q of a topic would be with one more token of the word.
PAPILIO_LANEWISE double next_q(const SequentialSparse& s, const std::int32_t* n_w, std::int64_t k) {
  return (n_w[k] + 1.0 + s.beta) / lda::mass_of_topic(s.n_k[k] + 1, s.prior_mass);
}

// The topic of a token with the uniform number u; `list` leaves the token out.
template <class Number>
__attribute__((noinline)) std::int32_t draw_exactly(const SequentialSparse& s, const TopicCount<Number>* list,
                                                    std::int32_t size, double u, bool& from_document) {
  std::int64_t nodes = s.topics;
  for (int l = 1; l < s.tree.levels; ++l) {
    nodes = NearSums::nodes_of(nodes);
    s.tree.add_up_level(l, nodes, 0, 1);
  }
  double of_document = 0;
  for (std::int32_t j = 0; j < size; ++j) of_document += list[j].count * s.q[list[j].topic];
  const double target = u * (of_document + s.tree.total());
  from_document = target < of_document;
  if (!from_document) return static_cast<std::int32_t>(s.tree.find(target - of_document));
  double sum = 0;
  for (std::int32_t j = 0;; ++j) {
    sum += list[j].count * s.q[list[j].topic];
    if (target < sum) return list[j].topic;
  }
}

template <class Number>
class SequentialWordDraws {
  using Entry = TopicCount<Number>;
  static constexpr bool is_wide = sizeof(Number) == sizeof(std::int32_t);

 public:
  explicit PAPILIO_LANEWISE SequentialWordDraws(const SequentialWord<Number>& word)
      : word_(word), s_(*word.sweep), near_(*word.near), sums_(word.room + W::width) {
    sums_[-1] = 0;
  }

  PAPILIO_LANEWISE std::int64_t draw(std::int64_t begin, std::int64_t end, const double* u) {
    std::int64_t from_document = 0;
    for (std::int64_t place = begin; place < end; ++place) {
      ask_for(place + tokens_ahead);
      const std::int32_t size = word_.entries[s_.places[place]].count;
      const double number = u[place - begin];
      bool is_from_document;
      if (is_wide || size > 3 * W::width) {
        is_from_document = draw_token(LongList<Number>(), place, number);
      } else if constexpr (!is_wide) {
        is_from_document = size > 2 * W::width ? draw_token(ShortList<Number, 3>(), place, number)
                                               : draw_token(ShortList<Number, 2>(), place, number);
      }
      from_document += is_from_document ? 1 : 0;
    }
    near_.put();
    return from_document;
  }

 private:
  PAPILIO_LANEWISE void ask_for(std::int64_t place) const {
    if (place >= word_.tokens) return;
    __builtin_prefetch(word_.z + s_.tokens[place], 1);
    const Entry* const head = word_.entries + s_.places[place];
    constexpr std::int64_t per_line = 64 / sizeof(Entry);
    for (std::int64_t j = 0; j < entries_asked_for; j += per_line) __builtin_prefetch(head + j, 1);
  }

  PAPILIO_LANEWISE void remove(std::int32_t topic) {
    double* const leaf = s_.tree.level[0] + topic;
    const double before = *leaf;
    word_.next_q[topic] = s_.q[topic];
    --word_.n_w[topic];
    --s_.n_k[topic];
    weigh_leaf(s_, word_.n_w, topic);
    near_.add(topic, *leaf - before);
  }

  // next_q already has the topic's new weight, so the next draw need not wait for a division.
  PAPILIO_LANEWISE void add(std::int32_t topic) {
    double* const leaf = s_.tree.level[0] + topic;
    const double before = *leaf;
    s_.q[topic] = word_.next_q[topic];
    *leaf = s_.alpha[topic] * s_.q[topic];
    near_.add(topic, *leaf - before);
    ++word_.n_w[topic];
    ++s_.n_k[topic];
    word_.next_q[topic] = next_q(s_, word_.n_w, topic);
  }

  // Returns whether the topic came from the document part.
  template <class List>
  PAPILIO_LANEWISE bool draw_token(List list, std::int64_t place, double u) {
    Entry* const head = word_.entries + s_.places[place];
    std::int32_t& z = word_.z[s_.tokens[place]];
    const std::int32_t old = z;
    list.open(head, old);
    remove(old);
    const double of_document = list.add_up(s_.q, sums_);
    const double all = of_document + near_.total();
    const double target = u * all;
    // One rounding per entry and a few per level of a tree, of numbers up to `all`.
    const double margin = near_.slack() + (list.size() + 128) * 0x1p-51 * all;

    bool from_document = target < of_document;
    std::int32_t drawn;
    double rest;
    double whole;
    if (from_document) {
      const std::int32_t entry = list.find(sums_, target);
      drawn = list.topic(entry);
      rest = target - sums_[entry - 1];
      whole = sums_[entry] - sums_[entry - 1];
    } else {
      const NearSumsInHand::Leaf leaf = near_.find(target - of_document);
      drawn = leaf.topic;
      rest = leaf.rest;
      whole = s_.tree.level[0][drawn];
    }
    if (!(rest > margin && whole - rest > margin)) [[unlikely]] {
      drawn = draw_exactly(s_, head + 1, list.size(), u, from_document);
      sequential_kernel::add_up(*word_.near, s_.tree.level[0], s_.topics);
      near_.take();
    }
    list.add(head, drawn);
    add(drawn);
    z = drawn;
    return from_document;
  }

  const SequentialWord<Number>& word_;
  const SequentialSparse s_;
  NearSumsInHand near_;
  double* const sums_;
};

// Draws tokens of the word with the uniform numbers u. Returns how many topics came from the document part.
template <class Number>
std::int64_t draw_tokens(const SequentialWord<Number>& word, std::int64_t begin, std::int64_t end, const double* u) {
  return SequentialWordDraws<Number>(word).draw(begin, end, u);
}

// Weighs the word's topics by `counts`, which are the word's or zeros. For all other topics both are 0.
template <class Number>
void weigh_topics(const SequentialWord<Number>& word, const std::int32_t* counts) {
  const SequentialSparse& s = *word.sweep;
  std::int32_t seen = 0;
  const auto zeros = W::template splat<std::int32_t>(0);
  for (std::int32_t k = 0; k < s.topics; k += W::width) {
    const std::int32_t here = s.topics - k;
    const Ints counts_here = here < W::width ? W::load(word.n_w + k, here) : W::load(word.n_w + k);
    constexpr std::uint32_t all = (1u << W::width) - 1;
    for (std::uint32_t left = W::equal_bits(counts_here, zeros) ^ all; left != 0; left &= left - 1) {
      word.topics[seen++] = k + __builtin_ctz(left);
    }
  }
  const bool has_many = std::int64_t{seen} * topics_per_path > s.topics;
  if (has_many || word.near->is_stale) {
    for (std::int32_t i = 0; i < seen; ++i) {
      weigh_leaf(s, counts, word.topics[i]);
      word.next_q[word.topics[i]] = next_q(s, counts, word.topics[i]);
    }
    word.near->is_stale = true;
    return;
  }
  NearSumsInHand near(*word.near);
  for (std::int32_t i = 0; i < seen; ++i) {
    const std::int32_t k = word.topics[i];
    const double before = s.tree.level[0][k];
    weigh_leaf(s, counts, k);
    word.next_q[k] = next_q(s, counts, k);
    near.add(k, s.tree.level[0][k] - before);
  }
  near.put();
}

template <class Number>
void take_up_word(const SequentialWord<Number>& word) {
  weigh_topics(word, word.n_w);
  if (word.near->is_stale) add_up(*word.near, word.sweep->tree.level[0], word.sweep->topics);
}

}  // namespace papilio::inline PAPILIO_TARGET::sequential_kernel
