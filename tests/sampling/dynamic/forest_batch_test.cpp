// The steps of a batch of updates on a GPU, run here with the threads of each step in any order: the trees are those of
// SumForest, bit for bit.

#include "sampling/dynamic/forest_batch_kernel.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <random>
#include <vector>

#include "sampling/dynamic/sum_forest.h"

namespace papilio {
namespace {

using sampling::SumForest;
using sampling_kernel::BatchState;
using sampling_kernel::FlatForest;
using sampling_kernel::SumNode;
using sampling_kernel::UpdateBatch;

struct Update {
  std::int64_t row, category;
  double weight;
};

// A forest in flat memory, whose batches are run by this thread.
class FlatTrees {
 public:
  FlatTrees(std::int64_t rows, std::int64_t categories) {
    forest_.rows = rows;
    forest_.categories = categories;
    for (std::int64_t nodes = categories; forest_.levels == 0 || nodes > 1; ++forest_.levels) {
      nodes = (nodes + 7) / 8;
      const int level = forest_.levels;
      const auto count = static_cast<std::size_t>(rows * nodes);
      forest_.nodes_per_row[level] = nodes;
      nodes_[level].resize(count);
      listed_[level].resize(count);
      forest_.nodes[level] = nodes_[level].data();
      forest_.listed[level] = listed_[level].data();
    }
    totals_.resize(static_cast<std::size_t>(rows));
    latest_.resize(static_cast<std::size_t>(rows * categories));
    forest_.totals = totals_.data();
    forest_.latest = latest_.data();
  }

  std::vector<DrawStatus> set(const std::vector<Update>& updates, std::mt19937_64& order) {
    std::vector<std::int64_t> rows, categories;
    std::vector<double> weights, before(updates.size());
    for (const Update& update : updates) {
      rows.push_back(update.row);
      categories.push_back(update.category);
      weights.push_back(update.weight);
    }
    std::vector<DrawStatus> status(updates.size());
    BatchState state;
    std::vector<std::int64_t> lists[sampling_kernel::most_tree_levels];
    UpdateBatch batch;
    batch.count = std::ssize(updates);
    batch.rows = rows.data();
    batch.categories = categories.data();
    batch.weights = weights.data();
    batch.status = status.data();
    batch.state = &state;
    batch.before = before.data();
    for (int level = 0; level < forest_.levels; ++level) {
      lists[level].resize(std::min(updates.size(), nodes_[level].size()));
      batch.list[level] = lists[level].data();
    }
    const auto append = [&](int level, std::int64_t node) {
      if (node == sampling_kernel::no_node) return;
      ASSERT_LT(state.listed_count[level], lists[level].size());
      lists[level][state.listed_count[level]++] = node;
    };
    const auto everyone = [&](unsigned long long count, const auto& step) {
      std::vector<std::int64_t> turns(count);
      for (std::size_t i = 0; i < turns.size(); ++i) turns[i] = static_cast<std::int64_t>(i);
      std::shuffle(turns.begin(), turns.end(), order);
      for (const std::int64_t i : turns) step(i);
    };
    everyone(updates.size(), [&](std::int64_t i) { sampling_kernel::check_update(forest_, batch, i); });
    everyone(updates.size(), [&](std::int64_t i) { append(0, sampling_kernel::write_update(forest_, batch, i)); });
    for (int level = 0; level < forest_.levels; ++level) {
      everyone(state.listed_count[level],
               [&](std::int64_t i) { append(level + 1, sampling_kernel::add_up_listed(forest_, batch, level, i)); });
    }
    everyone(updates.size(), [&](std::int64_t i) { sampling_kernel::finish_update(forest_, batch, i); });
    for (int level = 0; level < forest_.levels && state.overflowed != 0; ++level) {
      everyone(state.listed_count[level],
               [&](std::int64_t i) { sampling_kernel::add_up_again(forest_, batch, level, i); });
    }
    listed_nodes_ = 0;
    for (int level = 0; level < forest_.levels; ++level) listed_nodes_ += state.listed_count[level];
    return status;
  }

  // As a new forest with these weights; what batches need is as it was.
  void expect_same(const SumForest& expected) const {
    for (std::int64_t row = 0; row < forest_.rows; ++row) {
      ASSERT_EQ(totals_[static_cast<std::size_t>(row)], expected.total(row)) << row;
      for (std::int64_t k = 0; k < forest_.categories; ++k)
        ASSERT_EQ(sampling_kernel::leaf_of(forest_, row, k), expected.weight(row, k)) << row << " " << k;
      if (!(expected.total(row) > 0)) continue;
      for (int i = 0; i < 64; ++i) {
        const double u = (i + 0.37) / 64;
        const auto found = sampling_kernel::find_in_tree(
            [&](int level, std::int64_t place) -> const SumNode& {
              return forest_.nodes[level][row * forest_.nodes_per_row[level] + place];
            },
            forest_.levels, forest_.totals[row], u);
        ASSERT_EQ(found, expected.find(row, u)) << row << " " << u;
      }
    }
    EXPECT_TRUE(std::all_of(latest_.begin(), latest_.end(), [](std::uint32_t x) { return x == 0; }));
    for (const auto& level : listed_)
      EXPECT_TRUE(std::all_of(level.begin(), level.end(), [](std::uint32_t x) { return x == 0; }));
  }

  std::uint64_t listed_nodes() const { return listed_nodes_; }

 private:
  FlatForest forest_;
  std::vector<SumNode> nodes_[sampling_kernel::most_tree_levels];
  std::vector<std::uint32_t> listed_[sampling_kernel::most_tree_levels];
  std::vector<double> totals_;
  std::vector<std::uint32_t> latest_;
  std::uint64_t listed_nodes_ = 0;
};

// Many updates of few places, so that most places have several.
std::vector<Update> some_updates(std::int64_t rows, std::int64_t categories, int count, std::mt19937_64& generator) {
  std::vector<Update> updates;
  for (int i = 0; i < count; ++i) {
    const auto row = static_cast<std::int64_t>(generator() % static_cast<std::uint64_t>(rows));
    const auto category = static_cast<std::int64_t>(generator() % static_cast<std::uint64_t>(categories));
    const double weight = generator() % 4 == 0 ? 0 : std::exp(static_cast<double>(generator() % 1000) - 500);
    updates.push_back({row, category, weight});
  }
  return updates;
}

TEST(ForestBatch, GivesTheTreesOfTheCpuInAnyOrderOfThreads) {
  for (const std::int64_t categories : {1, 7, 8, 9, 64, 65, 600}) {
    std::mt19937_64 generator(static_cast<std::uint64_t>(categories));
    constexpr std::int64_t rows = 5;
    FlatTrees trees(rows, categories);
    SumForest expected(rows, categories);
    for (const int count : {1, 3, 100, 1000}) {
      const std::vector<Update> updates = some_updates(rows, categories, count, generator);
      for (const DrawStatus status : trees.set(updates, generator)) ASSERT_EQ(status, DrawStatus::ok);
      for (const Update& update : updates) expected.set(update.row, update.category, update.weight);
      trees.expect_same(expected);
      ASSERT_FALSE(testing::Test::HasFatalFailure());
    }
  }
}

TEST(ForestBatch, AddsUpEachNodeOnce) {
  std::mt19937_64 generator(3);
  FlatTrees trees(2, 64);  // 8 nodes and 1 per row
  trees.set(some_updates(2, 64, 5000, generator), generator);
  EXPECT_EQ(trees.listed_nodes(), 18u);
  trees.set(std::vector<Update>(5000, {1, 40, 2.5}), generator);
  EXPECT_EQ(trees.listed_nodes(), 2u);
}

TEST(ForestBatch, ChangesNothingWhereAnUpdateIsRefused) {
  std::mt19937_64 generator(4);
  constexpr double infinity = std::numeric_limits<double>::infinity();
  FlatTrees trees(3, 100);
  SumForest expected(3, 100);
  const std::vector<Update> first = some_updates(3, 100, 500, generator);
  trees.set(first, generator);
  for (const Update& update : first) expected.set(update.row, update.category, update.weight);
  for (const auto& [wrong, status] :
       std::vector<std::pair<Update, DrawStatus>>{{{3, 0, 1}, DrawStatus::no_such_row},
                                                  {{-1, 0, 1}, DrawStatus::no_such_row},
                                                  {{0, 100, 1}, DrawStatus::no_such_row},
                                                  {{0, -1, 1}, DrawStatus::no_such_row},
                                                  {{0, 0, -1}, DrawStatus::negative},
                                                  {{0, 0, -infinity}, DrawStatus::negative},
                                                  {{0, 0, infinity}, DrawStatus::infinite},
                                                  {{0, 0, std::nan("")}, DrawStatus::not_a_number}}) {
    std::vector<Update> updates = some_updates(3, 100, 50, generator);
    updates[17] = wrong;
    const std::vector<DrawStatus> found = trees.set(updates, generator);
    for (std::size_t i = 0; i < found.size(); ++i) EXPECT_EQ(found[i], i == 17 ? status : DrawStatus::ok) << i;
    trees.expect_same(expected);
  }
  EXPECT_EQ(trees.set({{1, 1, -0.0}}, generator).front(), DrawStatus::ok);
}

TEST(ForestBatch, TakesEverythingBackWhereATotalBecomesInfinite) {
  std::mt19937_64 generator(5);
  FlatTrees trees(3, 100);
  SumForest expected(3, 100);
  const std::vector<Update> first = some_updates(3, 100, 500, generator);
  trees.set(first, generator);
  for (const Update& update : first) expected.set(update.row, update.category, update.weight);
  std::vector<Update> updates = some_updates(3, 100, 200, generator);
  updates[59] = {1, 3, 1e308};
  updates[60] = {1, 70, 1e308};
  for (std::size_t i = 61; i < updates.size(); ++i) updates[i].row = 2;
  const std::vector<DrawStatus> found = trees.set(updates, generator);
  for (std::size_t i = 0; i < found.size(); ++i)
    EXPECT_EQ(found[i], updates[i].row == 1 ? DrawStatus::overflow : DrawStatus::ok) << i;
  trees.expect_same(expected);
  updates[60].weight = 1;  // now the total fits
  for (const DrawStatus status : trees.set(updates, generator)) EXPECT_EQ(status, DrawStatus::ok);
  for (const Update& update : updates) expected.set(update.row, update.category, update.weight);
  trees.expect_same(expected);
}

}  // namespace
}  // namespace papilio
