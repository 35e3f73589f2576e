#pragma once

#include "warp/portability.h"

// The arithmetic of a chunk, which is 16 neighbouring unknowns of a tridiagonal system. CPU and
// GPU share it, and their bits depend on nothing else. It must be compiled without contraction.
//
// All rows of a chunk but the last, its separator, are eliminated from top to bottom. What remains are
// equations between separators, which again form a tridiagonal system. docs/tridiagonal.md does one by hand.
//
// Number is the value of a lane, or a pack of lanes; Math has fma, negative, reciprocal and sqrt for it.

namespace papilio::inline PAPILIO_TARGET::tridiagonal_kernel {

inline constexpr int chunk_rows = 16;
inline constexpr int separator = chunk_rows - 1;

// a x[i - 1] + b x[i] + c x[i + 1] = d. After its elimination b holds 1 / pivot, and
// x[i] = b (d - a x[separator before the chunk] - c x[i + 1]).
template <class Number>
struct Row {
  Number a, b, c, d;
};

// What the eliminated rows of a chunk add to the row of the separator before the chunk.
template <class Number>
struct Link {
  Number c, b, d;
};

// A matrix given by its three diagonals.
struct General {
  static constexpr bool is_walk = false;

  // What is to be multiplied by the c of the separator before, and then added to its row.
  template <class Number>
  PAPILIO_LANEWISE static Link<Number> start(Number zero, Number one) {
    return {one, zero, zero};
  }

  template <class Math, class Number>
  PAPILIO_LANEWISE static void eliminate(Row<Number>& row, Row<Number>& next, Link<Number>& link) {
    const Number inverse = Math::reciprocal(row.b);
    const Number w = Math::negative(next.a * inverse);
    next.a = w * row.a;
    next.b = Math::fma(w, row.c, next.b);
    next.d = Math::fma(w, row.d, next.d);
    const Number t = Math::negative(link.c * inverse);
    link.b = Math::fma(t, row.a, link.b);
    link.d = Math::fma(t, row.d, link.d);
    link.c = t * row.c;
    row.b = inverse;
  }

  template <class Math, class Number>
  PAPILIO_LANEWISE static void join(Row<Number>& row, const Link<Number>& link) {
    row.b = Math::fma(row.c, link.b, row.b);
    row.d = Math::fma(row.c, link.d, row.d);
    row.c = row.c * link.c;
  }
};

// The precision matrix of a random walk: a = A(i, i - 1) <= 0, and b >= 0 is the sum of row i of A.
// It is like a network of resistors, in which eliminating a node joins its neighbours (star to mesh):
// all sums and products are of numbers of one sign. c is not used before its row is eliminated.
struct Walk {
  static constexpr bool is_walk = true;

  template <class Number>
  PAPILIO_LANEWISE static Link<Number> start(Number zero, Number) {
    return {zero, zero, zero};
  }

  template <class Math, class Number>
  PAPILIO_LANEWISE static void eliminate(Row<Number>& row, Row<Number>& next, Link<Number>& link) {
    row.c = next.a;
    const Number inverse = Math::reciprocal(row.b - (row.a + row.c));
    const Number w = Math::negative(row.c * inverse);  // the part of its observation that the next row inherits
    const Number t = Math::negative(row.a * inverse);  // and the part that the separator before inherits
    next.a = row.a * w;
    next.b = Math::fma(w, row.b, next.b);
    next.d = Math::fma(w, row.d, next.d);
    link.b = Math::fma(t, row.b, link.b);
    link.d = Math::fma(t, row.d, link.d);
    row.b = inverse;
  }

  template <class Math, class Number>
  PAPILIO_LANEWISE static void join(Row<Number>& row, const Link<Number>& link) {
    row.b = row.b + link.b;
    row.d = row.d + link.d;
  }
};

// The unknown of an eliminated row.
template <class Math, class Number>
PAPILIO_LANEWISE Number substitute(const Row<Number>& row, Number before, Number next) {
  return row.b * Math::fma(Math::negative(row.c), next, Math::fma(Math::negative(row.a), before, row.d));
}

// x plus the normal number e divided by the square root of the pivot; `inverse` is 1 / pivot.
template <class Math, class Number>
PAPILIO_LANEWISE Number disturbed(Number x, Number inverse, Number e) {
  return Math::fma(Math::sqrt(inverse), e, x);
}

// --- What a check finds, as bits -------------------------------------------------------------------------------------

inline constexpr unsigned loose = 1;     // a row is not dominant
inline constexpr unsigned skewed = 2;    // the matrix is not symmetric
inline constexpr unsigned falling = 4;   // a pivot is not positive, or a precision is negative
inline constexpr unsigned singular = 8;  // a pivot is 0, infinite or NaN

template <class T>
PAPILIO_LANEWISE T magnitude(T x) {
  return x < 0 ? -x : x;
}

// For a row of three diagonals; its a should equal the c of the row before.
template <class T>
PAPILIO_LANEWISE unsigned row_faults(T a, T b, T c, T c_before) {
  return (magnitude(b) >= magnitude(a) + magnitude(c) ? 0u : loose) | (a == c_before ? 0u : skewed);
}

// For a row of a walk, as in Walk.
template <class T>
PAPILIO_LANEWISE unsigned walk_faults(T a, T b) {
  return a <= 0 && b >= 0 ? 0u : falling;
}

// For 1 / pivot.
template <class T>
PAPILIO_LANEWISE unsigned pivot_faults(T inverse) {
  constexpr T most = sizeof(T) == sizeof(float) ? T(0x1.fffffep127) : T(0x1.fffffffffffffp1023);
  const bool regular = magnitude(inverse) > 0 && magnitude(inverse) <= most;
  return (regular ? 0u : singular) | (inverse > 0 ? 0u : falling);
}

}  // namespace papilio::inline PAPILIO_TARGET::tridiagonal_kernel
