#pragma once

#include <cstdint>

#include "lda/training/sparse/parallel/batch.h"
#include "lda/training/sparse/parallel/document_part_kernel.h"

// What the tokens of a word share: phi, the sums over the word's topics and over all topics, and what
// each token leaves out as its own.

namespace papilio::inline PAPILIO_TARGET::sparse_kernel {

using namespace papilio::lda::sparse;

// The first i with sums[i] > target; there is one.
PAPILIO_LANEWISE std::uint32_t first_above(const std::uint64_t* sums, std::uint32_t count, std::uint64_t target) {
  std::uint32_t low = 0;
  while (count > 1) {
    const std::uint32_t half = count / 2;
    low += half & (0u - std::uint32_t{sums[low + half - 1] <= target});  // no branch
    count -= half;
  }
  return low;
}

class WordPart {
 public:
  PAPILIO_LANEWISE WordPart(const TopicMasses& masses, const Scratch& scratch, bool removes)
      : masses_(masses), scratch_(scratch), removes_(removes), beta_(static_cast<float>(masses.beta)) {}

  // Sets the word's tokens.
  template <class Entry>
  PAPILIO_LANEWISE void open(const Spot<Entry>* tokens, std::int64_t count) {
    if (count > masses_.topics / 8) {
      count_topics(tokens, count);
      open_counted(scratch_.counts);
    } else {
      for (std::int64_t i = 0; i < count; ++i) {
        const std::uint32_t k = tokens[i].topic;
        ++scratch_.counts[k];
        scratch_.present[k / 64] |= std::uint64_t{1} << (k % 64);
      }
      open_marked(scratch_.counts);
    }
    for (std::uint32_t i = 0; i < size_; ++i) scratch_.counts[scratch_.topics[i]] = 0;
  }

  PAPILIO_LANEWISE void open_counted(const std::uint32_t* counts) {
    using W = EightLanes;
    const auto zero = W::template splat<std::uint32_t>(0);
    std::int32_t k = 0;
    for (; k + W::width <= masses_.topics; k += W::width) {
      const std::uint64_t none = W::bits(W::template equal<std::uint32_t>(W::load(counts + k), zero));
      scratch_.present[k / 64] |= (none ^ 0xff) << (k % 64);
    }
    for (; k < masses_.topics; ++k) scratch_.present[k / 64] |= std::uint64_t{counts[k] != 0} << (k % 64);
    open_marked(counts);
  }

  PAPILIO_LANEWISE void close() {
    for (std::uint32_t i = 0; i < size_; ++i) scratch_.phi[scratch_.topics[i]] = phi_of(scratch_.topics[i], 0);
  }

  PAPILIO_LANEWISE const float* phi() const { return scratch_.phi; }
  PAPILIO_LANEWISE const OwnTopic* own() const { return scratch_.own; }  // for each topic

  // The sum of the word part and the prior part, without what a token that has topic `old` leaves out.
  PAPILIO_LANEWISE std::uint64_t others(std::uint32_t old) const {
    return others_ - scratch_.own_place[old].taken - of_prior(old);
  }

  struct Found {
    std::uint32_t topic;
    bool of_word;
  };

  // The topic at a position below others(old), with the old topic left out.
  PAPILIO_LANEWISE Found find(std::uint64_t place, std::uint32_t old) const {
    const OwnPlace& own = scratch_.own_place[old];
    place += own.taken & (std::uint64_t{0} - std::uint64_t{place >= own.before});
    if (place < total_) return {scratch_.topics[first_above(scratch_.sums, size_, place)], true};
    place -= total_;
    const std::uint64_t left_out = of_prior(old);
    place += place >= masses_.prior_sums[old] - left_out ? left_out : 0;
    return {first_above(masses_.prior_sums, static_cast<std::uint32_t>(masses_.topics), place), false};
  }

 private:
  // Neighbouring tokens often have the same topic, so each would wait for the count of the previous one; therefore
  // there are two tables, used alternately.
  template <class Entry>
  PAPILIO_LANEWISE void count_topics(const Spot<Entry>* tokens, std::int64_t count) {
    using W = EightLanes;
    std::uint32_t* const even = scratch_.counts;
    std::uint32_t* const odd = scratch_.odd_counts;
    std::int64_t i = 0;
    for (; i + 1 < count; i += 2) {
      ++even[tokens[i].topic];
      ++odd[tokens[i + 1].topic];
    }
    if (i < count) ++even[tokens[i].topic];
    std::int32_t k = 0;
    for (; k + W::width <= masses_.topics; k += W::width) {
      W::store(even + k, W::load(even + k) + W::load(odd + k));
      W::store(odd + k, W::template splat<std::uint32_t>(0));
    }
    for (; k < masses_.topics; ++k) {
      even[k] += odd[k];
      odd[k] = 0;
    }
  }

  PAPILIO_LANEWISE void open_marked(const std::uint32_t* counts) {
    size_ = 0;
    total_ = 0;
    for (std::int32_t base = 0; base < masses_.topics; base += 64) {
      std::uint64_t bits = scratch_.present[base / 64];
      scratch_.present[base / 64] = 0;
      for (; bits != 0; bits &= bits - 1) {
        const auto k = static_cast<std::uint32_t>(base + __builtin_ctzll(bits));
        add_topic(k, counts[k]);
      }
    }
    others_ = total_ + masses_.prior_total();
    for (std::uint32_t i = 0; i < size_; ++i) {
      const std::uint32_t k = scratch_.topics[i];
      scratch_.own[k].others = weight_of(others(k), masses_.unit);
    }
  }

  PAPILIO_LANEWISE std::uint64_t of_prior(std::uint32_t k) const { return removes_ ? masses_.of[k].prior_mass : 0; }

  PAPILIO_LANEWISE float phi_of(std::uint32_t k, std::uint32_t count) const {
    return phi_of_count(static_cast<std::int32_t>(count), beta_, masses_.inverse[k]);
  }

  PAPILIO_LANEWISE void add_topic(std::uint32_t k, std::uint32_t count) {
    const TopicMass& mass = masses_.of[k];
    const std::uint64_t of_word = mass.word_mass * count;
    scratch_.phi[k] = phi_of(k, count);
    if (removes_) {
      scratch_.own[k] = {mass.alpha, word_without_token(static_cast<double>(count), masses_.beta), mass.without_token,
                         0};
      scratch_.own_place[k] = {of_word, total_};
    }
    total_ += of_word;
    scratch_.topics[size_] = k;
    scratch_.sums[size_++] = total_;
  }

  const TopicMasses& masses_;
  const Scratch& scratch_;
  const bool removes_;
  const float beta_;
  std::uint32_t size_ = 0;   // number of topics that the word has
  std::uint64_t total_ = 0;  // of the word part
  std::uint64_t others_ = 0;
};

}  // namespace papilio::inline PAPILIO_TARGET::sparse_kernel
