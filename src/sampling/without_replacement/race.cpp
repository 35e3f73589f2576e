#include "sampling/without_replacement/race.h"

#include <algorithm>
#include <array>
#include <type_traits>

#include "base/math.h"
#include "sampling/rows/kernels.h"
#include "sampling/without_replacement/race_keys.h"

namespace papilio::sampling {
namespace {

template <class T>
auto weights_kernel() {
  if constexpr (std::is_same_v<T, float>)
    return kernels_in_use().race_float_weights;
  else
    return kernels_in_use().race_double_weights;
}

template <class T>
auto logits_kernel() {
  if constexpr (std::is_same_v<T, float>)
    return kernels_in_use().race_float_logits;
  else
    return kernels_in_use().race_double_logits;
}

}  // namespace

RaceNumbers race_numbers(std::uint64_t seed, std::uint64_t stream, std::uint64_t row) {
  return sampling_kernel::race_numbers(seed, stream, row);
}

void Race::start(std::int64_t k) {
  k_ = k;
  filled_ = sorted_ = 0;
  latest_ = no_key;
}

// Makes room for at least one more tile: grows while more than k items may be to come, then keeps only the first k.
void Race::make_room(std::int64_t left) {
  const std::int64_t most = k_ + std::max<std::int64_t>(k_, 16) + race_tile;
  if (filled_ + race_tile > most) keep_first();
  const auto size = static_cast<std::int64_t>(items_.size());
  const std::int64_t wanted = std::min(most, filled_ + base::round_up(left, race_tile) + race_tile);
  if (size < wanted && filled_ + race_tile > size / 2)
    items_.resize(static_cast<std::size_t>(std::min(wanted, std::max(2 * size, std::int64_t{1024}))));
}

void Race::keep_first() {
  const auto begin = items_.begin();
  if (repeated_) {
    if (sorted_ == filled_) return;
    std::sort(begin + sorted_, begin + filled_);
    std::inplace_merge(begin, begin + sorted_, begin + filled_);
    sorted_ = filled_ = std::min(k_, std::unique(begin, begin + filled_) - begin);
  } else if (filled_ > k_) {
    if (k_ > 0) std::nth_element(begin, begin + (k_ - 1), begin + filled_);
    filled_ = k_;
  }
  if (filled_ == k_ && k_ > 0) latest_ = items_[static_cast<std::size_t>(k_ - 1)].key;
}

template <class T>
bool Race::run(RacePiece<T> piece, void (*kernel)(RacePiece<T>&)) {
  while (piece.at < piece.count) {
    make_room(piece.count - piece.at);
    piece.items = items_.data();
    piece.room = static_cast<std::int64_t>(items_.size());
    piece.filled = filled_;
    piece.latest = latest_;
    kernel(piece);
    filled_ = piece.filled;
  }
  return !piece.fault;
}

template <class T>
bool Race::add_weights(const RaceNumbers& numbers, std::span<const T> weights, std::int64_t first) {
  const auto enter = [&](std::span<const T> part, std::int64_t category) {
    return run<T>({.weights = part.data(),
                   .count = std::ssize(part),
                   .first = category,
                   .numbers = numbers,
                   .scale = 1,
                   .latest = no_key,
                   .items = nullptr,
                   .room = 0,
                   .filled = 0,
                   .at = 0,
                   .fault = false},
                  weights_kernel<T>());
  };
  bool good = true;
  if (const std::int64_t inside = first % race_tile; inside != 0) {  // puts zeros before it, up to a whole tile
    std::array<T, race_tile> tile = {};
    const auto count = std::min(weights.size(), static_cast<std::size_t>(race_tile - inside));
    std::copy_n(weights.begin(), count, tile.begin() + inside);
    good = enter(tile, first - inside);
    weights = weights.subspan(count);
    first += static_cast<std::int64_t>(count);
  }
  return enter(weights, first) && good;
}

template <class T>
bool Race::add_logits(const RaceNumbers& numbers, std::span<const T> logits, double scale) {
  return run<T>({.weights = logits.data(),
                 .count = std::ssize(logits),
                 .first = 0,
                 .numbers = numbers,
                 .scale = scale,
                 .latest = no_key,
                 .items = nullptr,
                 .room = 0,
                 .filled = 0,
                 .at = 0,
                 .fault = false},
                logits_kernel<T>());
}

void Race::add(std::span<const RaceItem> items) {
  items_.reserve(static_cast<std::size_t>(filled_) + items.size());
  items_.resize(static_cast<std::size_t>(filled_));
  items_.insert(items_.end(), items.begin(), items.end());
  filled_ = std::ssize(items_);
  settle();
}

void Race::settle() {
  keep_first();
  if (!repeated_) std::sort(items_.begin(), items_.begin() + filled_);
}

template bool Race::add_weights(const RaceNumbers&, std::span<const float>, std::int64_t);
template bool Race::add_weights(const RaceNumbers&, std::span<const double>, std::int64_t);
template bool Race::add_logits(const RaceNumbers&, std::span<const float>, double);
template bool Race::add_logits(const RaceNumbers&, std::span<const double>, double);

}  // namespace papilio::sampling
