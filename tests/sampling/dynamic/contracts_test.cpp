// What distributions that change refuse: arrays that cannot be arrays, numbers that are no enumerators; and what stays
// of one that was moved from.

#include "support/contracts.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <utility>
#include <vector>

#include "papilio/dynamic.h"
#include "support/devices.h"

namespace papilio {
namespace {

using testing::huge;
using testing::lowest;
using testing::misaligned;
using testing::no_enumerator;
using testing::refused;

using Weights = VectorView<const double>;
using Places = VectorView<const std::int64_t>;

class DynamicContract : public ::testing::Test {
 protected:
  std::vector<double> w_ = {1, 2, 0, 4, 5, 6, 7, 8};
  std::vector<std::int64_t> places_ = {0, 1, 2, 3};
  std::vector<std::int32_t> drawn_ = std::vector<std::int32_t>(4);
};

TEST_F(DynamicContract, DynamicMethod) {
  EXPECT_EQ(name(no_enumerator<DynamicMethod>()), "unknown");
  EXPECT_EQ(dynamic_methods()[0].value, DynamicMethod::tree);
  EXPECT_TRUE(refused("unknown method \"tre\\x00\"", [] { parse_dynamic_method(std::string_view("tre\0", 4)); }));
  EXPECT_TRUE(refused("unknown method 99", [&] { DynamicWeights(Weights(w_), no_enumerator<DynamicMethod>()); }));
}

TEST_F(DynamicContract, DynamicWeights) {
  for (const auto& row : dynamic_methods()) {
    const auto made = [&](Weights weights) { return [=] { DynamicWeights(weights, row.value); }; };
    EXPECT_TRUE(refused("DynamicWeights: weights is null", made({nullptr, 3})));
    EXPECT_TRUE(refused("weights has -1 entries", made({w_.data(), -1})));
    EXPECT_TRUE(refused("entries of 8 bytes, more than", made({w_.data(), huge})));
    EXPECT_TRUE(refused("weights is at address", made({misaligned(w_.data()), 3})));
    EXPECT_TRUE(refused("0 categories, expected 1 to", made({})));
    EXPECT_TRUE(refused("weights is on cuda:0", made(testing::vector_on_cuda<const double>())));
    DynamicWeights kept{Weights(w_), row.value};
    const auto set = [&](Places places, Weights weights) {
      return [&, places, weights] { kept.set(places, weights); };
    };
    EXPECT_TRUE(refused("DynamicWeights::set: categories is null", set({nullptr, 2}, Weights(w_))));
    EXPECT_TRUE(refused("weights is null", set(Places(places_), {nullptr, 4})));
    EXPECT_TRUE(refused("4 categories and 8 weights", set(Places(places_), Weights(w_))));
    EXPECT_TRUE(refused("categories is on cuda:0", set(testing::vector_on_cuda<const std::int64_t>(), {w_.data(), 4})));
    EXPECT_TRUE(refused("weights has -4 entries", set(Places(places_), {w_.data(), -4})));
    for (const std::int64_t category : {std::int64_t{-1}, std::int64_t{8}, huge, lowest}) {
      EXPECT_TRUE(refused("expected 0 <= category < 8", [&] { kept.set(category, 1); }));
      EXPECT_TRUE(refused("expected 0 <= category < 8", [&] { kept.add(category, 1); }));
      EXPECT_TRUE(refused("expected 0 <= category < 8", [&] { (void)kept.weight(category); }));
    }
    EXPECT_TRUE(refused("expected a finite weight >= 0", [&] { kept.set(0, std::nan("")); }));
    EXPECT_TRUE(refused("expected a finite weight >= 0", [&] { kept.add(0, -2); }));
    EXPECT_TRUE(refused("drawn is null", [&] { kept.sample(VectorView<std::int32_t>(nullptr, 2)); }));
    EXPECT_TRUE(refused("drawn is on cuda:0", [&] { kept.sample(testing::vector_on_cuda<std::int64_t>()); }));
    EXPECT_TRUE(refused("threads must be 0", [&] { kept.sample(VectorView<std::int32_t>(drawn_), {.threads = -1}); }));
    EXPECT_TRUE(refused("bytes is null", [] { DynamicWeights::from_bytes({static_cast<std::byte*>(nullptr), 40}); }));
    kept.rebuild();
    const DynamicWeights taken = std::move(kept);  // a copy
    EXPECT_EQ(kept.categories(), 8);               // NOLINT(bugprone-use-after-move)
    EXPECT_EQ(kept.total(), taken.total());
    EXPECT_EQ(kept.to_bytes(), taken.to_bytes());
    EXPECT_EQ(kept.mean_comparisons(), taken.mean_comparisons());
    DynamicWeights& same = kept;
    kept = same;
    EXPECT_EQ(kept.method(), row.value);
  }
}

TEST_F(DynamicContract, ForestDrawOptions) {
  const DynamicForest forest(MatrixView<const double>(w_.data(), 4, 2));
  std::vector<DrawStatus> status(4);
  const auto sample = [&](const ForestDrawOptions& options) {
    return [&forest, this, options] { forest.sample(Places(places_), VectorView<std::int32_t>(drawn_), options); };
  };
  EXPECT_TRUE(refused("threads must be 0", sample({.threads = -1})));
  EXPECT_TRUE(refused("status is null", sample({.status = {nullptr, 4}})));
  EXPECT_TRUE(refused("status has 3 entries for 4 draws", sample({.status = {status.data(), 3}})));
  EXPECT_TRUE(refused("status is on cuda:0", sample({.status = testing::vector_on_cuda<DrawStatus>()})));
  EXPECT_TRUE(
      refused("status overlaps rows", sample({.status = {reinterpret_cast<DrawStatus*>(places_.data()) + 3, 4}})));
  EXPECT_TRUE(
      refused("status overlaps drawn", sample({.status = {reinterpret_cast<DrawStatus*>(drawn_.data()) + 3, 4}})));
  EXPECT_NO_THROW(sample({.status = status})());
}

TEST_F(DynamicContract, ForestUpdateOptions) {
  DynamicForest forest(MatrixView<const double>(w_.data(), 4, 2));
  const std::vector<std::int64_t> first = {0, 0, 1, 1};
  std::vector<DrawStatus> status(4);
  std::vector<std::byte> bytes(8);
  const auto set = [&](const ForestUpdateOptions& options) {
    return [&, options] { forest.set(Places(places_), Places(first), Weights(w_.data(), 4), options); };
  };
  EXPECT_TRUE(refused("threads must be 0", set({.threads = -1})));
  EXPECT_TRUE(refused("status is null", set({.status = {nullptr, 4}})));
  EXPECT_TRUE(refused("status has 3 entries for 4 updates", set({.status = {status.data(), 3}})));
  EXPECT_TRUE(refused("status is on cuda:0", set({.status = testing::vector_on_cuda<DrawStatus>()})));
  EXPECT_TRUE(refused("status overlaps weights", set({.status = {reinterpret_cast<DrawStatus*>(w_.data()) + 3, 4}})));
  EXPECT_TRUE(refused("workspace is on cuda:0", set({.workspace = testing::vector_on_cuda<std::byte>()})));
  EXPECT_NO_THROW(set({.status = status, .workspace = bytes})());
}

TEST_F(DynamicContract, DynamicForest) {
  using Matrix = MatrixView<const double>;
  const auto made = [](Matrix weights) { return [=] { DynamicForest{weights}; }; };
  EXPECT_TRUE(refused("DynamicForest: weights is null", made({nullptr, 2, 4})));
  EXPECT_TRUE(refused("weights must have sizes >= 0", made({w_.data(), -2, 4})));
  EXPECT_TRUE(refused("0 categories", made({w_.data(), 2, 0})));
  EXPECT_TRUE(refused("more than an address space holds", made({w_.data(), 2, 4, huge})));
  EXPECT_TRUE(refused("more than an address space holds", made({w_.data(), huge, 4, 0, 1})));
  EXPECT_NO_THROW(made({w_.data(), 0, 4})());
  DynamicForest forest(Matrix(w_.data(), 2, 4));
  const auto sample = [&](Places rows, VectorView<std::int32_t> drawn) {
    return [=, &forest] { forest.sample(rows, drawn); };
  };
  const std::vector<std::int64_t> rows = {0, 1, 1, 0};
  EXPECT_TRUE(refused("rows is null", sample({nullptr, 4}, VectorView<std::int32_t>(drawn_))));
  EXPECT_TRUE(refused("4 rows for 3 draws", sample(Places(rows), {drawn_.data(), 3})));
  EXPECT_TRUE(refused("row 2, expected 0 <= row < 2", sample(Places(places_), VectorView<std::int32_t>(drawn_))));
  EXPECT_TRUE(
      refused("drawn overlaps rows", [&] { forest.sample(Places(places_), VectorView<std::int64_t>(places_)); }));
  EXPECT_TRUE(refused("4 rows, 3 categories and 4 weights", [&] {
    forest.set(Places(rows), {places_.data(), 3}, {w_.data(), 4});
  }));
  EXPECT_TRUE(refused("rows is on cuda:0, the forest is on cpu", [&] {
    forest.sample(testing::vector_on_cuda<const std::int64_t>(), VectorView<std::int32_t>(drawn_));
  }));
  for (const std::int64_t row : {std::int64_t{-1}, std::int64_t{2}, huge, lowest}) {
    EXPECT_TRUE(refused("expected 0 <= row < 2", [&] { (void)forest.weight(row, 0); }));
    EXPECT_TRUE(refused("expected 0 <= row < 2", [&] { (void)forest.total(row); }));
  }
  EXPECT_TRUE(refused("expected 0 <= category < 4", [&] { (void)forest.weight(0, huge); }));
  EXPECT_TRUE(refused("expected 0 to 4294967294", [&] { (void)forest.update_workspace_bytes(-1); }));
  EXPECT_EQ(forest.update_workspace_bytes(1000), 0);
  EXPECT_TRUE(forest.device().is_cpu());
  const DynamicForest taken = std::move(forest);  // a copy
  EXPECT_EQ(forest.rows(), 2);                    // NOLINT(bugprone-use-after-move)
  EXPECT_EQ(forest.categories(), taken.categories());
  EXPECT_EQ(forest.total(0), taken.total(0));
  DynamicForest& same = forest;
  forest = same;
  EXPECT_EQ(forest.rows(), 2);
}

}  // namespace
}  // namespace papilio
