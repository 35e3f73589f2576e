#pragma once

#include <cstdint>

#include "sampling/rows/row_batch.h"

// What the drivers call: the kernels of each instruction-set target,
// as a table of functions. No library type crosses this border.

namespace papilio::sampling {

// A row of gamma draws; see sampling/gamma/gamma_rows.h.
struct GammaColumns {
  const std::int32_t* counts;  // null: all 0
  const float* shape;          // of the priors
  const float* inverse;        // gamma_inverse of the shapes below 1; null: to be worked out
  std::int64_t count;
  std::uint64_t seed;
  std::uint64_t stream;
  std::uint64_t row;
  float* drawn;
};

// See sampling/without_replacement/race_piece.h.
template <class T>
struct RacePiece;

// See sampling/tokens/token_rows.h.
struct TokenRow;
struct TokenScan;
struct TokenScale;

// The kernels that one instruction-set target offers.
struct Kernels {
  void (*draw_float)(const RowBatch<float>& batch, std::int64_t* drawn, DrawStatus* status);
  void (*draw_double)(const RowBatch<double>& batch, std::int64_t* drawn, DrawStatus* status);
  std::int64_t (*scratch_bytes)(PartialSums method, std::int64_t longest_row, std::int64_t weight_bytes);
  void (*draw_gamma)(const GammaColumns& columns);
  // See logit_rows_kernel.h.
  void (*weigh_logits)(const float* logits, float* weights, std::int64_t count, float scale);
  void (*race_float_weights)(RacePiece<float>& piece);
  void (*race_double_weights)(RacePiece<double>& piece);
  void (*race_float_logits)(RacePiece<float>& piece);
  void (*race_double_logits)(RacePiece<double>& piece);
  // See sampling/tokens/token_rows_kernel.h.
  void (*stage_tokens)(const TokenRow& row, float* logits);
  void (*mask_tokens)(const std::uint32_t* allowed, std::int64_t count, float* logits);
  TokenScan (*scan_tokens)(const float* logits, std::int64_t count, float* block_largest);
  std::int64_t (*collect_tokens)(const float* logits, std::int64_t first, std::int64_t end, float least,
                                 std::uint64_t* keys);
  void (*weigh_tokens)(const float* logits, std::int64_t count, const TokenScale& scale, std::uint64_t* weights);
  std::uint64_t (*sum_tokens)(const float* logits, std::int64_t count, const TokenScale& scale);
};

// The kernels of the target in use (papilio::cpu_target).
const Kernels& kernels_in_use();

}  // namespace papilio::sampling
