#pragma once

#include <cstdint>

#include "lda/training/sequential/sparse_kernel.h"
#include "lda/training/sequential/topic_lists_cpu.h"

// draw_in_sequence of sparse_kernel.h for a processor: the same counts, lists and sums to the bit, with little that the
// processor has to guess. A wrong guess costs as much as adding up a short list.

namespace papilio::lda {

// The draws of one word's tokens. n_w is its row of n_wk; s.q has a number for K too, which is finite. `room` is for
// twice whole_turns(K) numbers.
template <class Number>
class SequentialWordDraws {
  using Lists = TopicLists<Number>;
  using Entry = typename Lists::Entry;

 public:
  SequentialWordDraws(const SequentialSparse& s, Lists& lists, std::int32_t* n_w, double* room)
      : s_(s), lists_(lists), n_w_(n_w), masses_(room), sums_(room + Lists::whole_turns(s.topics)) {}

  // Draws the token at a place of the order by words, u being its number; returns whether its topic came from the
  // document's part. What is above the topic's leaf in the tree is added up by the next draw, together with what is
  // above the leaf of the topic that it takes away.
  bool draw(std::int64_t place, double u) {
    Entry* const head = lists_.at(s_.places[place]);
    Entry* const list = head + 1;
    std::int32_t size = head->count;
    const std::int32_t turns_end = Lists::whole_turns(size);
    const std::int32_t old = s_.z[place];
    const std::int32_t gap = weigh_list(list, turns_end, old);
    change(old, -1);
    add_up_above(old, drawn_ < 0 ? old : drawn_);
    remove(list, gap, old, size);

    const double of_document = add_up(turns_end);
    const double target = u * (of_document + s_.tree.total());
    const bool from_document = target < of_document;
    std::int32_t entry;
    if (from_document) {
      entry = entry_at(target, turns_end);
      drawn_ = list[entry].topic;
    } else {
      drawn_ = static_cast<std::int32_t>(s_.tree.find(target - of_document));
      entry = place_of(list, size, drawn_);
    }
    list[entry] = {static_cast<Number>(drawn_), static_cast<Number>(list[entry].count + 1)};
    head->count = static_cast<Number>(entry == size ? size + 1 : size);
    change(drawn_, 1);
    s_.z[place] = drawn_;
    return from_document;
  }

 private:
  void change(std::int32_t topic, std::int32_t by) {
    n_w_[topic] += by;
    s_.n_k[topic] += by;
    weigh_leaf(s_, n_w_, topic);
  }

  // All of a level, then the next: what one path has in common with the other is added up twice, to the same sum.
  void add_up_above(std::int64_t topic, std::int64_t other) const {
    for (int l = 1; l < s_.tree.levels; ++l) {
      topic /= TopicTree::width;
      other /= TopicTree::width;
      s_.tree.add_up_level(l, topic + 1, topic, 1);
      s_.tree.add_up_level(l, other + 1, other, 1);
    }
  }

  // masses_[j] = n_dk q_k of the entries as they are; returns where the topic is, in one of them.
  std::int32_t weigh_list(const Entry* list, std::int32_t end, std::int32_t topic) const {
    std::int32_t result = 0;
    for (std::int32_t j = 0; j < end; j += Lists::turn) {
      for (std::int32_t i = j; i < j + Lists::turn; ++i) {
        masses_[i] = list[i].count * s_.q[list[i].topic];
        result |= list[i].topic == topic ? i : 0;
      }
    }
    return result;
  }

  // Takes a token out of the entry at `gap`, which the last entry fills if it was its last one.
  void remove(Entry* list, std::int32_t gap, std::int32_t topic, std::int32_t& size) const {
    const std::int32_t end = size - 1;
    Entry left = list[gap];
    const bool is_gone = --left.count == 0;
    masses_[gap] = is_gone ? masses_[end] : left.count * s_.q[topic];
    masses_[end] = is_gone ? 0 : masses_[end];
    list[gap] = is_gone ? list[end] : left;
    list[end] = is_gone ? lists_.nothing() : list[end];
    size = is_gone ? end : size;
  }

  double add_up(std::int32_t end) const {
    double sum = 0;
    for (std::int32_t j = 0; j < end; j += Lists::turn) {
      for (std::int32_t i = j; i < j + Lists::turn; ++i) sums_[i] = sum += masses_[i];
    }
    return sum;
  }

  // The first entry whose sum exceeds the target, which that of all does.
  std::int32_t entry_at(double target, std::int32_t end) const {
    std::int32_t result = 0;
    for (std::int32_t j = 0; j < end; j += Lists::turn) {
      for (std::int32_t i = j; i < j + Lists::turn; ++i) result += sums_[i] <= target ? 1 : 0;
    }
    return result;
  }

  // `size` where the topic is in no entry.
  static std::int32_t place_of(const Entry* list, std::int32_t size, std::int32_t topic) {
    std::int32_t result = 0;
    for (std::int32_t j = 0; j < size; j += Lists::turn) {
      for (std::int32_t i = j; i < j + Lists::turn; ++i) result |= list[i].topic == topic ? i + 1 : 0;
    }
    return result == 0 ? size : result - 1;
  }

  const SequentialSparse& s_;
  Lists& lists_;
  std::int32_t* const n_w_;
  double* const masses_;
  double* const sums_;
  std::int32_t drawn_ = -1;
};

}  // namespace papilio::lda
