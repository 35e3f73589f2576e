#pragma once

#include <cstdint>

#include "execution/cuda/check.h"

// The rows of phi that documents need, on a CUDA device: FixedPhi's, in double precision, bit for bit.

namespace papilio::lda {

struct PhiRows {
  const std::int32_t* words = nullptr;  // of each row
  std::int64_t count = 0;
  double* phi = nullptr;  // count x topics
  std::int32_t topics = 0;
  const double* masses = nullptr;  // K: fixed_topic_mass
  double beta = 0;
};

// masses from n_k, which includes seeds.
void queue_fixed_topic_masses(const std::int64_t* n_k, std::int32_t topics, double prior_mass, double* masses,
                              cudaStream_t stream);

// Rows `first` to `first + count` of phi from as many rows of n_wk, one after the other.
void queue_phi_rows(const PhiRows& rows, const std::int32_t* n_wk, std::int64_t first, std::int64_t count,
                    cudaStream_t stream);

// All rows, from a table of n_wk of all words, rows of `stride`.
void queue_phi_rows_of_table(const PhiRows& rows, const std::int32_t* n_wk, std::int64_t stride, cudaStream_t stream);

// Entries of phi that are known otherwise: phi[places[i]] = values[i].
void queue_phi_entries(double* phi, const std::int64_t* places, const double* values, std::int64_t count,
                       cudaStream_t stream);

// sums: the running sums over topics of alpha_k phi_wk, for each row.
void queue_alpha_phi_sums(const PhiRows& rows, const double* alpha, double* sums, cudaStream_t stream);

}  // namespace papilio::lda
