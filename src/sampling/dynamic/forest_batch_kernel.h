#pragma once

#include <cstdint>
#include <limits>

#include "papilio/sampling.h"
#include "sampling/dynamic/sum_tree_kernel.h"

// A batch of updates of a forest of trees, by many threads at once, step by step. Every function here is one thread's
// part of a step; a step begins when the one before it is done everywhere. The order of threads within a step changes
// only the order of lists, so the forest after a batch is a function of the forest before it and of the batch.
//
//   check_update      each update       finds what is wrong with it; at its place only the highest update number stays
//   write_update      each update       the last update of a place writes its weight; the leaf's node is listed, once
//   add_up_listed     each listed node  writes its sum to its parent, which is listed, once; level after level
//   finish_update     each update       takes the weight back if a total has become infinite
//   add_up_again      each listed node  in that case adds up the sums again; level after level
//
// A GPU's kernels call these functions. A test on the CPU calls them too, in any order.

namespace papilio::inline PAPILIO_TARGET::sampling_kernel {

// Access to memory that threads share. On a CPU, one thread calls these functions.
PAPILIO_LANEWISE void raise_to(std::uint32_t& kept, std::uint32_t number) {
#if defined(__CUDA_ARCH__)
  if (*const_cast<volatile std::uint32_t*>(&kept) < number) atomicMax(&kept, number);
#else
  if (kept < number) kept = number;
#endif
}

// Whether this thread is the first to set the flag.
PAPILIO_LANEWISE bool claim(std::uint32_t& flag) {
#if defined(__CUDA_ARCH__)
  return *const_cast<volatile std::uint32_t*>(&flag) == 0 && atomicExch(&flag, 1u) == 0;
#else
  const bool first = flag == 0;
  flag = 1;
  return first;
#endif
}

// Trees in flat memory, level after level, and what batches need besides, which is all 0 between batches.
struct FlatForest {
  std::int64_t rows = 0;
  std::int64_t categories = 0;
  int levels = 0;
  std::int64_t nodes_per_row[most_tree_levels] = {};
  SumNode* nodes[most_tree_levels] = {};         // rows x nodes_per_row[level]; the leaves first
  double* totals = nullptr;                      // of each row
  std::uint32_t* latest = nullptr;               // of each leaf: the number of the last update of this batch, plus 1
  std::uint32_t* listed[most_tree_levels] = {};  // of each node: whether it is in a list
};

// What a batch works in.
struct BatchState {
  std::uint32_t refused = 0;     // an update cannot be carried out, so none is
  std::uint32_t overflowed = 0;  // a total has become infinite, so all are taken back
  unsigned long long listed_count[most_tree_levels] = {};
};

struct UpdateBatch {
  std::int64_t count = 0;
  const std::int64_t* rows = nullptr;
  const std::int64_t* categories = nullptr;
  const double* weights = nullptr;
  DrawStatus* status = nullptr;  // of each update

  BatchState* state = nullptr;
  double* before = nullptr;                   // of each update that writes: the weight that was there
  std::int64_t* list[most_tree_levels] = {};  // nodes whose sum has to be added up; min(count, nodes) entries
};

// No node: what a step returns if there is none to list.
inline constexpr std::int64_t no_node = -1;

PAPILIO_LANEWISE DrawStatus status_of_weight(double weight) {
  if (!(weight == weight)) return DrawStatus::not_a_number;
  if (weight < 0) return DrawStatus::negative;
  return weight > std::numeric_limits<double>::max() ? DrawStatus::infinite : DrawStatus::ok;
}

PAPILIO_LANEWISE DrawStatus status_of_update(std::int64_t rows, std::int64_t categories, std::int64_t row,
                                             std::int64_t category, double weight) {
  if (row < 0 || row >= rows || category < 0 || category >= categories) return DrawStatus::no_such_row;
  return status_of_weight(weight);
}

PAPILIO_LANEWISE double& leaf_of(const FlatForest& forest, std::int64_t row, std::int64_t category) {
  return forest.nodes[0][row * forest.nodes_per_row[0] + category / children_per_node]
      .child[category % children_per_node];
}

PAPILIO_LANEWISE void check_update(const FlatForest& forest, const UpdateBatch& batch, std::int64_t i) {
  const std::int64_t row = batch.rows[i], category = batch.categories[i];
  const DrawStatus status = status_of_update(forest.rows, forest.categories, row, category, batch.weights[i]);
  batch.status[i] = status;
  if (status == DrawStatus::ok)
    raise_to(forest.latest[row * forest.categories + category], static_cast<std::uint32_t>(i) + 1);
  else
    claim(batch.state->refused);
}

// Whether this update is the last of its place in the batch, the one that counts.
PAPILIO_LANEWISE bool is_last_of_place(const FlatForest& forest, const UpdateBatch& batch, std::int64_t i) {
  return batch.status[i] == DrawStatus::ok &&
         forest.latest[batch.rows[i] * forest.categories + batch.categories[i]] == static_cast<std::uint32_t>(i) + 1;
}

// Returns the node to list.
PAPILIO_LANEWISE std::int64_t write_update(const FlatForest& forest, const UpdateBatch& batch, std::int64_t i) {
  if (batch.state->refused != 0 || !is_last_of_place(forest, batch, i)) return no_node;
  const std::int64_t row = batch.rows[i], category = batch.categories[i];
  double& leaf = leaf_of(forest, row, category);
  batch.before[i] = leaf;
  leaf = batch.weights[i] + 0.0;  // a negative zero as 0
  const std::int64_t node = row * forest.nodes_per_row[0] + category / children_per_node;
  return claim(forest.listed[0][node]) ? node : no_node;
}

// Writes the sum of a node to its parent or, at the root, to the row's total.
PAPILIO_LANEWISE double hand_up(const FlatForest& forest, int level, std::int64_t node) {
  const SumNode copy = forest.nodes[level][node];  // copied by 16 bytes at a time
  const double sum = node_sum(copy);
  const std::int64_t per_row = forest.nodes_per_row[level];
  const std::int64_t row = node / per_row, place = node % per_row;
  if (level + 1 == forest.levels)
    forest.totals[row] = sum;
  else
    forest.nodes[level + 1][row * forest.nodes_per_row[level + 1] + place / children_per_node]
        .child[place % children_per_node] = sum;
  return sum;
}

// Returns the parent to list.
PAPILIO_LANEWISE std::int64_t add_up_listed(const FlatForest& forest, const UpdateBatch& batch, int level,
                                            std::int64_t i) {
  const std::int64_t node = batch.list[level][i];
  forest.listed[level][node] = 0;
  const double sum = hand_up(forest, level, node);
  if (level + 1 == forest.levels) {
    if (!(sum <= std::numeric_limits<double>::max())) claim(batch.state->overflowed);
    return no_node;
  }
  const std::int64_t per_row = forest.nodes_per_row[level];
  const std::int64_t parent = node / per_row * forest.nodes_per_row[level + 1] + node % per_row / children_per_node;
  return claim(forest.listed[level + 1][parent]) ? parent : no_node;
}

PAPILIO_LANEWISE void finish_update(const FlatForest& forest, const UpdateBatch& batch, std::int64_t i) {
  if (batch.status[i] != DrawStatus::ok) return;
  const std::int64_t row = batch.rows[i], category = batch.categories[i];
  const bool last = is_last_of_place(forest, batch, i);
  if (batch.state->overflowed != 0) {
    if (!(forest.totals[row] <= std::numeric_limits<double>::max())) batch.status[i] = DrawStatus::overflow;
    if (last) leaf_of(forest, row, category) = batch.before[i];
  }
  if (last) forest.latest[row * forest.categories + category] = 0;
}

// Needed only if totals have become infinite.
PAPILIO_LANEWISE void add_up_again(const FlatForest& forest, const UpdateBatch& batch, int level, std::int64_t i) {
  hand_up(forest, level, batch.list[level][i]);
}

}  // namespace papilio::inline PAPILIO_TARGET::sampling_kernel
