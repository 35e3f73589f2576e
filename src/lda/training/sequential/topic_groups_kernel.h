#pragma once

#include <cstdint>

#include "lda/training/sequential/near_sums_kernel.h"
#include "lda/training/sequential/word_draws.h"

// A document's list while one of its tokens is drawn: it is opened without the token, added up, searched, and given the
// new topic. It is read eight entries at a time; what is read past its end has weight 0.

namespace papilio::inline PAPILIO_TARGET::sequential_kernel {

using lda::TopicCount;
using Ints = warp::Lanes<W, std::int32_t>;

// Eight entries. Numbers of 8 or 16 bits stay packed as they are in memory.
template <class Number>
struct TopicGroup {
  Ints bits;

  static constexpr int shift = 8 * sizeof(Number);

  PAPILIO_LANEWISE static TopicGroup of(const TopicCount<Number>* entries) {
    if constexpr (sizeof(Number) == 1) {
      return {W::template convert<std::int32_t>(W::load(reinterpret_cast<const std::uint16_t*>(entries)))};
    } else {
      return {W::load(reinterpret_cast<const std::int32_t*>(entries))};
    }
  }
  PAPILIO_LANEWISE Ints topics() const { return bits & ((1 << shift) - 1); }
  PAPILIO_LANEWISE Ints counts() const {
    return W::template bit_cast<std::int32_t>(W::template bit_cast<std::uint32_t>(bits) >> std::uint32_t{shift});
  }
  PAPILIO_LANEWISE TopicGroup with(Ints at, std::int32_t place, TopicCount<Number> entry) const {
    const auto here = W::equal(at, W::template splat<std::int32_t>(place));
    return {W::select(here, W::template splat<std::int32_t>(entry.topic | entry.count << shift), bits)};
  }
  PAPILIO_LANEWISE TopicGroup up_to(Ints at, std::int32_t size) const {
    return {W::select(W::less(at, W::template splat<std::int32_t>(size)), bits, W::template splat<std::int32_t>(0))};
  }
};

template <>
struct TopicGroup<std::int32_t> {
  Ints topic;
  Ints count;

  PAPILIO_LANEWISE static TopicGroup of(const TopicCount<std::int32_t>* entries) {
    return {W::generate<std::int32_t>([&](int l) { return entries[l].topic; }),
            W::generate<std::int32_t>([&](int l) { return entries[l].count; })};
  }
  PAPILIO_LANEWISE Ints topics() const { return topic; }
  PAPILIO_LANEWISE Ints counts() const { return count; }
  PAPILIO_LANEWISE TopicGroup up_to(Ints at, std::int32_t size) const {
    return {topic,
            W::select(W::less(at, W::template splat<std::int32_t>(size)), count, W::template splat<std::int32_t>(0))};
  }
};

// The list without the token. If an entry loses its only token, the last entry takes its place.
template <class Number>
struct Removal {
  TopicCount<Number> moved;
  std::int32_t gap;
  std::int32_t size;

  PAPILIO_LANEWISE Removal() = default;
  PAPILIO_LANEWISE Removal(const TopicCount<Number>* list, std::int32_t entries, std::int32_t place) : gap(place) {
    const TopicCount<Number> last = list[entries - 1];
    const TopicCount<Number> left = {list[gap].topic, static_cast<Number>(list[gap].count - 1)};
    const bool is_gone = left.count == 0;
    moved = is_gone ? last : left;
    size = is_gone ? entries - 1 : entries;
  }
};

template <class Number>
PAPILIO_LANEWISE void add_token(TopicCount<Number>* head, std::int32_t size, std::int32_t entry, std::int32_t topic) {
  TopicCount<Number>& changed = head[1 + entry];
  const std::int32_t is_new = entry == size ? 1 : 0;
  changed = {static_cast<Number>(topic), static_cast<Number>((changed.count & (is_new - 1)) + 1)};
  head->count = static_cast<Number>(size + is_new);
}

PAPILIO_LANEWISE Ints lanes_from(std::int32_t first) { return W::lane_id() + first; }

// The entries' weights. q is read by eight loads, which several processors do faster than a gather.
template <class Number>
PAPILIO_LANEWISE Doubles masses(const TopicCount<Number>* entries, Ints counts, const double* q) {
  return W::template convert<double>(counts) * W::template generate<double>([&](int l) { return q[entries[l].topic]; });
}

// A list of at most `groups` groups, which stay in registers.
template <class Number, int groups>
class ShortList {
  using Entry = TopicCount<Number>;
  static constexpr std::uint64_t end = std::uint64_t{1} << (groups * W::width);

 public:
  PAPILIO_LANEWISE void open(Entry* head, std::int32_t topic) {
    list_ = head + 1;
    std::uint64_t found = end;
    PAPILIO_UNROLL
    for (int g = 0; g < groups; ++g) {
      group_[g] = TopicGroup<Number>::of(list_ + g * W::width);
      found |= bits(g, W::equal_bits(group_[g].topics(), W::template splat<std::int32_t>(topic)));
    }
    without_ = Removal<Number>(list_, head->count, __builtin_ctzll(found));
    list_[without_.gap] = without_.moved;
  }

  // The number of entries without the token.
  PAPILIO_LANEWISE std::int32_t size() const { return without_.size; }

  // Stores the running sum up to each entry; returns the total.
  PAPILIO_LANEWISE double add_up(const double* q, double* sums) {
    Carry all{};
    PAPILIO_UNROLL
    for (int g = 0; g < groups; ++g) {
      const Ints at = lanes_from(g * W::width);
      group_[g] = group_[g].with(at, without_.gap, without_.moved).up_to(at, without_.size);
      up_to_[g] = W::running_sums(masses(list_ + g * W::width, group_[g].counts(), q), all);
      W::store(sums + g * W::width, up_to_[g]);
    }
    return all[0];
  }

  // The first entry whose running sum exceeds the target; an entry past the end if there is none.
  PAPILIO_LANEWISE std::int32_t find(const double*, double target) const {
    std::uint64_t above = end;
    PAPILIO_UNROLL
    for (int g = 0; g < groups; ++g) above |= bits(g, W::less_bits(W::template splat<double>(target), up_to_[g]));
    return __builtin_ctzll(above);
  }

  PAPILIO_LANEWISE std::int32_t topic(std::int32_t entry) const { return list_[entry].topic; }

  PAPILIO_LANEWISE void add(Entry* head, std::int32_t topic) const {
    std::uint64_t found = std::uint64_t{1} << without_.size;
    PAPILIO_UNROLL
    for (int g = 0; g < groups; ++g) {
      found |= bits(g, W::equal_bits(group_[g].topics(), W::template splat<std::int32_t>(topic)));
    }
    add_token(head, without_.size, __builtin_ctzll(found), topic);
  }

 private:
  PAPILIO_LANEWISE static std::uint64_t bits(int group, std::uint32_t lanes) {
    return std::uint64_t{lanes} << (group * W::width);
  }

  Entry* list_;
  TopicGroup<Number> group_[groups];
  Doubles up_to_[groups];
  Removal<Number> without_;
};

// A list of any length, in memory.
template <class Number>
class LongList {
  using Entry = TopicCount<Number>;

 public:
  PAPILIO_LANEWISE void open(Entry* head, std::int32_t topic) {
    list_ = head + 1;
    const Removal<Number> without(list_, head->count, place_of(topic, head->count));
    list_[without.gap] = without.moved;
    size_ = without.size;
  }

  PAPILIO_LANEWISE std::int32_t size() const { return size_; }

  PAPILIO_LANEWISE double add_up(const double* q, double* sums) const {
    Carry all{};
    for (std::int32_t j = 0; j < size_; j += W::width) {
      const auto group = TopicGroup<Number>::of(list_ + j).up_to(lanes_from(j), size_);
      W::store(sums + j, W::running_sums(masses(list_ + j, group.counts(), q), all));
    }
    return all[0];
  }

  PAPILIO_LANEWISE std::int32_t find(const double* sums, double target) const {
    for (std::int32_t j = 0; j < size_; j += W::width) {
      const std::uint32_t above = W::less_bits(W::template splat<double>(target), W::load(sums + j));
      if (above != 0) return j + __builtin_ctz(above);
    }
    return size_;
  }

  PAPILIO_LANEWISE std::int32_t topic(std::int32_t entry) const { return list_[entry].topic; }

  PAPILIO_LANEWISE void add(Entry* head, std::int32_t topic) const {
    add_token(head, size_, place_of(topic, size_), topic);
  }

 private:
  // The entry with the topic; `size` if there is none.
  PAPILIO_LANEWISE std::int32_t place_of(std::int32_t topic, std::int32_t size) const {
    const auto wanted = W::template splat<std::int32_t>(topic);
    for (std::int32_t j = 0; j < size; j += W::width) {
      const std::uint32_t here = W::equal_bits(TopicGroup<Number>::of(list_ + j).topics(), wanted);
      if (here == 0) continue;
      const std::int32_t place = j + __builtin_ctz(here);
      return place < size ? place : size;
    }
    return size;
  }

  Entry* list_;
  std::int32_t size_;
};

}  // namespace papilio::inline PAPILIO_TARGET::sequential_kernel
