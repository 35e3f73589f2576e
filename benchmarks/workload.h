#pragma once

#include <cstdint>
#include <vector>

// The rows that a benchmark draws from. Weights come from a hash, so that they
// are the same on every machine; all are positive.
template <class T>
struct Workload {
  std::int64_t K = 0;
  std::vector<T> left, right;                       // matrices of K columns; right is empty for dense rows
  std::vector<std::int32_t> left_rows, right_rows;  // a row each a draw; empty for dense rows
  std::int64_t rows = 0;

  bool products() const { return !right.empty(); }
  const T* left_row(std::int64_t i) const {
    return left.data() + K * (left_rows.empty() ? i : left_rows[static_cast<std::size_t>(i)]);
  }
  const T* right_row(std::int64_t i) const {
    return right.empty() ? nullptr : right.data() + K * right_rows[static_cast<std::size_t>(i)];
  }
};

// Rows of a matrix of 128 MiB, more than the caches hold.
template <class T>
Workload<T> dense_rows(std::int64_t K);

// theta[document] * phi[word], as in a topic model: 37,286 words, drawn by
// Zipf's law with exponent 1.07 from rank 100 on (as of a corpus without stop
// words), documents of 70 tokens.
template <class T>
Workload<T> theta_phi(std::int64_t K);
