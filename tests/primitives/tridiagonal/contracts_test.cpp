// What the tridiagonal functions refuse.

#include "support/contracts.h"

#include <gtest/gtest.h>

#include <vector>

#include "papilio/tridiagonal.h"
#include "support/devices.h"

namespace papilio {
namespace {

using testing::huge;
using testing::lowest;
using testing::misaligned;
using testing::refused;

using In = MatrixView<const float>;
using Out = MatrixView<float>;

// Two systems of three unknowns.
class TridiagonalContract : public ::testing::Test {
 protected:
  std::vector<float> a_ = std::vector<float>(16, 1), b_ = std::vector<float>(16, 4), d_ = a_, x_ = a_;
  In off_ = {a_.data(), 2, 3}, diagonal_ = {b_.data(), 2, 3}, right_ = {d_.data(), 2, 3};
  Out out_ = {x_.data(), 2, 3};
};

TEST_F(TridiagonalContract, Solve) {
  const auto call = [&](In a, In b, In c, In d, Out x, const TridiagonalOptions& options = {}) {
    return [=] { solve_tridiagonal<float>(a, b, c, d, x, options); };
  };
  EXPECT_NO_THROW(call(off_, diagonal_, off_, right_, out_)());
  EXPECT_NO_THROW(call(off_, diagonal_, off_, right_, Out(d_.data(), 2, 3))()) << "in place";
  EXPECT_NO_THROW(call(off_, diagonal_, off_, {a_.data(), 2, 3, 0, 0}, out_)()) << "one number for all";
  EXPECT_NO_THROW(call(In(nullptr, 0, 3), In(nullptr, 0, 3), In(nullptr, 0, 3), In(nullptr, 0, 3), {nullptr, 0, 3})());
  EXPECT_NO_THROW(call({}, {}, {}, {}, {})());
  EXPECT_TRUE(refused("solve_tridiagonal: a is null", call({nullptr, 2, 3}, diagonal_, off_, right_, out_)));
  EXPECT_TRUE(refused("x is null", call(off_, diagonal_, off_, right_, {nullptr, 2, 3})));
  EXPECT_TRUE(refused("the alignment of its type", call(off_, diagonal_, off_, {misaligned(d_.data()), 2, 3}, out_)));
  EXPECT_TRUE(refused("x must have sizes >= 0", call(off_, diagonal_, off_, right_, {x_.data(), 2, -3, 3})));
  EXPECT_TRUE(refused("b must have 2 rows x 3 columns, as x has; got 2 x 2",
                      call(off_, {b_.data(), 2, 2}, off_, right_, out_)));
  EXPECT_TRUE(refused("c must have 2 rows", call(off_, diagonal_, {a_.data(), 2, 2}, right_, out_)));
  EXPECT_TRUE(refused("d must have 2 rows x 3 columns, as x has; got 1 x 3",
                      call(off_, diagonal_, off_, {d_.data(), 1, 3}, out_)));
  EXPECT_TRUE(
      refused("more than an address space holds", call(off_, diagonal_, off_, right_, {x_.data(), 2, 3, lowest})));
  EXPECT_TRUE(refused("at most 2^33", call(off_, diagonal_, off_, right_, {x_.data(), 0, huge, 0, 0})));
  EXPECT_TRUE(refused("rows of x overlap", call(off_, diagonal_, off_, right_, {x_.data(), 2, 3, 0})));
  EXPECT_TRUE(refused("rows of x overlap", call(off_, diagonal_, off_, right_, {x_.data(), 2, 3, 3, 0})));
  EXPECT_TRUE(refused("x overlaps a", call(off_, diagonal_, off_, right_, {a_.data(), 2, 3})));
  EXPECT_TRUE(refused("x overlaps d", call(off_, diagonal_, off_, right_, {d_.data() + 1, 2, 3})));
  EXPECT_TRUE(refused("x overlaps d", call(off_, diagonal_, off_, right_, {d_.data(), 2, 3, 1, 2})));
  EXPECT_TRUE(refused("threads must be 0 (all) or a number up to 4096; got -1",
                      call(off_, diagonal_, off_, right_, out_, {.threads = -1})));
}

TEST_F(TridiagonalContract, TridiagonalOptionsAndStatus) {
  std::vector<TridiagonalStatus> status(2);
  const auto call = [&](const TridiagonalOptions& options) {
    return [=, this] { solve_tridiagonal<float>(off_, diagonal_, off_, right_, out_, options); };
  };
  EXPECT_NO_THROW(call({.status = status})());
  EXPECT_NO_THROW(call({.check = true})());
  EXPECT_TRUE(refused("status must have one entry per system; got 1 for 2", call({.status = {status.data(), 1}})));
  EXPECT_TRUE(refused("status is null", call({.status = {nullptr, 2}})));
  EXPECT_TRUE(refused("status is on cuda:0, x on cpu", call({.status = {status.data(), 2, testing::cuda_device()}})));
  b_[4] = 0.125f;  // pivots 4, -1/8, ...
  EXPECT_TRUE(refused("solve_tridiagonal: system 1 is neither diagonally dominant nor symmetric with positive pivots",
                      call({.check = true})));
  EXPECT_NO_THROW(call({})()) << "without a check";
  EXPECT_NO_THROW(call({.status = status, .check = true})());
  EXPECT_EQ(status, (std::vector{TridiagonalStatus::ok, TridiagonalStatus::not_dominant}));
  b_[0] = 0;
  EXPECT_TRUE(refused("system 0 has a pivot that is 0", call({.check = true})));
  EXPECT_EQ(name(TridiagonalStatus::not_positive), "not_positive");
  EXPECT_EQ(name(testing::no_enumerator<TridiagonalStatus>()), "unknown");
}

TEST_F(TridiagonalContract, DrawGaussian) {
  std::vector<std::int64_t> ids = {1, 2};
  const auto call = [&](In diagonal, In off, In h, Out x, VectorView<const std::int64_t> numbers = {},
                        bool check = false) {
    GaussianOptions options;
    options.system_ids = numbers, options.check = check;
    return [=] { draw_gaussian_tridiagonal<float>(diagonal, off, h, x, options); };
  };
  const In shorter(a_.data(), 2, 2);
  EXPECT_NO_THROW(call(diagonal_, off_, right_, out_, ids)());
  EXPECT_NO_THROW(call(diagonal_, shorter, right_, out_)());
  EXPECT_NO_THROW(call({b_.data(), 2, 1}, {nullptr, 2, 0}, {d_.data(), 2, 1}, {x_.data(), 2, 1})());
  EXPECT_TRUE(refused("off_diagonal must have 2 rows x 3 or one less columns, as x has; got 2 x 1",
                      call(diagonal_, {a_.data(), 2, 1}, right_, out_)));
  EXPECT_TRUE(refused("diagonal is null", call({nullptr, 2, 3}, off_, right_, out_)));
  EXPECT_TRUE(refused("x overlaps off_diagonal", call(diagonal_, off_, right_, {a_.data(), 2, 3})));
  EXPECT_TRUE(refused("system_ids must have one entry per system; got 1 for 2",
                      call(diagonal_, off_, right_, out_, {ids.data(), 1})));
  EXPECT_TRUE(refused("system_ids are on cuda:0, x on cpu",
                      call(diagonal_, off_, right_, out_, {ids.data(), 2, testing::cuda_device()})));
  b_[3] = -4;
  EXPECT_TRUE(refused("draw_gaussian_tridiagonal: system 1 is not positive definite",
                      call(diagonal_, off_, right_, out_, {}, true)));
}

TEST_F(TridiagonalContract, RandomWalks) {
  const auto solve = [&](In steps, In weights, In h, Out x, bool check = false) {
    return [=] { solve_random_walk<float>(steps, weights, h, x, {.check = check}); };
  };
  const auto draw = [&](In steps, In weights, In h, Out x, bool check = false) {
    GaussianOptions options;
    options.check = check;
    return [=] { draw_random_walk<float>(steps, weights, h, x, options); };
  };
  EXPECT_NO_THROW(solve(off_, diagonal_, right_, out_, true)());
  EXPECT_NO_THROW(draw({a_.data(), 2, 2}, diagonal_, right_, out_, true)());
  EXPECT_NO_THROW(solve({a_.data(), 2, 3, 0, 0}, diagonal_, right_, out_)());
  EXPECT_TRUE(refused("solve_random_walk: steps must have 2 rows", solve({a_.data(), 2, 4}, diagonal_, right_, out_)));
  EXPECT_TRUE(refused("draw_random_walk: weights is null", draw(off_, {nullptr, 2, 3}, right_, out_)));
  EXPECT_TRUE(refused("x overlaps weights", solve(off_, diagonal_, right_, {b_.data(), 2, 3})));
  b_[5] = -1e-3f;
  EXPECT_TRUE(refused("solve_random_walk: system 1 is not positive definite, or has a negative precision",
                      solve(off_, diagonal_, right_, out_, true)));
  b_.assign(16, 0);  // nothing is observed
  EXPECT_TRUE(refused("draw_random_walk: system 0 has a pivot that is 0", draw(off_, diagonal_, right_, out_, true)));
}

TEST_F(TridiagonalContract, WorkspaceAndDevices) {
  EXPECT_EQ(tridiagonal_workspace_bytes(out_), 0);
  EXPECT_TRUE(refused("tridiagonal_workspace_bytes: x is null",
                      [] { tridiagonal_workspace_bytes(MatrixView<float>(nullptr, 2, 3)); }));
  EXPECT_TRUE(refused("solve_tridiagonal: b is on cuda:0, x on cpu", [&] {
    solve_tridiagonal<float>(off_, {b_.data(), 2, 3, 3, 1, testing::cuda_device()}, off_, right_, out_);
  }));
}

}  // namespace
}  // namespace papilio
