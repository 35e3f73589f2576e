// Rows that cannot be drawn from, and arguments that do not fit, on a device.

#include "cuda/problems.h"

namespace papilio::testing {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

template <class S>
class CudaBadRows : public CudaTest {};
TYPED_TEST_SUITE(CudaBadRows, StoredTypes);

// Fifty rows, some of them spoilt; rows 0 to 2 and most others are good.
template <class S>
MatrixProblem<S> spoilt(std::int64_t columns) {
  auto problem = dense(weights_of<S>(50 * columns, 1, 0), columns);
  const auto spoil = [&](std::int64_t row, std::int64_t column, S value) {
    problem.memory[static_cast<std::size_t>(row * columns + column)] = value;
  };
  spoil(3, columns - 1, not_a_number<S>());
  spoil(4, columns / 2, stored<S>(-static_cast<double>(summed(least<S>()))));
  spoil(5, 0, stored<S>(-infinity));
  spoil(17, columns / 3, stored<S>(infinity));
  spoil(31, 0, not_a_number<S>());
  spoil(49, columns - 1, stored<S>(-1));
  for (std::int64_t k = 0; k < columns; ++k) spoil(20, k, stored<S>(0));
  for (std::int64_t k = 0; k < columns; ++k) spoil(21, k, stored<S>(-0.0));
  if (columns > 2)
    for (const std::int64_t k : {0, 1, 2}) spoil(30, k, largest<S>());
  if (columns > 4) {  // several faults in one row
    spoil(33, 1, not_a_number<S>());
    spoil(33, 2, stored<S>(-1));
    spoil(34, 1, stored<S>(infinity));
    spoil(34, columns - 1, stored<S>(-1));
    spoil(35, 1, stored<S>(infinity));
    spoil(35, 3, not_a_number<S>());
  }
  return problem;
}

TYPED_TEST(CudaBadRows, EachGetsItsStatusAndLeavesItsNeighboursAlone) {
  for (const std::int64_t columns : {1, 3, 5, 31, 40, 71, 128, 129, 300, 1024, 1030, 5000}) {
    const auto problem = spoilt<TypeParam>(columns);
    const auto found = draw_on_cuda<std::int32_t>(problem, {});
    EXPECT_TRUE(same_draws(found, draw_on_host<std::int32_t>(problem, {}))) << columns << " categories";
    EXPECT_EQ(found.status.at(0), DrawStatus::ok);
    EXPECT_EQ(found.status.at(3), DrawStatus::not_a_number);
    EXPECT_EQ(found.status.at(49), DrawStatus::negative);
    EXPECT_EQ(found.drawn.at(49), -1);
  }
}

// Without a status nothing is thrown: the call does not wait for its result.
TYPED_TEST(CudaBadRows, WithoutStatusTheyJustGetNoCategory) {
  for (const std::int64_t columns : {3, 71, 128, 1030}) {
    const auto problem = spoilt<TypeParam>(columns);
    const auto found = draw_on_cuda<std::int64_t>(problem, {.with_status = false});
    EXPECT_TRUE(same_bytes(found.drawn, draw_on_host<std::int64_t>(problem, {}).drawn, "the category"))
        << columns << " categories";
  }
}

// Without the search for negative weights all other bad rows are found, and a row that has
// some gets a category of its own or none.
TYPED_TEST(CudaBadRows, UncheckedSignsHideNothingElse) {
  for (const std::int64_t columns : {1, 3, 71, 129, 1030}) {
    const auto problem = spoilt<TypeParam>(columns);
    const auto found = draw_on_cuda<std::int64_t>(problem, {.check_negative = false});
    const auto checked = draw_on_host<std::int64_t>(problem, {});
    for (std::size_t i = 0; i < 50; ++i) {
      if (checked.status[i] == DrawStatus::negative || i == 33 || i == 34) {
        EXPECT_TRUE(-1 <= found.drawn[i] && found.drawn[i] < columns) << "row " << i << ": " << found.drawn[i];
      } else {
        EXPECT_EQ(found.drawn[i], checked.drawn[i]) << columns << " categories, row " << i;
        EXPECT_EQ(found.status[i], checked.status[i]) << columns << " categories, row " << i;
      }
    }
  }
}

TYPED_TEST(CudaBadRows, ManyNegativeWeightsUncheckedStayInRange) {
  std::mt19937 bits(1);
  for (const std::int64_t columns : {1, 3, 33, 200, 1100}) {
    MatrixProblem<TypeParam> problem = dense(std::vector<TypeParam>(static_cast<std::size_t>(64 * columns)), columns);
    for (TypeParam& w : problem.memory) w = stored<TypeParam>(static_cast<double>(bits()) * 0x1p-31 - 0.9);
    for (std::uint64_t seed = 0; seed < 20; ++seed)
      for (const std::int64_t k : draw_on_cuda<std::int64_t>(problem, {.seed = seed, .check_negative = false}).drawn)
        ASSERT_TRUE(-1 <= k && k < columns) << k;
  }
}

// Where the CPU throws for an index out of range, a device marks the row.
TYPED_TEST(CudaBadRows, IndicesOutOfRangeMarkTheirRow) {
  auto problem = dense<TypeParam>(10, 130, 2);
  problem.picked = {0, 1, 9, 3, 4, 5};
  const auto expected = draw_on_host<std::int32_t>(problem, {});
  problem.picked = {0, 10, 9, -1, 4, std::numeric_limits<std::int32_t>::max()};
  const auto found = draw_on_cuda<std::int32_t>(problem, {});
  for (const std::size_t i : {1, 3, 5}) {
    EXPECT_EQ(found.status[i], DrawStatus::no_such_row) << i;
    EXPECT_EQ(found.drawn[i], -1) << i;
  }
  for (const std::size_t i : {0, 2, 4}) {
    EXPECT_EQ(found.status[i], DrawStatus::ok) << i;
    EXPECT_EQ(found.drawn[i], expected.drawn[i]) << i;
  }
}

TYPED_TEST(CudaBadRows, OffsetsOutOfRangeMarkTheirRow) {
  auto problem = ragged<TypeParam>({5, 5, 5, 5, 5, 5}, 3);
  problem.offsets = {0, 5, 3, 20, 31, -1, 30};  // 6 rows: good, decreasing, good, past the end, ..., before the start
  const std::vector<DrawStatus> expected = {DrawStatus::ok,          DrawStatus::no_such_row, DrawStatus::ok,
                                            DrawStatus::no_such_row, DrawStatus::no_such_row, DrawStatus::no_such_row};
  EXPECT_TRUE(same_bytes(draw_on_cuda<std::int32_t>(problem, {}).status, expected, "the status"));
  problem.picked = {0, 6, -1, 2};
  const std::vector<DrawStatus> picked = {DrawStatus::ok, DrawStatus::no_such_row, DrawStatus::no_such_row,
                                          DrawStatus::ok};
  EXPECT_TRUE(same_bytes(draw_on_cuda<std::int32_t>(problem, {}).status, picked, "the status"));
}

template <class T>
class CudaBadProducts : public CudaTest {};
using ProductTypes = ::testing::Types<float, double>;
TYPED_TEST_SUITE(CudaBadProducts, ProductTypes);

TYPED_TEST(CudaBadProducts, AreJudgedByTheirProduct) {
  using T = TypeParam;
  const T huge = largest<T>(), inf = static_cast<T>(infinity);
  ProductProblem<T> problem = {{1, -1, 0, huge, 1, inf}, {1, -2, 1, huge, -1, 0}, 6, 6, 1, 1, 1};
  const auto found = draw_on_cuda<std::int32_t>(problem, {});
  EXPECT_TRUE(same_draws(found, draw_on_host<std::int32_t>(problem, {})));
  EXPECT_EQ(found.status.at(4), DrawStatus::negative);
}

TYPED_TEST(CudaBadProducts, BadFactorsAndIndices) {
  for (const std::int64_t columns : {3, 71, 128, 1030}) {
    auto problem = products<TypeParam>(100, columns, 4);
    const auto at = [&](std::int64_t row, std::int64_t k) -> TypeParam& {
      return problem.right[static_cast<std::size_t>(row * columns + k)];
    };
    at(1, columns - 1) = not_a_number<TypeParam>();
    at(2, 0) = -1;
    at(3, 1) = static_cast<TypeParam>(infinity);
    for (std::int64_t k = 0; k < columns; ++k) at(4, k) = 0;
    for (std::size_t i = 0; i < 5; ++i) problem.right_rows[20 * i] = static_cast<std::int32_t>(i);
    const auto found = draw_on_cuda<std::int32_t>(problem, {});
    EXPECT_TRUE(same_draws(found, draw_on_host<std::int32_t>(problem, {}))) << columns << " categories";
    EXPECT_EQ(found.status.at(20), DrawStatus::not_a_number);

    problem.left_rows[7] = static_cast<std::int32_t>(problem.left_count);
    problem.right_rows[8] = -1;
    auto marked = found;
    for (const std::size_t i : {7, 8}) {
      marked.drawn[i] = -1;
      marked.status[i] = DrawStatus::no_such_row;
    }
    EXPECT_TRUE(same_draws(draw_on_cuda<std::int32_t>(problem, {}), marked)) << columns << " categories";
  }
}

// --- Arguments ------------------------------------------------------------------

class CudaArguments : public CudaTest {
 protected:
  template <class Weights>
  static void expect_refused(const Weights& weights, VectorView<std::int32_t> drawn, const SampleOptions& options,
                             const char* what) {
    EXPECT_THROW(sample_categorical(weights, drawn, options), InvalidArgument) << what;
    EXPECT_EQ(cudaGetLastError(), cudaSuccess) << what << " left an error behind";
  }
};

TEST_F(CudaArguments, ArraysOfHostAndDeviceDoNotMix) {
  const auto problem = dense<float>(10, 10, 1);
  auto on = problem.on_cuda();
  std::vector<std::int32_t> host_drawn(10), host_rows(10);
  std::vector<std::int64_t> host_ids(10);
  std::vector<DrawStatus> host_status(10);
  DeviceCopy<std::int32_t> drawn(host_drawn), rows(host_rows);
  DeviceCopy<std::int64_t> ids(host_ids);
  DeviceCopy<DrawStatus> status(host_status);

  expect_refused(on.weights, host_drawn, {}, "drawn on the host");
  expect_refused(problem.on_host(), drawn.view(), {}, "the matrix on the host");
  expect_refused(on.weights, drawn.view(), {.row_ids = host_ids}, "row_ids on the host");
  expect_refused(on.weights, drawn.view(), {.status = host_status}, "status on the host");
  expect_refused(MatrixWeights<float>{on.weights.matrix, host_rows}, drawn.view(), {}, "rows on the host");
  expect_refused(problem.on_host(), host_drawn, {.row_ids = ids.view()}, "row_ids on the device");
  expect_refused(problem.on_host(), host_drawn, {.status = status.view()}, "status on the device");
  expect_refused(MatrixWeights<float>{problem.on_host().matrix, rows.view()}, host_drawn, {}, "rows on the device");

  const auto lists = ragged<float>(std::vector<std::int64_t>(10, 3), 1);
  auto lists_on = lists.on_cuda();
  expect_refused(RaggedWeights<float>{lists.values, lists_on.weights.offsets, {}}, drawn.view(), {}, "values");
  expect_refused(RaggedWeights<float>{lists_on.weights.values, lists.offsets, {}}, drawn.view(), {}, "offsets");

  const auto pairs = products<float>(10, 16, 1);
  auto pairs_on = pairs.on_cuda();
  for (const bool left : {true, false})
    for (const bool index : {true, false}) {
      ProductWeights<float> mixed = pairs_on.weights;
      if (left && index) mixed.left_rows = pairs.on_host().left_rows;
      if (left && !index) mixed.left = pairs.on_host().left;
      if (!left && index) mixed.right_rows = pairs.on_host().right_rows;
      if (!left && !index) mixed.right = pairs.on_host().right;
      expect_refused(mixed, drawn.view(), {}, "a side of the products on the host");
    }
}

TEST_F(CudaArguments, ArraysOfTwoDevicesDoNotMix) {
  if (execution::cuda_device_count() < 2) GTEST_SKIP() << "one CUDA device";
  auto on = dense<float>(10, 10, 1).on_cuda();
  DeviceCopy<std::int32_t> drawn(std::vector<std::int32_t>(10));
  expect_refused(on.weights, {drawn.data(), 10, Device::cuda(1)}, {}, "drawn on another device");
}

TEST_F(CudaArguments, SizesThatDoNotFit) {
  auto on = dense<float>(10, 10, 1).on_cuda();
  DeviceCopy<std::int32_t> drawn(std::vector<std::int32_t>(11));
  DeviceCopy<std::int64_t> ids(std::vector<std::int64_t>(11));
  DeviceCopy<DrawStatus> status(std::vector<DrawStatus>(11));
  const VectorView<std::int32_t> ten(drawn.data(), 10, Device::cuda());
  expect_refused(on.weights, drawn.view(), {}, "11 results for 10 rows");
  expect_refused(on.weights, ten, {.row_ids = ids.view()}, "11 row numbers for 10 rows");
  expect_refused(on.weights, ten, {.status = status.view()}, "11 statuses for 10 rows");
  expect_refused(MatrixWeights<float>{{nullptr, 10, 10, 10, 1, Device::cuda()}}, ten, {}, "no matrix");
  expect_refused(MatrixWeights<float>{{on.weights.matrix.data, 10, std::int64_t{1} << 31, 0, 0, Device::cuda()}}, ten,
                 {}, "categories beyond int32");
}

TEST_F(CudaArguments, ACallThatWasRefusedWritesNothing) {
  auto on = dense<float>(10, 10, 1).on_cuda();
  DeviceCopy<std::int32_t> drawn(std::vector<std::int32_t>(11, -7));
  EXPECT_THROW(sample_categorical(on.weights, drawn.view()), InvalidArgument);
  execution::check(cudaStreamSynchronize(nullptr), "a test");
  EXPECT_EQ(drawn.host(), std::vector<std::int32_t>(11, -7));
}

}  // namespace
}  // namespace papilio::testing
