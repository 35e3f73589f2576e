#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "lda/training/memory/aligned_table.h"
#include "lda/training/sparse/kernels.h"
#include "lda/training/sparse/parallel/batch.h"

namespace papilio::lda::sparse {

// One thread's memory for the draws of a sweep.
struct ThreadScratch {
  explicit ThreadScratch(std::int32_t topics)
      : phi(1, std::max(topics, padded_phi)),
        running(1, running_floats_for(topics)),
        counts(static_cast<std::size_t>(topics)),
        odd_counts(static_cast<std::size_t>(topics)),
        own(static_cast<std::size_t>(topics)),
        own_place(static_cast<std::size_t>(topics)),
        present((static_cast<std::size_t>(topics) + 63) / 64),
        topics_of_word(static_cast<std::size_t>(topics)),
        sums(static_cast<std::size_t>(topics)) {}

  // Prepares it for the masses of a sweep.
  Scratch start(const TopicMasses& masses) {
    const auto beta = static_cast<float>(masses.beta);
    for (std::int32_t k = 0; k < masses.topics; ++k) phi.row(0)[k] = beta * masses.inverse[k];
    return {.counts = counts.data(),
            .odd_counts = odd_counts.data(),
            .phi = phi.row(0),
            .own = own.data(),
            .own_place = own_place.data(),
            .present = present.data(),
            .topics = topics_of_word.data(),
            .sums = sums.data(),
            .running = running.row(0),
            .running_floats = running.view().columns};
  }

  AlignedTable phi;
  AlignedTable running;
  std::vector<std::uint32_t> counts;
  std::vector<std::uint32_t> odd_counts;
  std::vector<OwnTopic> own;  // zeros if tokens are not taken out of the counts
  std::vector<OwnPlace> own_place;
  std::vector<std::uint64_t> present;
  std::vector<std::uint32_t> topics_of_word;
  std::vector<std::uint64_t> sums;
};

// Calls the kernel of the instruction-set target in use, for either kind of entries.
inline void draw(const Range<NarrowEntry>& range, const Scratch& scratch, Statistics& statistics) {
  kernels_in_use().draw_narrow(range, scratch, statistics);
}
inline void draw(const Range<WideEntry>& range, const Scratch& scratch, Statistics& statistics) {
  kernels_in_use().draw_wide(range, scratch, statistics);
}

}  // namespace papilio::lda::sparse
