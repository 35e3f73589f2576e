#pragma once

#include <cstdint>

#include "warp/portability.h"

namespace papilio::lda {

// A tree of sums over topics, for the CPU and a GPU: nodes of eight children, one cache line per node, the leaves at
// level 0. If a child changes, the sums above it are added up anew in a fixed order, never updated by a difference. So
// all sums are functions of the leaves. The caller owns the memory: `size(K)` doubles, all 0 at first.
struct TopicTree {
  static constexpr int width = 8;
  static constexpr int most_levels = 9;  // enough for 2^27 topics

  double* level[most_levels] = {};
  int levels = 0;

  // nodes: the entries of the level above one of `entries`. padded: the entries of a level rounded up to whole nodes.
  static constexpr std::int64_t nodes(std::int64_t entries) { return (entries + width - 1) / width; }
  static constexpr std::int64_t padded(std::int64_t entries) { return nodes(entries) * width; }

  // The number of doubles of all levels.
  static constexpr std::int64_t size(std::int64_t topics) {
    std::int64_t total = 0;
    for (std::int64_t entries = topics; entries > 0; entries = entries > width ? nodes(entries) : 0) {
      total += padded(entries);
    }
    return total;
  }

  static TopicTree over(double* memory, std::int64_t topics) {
    TopicTree tree;
    for (std::int64_t entries = topics; entries > 0; entries = entries > width ? nodes(entries) : 0) {
      tree.level[tree.levels++] = memory;
      memory += padded(entries);
    }
    return tree;
  }

  PAPILIO_LANEWISE static double sum(const double* child) {
    return ((child[0] + child[1]) + (child[2] + child[3])) + ((child[4] + child[5]) + (child[6] + child[7]));
  }

  PAPILIO_LANEWISE double total() const { return sum(level[levels - 1]); }

  // Adds up the sums above a leaf.
  PAPILIO_LANEWISE void add_up_above(std::int64_t topic) const {
    for (int l = 1; l < levels; ++l) {
      topic /= width;
      level[l][topic] = sum(level[l - 1] + topic * width);
    }
  }

  // Adds up every `step`-th sum of a level, from `first` on.
  PAPILIO_LANEWISE void add_up_level(int l, std::int64_t entries, std::int64_t first, std::int64_t step) const {
    for (std::int64_t i = first; i < entries; i += step) level[l][i] = sum(level[l - 1] + i * width);
  }

  // Adds up all sums.
  void add_up(std::int64_t topics) const {
    for (int l = 1; l < levels; ++l) {
      topics = nodes(topics);
      add_up_level(l, topics, 0, 1);
    }
  }

  // The topic in whose interval the target lies, 0 <= target < total(); never one of weight 0. If rounding has carried
  // the target past all children of a node, takes the last child of positive weight.
  PAPILIO_LANEWISE std::int64_t find(double target) const {
    std::int64_t place = 0;
    for (int l = levels - 1; l >= 0; --l) {
      const double* const child = level[l] + place * width;
      double sum = 0;
      double before = 0;  // the sum of the children before the chosen one
      int chosen = 0;
      for (int j = 0; j < width; ++j) {
        if (child[j] == 0) continue;
        chosen = j;
        before = sum;
        sum += child[j];
        if (target < sum) break;
      }
      target = target > before ? target - before : 0;
      place = place * width + chosen;
    }
    return place;
  }
};

}  // namespace papilio::lda
