#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "sampling/without_replacement/race_piece.h"

namespace papilio::sampling {

// The random numbers of a row.
RaceNumbers race_numbers(std::uint64_t seed, std::uint64_t stream, std::uint64_t row);

// Holds the first k of the categories entered so far, and a few more that may still turn out to be among them.
class Race {
 public:
  // `repeated`: categories may be entered more than once, and count once.
  explicit Race(std::int64_t k, bool repeated = false) : k_(k), repeated_(repeated) {}

  // Starts a new race, for the first k.
  void start(std::int64_t k);

  // Enters the categories first, first + 1, ... of a row. Returns false if an entry
  // cannot be a weight; then its category is not in the race, but all others are.
  template <class T>
  bool add_weights(const RaceNumbers& numbers, std::span<const T> weights, std::int64_t first = 0);

  // The same for logits multiplied by `scale`, which is 1 / temperature.
  template <class T>
  bool add_logits(const RaceNumbers& numbers, std::span<const T> logits, double scale);

  // Enters items that already have a key.
  void add(std::span<const RaceItem> items);

  // Keeps the first k, in order. `items` returns them until more are entered.
  void settle();
  std::span<const RaceItem> items() const { return {items_.data(), static_cast<std::size_t>(filled_)}; }

 private:
  template <class T>
  bool run(RacePiece<T> piece, void (*kernel)(RacePiece<T>&));
  void make_room(std::int64_t left);
  void keep_first();

  std::int64_t k_;
  bool repeated_;
  std::vector<RaceItem> items_;
  std::int64_t filled_ = 0;
  std::int64_t sorted_ = 0;  // of repeated categories: how many items are in order and without duplicates
  std::uint64_t latest_ = no_key;
};

}  // namespace papilio::sampling
