#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <random>
#include <type_traits>
#include <utility>
#include <vector>

#include "cuda/support.h"
#include "papilio/half.h"

// Weights of every source, as host vectors from which views on both sides are made.

namespace papilio::testing {

using StoredTypes = ::testing::Types<float, double, Half, BFloat16, Float8E4M3FN, Float8E5M2>;

// What weights stored as S are summed in.
template <class S>
using SumType = std::conditional_t<std::is_same_v<S, double>, double, float>;

template <class S>
S stored(double x) {
  if constexpr (std::is_same_v<S, Half>)
    return to_half(static_cast<float>(x));
  else if constexpr (std::is_same_v<S, BFloat16>)
    return to_bfloat16(static_cast<float>(x));
  else if constexpr (std::is_same_v<S, Float8E4M3FN>)
    return to_float8_e4m3fn(static_cast<float>(x));
  else if constexpr (std::is_same_v<S, Float8E5M2>)
    return to_float8_e5m2(static_cast<float>(x));
  else
    return static_cast<S>(x);
}
template <class S>
SumType<S> summed(S x) {
  if constexpr (std::is_floating_point_v<S>)
    return x;
  else
    return to_float(x);
}

template <class S>
S not_a_number() {
  return stored<S>(std::numeric_limits<double>::quiet_NaN());
}

// The largest finite number and the least positive one.
template <class S>
S largest() {
  if constexpr (std::is_same_v<S, Half>) return {0x7BFF};
  if constexpr (std::is_same_v<S, BFloat16>) return {0x7F7F};
  if constexpr (std::is_same_v<S, Float8E4M3FN>) return {0x7E};
  if constexpr (std::is_same_v<S, Float8E5M2>) return {0x7B};
  if constexpr (std::is_floating_point_v<S>) return std::numeric_limits<S>::max();
}
template <class S>
S least() {
  if constexpr (std::is_floating_point_v<S>)
    return std::numeric_limits<S>::denorm_min();
  else
    return {1};
}

// Weights between 2^-20, or the least positive number, and 1, a share of them 0.
template <class S>
std::vector<S> weights_of(std::int64_t count, std::uint32_t seed, double zeros = 0.2) {
  std::mt19937 bits(seed);
  const auto uniform = [&] { return static_cast<double>(bits()) * 0x1p-32; };
  std::vector<S> weights(static_cast<std::size_t>(count));
  for (S& w : weights) {
    const double u = uniform();
    w = uniform() < zeros ? stored<S>(0)
                          : stored<S>(std::max(u * u * u + 0x1p-20, static_cast<double>(summed(least<S>()))));
  }
  return weights;
}

// A problem's arrays on the device and the views of them.
template <class Weights, class S>
struct OnCuda {
  std::vector<DeviceCopy<S>> values;
  std::vector<DeviceCopy<std::int32_t>> rows;
  std::vector<DeviceCopy<std::int64_t>> offsets;
  Weights weights;
};

template <class S>
struct MatrixProblem {
  std::vector<S> memory;
  std::int64_t rows = 0;
  std::int64_t columns = 0;
  std::int64_t row_stride = 0;
  std::int64_t column_stride = 1;
  std::int64_t origin = 0;  // where element (0, 0) is in `memory`
  std::vector<std::int32_t> picked = {};

  std::int64_t draws() const { return picked.empty() ? rows : static_cast<std::int64_t>(picked.size()); }
  MatrixWeights<S> on_host() const {
    return {{memory.data() + origin, rows, columns, row_stride, column_stride}, picked};
  }
  OnCuda<MatrixWeights<S>, S> on_cuda(std::int64_t offset = 0) const {
    OnCuda<MatrixWeights<S>, S> on;
    on.values.emplace_back(memory, offset, not_a_number<S>());
    on.rows.emplace_back(picked, offset);
    const S* data = on.values[0].data();
    on.weights = {{data == nullptr ? data : data + origin, rows, columns, row_stride, column_stride, Device::cuda()},
                  on.rows[0].view()};
    return on;
  }
};

// The numbers of a matrix as logits.
template <class S>
struct LogitProblem {
  MatrixProblem<S> matrix;
  double temperature = 1;

  std::int64_t draws() const { return matrix.draws(); }
  LogitWeights<S> on_host() const { return {matrix.on_host().matrix, matrix.picked, temperature}; }
  OnCuda<LogitWeights<S>, S> on_cuda(std::int64_t offset = 0) const {
    auto on = matrix.on_cuda(offset);
    return {std::move(on.values), std::move(on.rows), {}, {on.weights.matrix, on.weights.rows, temperature}};
  }
};

template <class S>
struct RaggedProblem {
  std::vector<S> values;
  std::vector<std::int64_t> offsets;
  std::vector<std::int32_t> picked = {};

  std::int64_t draws() const { return static_cast<std::int64_t>(picked.empty() ? offsets.size() - 1 : picked.size()); }
  RaggedWeights<S> on_host() const { return {values, offsets, picked}; }
  OnCuda<RaggedWeights<S>, S> on_cuda(std::int64_t offset = 0) const {
    OnCuda<RaggedWeights<S>, S> on;
    on.values.emplace_back(values, offset, not_a_number<S>());
    on.offsets.emplace_back(offsets, offset);
    on.rows.emplace_back(picked, offset);
    on.weights = {on.values[0].view(), on.offsets[0].view(), on.rows[0].view()};
    if (values.empty()) on.weights.values.device = Device::cuda();
    return on;
  }
};

template <class S>
struct ProductProblem {
  std::vector<S> left, right;
  std::int64_t left_count = 0;
  std::int64_t right_count = 0;
  std::int64_t columns = 0;
  std::int64_t left_stride = 0;
  std::int64_t right_stride = 0;
  std::vector<std::int32_t> left_rows = {}, right_rows = {};

  std::int64_t draws() const { return left_rows.empty() ? left_count : static_cast<std::int64_t>(left_rows.size()); }
  ProductWeights<S> on_host() const {
    return {{left.data(), left_count, columns, left_stride},
            left_rows,
            {right.data(), right_count, columns, right_stride},
            right_rows};
  }
  OnCuda<ProductWeights<S>, S> on_cuda(std::int64_t offset = 0) const {
    OnCuda<ProductWeights<S>, S> on;
    on.values.emplace_back(left, offset, not_a_number<S>());
    on.values.emplace_back(right, 2 * offset, not_a_number<S>());
    on.rows.emplace_back(left_rows, offset);
    on.rows.emplace_back(right_rows, offset);
    const Device device = Device::cuda();
    on.weights = {{on.values[0].data(), left_count, columns, left_stride, 1, device},
                  on.rows[0].view(),
                  {on.values[1].data(), right_count, columns, right_stride, 1, device},
                  on.rows[1].view()};
    return on;
  }
};

template <class S>
MatrixProblem<S> dense(std::vector<S> weights, std::int64_t columns) {
  const auto rows = columns == 0 ? 0 : static_cast<std::int64_t>(weights.size()) / columns;
  return {std::move(weights), rows, columns, columns};
}
template <class S>
MatrixProblem<S> dense(std::int64_t rows, std::int64_t columns, std::uint32_t seed, double zeros = 0.2) {
  return dense(weights_of<S>(rows * columns, seed, columns < 4 ? 0 : zeros), columns);
}

// Rows of the given sizes, one after the other.
template <class S>
RaggedProblem<S> ragged(const std::vector<std::int64_t>& sizes, std::uint32_t seed, double zeros = 0) {
  RaggedProblem<S> problem;
  problem.offsets = {0};
  for (const std::int64_t size : sizes) problem.offsets.push_back(problem.offsets.back() + size);
  problem.values = weights_of<S>(problem.offsets.back(), seed, zeros);
  return problem;
}

// `draws` products of rows picked at random, as a topic model's.
template <class S>
ProductProblem<S> products(std::int64_t draws, std::int64_t columns, std::uint32_t seed, std::int64_t gap = 0) {
  std::mt19937 bits(seed);
  ProductProblem<S> problem;
  problem.left_count = 1 + draws / 20;
  problem.right_count = 5 + draws / 10;
  problem.columns = columns;
  problem.left_stride = columns + gap;
  problem.right_stride = columns + 2 * gap;
  problem.left = weights_of<S>(problem.left_count * problem.left_stride, seed, 0);
  problem.right = weights_of<S>(problem.right_count * problem.right_stride, seed + 1, columns < 4 ? 0 : 0.3);
  for (std::int64_t i = 0; i < draws; ++i) {
    problem.left_rows.push_back(static_cast<std::int32_t>(i * problem.left_count / draws));
    problem.right_rows.push_back(static_cast<std::int32_t>(bits() % static_cast<std::uint32_t>(problem.right_count)));
  }
  return problem;
}

// Every size up to three steps of a warp of four lanes' worth, and sizes around what kernels do in steps.
inline std::vector<std::int64_t> all_sizes() {
  std::vector<std::int64_t> sizes;
  for (std::int64_t k = 1; k <= 4 * 32 + 3; ++k) sizes.push_back(k);
  for (const std::int64_t k : {255, 256, 257, 384, 500, 512, 1000, 1023, 1024, 1025, 1280, 2048, 4096, 4097, 5000})
    sizes.push_back(k);
  return sizes;
}

}  // namespace papilio::testing
