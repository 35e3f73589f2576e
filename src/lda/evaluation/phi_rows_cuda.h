#pragma once

#include <cstdint>

#include "execution/cuda/check.h"

// The rows of phi that documents need, on a CUDA device: those of FixedPhi, in double precision, bit for bit.

namespace papilio::lda {

struct PhiRows {
  std::int64_t count = 0;
  double* phi = nullptr;  // count x topics
  std::int32_t topics = 0;
  const double* masses = nullptr;  // K: fixed_topic_mass
  double beta = 0;
};

// Makes masses from n_k, which includes seeds.
void queue_fixed_topic_masses(const std::int64_t* n_k, std::int32_t topics, double prior_mass, double* masses,
                              cudaStream_t stream);

// Makes rows [first, first + count) of phi from as many contiguous rows of counts (n_wk + s_wk).
void queue_phi_rows(const PhiRows& rows, const std::uint32_t* counts, std::int64_t first, std::int64_t count,
                    cudaStream_t stream);

// sums: for each row, the running sums over topics of alpha_k phi_wk.
void queue_alpha_phi_sums(const PhiRows& rows, const double* alpha, double* sums, cudaStream_t stream);

}  // namespace papilio::lda
