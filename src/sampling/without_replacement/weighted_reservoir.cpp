#include <bit>
#include <cstring>
#include <utility>

#include "base/check.h"
#include "execution/check_view.h"
#include "execution/cpu/require_cpu.h"
#include "papilio/without_replacement.h"
#include "sampling/without_replacement/race.h"
#include "sampling/without_replacement/race_rows.h"

namespace papilio {
namespace {

using sampling::Race;
using sampling::RaceItem;

constexpr std::int64_t most_items = std::int64_t{1} << 40;
constexpr std::int64_t most_numbers = std::int64_t{1} << 62;

// What `to_bytes` writes first; the items follow, in order. All numbers are little-endian.
struct Header {
  char magic[8];
  std::uint32_t version;
  std::uint32_t nothing;
  std::int64_t capacity;
  std::uint64_t seed;
  std::uint64_t stream;
  std::uint64_t row_id;
  std::int64_t size;
};
constexpr char magic[8] = {'p', 'a', 'p', 'i', 'l', 'i', 'o', 'R'};
constexpr std::uint32_t version = 1;
static_assert(std::endian::native == std::endian::little);

// Keys of weights have exponents from 62 to 2231 (race_keys.h).
constexpr bool is_key(std::uint64_t key) { return 62 <= key >> 52 && key >> 52 <= 2231; }

void require_capacity(const char* function, std::int64_t k) {
  base::require(1 <= k && k < most_items, "papilio::{}: k is {}, expected 1 to 2^40 - 1", function, k);
}

}  // namespace

struct WeightedReservoir::State {
  std::int64_t capacity;
  ReservoirOptions options;
  Race race;

  State(std::int64_t k, const ReservoirOptions& given) : capacity(k), options(given), race(k, true) {}
};

WeightedReservoir::WeightedReservoir(std::unique_ptr<State> state) : state_(std::move(state)) {}

WeightedReservoir::WeightedReservoir(std::int64_t k, const ReservoirOptions& options) {
  require_capacity("WeightedReservoir", k);
  state_ = std::make_unique<State>(k, options);
}

WeightedReservoir::WeightedReservoir(const WeightedReservoir& other) : state_(std::make_unique<State>(*other.state_)) {}

WeightedReservoir& WeightedReservoir::operator=(const WeightedReservoir& other) {
  if (this != &other) state_ = std::make_unique<State>(*other.state_);
  return *this;
}

WeightedReservoir::~WeightedReservoir() = default;

std::int64_t WeightedReservoir::capacity() const { return state_->capacity; }
std::int64_t WeightedReservoir::size() const { return std::ssize(state_->race.items()); }
ReservoirOptions WeightedReservoir::options() const { return state_->options; }

namespace {

template <class T>
void add_to(Race& race, const ReservoirOptions& options, VectorView<const T> weights, std::int64_t first) {
  constexpr const char* function = "WeightedReservoir::add";
  execution::require_cpu(function, "weights", weights);
  base::require(0 <= first && first <= most_numbers - weights.size,
                "papilio::{}: items are numbered from {} and there are {}, expected numbers from 0 to 2^62 - 1",
                function, first, weights.size);
  for (std::int64_t i = 0; i < weights.size; ++i)
    base::require(sampling::fault_of_weight(weights.data[i]) == DrawStatus::ok,
                  "papilio::{}: weights must be finite and >= 0; item {} weighs {}", function, first + i,
                  weights.data[i]);
  race.add_weights(sampling::race_numbers(options.seed, options.stream, options.row_id),
                   std::span(weights.data, static_cast<std::size_t>(weights.size)), first);
  race.settle();
}

}  // namespace

void WeightedReservoir::add(VectorView<const float> weights, std::int64_t first) {
  add_to(state_->race, state_->options, weights, first);
}

void WeightedReservoir::add(VectorView<const double> weights, std::int64_t first) {
  add_to(state_->race, state_->options, weights, first);
}

void WeightedReservoir::merge(const WeightedReservoir& other) {
  constexpr const char* function = "WeightedReservoir::merge";
  const ReservoirOptions &mine = state_->options, &others = other.state_->options;
  base::require(mine.seed == others.seed && mine.stream == others.stream && mine.row_id == others.row_id,
                "papilio::{}: seeds {} and {}, streams {} and {}, row numbers {} and {}, expected the same", function,
                mine.seed, others.seed, mine.stream, others.stream, mine.row_id, others.row_id);
  base::require(capacity() == other.capacity(), "papilio::{}: k is {} and {}, expected the same", function, capacity(),
                other.capacity());
  if (this != &other) state_->race.add(other.state_->race.items());
}

void WeightedReservoir::items(VectorView<std::int64_t> items) const {
  constexpr const char* function = "WeightedReservoir::items";
  execution::require_cpu(function, "items", items);
  base::require(items.size == size(), "papilio::{}: items has {} entries, expected {}, as there are items", function,
                items.size, size());
  std::int64_t* place = items.data;
  for (const RaceItem& item : state_->race.items()) *place++ = item.category;
}

std::vector<std::byte> WeightedReservoir::to_bytes() const {
  const std::span<const RaceItem> items = state_->race.items();
  Header header = {{},
                   version,
                   0,
                   capacity(),
                   state_->options.seed,
                   state_->options.stream,
                   state_->options.row_id,
                   std::ssize(items)};
  std::memcpy(header.magic, magic, sizeof magic);
  std::vector<std::byte> bytes(sizeof header + items.size_bytes());
  std::memcpy(bytes.data(), &header, sizeof header);
  if (!items.empty()) std::memcpy(bytes.data() + sizeof header, items.data(), items.size_bytes());
  return bytes;
}

WeightedReservoir WeightedReservoir::from_bytes(std::span<const std::byte> bytes) {
  constexpr const char* function = "WeightedReservoir::from_bytes";
  execution::require_span(function, "bytes", bytes);
  Header header = {};
  base::require(bytes.size() >= sizeof header, "papilio::{}: {} bytes, expected at least {}", function, bytes.size(),
                sizeof header);
  std::memcpy(&header, bytes.data(), sizeof header);
  base::require(std::memcmp(header.magic, magic, sizeof magic) == 0 && header.version == version && header.nothing == 0,
                "papilio::{}: the bytes do not begin as those of to_bytes, version {}", function, version);
  require_capacity(function, header.capacity);
  base::require(0 <= header.size && header.size <= header.capacity, "papilio::{}: {} items, expected 0 to {}", function,
                header.size, header.capacity);
  const std::size_t expected = sizeof header + static_cast<std::size_t>(header.size) * sizeof(RaceItem);
  base::require(bytes.size() == expected, "papilio::{}: {} bytes, expected {}", function, bytes.size(), expected);
  std::vector<RaceItem> items(static_cast<std::size_t>(header.size));
  if (!items.empty()) std::memcpy(items.data(), bytes.data() + sizeof header, bytes.size() - sizeof header);
  for (std::size_t i = 0; i < items.size(); ++i)
    base::require(is_key(items[i].key) && 0 <= items[i].category && items[i].category < most_numbers &&
                      (i == 0 || items[i - 1] < items[i]),
                  "papilio::{}: item {} does not follow the one before it, or has no key of an item", function, i);
  auto state = std::make_unique<State>(header.capacity, ReservoirOptions{header.seed, header.stream, header.row_id});
  state->race.add(items);
  return WeightedReservoir(std::move(state));
}

}  // namespace papilio
