#pragma once

#include <cstdint>

// The border between what runs a race and the kernels, which are compiled once per target. No library type crosses it.

namespace papilio::sampling {

// Categories per tile: 32 random blocks, each of which serves four categories.
inline constexpr std::int64_t race_tile = 128;

// What is kept of a category that has arrived. The smaller key came first.
struct RaceItem {
  std::uint64_t key;
  std::int64_t category;

  friend bool operator<(const RaceItem& a, const RaceItem& b) {
    return a.key < b.key || (a.key == b.key && a.category < b.category);
  }
  friend bool operator==(const RaceItem& a, const RaceItem& b) { return a.key == b.key && a.category == b.category; }
};

// Not the key of any category: all keys are below it.
inline constexpr std::uint64_t no_key = ~std::uint64_t{0};

// The random numbers of a row: the key of the generator, and three words of the row's
// own random block, which represent the row in the counters of its further blocks.
struct RaceNumbers {
  std::uint32_t key[2];
  std::uint32_t row[3];
};

// Part of a row, and how far the race has come.
template <class T>
struct RacePiece {
  const T* weights;    // or logits
  std::int64_t count;  // of weights
  std::int64_t first;  // the category of weights[0], a multiple of race_tile
  RaceNumbers numbers;
  double scale;          // 1 / temperature; of logits only
  std::uint64_t latest;  // categories with greater keys are no longer needed
  RaceItem* items;
  std::int64_t room;    // the number of items that there is room for
  std::int64_t filled;  // the number of items there are
  std::int64_t at;      // weights that have been read
  bool fault;           // whether an entry cannot be a weight; its category is not drawn
};

}  // namespace papilio::sampling
