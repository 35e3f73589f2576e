#pragma once

#include <cstdint>

// EM on one document, as kernels that are compiled once for every instruction-set target (kernels_cpu.cpp). Lists are
// cut into blocks of eight, so that registers hold their sums and no list has a remainder. Padding adds 0.

namespace papilio::lda::fold_in {

inline constexpr int block = 8;

// A word's list: entries begin .. begin + blocks * block of topics and counts.
struct List {
  std::int64_t begin;
  std::int32_t blocks;
  std::int32_t word;  // the list's place among the sums
  bool has_all;       // all topics, in ascending order
};

struct Lists {
  const List* lists;  // sorted by blocks and has_all, so that the ends of loops over them are predictable
  std::int64_t count;
  const std::int32_t* topics;
  const double* counts;
};

// Lists by topic. Eight topics are a slice, and entry 8 i + j of a slice is the i-th word of its topic j. If a slice
// has all words, it is word i, whose count may be 0, and no index is read.
struct TopicSlice {
  std::int64_t begin;
  std::int64_t blocks;
  bool has_all;
  std::int32_t topics[block];
};

struct TopicSlices {
  const TopicSlice* slices;
  std::int64_t count;
  const std::int32_t* words;
  const double* counts;
};

// Arrays of K numbers.
struct Topics {
  std::int64_t count;
  const double* alpha;
  const double* reciprocals;
  const double* shares;
  double* theta;
  double* weights;
};

// What one instruction-set target offers. fold_in_formulas.h gives the order of sums.
struct FoldInKernels {
  // The topics of a row of K counts that are above 0, in order; returns how many. `levels` has room for the topics of
  // a range, `list` for 16 more than K.
  std::int64_t (*list_topics)(const std::int32_t* row, std::int32_t topics, std::int32_t* levels, std::int32_t* list);

  // For each list, sum_k weight_k n_wk. `weights` is padded to whole blocks.
  void (*sum_lists)(const Lists& lists, const double* weights, double* sums);

  // factors[i] = counts[i] / (of_beta + factors[i]); returns their sum.
  double (*make_factors)(const std::int32_t* counts, std::int64_t count, double of_beta, double* factors);

  // For the slices' topics, share_k = sum_w f_w n_wk.
  void (*sum_slices)(const TopicSlices& slices, const double* factors, double* shares);

  // The theta and the weights of a step; returns the sum of the weights.
  double (*fold)(const Topics& topics, double of_beta);
};

// The kernels of the instruction-set target in use (see papilio::cpu_target).
const FoldInKernels& kernels_in_use();

}  // namespace papilio::lda::fold_in
