#pragma once

#include <cstdint>

#include "execution/cuda/check.h"
#include "lda/training/dense/parallel_cuda.h"

// Counts, and theta and phi estimated from them, on a CUDA device. Each call queues a
// kernel on a stream of the current device; pointers are to its memory. Counts are integers and
// everything else is computed as on the CPU, so all results are the same, bit for bit.

namespace papilio::lda {

// Documents of a corpus that follow one another.
struct DocumentRange {
  const std::int64_t* offsets = nullptr;  // documents + 1, counted from the corpus's first token
  std::int64_t documents = 0;
  std::int64_t first_document = 0;  // the number in the corpus of the first one
  std::int64_t first_token = 0;     // offsets[0]
  std::int64_t tokens = 0;
  const std::int32_t* words = nullptr;
  std::int32_t* z = nullptr;
  cudaStream_t stream = nullptr;  // on which work on this range is queued
};

// z: uniform topics from the blocks of (seed, random_stream, token's number).
void queue_initial_topics(const DocumentRange& range, std::int32_t topics, std::uint64_t seed,
                          std::uint64_t random_stream);

// Adds the range's tokens to n_wk, rows of `stride`.
void queue_word_counts(const DocumentRange& range, std::int32_t* n_wk, std::int64_t stride);

// Adds the range's tokens to n_k.
void queue_topic_counts(const DocumentRange& range, std::int32_t topics, std::int64_t* n_k);

struct ThetaTable {
  float* theta = nullptr;  // a row a document of the range; 0 behind the last topic
  std::int64_t stride = 0;
  std::int32_t topics = 0;
  const double* alpha = nullptr;   // K
  const float* at_zero = nullptr;  // float(alpha), and zeros up to the stride
};

// theta_dk = n_dk + alpha_k.
void queue_theta(const DocumentRange& range, const ThetaTable& table);

struct PhiTable {
  float* phi = nullptr;  // words x stride, a multiple of 4; 0 behind the last topic
  std::int64_t stride = 0;
  const std::int32_t* n_wk = nullptr;  // words x n_wk_stride, a multiple of 4
  std::int64_t n_wk_stride = 0;
  const std::int64_t* n_k = nullptr;
  std::int64_t words = 0;
  std::int32_t topics = 0;
  double beta = 0;
  double prior_mass = 0;  // V beta
};

// What TokenRemoval wants of each topic, from n_k.
void queue_topic_masses(const std::int64_t* n_k, std::int32_t topics, double prior_mass, TopicMass* masses,
                        cudaStream_t stream);

// phi_wk = (n_wk + beta) / (n_k + V beta).
void queue_phi(const PhiTable& table, cudaStream_t stream);

}  // namespace papilio::lda
