#pragma once

#include <cstdint>

#include "lda/training/memory/document_range_cuda.h"
#include "lda/training/parameters/removal_mass.h"

// Counts, and theta and phi estimated from them, on a CUDA device. Each call queues a kernel on a stream of the
// current device; pointers are to its memory. Counts are integers, and everything else is computed as on the
// CPU, so all results have the same bits.

namespace papilio::lda {

// Sets z to uniformly drawn topics, from the random blocks of (seed, random_stream, token's number).
void queue_initial_topics(const DocumentRange& range, std::int32_t topics, std::uint64_t seed,
                          std::uint64_t random_stream);

// The same for any tokens, numbered from `first_token`. Number is uint16_t or uint32_t.
template <class Number>
void queue_initial_topics(Number* z, std::int64_t tokens, std::uint64_t first_token, std::int32_t topics,
                          std::uint64_t seed, std::uint64_t random_stream, cudaStream_t stream);

// Adds the range's tokens to n_wk, whose rows have `stride` entries.
void queue_word_counts(const DocumentRange& range, std::int32_t* n_wk, std::int64_t stride);

// Adds the range's tokens to n_k.
void queue_topic_counts(const DocumentRange& range, std::int32_t topics, std::int64_t* n_k);

struct EstimatedThetaTable {
  float* theta = nullptr;  // a row for each document of the range; 0 past the last topic
  std::int64_t stride = 0;
  std::int32_t topics = 0;
  const double* alpha = nullptr;   // K
  const float* at_zero = nullptr;  // float(alpha), then zeros up to the stride
};

// theta_dk = n_dk + alpha_k.
void queue_estimated_theta(const DocumentRange& range, const EstimatedThetaTable& table);

struct EstimatedPhiTable {
  float* phi = nullptr;  // words x stride, a multiple of 4; 0 past the last topic
  std::int64_t stride = 0;
  const std::int32_t* n_wk = nullptr;  // words x n_wk_stride, a multiple of 4
  std::int64_t n_wk_stride = 0;
  const std::int64_t* n_k = nullptr;
  std::int64_t words = 0;
  std::int32_t topics = 0;
  double beta = 0;
  double prior_mass = 0;  // V beta
};

// Computes what TokenRemoval needs for each topic, from n_k.
void queue_removal_masses(const std::int64_t* n_k, std::int32_t topics, double prior_mass, RemovalMass* masses,
                          cudaStream_t stream);

// phi_wk = (n_wk + beta) / (n_k + V beta).
void queue_estimated_phi(const EstimatedPhiTable& table, cudaStream_t stream);

}  // namespace papilio::lda
