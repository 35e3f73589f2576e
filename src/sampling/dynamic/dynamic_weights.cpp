#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <limits>
#include <utility>
#include <variant>

#include "base/check.h"
#include "base/choices.h"
#include "execution/check_view.h"
#include "execution/cpu/require_cpu.h"
#include "papilio/dynamic.h"
#include "random/uniform.h"
#include "sampling/dynamic/checked_weight.h"
#include "sampling/dynamic/huffman_tree.h"
#include "sampling/dynamic/sum_forest.h"
#include "sampling/dynamic/weight_buckets.h"
#include "sampling/tables/draw_each.h"

namespace papilio {
namespace {

using sampling::HuffmanTree;
using sampling::SumForest;
using sampling::WeightBuckets;
using Kept = std::variant<SumForest, WeightBuckets, HuffmanTree>;  // in the order of DynamicMethod

constexpr Choice<DynamicMethod> methods[] = {
    {DynamicMethod::tree, "tree", "a tree of sums: draw and update O(log K)"},
    {DynamicMethod::buckets, "buckets", "categories by the exponent of their weight: draw and update O(1) expected"},
    {DynamicMethod::huffman, "huffman", "a Huffman tree of sums: few comparisons where few categories weigh most"},
};

template <class... Calls>
struct Overloaded : Calls... {
  using Calls::operator()...;
};
template <class... Calls>
Overloaded(Calls...) -> Overloaded<Calls...>;  // clang 14 needs it

SumForest tree_of(std::span<const double> weights) {
  SumForest tree(1, std::ssize(weights));
  for (std::size_t k = 0; k < weights.size(); ++k) tree.put(0, static_cast<std::int64_t>(k), weights[k]);
  tree.add_up(0);
  return tree;
}

Kept keep(std::span<const double> weights, DynamicMethod method) {
  switch (method) {
    case DynamicMethod::buckets:
      return WeightBuckets(weights);
    case DynamicMethod::huffman:
      return HuffmanTree(weights);
    case DynamicMethod::tree:
      break;
  }
  return tree_of(weights);
}

double weight_in(const Kept& kept, std::int64_t category) {
  return std::visit(Overloaded{[&](const SumForest& tree) { return tree.weight(0, category); },
                               [&](const auto& other) { return other.weight(category); }},
                    kept);
}

double total_of(const Kept& kept) {
  return std::visit(
      Overloaded{[](const SumForest& tree) { return tree.total(0); }, [](const auto& other) { return other.total(); }},
      kept);
}

void set_in(Kept& kept, std::int64_t category, double weight) {
  std::visit(Overloaded{[&](SumForest& tree) { tree.set(0, category, weight); },
                        [&](auto& other) { other.set(category, weight); }},
             kept);
}

void require_finite_total(const char* function, double total) {
  base::require(total <= std::numeric_limits<double>::max(),
                "papilio::{}: the total of the weights is infinite, expected one that double can hold", function);
}

// What `to_bytes` writes first. All numbers are little-endian.
struct Header {
  char magic[8];
  std::uint32_t version;
  std::uint32_t method;
  std::int64_t categories;
  std::int64_t numbers;  // int32 after the weights: the order of buckets, the parents of a Huffman tree
};
constexpr char magic[8] = {'p', 'a', 'p', 'i', 'l', 'i', 'o', 'D'};
constexpr std::uint32_t version = 1;
static_assert(std::endian::native == std::endian::little);

std::vector<std::int32_t> numbers_of(const Kept& kept) {
  return std::visit(Overloaded{[](const SumForest&) { return std::vector<std::int32_t>(); },
                               [](const WeightBuckets& buckets) { return buckets.order(); },
                               [](const HuffmanTree& tree) {
                                 return std::vector<std::int32_t>(tree.parents().begin(), tree.parents().end());
                               }},
                    kept);
}

}  // namespace

std::span<const Choice<DynamicMethod>> dynamic_methods() noexcept { return methods; }

std::string_view name(DynamicMethod method) noexcept { return base::name_in(methods, method); }

DynamicMethod parse_dynamic_method(std::string_view name) {
  return base::parse_in(methods, name, "parse_dynamic_method", "method");
}

struct DynamicWeights::State {
  Kept kept;
};

DynamicWeights::DynamicWeights(std::unique_ptr<State> state) : state_(std::move(state)) {}

DynamicWeights::DynamicWeights(VectorView<const double> weights, DynamicMethod method) {
  execution::require_cpu("DynamicWeights", "weights", weights);
  base::require_known(methods, method, "DynamicWeights", "method");
  sampling::require_categories("DynamicWeights", weights.size);
  std::vector<double> checked(static_cast<std::size_t>(weights.size));
  for (std::size_t k = 0; k < checked.size(); ++k) {
    checked[k] = sampling::checked_weight("DynamicWeights", static_cast<std::int64_t>(k), weights.data[k]);
  }
  state_ = std::make_unique<State>(State{keep(checked, method)});
  require_finite_total("DynamicWeights", total());
}

DynamicWeights::DynamicWeights(const DynamicWeights& other) : state_(std::make_unique<State>(*other.state_)) {}

DynamicWeights& DynamicWeights::operator=(const DynamicWeights& other) {
  if (this != &other) state_ = std::make_unique<State>(*other.state_);
  return *this;
}

DynamicWeights::~DynamicWeights() = default;

DynamicMethod DynamicWeights::method() const { return static_cast<DynamicMethod>(state_->kept.index()); }

std::int64_t DynamicWeights::categories() const {
  return std::visit([](const auto& kept) { return kept.categories(); }, state_->kept);
}

double DynamicWeights::weight(std::int64_t category) const {
  sampling::require_category("DynamicWeights::weight", category, categories());
  return weight_in(state_->kept, category);
}

double DynamicWeights::total() const { return total_of(state_->kept); }

void DynamicWeights::set(std::int64_t category, double weight) {
  set(VectorView<const std::int64_t>(&category, 1), VectorView<const double>(&weight, 1));
}

void DynamicWeights::add(std::int64_t category, double amount) {
  sampling::require_category("DynamicWeights::add", category, categories());
  const double before = weight_in(state_->kept, category);
  const double after = before + amount;
  base::require(
      after >= 0 && after <= std::numeric_limits<double>::max(),
      "papilio::DynamicWeights::add: category {} weighs {}; with {} that is {}, expected a finite weight >= 0",
      category, before, amount, after);
  set(category, after);
}

void DynamicWeights::set(VectorView<const std::int64_t> categories, VectorView<const double> weights) {
  constexpr const char* function = "DynamicWeights::set";
  execution::require_cpu(function, "categories", categories);
  execution::require_cpu(function, "weights", weights);
  base::require(categories.size == weights.size, "papilio::{}: {} categories and {} weights, expected as many",
                function, categories.size, weights.size);
  for (std::int64_t i = 0; i < categories.size; ++i) {
    sampling::require_category(function, categories.data[i], this->categories());
    sampling::checked_weight(function, categories.data[i], weights.data[i]);
  }
  const auto set_all = [&](Kept& kept) {
    for (std::int64_t i = 0; i < categories.size; ++i) {
      set_in(kept, categories.data[i], weights.data[i] + 0.0);  // no negative zero
    }
  };
  double bound = total();
  for (std::int64_t i = 0; i < categories.size; ++i) bound += weights.data[i];
  if (bound <= std::numeric_limits<double>::max() / 2) {
    set_all(state_->kept);
    return;
  }
  Kept changed = state_->kept;
  set_all(changed);
  require_finite_total(function, total_of(changed));
  state_->kept = std::move(changed);
}

void DynamicWeights::rebuild() {
  if (auto* tree = std::get_if<HuffmanTree>(&state_->kept)) tree->rebuild();
}

double DynamicWeights::mean_comparisons() const {
  const auto* tree = std::get_if<HuffmanTree>(&state_->kept);
  return tree == nullptr ? 0 : tree->mean_comparisons();
}

namespace {

template <class Index>
void sample_from(const Kept& kept, VectorView<Index> drawn, const RepeatedDrawOptions& options) {
  constexpr const char* function = "DynamicWeights::sample";
  execution::require_cpu(function, "drawn", drawn);
  if (drawn.empty()) return;
  base::require(total_of(kept) > 0, "papilio::{}: every weight is 0, so there is nothing to draw", function);
  const auto uniform = [](const random::Block& block) { return random::uniform53(block.word[0], block.word[1]); };
  std::visit(Overloaded{[&](const SumForest& tree) {
                          sampling::draw_each(function, drawn, options,
                                              [&](const random::Block& block) { return tree.find(0, uniform(block)); });
                        },
                        [&](const WeightBuckets& buckets) {
                          sampling::draw_each(function, drawn, options, [&](const random::Block& block) {
                            return buckets.find(block, options.seed);
                          });
                        },
                        [&](const HuffmanTree& tree) {
                          sampling::draw_each(function, drawn, options,
                                              [&](const random::Block& block) { return tree.find(uniform(block)); });
                        }},
             kept);
}

}  // namespace

void DynamicWeights::sample(VectorView<std::int32_t> drawn, const RepeatedDrawOptions& options) const {
  sample_from(state_->kept, drawn, options);
}

void DynamicWeights::sample(VectorView<std::int64_t> drawn, const RepeatedDrawOptions& options) const {
  sample_from(state_->kept, drawn, options);
}

std::vector<std::byte> DynamicWeights::to_bytes() const {
  const std::vector<std::int32_t> numbers = numbers_of(state_->kept);
  Header header = {{}, version, static_cast<std::uint32_t>(method()), categories(), std::ssize(numbers)};
  std::memcpy(header.magic, magic, sizeof magic);
  std::vector<double> weights(static_cast<std::size_t>(categories()));
  for (std::size_t k = 0; k < weights.size(); ++k) weights[k] = weight_in(state_->kept, static_cast<std::int64_t>(k));
  std::vector<std::byte> bytes(sizeof header + weights.size() * sizeof(double) + numbers.size() * sizeof(std::int32_t));
  std::byte* place = bytes.data();
  const auto append = [&](const void* data, std::size_t size) {
    if (size == 0) return;
    std::memcpy(place, data, size);
    place += size;
  };
  append(&header, sizeof header);
  append(weights.data(), weights.size() * sizeof(double));
  append(numbers.data(), numbers.size() * sizeof(std::int32_t));
  return bytes;
}

DynamicWeights DynamicWeights::from_bytes(std::span<const std::byte> bytes) {
  constexpr const char* function = "DynamicWeights::from_bytes";
  execution::require_span(function, "bytes", bytes);
  Header header = {};
  base::require(bytes.size() >= sizeof header, "papilio::{}: {} bytes, expected at least {}", function, bytes.size(),
                sizeof header);
  std::memcpy(&header, bytes.data(), sizeof header);
  base::require(std::memcmp(header.magic, magic, sizeof magic) == 0 && header.version == version,
                "papilio::{}: the bytes do not begin as those of to_bytes, version {}", function, version);
  base::require(header.method < std::size(methods), "papilio::{}: method {}, expected less than {}", function,
                header.method, std::size(methods));
  sampling::require_categories(function, header.categories);
  base::require(0 <= header.numbers && header.numbers < std::int64_t{1} << 32,
                "papilio::{}: {} numbers follow the weights, expected 0 to 2^32 - 1", function, header.numbers);
  const auto K = static_cast<std::size_t>(header.categories);
  const std::size_t expected =
      sizeof header + K * sizeof(double) + static_cast<std::size_t>(header.numbers) * sizeof(std::int32_t);
  base::require(bytes.size() == expected, "papilio::{}: {} bytes, expected {}", function, bytes.size(), expected);
  std::vector<double> weights(K);
  std::memcpy(weights.data(), bytes.data() + sizeof header, K * sizeof(double));
  for (std::size_t k = 0; k < K; ++k) {
    weights[k] = sampling::checked_weight(function, static_cast<std::int64_t>(k), weights[k]);
  }
  base::require(std::memcmp(weights.data(), bytes.data() + sizeof header, K * sizeof(double)) == 0,
                "papilio::{}: a weight is -0, which to_bytes writes as 0", function);
  std::vector<std::int32_t> numbers(static_cast<std::size_t>(header.numbers));
  if (!numbers.empty()) {
    std::memcpy(numbers.data(), bytes.data() + sizeof header + K * sizeof(double), numbers.size() * sizeof numbers[0]);
  }
  constexpr const char* misfit = "papilio::{}: the numbers after the weights do not fit them";
  auto state = std::make_unique<State>(State{tree_of(std::span<const double>(weights).first(1))});
  switch (static_cast<DynamicMethod>(header.method)) {
    case DynamicMethod::tree:
      base::require(numbers.empty(), misfit, function);
      state->kept = tree_of(weights);
      break;
    case DynamicMethod::buckets: {
      WeightBuckets buckets(weights);
      base::require(buckets.reorder(numbers), misfit, function);
      state->kept = std::move(buckets);
      break;
    }
    case DynamicMethod::huffman: {
      HuffmanTree tree(weights, numbers);
      base::require(tree.categories() == header.categories, misfit, function);
      state->kept = std::move(tree);
      break;
    }
  }
  require_finite_total(function, total_of(state->kept));
  return DynamicWeights(std::move(state));
}

}  // namespace papilio
