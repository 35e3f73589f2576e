#pragma once

#include <cstdint>

#include "lda/training/sparse/by_document/batch.h"
#include "lda/training/sparse/prefix_sums_kernel.h"
#include "lda/training/sparse/rounding.h"
#include "lda/training/sparse/token_numbers_kernel.h"
#include "random/philox.h"
#include "random/purpose.h"
#include "random/uniform.h"
#include "random/uniform_lanes.h"

// The draws of one thread, token after token: the part that is compiled for every instruction-set target.

namespace papilio::inline PAPILIO_TARGET::by_document_kernel {

using namespace papilio::lda::sparse;

using sparse_kernel::Floats;
using sparse_kernel::prefix_sums;
using sparse_kernel::token_numbers;
using W = sparse_kernel::EightLanes;
inline constexpr int half_line = topics_per_line / 2;
static_assert(W::width == half_line);

inline constexpr int tokens_per_batch = half_line;
inline constexpr std::int64_t rows_ahead = tokens_per_batch;
inline constexpr std::int64_t tokens_ahead = 64;

class DocumentDraws {
 public:
  PAPILIO_LANEWISE DocumentDraws(const ByDocumentRange& range, const ByDocumentScratch& scratch)
      : range_(range),
        prior_(*range.prior),
        scratch_(scratch),
        lines_((prior_.topics + topics_per_line - 1) / topics_per_line),
        stream_(random::stream(random::Purpose::topics, range.sweep)) {}

  PAPILIO_LANEWISE std::int64_t draw() {
    for (std::int64_t first = 0; first < range_.count; first += tokens_per_batch) {
      const std::int64_t left = range_.count - first;
      const int count = left < tokens_per_batch ? static_cast<int>(left) : tokens_per_batch;
      prepare(first, count);
      moves_ = 0;
      for (int i = 0; i < count; ++i) {
        ask_for_row(first + i + rows_ahead);
        draw_token(range_.tokens[first + i], range_.slots[first + i], u_[i]);
      }
      for (int i = 0; i < moves_; ++i) {
        __atomic_fetch_sub(from_[i], 1, __ATOMIC_RELAXED);
        __atomic_fetch_add(to_[i], 1, __ATOMIC_RELAXED);
      }
    }
    return from_document_;
  }

 private:
  // Computes the batch's uniform numbers, and prefetches words and topics of a later batch.
  PAPILIO_LANEWISE void prepare(std::int64_t first, int count) {
    const auto token = W::load(range_.tokens + first, count);
    const auto number = token_numbers<W>(range_.first_token, token);
    const auto block = random::draw_blocks<W>(range_.seed, stream_, number.low, number.high);
    W::store(u_, random::uniform53<W>(block.word[0], block.word[1]));
    const std::int64_t ahead = first + tokens_ahead;
    for (std::int64_t i = ahead; i < ahead + tokens_per_batch && i < range_.count; ++i) {
      W::prefetch(range_.words + range_.tokens[i]);
      W::prefetch(range_.z + range_.tokens[i]);
    }
  }

  // Prefetches the entries of phi for the topics that the document at `place` has now; once per document and word.
  PAPILIO_LANEWISE void ask_for_row(std::int64_t place) {
    if (place >= range_.count) return;
    const std::int64_t word = range_.words[range_.tokens[place]];
    const std::int32_t slot = range_.slots[place];
    if (word == asked_word_ && slot == asked_slot_) return;
    asked_word_ = word;
    asked_slot_ = slot;
    W::prefetch(prior_.totals + word);
    const float* phi = prior_.phi + word * prior_.stride;
    const std::uint64_t* lines = scratch_.lines + std::int64_t{slot} * scratch_.line_words;
    for (std::int32_t i = 0; i < scratch_.line_words; ++i) {
      for (std::uint64_t bits = lines[i]; bits != 0; bits &= bits - 1) {
        W::prefetch(phi + (64 * i + __builtin_ctzll(bits)) * topics_per_line);
      }
    }
  }

  PAPILIO_LANEWISE void draw_token(std::uint32_t token, std::int32_t slot, double u) {
    const std::int64_t word = range_.words[token];
    const std::int32_t old = range_.z[token];
    float* counts = scratch_.counts + slot * prior_.stride;
    std::uint64_t* lines = scratch_.lines + std::int64_t{slot} * scratch_.line_words;
    take(counts, lines, old);
    const float* phi = prior_.phi + word * prior_.stride;
    add_up(counts, lines, phi);
    const double document = double{prefix_[topics_per_line - 1]};
    const std::uint64_t rest = prior_.totals[word];
    const double total = document + weight_of(rest, prior_.unit);
    const double target = u * total;
    std::int32_t k = old;
    if (target < document) {
      k = find_in_document(target);
      ++from_document_;
    } else if (rest != 0) {
      k = find_in_prior(word, phi, (target - document) * prior_.places);
    }
    counts[k] += 1;
    lines[k / topics_per_line / 64] |= std::uint64_t{1} << (k / topics_per_line % 64);
    if (k != old) move(token, word, old, k);
  }

  PAPILIO_LANEWISE static void take(float* counts, std::uint64_t* lines, std::int32_t old) {
    counts[old] -= 1;
    if (counts[old] != 0) return;
    const std::int32_t line = old / topics_per_line;
    const float* first = counts + line * topics_per_line;
    const auto all = W::load(first) + W::load(first + half_line);
    if (W::bits(W::equal(all, W::splat<float>(0))) != (1u << half_line) - 1) return;
    lines[line / 64] &= ~(std::uint64_t{1} << (line % 64));
  }

  // Running sums of counts times phi within each lane, and prefix sums over the lanes. If most lines are not empty, all
  // of them are added, which changes no sum.
  PAPILIO_LANEWISE void add_up(const float* counts, const std::uint64_t* lines, const float* phi) {
    std::int32_t used = 0;
    for (std::int32_t i = 0; i < scratch_.line_words; ++i) used += __builtin_popcountll(lines[i]);
    all_lines_ = 4 * used > 3 * lines_;
    Sums sums = {W::splat<float>(0), W::splat<float>(0), scratch_.running};
    if (all_lines_) {
      for (std::int32_t line = 0; line < lines_; ++line) sums.add_line(counts, phi, line);
    } else {
      std::uint32_t* ids = scratch_.line_ids;
      for (std::int32_t i = 0; i < scratch_.line_words; ++i) {
        for (std::uint64_t bits = lines[i]; bits != 0; bits &= bits - 1) {
          const std::int32_t line = 64 * i + __builtin_ctzll(bits);
          *ids++ = static_cast<std::uint32_t>(line);
          sums.add_line(counts, phi, line);
        }
      }
    }
    depth_ = all_lines_ ? lines_ : used;
    W::store(lane_, sums.low);
    W::store(lane_ + half_line, sums.high);
    const Floats first = prefix_sums<W>(sums.low);
    W::store(prefix_, first);
    W::store(prefix_ + half_line, prefix_sums<W>(sums.high) + W::splat<float>(prefix_[half_line - 1]));
  }

  // The sums of lanes 0 ... 7 and 8 ... 15.
  struct Sums {
    Floats low, high;
    float* running;

    PAPILIO_LANEWISE void add_line(const float* counts, const float* phi, std::int32_t line) {
      const std::int64_t at = std::int64_t{line} * topics_per_line;
      low = low + W::load(counts + at) * W::load(phi + at);
      high = high + W::load(counts + at + half_line) * W::load(phi + at + half_line);
      W::store(running, low);
      W::store(running + half_line, high);
      running += topics_per_line;
    }
  };

  // The topic into which a target below the total falls, never one of weight 0.
  PAPILIO_LANEWISE std::int32_t find_in_document(double target) const {
    const Floats sought = W::splat<float>(rounded_down(target));
    const std::uint64_t above = W::bits(W::less(sought, W::load(prefix_))) |
                                W::bits(W::less(sought, W::load(prefix_ + half_line))) << half_line;
    const int l = __builtin_ctzll(above);
    const double before = l == 0 ? 0.0 : double{prefix_[l == 0 ? 0 : l - 1]};
    // Rounding may leave more than the lane holds: then take the last entry that has increased the lane's sum.
    const float rest = rounded_down(target - before);
    const float most = below(lane_[l]);
    const float in_lane = rest < most ? rest : most;
    std::int32_t low = 0;
    for (std::int32_t count = depth_; count > 1;) {
      const std::int32_t half = count / 2;
      low += half & -std::int32_t{scratch_.running[topics_per_line * (low + half - 1) + l] <= in_lane};  // no branch
      count -= half;
    }
    const std::int32_t line = all_lines_ ? low : static_cast<std::int32_t>(scratch_.line_ids[low]);
    return topics_per_line * line + l;
  }

  PAPILIO_LANEWISE std::int32_t find_in_prior(std::int64_t word, const float* phi, double place) const {
    const std::uint64_t sought = unit_below(place, prior_.totals[word]);
    const std::uint64_t* sums = prior_.sums + word * prior_.sums_per_word;
    std::int64_t part = 0;
    for (std::int64_t i = 0; i < prior_.sums_per_word; ++i) part += sums[i] <= sought;
    std::uint64_t sum = part == 0 ? 0 : sums[part - 1];
    auto k = static_cast<std::int32_t>(part) * topics_per_sum;
    while ((sum += prior_mass(prior_.alpha[k], phi[k], prior_.places)) <= sought) ++k;
    return k;
  }

  PAPILIO_LANEWISE void move(std::uint32_t token, std::int64_t word, std::int32_t old, std::int32_t k) {
    std::int32_t* row = range_.n_wk + word * prior_.topics;
    range_.z[token] = k;
    from_[moves_] = row + old;
    to_[moves_++] = row + k;
    __builtin_prefetch(row + old, 1);
    __builtin_prefetch(row + k, 1);
  }

  const ByDocumentRange& range_;
  const PriorPart& prior_;
  const ByDocumentScratch& scratch_;
  const std::int32_t lines_;
  const std::uint64_t stream_;
  std::int64_t from_document_ = 0;
  std::int64_t asked_word_ = -1;
  std::int32_t asked_slot_ = -1;

  // For the batch.
  double u_[tokens_per_batch];
  std::int32_t* from_[tokens_per_batch];
  std::int32_t* to_[tokens_per_batch];
  int moves_ = 0;

  // For the token.
  alignas(32) float lane_[topics_per_line];
  alignas(32) float prefix_[topics_per_line];
  std::int32_t depth_ = 0;
  bool all_lines_ = false;
};

inline std::int64_t draw(const ByDocumentRange& range, const ByDocumentScratch& scratch) {
  return DocumentDraws(range, scratch).draw();
}

}  // namespace papilio::inline PAPILIO_TARGET::by_document_kernel
