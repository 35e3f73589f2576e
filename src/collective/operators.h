#pragma once

#include "warp/portability.h"

// Associative operators for scans and reductions in kernels (collective/scan.h): functions of two values, the earlier
// one on the left. They need not commute. An operator of your own is a struct like these, or a lambda.

namespace papilio::inline PAPILIO_TARGET::collective {

struct Add {
  template <class T>
  PAPILIO_LANEWISE T operator()(T a, T b) const {
    return a + b;
  }
};

// For numbers. NaN is ignored, unless all of them are NaN.
struct Least {
  template <class T>
  PAPILIO_LANEWISE T operator()(T a, T b) const {
    return b < a || a != a ? b : a;
  }
};
struct Greatest {
  template <class T>
  PAPILIO_LANEWISE T operator()(T a, T b) const {
    return a < b || a != a ? b : a;
  }
};

// The map x -> shift + factor x. The neutral one is {0, 1}.
template <class T>
struct AffineMap {
  T shift;
  T factor;

  PAPILIO_LANEWISE T operator()(T x) const { return shift + factor * x; }
};

// The map that applies `first` and then `second`. A scan of the maps of x_i = shift_i + factor_i x_{i-1} solves that
// recurrence: entry i maps x_{-1} to x_i.
struct Compose {
  template <class T>
  PAPILIO_LANEWISE AffineMap<T> operator()(const AffineMap<T>& first, const AffineMap<T>& second) const {
    return {second.shift + second.factor * first.shift, first.factor * second.factor};
  }
};

// at[row][column]. The neutral one is {{1, 0}, {0, 1}}.
template <class T>
struct Matrix2 {
  T at[2][2];
};

// The product later * earlier: a scan of the matrices of v_i = M_i v_{i-1} gives M_i ... M_1 M_0.
struct MultiplyLeft {
  template <class T>
  PAPILIO_LANEWISE Matrix2<T> operator()(const Matrix2<T>& earlier, const Matrix2<T>& later) const {
    Matrix2<T> product;
    PAPILIO_UNROLL
    for (int i = 0; i < 2; ++i) {
      PAPILIO_UNROLL
      for (int j = 0; j < 2; ++j)
        product.at[i][j] = later.at[i][0] * earlier.at[0][j] + later.at[i][1] * earlier.at[1][j];
    }
    return product;
  }
};

}  // namespace papilio::inline PAPILIO_TARGET::collective
