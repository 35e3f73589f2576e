// What draws without replacement and resampling refuse: arrays that cannot be arrays, numbers that are no enumerators.

#include "support/contracts.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <limits>
#include <utility>
#include <vector>

#include "papilio/resample.h"
#include "papilio/without_replacement.h"
#include "support/devices.h"

namespace papilio {
namespace {

using testing::huge;
using testing::lowest;
using testing::misaligned;
using testing::no_enumerator;
using testing::refused;

using Weights = VectorView<const double>;
using Ids = VectorView<const std::int64_t>;
using Drawn = MatrixView<std::int32_t>;

class WithoutReplacementContract : public ::testing::Test {
 protected:
  // Draws from 2 rows of 4.
  auto sample(MatrixView<const double> weights, Drawn drawn, WithoutReplacementOptions options = {}) {
    return [=] { sample_without_replacement(MatrixWeights<double>{weights}, drawn, options); };
  }
  auto sample(WithoutReplacementOptions options) { return sample(matrix(), drawn(), options); }
  MatrixView<const double> matrix() { return {w_.data(), 2, 4}; }
  Drawn drawn() { return {drawn_.data(), 2, 3}; }

  std::vector<double> w_ = {1, 2, 3, 4, 5, 6, 7, 8};
  std::vector<std::int32_t> drawn_ = std::vector<std::int32_t>(8);
  std::vector<std::int64_t> ids_ = {0, 1, 2};
  std::vector<DrawStatus> status_ = std::vector<DrawStatus>(3);
};

TEST_F(WithoutReplacementContract, SampleWithoutReplacement) {
  EXPECT_NO_THROW(sample({})());
  EXPECT_TRUE(refused("sample_without_replacement: the matrix of weights is null", sample({nullptr, 2, 4}, drawn())));
  EXPECT_TRUE(refused("the matrix of weights must have sizes >= 0", sample({w_.data(), 2, -4}, drawn())));
  EXPECT_TRUE(refused("the matrix of weights is at address", sample({misaligned(w_.data()), 2, 3}, drawn())));
  EXPECT_TRUE(refused("more than an address space holds", sample({w_.data(), 2, 4, huge}, drawn())));
  EXPECT_TRUE(refused("is on cuda:0", sample(testing::matrix_on_cuda<const double>(), drawn())));
  EXPECT_TRUE(refused("drawn is null", sample(matrix(), {nullptr, 2, 3})));
  EXPECT_TRUE(refused("drawn must have sizes >= 0", sample(matrix(), {drawn_.data(), 2, -1})));
  EXPECT_TRUE(refused("drawn is on cuda:0", sample(matrix(), testing::matrix_on_cuda<std::int32_t>())));
  EXPECT_TRUE(refused("one row per row of weights; got 3 for 2", sample(matrix(), {drawn_.data(), 3, 2})));
  EXPECT_TRUE(refused("columns of drawn must be adjacent", sample(matrix(), {drawn_.data(), 2, 2, 4, 2})));
  EXPECT_TRUE(refused("rows of drawn overlap", sample(matrix(), {drawn_.data(), 2, 3, 2})));
  std::vector<std::int32_t> ten(10);
  EXPECT_TRUE(refused("5 draws without replacement from row 0", sample(matrix(), {ten.data(), 2, 5})));
  const std::vector<std::int32_t> rows = {0, 2};
  EXPECT_TRUE(refused("rows[1] is 2, expected 0 <= row < 2", [&] {
    sample_without_replacement(MatrixWeights<double>{matrix(), VectorView<const std::int32_t>(rows)}, drawn());
  }));
}

TEST_F(WithoutReplacementContract, WithoutReplacementOptions) {
  EXPECT_TRUE(refused("row_ids must have one entry per row; got 3 for 2", sample({.row_ids = Ids(ids_)})));
  EXPECT_TRUE(refused("row_ids is null", sample({.row_ids = {nullptr, 2}})));
  EXPECT_TRUE(refused("seeds must have one entry per row", sample({.seeds = Ids(ids_)})));
  EXPECT_TRUE(refused("seeds is on cuda:0", sample({.seeds = testing::vector_on_cuda<const std::int64_t>()})));
  EXPECT_TRUE(refused("status must have one entry per row", sample({.status = VectorView<DrawStatus>(status_)})));
  EXPECT_TRUE(refused("threads must be 0", sample({.threads = -1})));
  EXPECT_TRUE(refused("drawn overlaps the matrix of weights", [&] {
    sample_without_replacement(MatrixWeights<double>{matrix()},
                               MatrixView<std::int64_t>(reinterpret_cast<std::int64_t*>(w_.data()), 2, 3));
  }));
  std::vector<std::int64_t> drawn(6);
  EXPECT_TRUE(refused("drawn overlaps row_ids", [&] {
    sample_without_replacement(MatrixWeights<double>{matrix()}, MatrixView<std::int64_t>(drawn.data(), 2, 3),
                               {.row_ids = {drawn.data(), 2}});
  }));
}

TEST_F(WithoutReplacementContract, RaggedWeightsAndLogits) {
  const auto ragged = [&](Weights values, Ids offsets) {
    return [=, this] { sample_without_replacement(RaggedWeights<double>{values, offsets}, drawn()); };
  };
  EXPECT_TRUE(refused("offsets must have one entry more", ragged(Weights(w_), {})));
  EXPECT_TRUE(refused("offsets is null", ragged(Weights(w_), {nullptr, 3})));
  EXPECT_TRUE(refused("values is on cuda:0", ragged(testing::vector_on_cuda<const double>(), Ids(ids_))));
  for (const std::vector<std::int64_t>& offsets :
       {std::vector<std::int64_t>{0, 9, 9}, {0, -1, 3}, {4, 3, 8}, {lowest, 0, 8}, {0, 4, huge}})
    EXPECT_TRUE(refused("offsets", ragged(Weights(w_), Ids(offsets))));
  for (const double temperature : {0.0, -1.0, std::nan(""), std::numeric_limits<double>::infinity()})
    EXPECT_TRUE(refused("the temperature must be between", [&] {
      sample_without_replacement(LogitWeights<double>{matrix(), {}, temperature}, drawn());
    }));
}

TEST_F(WithoutReplacementContract, WeightedShuffle) {
  const auto shuffle = [&](Drawn shuffled) {
    return [=, this] { weighted_shuffle(MatrixWeights<double>{matrix()}, shuffled); };
  };
  EXPECT_NO_THROW(shuffle({drawn_.data(), 2, 4})());
  EXPECT_TRUE(refused("weighted_shuffle: shuffled must have one column per category", shuffle(drawn())));
  EXPECT_TRUE(refused("shuffled is null", shuffle({nullptr, 2, 4})));
  const RaggedWeights<double> ragged = {Weights(w_), Ids(ids_)};
  const auto flat = [&](VectorView<std::int32_t> shuffled) { return [=] { weighted_shuffle(ragged, shuffled); }; };
  EXPECT_NO_THROW(flat({drawn_.data(), 2})());
  EXPECT_TRUE(refused("one entry per weight; got 8 for 2", flat(VectorView<std::int32_t>(drawn_))));
  EXPECT_TRUE(refused("shuffled is null", flat({nullptr, 2})));
  EXPECT_TRUE(refused("shuffled is on cuda:0", flat(testing::vector_on_cuda<std::int32_t>())));
}

TEST_F(WithoutReplacementContract, WeightedReservoir) {
  for (const std::int64_t k : {std::int64_t{0}, std::int64_t{-1}, huge, lowest})
    EXPECT_TRUE(refused("expected 1 to 2^40 - 1", [&] { WeightedReservoir{k}; }));
  WeightedReservoir reservoir(3, ReservoirOptions{.seed = 5});
  const auto add = [&](Weights weights, std::int64_t first) {
    return [=, &reservoir] { reservoir.add(weights, first); };
  };
  EXPECT_TRUE(refused("WeightedReservoir::add: weights is null", add({nullptr, 2}, 0)));
  EXPECT_TRUE(refused("weights is on cuda:0", add(testing::vector_on_cuda<const double>(), 0)));
  for (const std::int64_t first : {std::int64_t{-1}, huge, lowest})
    EXPECT_TRUE(refused("expected numbers from 0 to 2^62 - 1", add(Weights(w_), first)));
  for (const double bad : {-1.0, std::nan(""), std::numeric_limits<double>::infinity()}) {
    w_[7] = bad;
    EXPECT_TRUE(refused("weights must be finite and >= 0; item 107", add(Weights(w_), 100)));
  }
  EXPECT_EQ(reservoir.size(), 0);
  reservoir.add({w_.data(), 2}, 0);
  std::vector<std::int64_t> items(3);
  EXPECT_TRUE(refused("items has 3 entries, expected 2", [&] { reservoir.items(VectorView<std::int64_t>(items)); }));
  EXPECT_TRUE(refused("items is null", [&] { reservoir.items({nullptr, 2}); }));
  EXPECT_TRUE(refused("expected the same", [&] { reservoir.merge(WeightedReservoir(3)); }));
  EXPECT_TRUE(refused("bytes is null", [] { WeightedReservoir::from_bytes({static_cast<std::byte*>(nullptr), 64}); }));
  EXPECT_TRUE(refused("expected at least", [] { WeightedReservoir::from_bytes({}); }));
  const WeightedReservoir taken = std::move(reservoir);  // a copy
  EXPECT_EQ(reservoir.to_bytes(), taken.to_bytes());     // NOLINT(bugprone-use-after-move)
  EXPECT_EQ(reservoir.capacity(), 3);
  EXPECT_EQ(reservoir.options().seed, 5u);
  WeightedReservoir& same = reservoir;
  reservoir = same;
  EXPECT_EQ(reservoir.size(), 2);
}

TEST_F(WithoutReplacementContract, Resample) {
  EXPECT_EQ(name(no_enumerator<ResampleMethod>()), "unknown");
  EXPECT_EQ(resample_methods()[0].value, ResampleMethod::systematic);
  EXPECT_TRUE(refused("unknown method \"even\"", [] { parse_resample_method("even"); }));
  const auto call = [&](Weights weights, VectorView<std::int32_t> ancestors, ResampleOptions options = {}) {
    return [=] { resample(weights, ancestors, options); };
  };
  const VectorView<std::int32_t> out(drawn_);
  for (const auto& row : resample_methods()) {
    const ResampleOptions options = {.method = row.value};
    EXPECT_TRUE(refused("resample: weights is null", call({nullptr, 2}, out, options)));
    EXPECT_TRUE(refused("there are no weights", call({}, out, options)));
    EXPECT_TRUE(refused("weights is on cuda:0", call(testing::vector_on_cuda<const double>(), out, options)));
    EXPECT_TRUE(refused("ancestors is null", call(Weights(w_), {nullptr, 2}, options)));
    EXPECT_TRUE(refused("ancestors has -2 entries", call(Weights(w_), {drawn_.data(), -2}, options)));
    EXPECT_NO_THROW(call(Weights(w_), {}, options)());
    for (const double bad : {-1.0, std::nan(""), std::numeric_limits<double>::infinity()}) {
      const std::vector<double> weights = {1, bad};
      EXPECT_TRUE(refused("weight 1 is", call(Weights(weights), out, options)));
    }
    const std::vector<double> zeros(3);
    EXPECT_TRUE(refused("no weight is positive", call(Weights(zeros), out, options)));
  }
  EXPECT_TRUE(refused("unknown method 99", call(Weights(w_), out, {.method = no_enumerator<ResampleMethod>()})));
  EXPECT_TRUE(refused("ancestors overlaps weights", [&] {
    resample(Weights(w_), VectorView<std::int64_t>(reinterpret_cast<std::int64_t*>(w_.data()), 4));
  }));
}

}  // namespace
}  // namespace papilio
