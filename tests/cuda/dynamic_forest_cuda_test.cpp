// papilio::DynamicForest on a CUDA device: the trees and the draws of the CPU, bit for bit.

#include <cmath>
#include <functional>
#include <limits>
#include <random>

#include "cuda/support.h"
#include "papilio/dynamic.h"
#include "sampling/dynamic/law.h"

namespace papilio::testing {
namespace {

using execution::check;
using execution::DeviceArray;
using execution::Stream;

constexpr double infinity = std::numeric_limits<double>::infinity();
constexpr double least = std::numeric_limits<double>::denorm_min();

// A batch of updates on the host.
struct Updates {
  std::vector<std::int64_t> rows, categories;
  std::vector<double> weights;

  void add(std::int64_t row, std::int64_t category, double weight) {
    rows.push_back(row);
    categories.push_back(category);
    weights.push_back(weight);
  }
};

// A fourth of the weights are 0; the others are spread over e^(-spread / 2) to e^(spread / 2).
Updates some_updates(std::int64_t R, std::int64_t K, int count, std::mt19937_64& generator, double spread = 100) {
  Updates updates;
  for (int i = 0; i < count; ++i) {
    const auto row = static_cast<std::int64_t>(generator() % static_cast<std::uint64_t>(R));
    const auto category = static_cast<std::int64_t>(generator() % static_cast<std::uint64_t>(K));
    const double u = static_cast<double>(generator() % 1000) / 1000;
    updates.add(row, category, generator() % 4 == 0 ? 0 : std::exp(spread * (u - 0.5)));
  }
  return updates;
}

// Updates in device memory with room for their statuses and a workspace.
class UpdatesOnCuda {
 public:
  UpdatesOnCuda(const DynamicForest& forest, const Updates& updates)
      : rows_(updates.rows),
        categories_(updates.categories),
        weights_(updates.weights),
        status_(std::vector<DrawStatus>(updates.rows.size(), static_cast<DrawStatus>(0xEE))),
        workspace_(forest.update_workspace_bytes(std::ssize(updates.rows)), "a workspace") {}

  void set(DynamicForest& forest, const Stream& stream) {
    forest.set(rows_.view(), categories_.view(), weights_.view(),
               {.status = status_.view(), .cuda_stream = stream.get(), .workspace = workspace()});
  }
  VectorView<std::byte> workspace() { return {workspace_.data(), workspace_.size(), Device::cuda()}; }
  std::vector<DrawStatus> status() const {
    EXPECT_TRUE(status_.gaps_intact()) << "written beside the status";
    return status_.host();
  }

 private:
  DeviceCopy<std::int64_t> rows_, categories_;
  DeviceCopy<double> weights_;
  DeviceCopy<DrawStatus> status_;
  DeviceArray<std::byte> workspace_;
};

// A forest here and the same on the device.
class Both {
 public:
  Both(const std::vector<double>& weights, std::int64_t R, std::int64_t K)
      : here_(MatrixView<const double>(weights.data(), R, K)), there_(on_cuda(weights, R, K)) {}

  static DynamicForest on_cuda(const std::vector<double>& weights, std::int64_t R, std::int64_t K) {
    DeviceCopy<double> copy(weights);
    return DynamicForest(MatrixView<const double>(copy.data(), R, K, K, 1, Device::cuda()));
  }

  // The statuses are the same, and so is all that comes after.
  std::vector<DrawStatus> set(const Updates& updates) {
    std::vector<DrawStatus> expected(updates.rows.size());
    here_.set(VectorView<const std::int64_t>(updates.rows), VectorView<const std::int64_t>(updates.categories),
              VectorView<const double>(updates.weights), {.status = expected});
    UpdatesOnCuda batch(there_, updates);
    batch.set(there_, stream_);
    stream_.wait();
    EXPECT_TRUE(same_bytes(batch.status(), expected, "the status"));
    return expected;
  }

  template <class Index>
  void expect_same_draws(const std::vector<std::int64_t>& rows, std::uint64_t seed) {
    std::vector<Index> expected(rows.size()), nothing(rows.size(), -7);
    std::vector<DrawStatus> expected_status(rows.size());
    ForestDrawOptions options = {.seed = seed, .stream = 5, .first_draw = 1ull << 33, .status = expected_status};
    here_.sample(VectorView<const std::int64_t>(rows), VectorView<Index>(expected), options);
    DeviceCopy<std::int64_t> rows_there(rows);
    DeviceCopy<Index> drawn(nothing);
    DeviceCopy<DrawStatus> status(std::vector<DrawStatus>(rows.size(), static_cast<DrawStatus>(0xEE)));
    options.status = status.view();
    options.cuda_stream = stream_.get();
    there_.sample(rows_there.view(), drawn.view(), options);
    stream_.wait();
    EXPECT_TRUE(same_bytes(drawn.host(), expected, "the category"));
    EXPECT_TRUE(same_bytes(status.host(), expected_status, "the status"));
    EXPECT_TRUE(drawn.gaps_intact() && status.gaps_intact()) << "written beside the results";
  }

  // Draws from every row, and some totals and weights.
  void expect_same(std::uint64_t seed) {
    const std::int64_t R = here_.rows(), K = here_.categories();
    std::mt19937_64 generator(seed);
    std::vector<std::int64_t> rows(20'000);
    for (std::int64_t& row : rows) row = static_cast<std::int64_t>(generator() % static_cast<std::uint64_t>(R));
    expect_same_draws<std::int32_t>(rows, seed);
    for (int i = 0; i < 50; ++i) {
      const auto row = static_cast<std::int64_t>(generator() % static_cast<std::uint64_t>(R));
      const auto k = static_cast<std::int64_t>(generator() % static_cast<std::uint64_t>(K));
      EXPECT_EQ(there_.total(row), here_.total(row)) << row;
      EXPECT_EQ(there_.weight(row, k), here_.weight(row, k)) << row << " " << k;
    }
  }

  DynamicForest& here() { return here_; }
  DynamicForest& there() { return there_; }

 private:
  DynamicForest here_, there_;
  Stream stream_;
};

class DynamicForestOnCuda : public CudaTest {};

TEST_F(DynamicForestOnCuda, IsTheForestOfTheCpu) {
  struct Size {
    std::int64_t R, K;
  };
  for (const auto [R, K] : {Size{1, 1}, {3, 8}, {2, 9}, {37, 100}, {5000, 65}, {20, 5000}, {1, 300'000}}) {
    SCOPED_TRACE(std::to_string(R) + " x " + std::to_string(K));
    std::mt19937_64 generator(static_cast<std::uint64_t>(R * 1'000'003 + K));
    std::vector<double> weights(static_cast<std::size_t>(R * K));
    for (double& weight : weights) weight = static_cast<double>(generator() % 9) / 7;
    Both both(weights, R, K);
    both.expect_same(1);
    std::uint64_t seed = 2;
    for (const int count : {1, 100, 4096, 4097, 60'000}) {
      both.set(some_updates(R, K, count, generator));
      both.expect_same(seed++);
    }
    ASSERT_FALSE(HasFailure());
  }
}

TEST_F(DynamicForestOnCuda, SmokeOfUpdatesAndDraws) {
  std::mt19937_64 generator(3);
  Both both(std::vector<double>(13 * 70, 1.0), 13, 70);
  both.set(some_updates(13, 70, 300, generator));
  both.set(some_updates(13, 70, 5000, generator));
  Updates wrong = some_updates(13, 70, 5000, generator);
  wrong.weights[4099] = 1e308, wrong.weights[4100] = 1.7e308;
  wrong.rows[4099] = wrong.rows[4100] = 2;
  wrong.categories[4099] = 1, wrong.categories[4100] = 2;
  for (std::size_t i = 4101; i < 5000; ++i) wrong.rows[i] = 3;
  EXPECT_EQ(both.set(wrong)[4099], DrawStatus::overflow);
  both.expect_same(9);
}

TEST_F(DynamicForestOnCuda, TakesWeightsOfAnyStrides) {
  std::vector<double> weights(3 * 40 * 7);
  for (std::size_t i = 0; i < weights.size(); ++i) weights[i] = static_cast<double>(i % 11);
  DeviceCopy<double> there(weights);
  const DynamicForest forest(MatrixView<const double>(there.data() + 2, 40, 7, 3, 120, Device::cuda()));
  const DynamicForest expected(MatrixView<const double>(weights.data() + 2, 40, 7, 3, 120));
  EXPECT_EQ(forest.device().name(), "cuda:0");
  for (std::int64_t row = 0; row < 40; ++row) {
    EXPECT_EQ(forest.total(row), expected.total(row));
    for (std::int64_t k = 0; k < 7; ++k) EXPECT_EQ(forest.weight(row, k), expected.weight(row, k));
  }
}

// Whatever threads do first.
TEST_F(DynamicForestOnCuda, TheLastOfSeveralForOnePlaceHolds) {
  for (const int count : {1000, 200'000}) {
    Both both(std::vector<double>(4 * 20, 1.0), 4, 20);
    Updates updates;
    for (int i = 0; i < count; ++i) updates.add(i % 3 == 0 ? 2 : 1, i % 2 == 0 ? 7 : 8, i % 1000);
    updates.add(2, 7, 0.5);
    for (int i = 0; i < count; ++i) updates.add(0, 3, i % 1000);
    both.set(updates);
    EXPECT_EQ(both.there().weight(2, 7), 0.5);
    EXPECT_EQ(both.there().weight(0, 3), 999);
    both.expect_same(static_cast<std::uint64_t>(count));
  }
}

TEST_F(DynamicForestOnCuda, RowsThatCannotBeDrawnFrom) {
  std::vector<double> weights(5 * 33, 2.0);
  std::fill(weights.begin() + 33, weights.begin() + 66, 0.0);
  Both both(weights, 5, 33);
  const std::vector<std::int64_t> rows = {0, 1, 4, 5, -1, std::numeric_limits<std::int64_t>::max(), 2};
  both.expect_same_draws<std::int32_t>(rows, 1);
  both.expect_same_draws<std::int64_t>(rows, 2);
  DeviceCopy<std::int64_t> rows_there(rows);
  DeviceCopy<std::int32_t> drawn(std::vector<std::int32_t>(rows.size(), -7));
  both.there().sample(rows_there.view(), drawn.view());
  const std::vector<std::int32_t> found = drawn.host();
  for (const std::size_t i : {1, 3, 4, 5}) EXPECT_EQ(found[i], -1) << i;
  for (const std::size_t i : {0, 2, 6}) EXPECT_TRUE(0 <= found[i] && found[i] < 33) << i;
  Updates updates;
  updates.add(1, 32, least);
  both.set(updates);
  both.expect_same_draws<std::int32_t>(rows, 3);
}

TEST_F(DynamicForestOnCuda, WeightsOfTheWholeRange) {
  Both both({1e300, 1e-300, 0, least, 1e300, 5e299, /**/ least, 2 * least, 0, 3 * least, least, 0}, 2, 6);
  both.expect_same(3);
  Updates updates;
  for (const std::int64_t k : {0, 4, 5}) updates.add(0, k, 0);
  both.set(updates);
  both.expect_same(4);
  updates = {};
  updates.add(0, 1, 0);
  updates.add(0, 2, -0.0);
  both.set(updates);
  both.expect_same(5);
  EXPECT_EQ(both.there().total(0), least);
  EXPECT_FALSE(std::signbit(both.there().weight(0, 2)));
}

TEST_F(DynamicForestOnCuda, ABatchThatIsRefusedChangesNothing) {
  std::mt19937_64 generator(8);
  for (const int count : {50, 20'000}) {
    Both both(std::vector<double>(6 * 200, 1.0), 6, 200);
    both.set(some_updates(6, 200, count, generator));
    for (const auto& [row, category, weight] : std::vector<std::tuple<std::int64_t, std::int64_t, double>>{
             {6, 0, 1}, {-1, 0, 1}, {0, 200, 1}, {0, -1, 1}, {0, 0, -1}, {0, 0, infinity}, {0, 0, std::nan("")}}) {
      Updates updates = some_updates(6, 200, count, generator);
      updates.rows[11] = row, updates.categories[11] = category, updates.weights[11] = weight;
      EXPECT_NE(both.set(updates)[11], DrawStatus::ok);
    }
    Updates updates = some_updates(6, 200, count, generator);
    updates.add(3, 1, 1.7e308);
    updates.add(3, 150, 1e308);
    EXPECT_EQ(both.set(updates).back(), DrawStatus::overflow);
    both.expect_same(4);
    updates.weights.back() = 1;
    EXPECT_EQ(both.set(updates).back(), DrawStatus::ok);
    both.expect_same(5);
  }
}

// After a million random updates in batches: the law of the weights as they are now.
TEST_F(DynamicForestOnCuda, FollowsTheWeightsAfterAMillionUpdates) {
  constexpr std::int64_t R = 3, K = 500;
  std::mt19937_64 generator(4);
  std::vector<double> weights(R * K, 1.0);
  DynamicForest forest = Both::on_cuda(weights, R, K);
  const Stream stream;
  for (int batch = 0; batch < 10; ++batch) {
    const Updates updates = some_updates(R, K, 100'000, generator, 8);
    UpdatesOnCuda there(forest, updates);
    there.set(forest, stream);
    stream.wait();
    for (std::size_t i = 0; i < updates.rows.size(); ++i)
      weights[static_cast<std::size_t>(updates.rows[i] * K + updates.categories[i])] = updates.weights[i];
  }
  const DynamicForest anew = Both::on_cuda(weights, R, K);
  for (std::int64_t row = 0; row < R; ++row) {
    EXPECT_EQ(forest.total(row), anew.total(row)) << "the total has drifted";
    DeviceCopy<std::int64_t> rows(std::vector<std::int64_t>(200'000, row));
    DeviceCopy<std::int64_t> drawn(std::vector<std::int64_t>(200'000, -7));
    forest.sample(rows.view(), drawn.view(), {.seed = static_cast<std::uint64_t>(row)});
    expect_law({weights.begin() + row * K, weights.begin() + (row + 1) * K}, drawn.host());
  }
}

TEST_F(DynamicForestOnCuda, GraphsHoldUpdatesAndDraws) {
  for (const int count : {200, 30'000}) {
    constexpr std::int64_t R = 50, K = 300;
    std::mt19937_64 generator(9);
    const std::vector<double> ones(R * K, 1.0);
    const Updates updates = some_updates(R, K, count, generator);
    std::vector<std::int64_t> rows;
    for (int i = 0; i < 5000; ++i) rows.push_back(i % R);
    DynamicForest forest = Both::on_cuda(ones, R, K);
    UpdatesOnCuda batch(forest, updates);
    DeviceCopy<std::int64_t> rows_there(rows);
    DeviceCopy<std::int32_t> drawn(std::vector<std::int32_t>(rows.size(), -7));
    const Stream stream;
    {
      DynamicForest other = forest;  // so that the kernels are loaded
      batch.set(other, stream);
      other.sample(rows_there.view(), drawn.view(), {.seed = 6, .cuda_stream = stream.get()});
      stream.wait();
    }
    cudaGraph_t graph = nullptr;
    check(cudaStreamBeginCapture(stream.get(), cudaStreamCaptureModeGlobal), "beginning a capture");
    batch.set(forest, stream);
    forest.sample(rows_there.view(), drawn.view(), {.seed = 6, .cuda_stream = stream.get()});
    check(cudaStreamEndCapture(stream.get(), &graph), "ending a capture");
    EXPECT_EQ(forest.total(0), 300) << "a capture must not update";
    cudaGraphExec_t ready = nullptr;
    check(cudaGraphInstantiate(&ready, graph, 0), "instantiating a graph");
    DynamicForest expected(MatrixView<const double>(ones.data(), R, K));
    expected.set(VectorView<const std::int64_t>(updates.rows), VectorView<const std::int64_t>(updates.categories),
                 VectorView<const double>(updates.weights));
    std::vector<std::int32_t> expected_draws(rows.size());
    expected.sample(VectorView<const std::int64_t>(rows), VectorView<std::int32_t>(expected_draws), {.seed = 6});
    for (int replay = 0; replay < 3; ++replay) {
      check(cudaGraphLaunch(ready, stream.get()), "launching a graph");
      stream.wait();
      EXPECT_TRUE(same_bytes(drawn.host(), expected_draws, "the category"));
      check(cudaMemset(drawn.data(), 0xEE, rows.size() * sizeof(std::int32_t)), "a test");
      check(cudaStreamSynchronize(nullptr), "a test");
    }
    cudaGraphExecDestroy(ready);
    cudaGraphDestroy(graph);
  }
}

TEST_F(DynamicForestOnCuda, CopiesAreSeparate) {
  DynamicForest one = Both::on_cuda({1, 1, 1, 1}, 2, 2);
  DynamicForest other = one;
  Updates updates;
  updates.add(1, 0, 9);
  const Stream stream;
  UpdatesOnCuda batch(one, updates);
  batch.set(one, stream);
  stream.wait();
  EXPECT_EQ(one.total(1, stream.get()), 10);
  EXPECT_EQ(other.total(1), 2);
  other = one;
  EXPECT_EQ(other.total(1), 10);
  const std::vector<double> here = {5, 5};
  other = DynamicForest(MatrixView<const double>(here.data(), 1, 2));
  EXPECT_TRUE(other.device().is_cpu());
  EXPECT_EQ(other.total(0), 10);
}

TEST_F(DynamicForestOnCuda, WhatCannotBeKeptIsRefused) {
  const auto error_of = [](const std::function<void()>& call) -> std::string {
    try {
      call();
    } catch (const InvalidArgument& error) {
      return error.what();
    }
    return "nothing thrown";
  };
  EXPECT_EQ(error_of([] {
              Both::on_cuda({1, 2, 3, 4, -5, -6}, 2, 3);
            }),
            "papilio::DynamicForest: category 1 is to weigh -5, expected a finite weight >= 0");
  EXPECT_EQ(error_of([] {
              Both::on_cuda({1, infinity}, 1, 2);
            }),
            "papilio::DynamicForest: category 1 is to weigh inf, expected a finite weight >= 0");
  EXPECT_EQ(error_of([] {
              Both::on_cuda({1, 2, 1e308, 1e308}, 2, 2);
            }),
            "papilio::DynamicForest: the total of row 1 is infinite, expected one that double can hold");
  EXPECT_EQ(Both::on_cuda({}, 0, 3).rows(), 0);
}

TEST_F(DynamicForestOnCuda, ACallSaysWhatItMisses) {
  DynamicForest forest = Both::on_cuda({1, 2, 3, 4}, 2, 2);
  Updates updates;
  updates.add(0, 0, 1);
  UpdatesOnCuda batch(forest, updates);
  DeviceCopy<std::int64_t> places({0});
  DeviceCopy<double> weights({1.0});
  DeviceCopy<DrawStatus> status({DrawStatus::ok});
  DeviceCopy<std::int32_t> drawn({-7});
  const std::vector<std::int64_t> on_host = {0};
  const VectorView<std::byte> all = batch.workspace();
  const auto set = [&](const ForestUpdateOptions& options) {
    forest.set(places.view(), places.view(), weights.view(), options);
  };
  EXPECT_THROW(set({.workspace = all}), InvalidArgument) << "no status";
  EXPECT_THROW(set({.status = status.view()}), InvalidArgument) << "no workspace";
  EXPECT_THROW(set({.status = status.view(), .workspace = {all.data, all.size - 1, Device::cuda()}}), InvalidArgument);
  EXPECT_THROW(set({.status = status.view(), .workspace = {all.data + 8, all.size, Device::cuda()}}), InvalidArgument);
  EXPECT_THROW(forest.set(VectorView<const std::int64_t>(on_host), places.view(), weights.view(),
                          {.status = status.view(), .workspace = all}),
               InvalidArgument);
  EXPECT_THROW(forest.sample(VectorView<const std::int64_t>(on_host), drawn.view()), InvalidArgument);
  EXPECT_EQ(forest.weight(0, 0), 1);
  EXPECT_GT(forest.update_workspace_bytes(1), 0);
  EXPECT_EQ(forest.update_workspace_bytes(0), 0);
  EXPECT_NO_THROW(forest.set({}, {}, {}));
  EXPECT_NO_THROW(forest.sample({}, VectorView<std::int32_t>()));
}

}  // namespace
}  // namespace papilio::testing
