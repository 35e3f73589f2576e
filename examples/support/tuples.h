#pragma once

#include <cstdint>
#include <cstdio>
#include <vector>

// What the examples of tuples in shared memory scan: two types of elements with their operators, and the results
// printed.

#if defined(__CUDACC__)
#define EVERYWHERE __host__ __device__
#else
#define EVERYWHERE
#endif

// A value and the place where it is.
struct Place {
  float value;
  std::int32_t at;

  friend bool operator==(const Place&, const Place&) = default;
};

// The larger value, of equal ones the first.
struct LargerPlace {
  EVERYWHERE Place operator()(const Place& a, const Place& b) const { return a.value < b.value ? b : a; }
};

// A 2 x 2 matrix of whole numbers modulo 2^32.
struct Matrix2 {
  std::uint32_t at[2][2];

  friend bool operator==(const Matrix2&, const Matrix2&) = default;
};

// The product later * earlier; it does not commute.
struct Multiply {
  EVERYWHERE Matrix2 operator()(const Matrix2& earlier, const Matrix2& later) const {
    Matrix2 product = {};
    for (int i = 0; i < 2; ++i)
      for (int j = 0; j < 2; ++j)
        for (int k = 0; k < 2; ++k) product.at[i][j] += later.at[i][k] * earlier.at[k][j];
    return product;
  }
};

inline std::vector<Place> places(std::size_t count) {
  std::vector<Place> x(count);
  for (std::size_t i = 0; i < count; ++i)
    x[i] = {static_cast<float>((i * 7919 + 3) % 1009), static_cast<std::int32_t>(i)};
  return x;
}

// Steps of (F_n, F_n-1) -> (F_n+1, F_n): products have the Fibonacci numbers.
inline std::vector<Matrix2> steps(std::size_t count) { return std::vector<Matrix2>(count, {{{1, 1}, {1, 0}}}); }

template <class T, class Op>
std::vector<T> scan_one_by_one(std::vector<T> x, Op op) {
  for (std::size_t i = 1; i < x.size(); ++i) x[i] = op(x[i - 1], x[i]);
  return x;
}

// `scan(x, op)`: the inclusive scan of each 256 elements, or of fewer.
template <class Scan>
void print_scans(Scan scan) {
  const auto largest = scan(places(8), LargerPlace{});
  std::printf("largest so far, and where:");
  for (const Place& x : largest) std::printf(" (%g, %d)", static_cast<double>(x.value), x.at);
  const auto powers = scan(steps(8), Multiply{});
  std::printf("\nFibonacci numbers:");
  for (const Matrix2& x : powers) std::printf(" %u", x.at[0][1]);
  int right = 0;
  for (std::size_t count = 1; count <= 256; ++count) {
    right += scan(places(count), LargerPlace{}) == scan_one_by_one(places(count), LargerPlace{});
    right += scan(steps(count), Multiply{}) == scan_one_by_one(steps(count), Multiply{});
  }
  std::printf("\n%d of 512 scans of 1 to 256 elements: as one by one\n", right);
}
