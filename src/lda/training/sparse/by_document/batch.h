#pragma once

#include <cstdint>

#include "lda/training/sparse/fixed_point.h"

// The interface between the sweep (sweep_cpu.h), which owns memory, and its kernel, which is compiled once per
// instruction-set target. No library type crosses it. docs/lda/sparse.md has the formulas.

namespace papilio::lda::sparse {

// Topic k is in lane k mod 16; 16 neighbouring topics make a line, both of a cache and of a bitmap.
inline constexpr std::int32_t topics_per_line = 16;

// The prior part keeps one sum for this many topics.
inline constexpr std::int32_t topics_per_sum = 64;

// phi as drawn for a sweep, and the masses alpha_k phi_wk in fixed point.
struct PriorPart {
  std::int32_t topics;
  const double* alpha;          // K
  const float* phi;             // V x K: rows aligned to 64 bytes, 0 past K
  std::int64_t stride;          // of phi
  const std::uint64_t* totals;  // V: the mass of all topics
  const std::uint64_t* sums;    // V x sums_per_word: running sums over topics 0 ... 63, 0 ... 127, ...
  std::int64_t sums_per_word;
  double unit;    // of the fixed-point numbers, a power of two
  double places;  // 1 / unit
};

// alpha_k phi_wk in units. Below 2^63: alpha is below 2^62 units in all, and phi hardly above 1.
PAPILIO_LANEWISE std::uint64_t prior_mass(double alpha, float phi, double places) {
  return in_units(alpha * static_cast<double>(phi), places);
}

// Documents that are drawn together, each in a slot, and their tokens in the order in which they are drawn.
struct ByDocumentRange {
  const PriorPart* prior;
  const std::uint32_t* tokens;  // token numbers
  const std::uint16_t* slots;   // the slots of their documents
  std::int64_t count;
  const std::int32_t* words;  // N
  std::int32_t* z;            // N
  std::int32_t* n_wk;         // V x K; other threads change it as well
  std::uint64_t seed;
  std::uint32_t sweep;
  std::uint64_t first_token;  // the number of the first token in the whole corpus
};

// Memory for one thread. `counts` are those of z; a document's line has its bit set if and only if a count is not 0.
struct ByDocumentScratch {
  float* counts;         // slots x stride, as floats, which are exact below 2^24
  std::uint64_t* lines;  // slots x line_words
  std::int32_t line_words;
  float* running;           // stride
  std::uint32_t* line_ids;  // stride / topics_per_line
};

}  // namespace papilio::lda::sparse
