#pragma once

#include <cstdint>

#include "papilio/array_view.h"

namespace papilio {

struct GammaOptions {
  std::uint64_t seed = 0;    // same seed, same draws
  std::uint64_t stream = 0;  // independent draws under one seed; below 2^32, since `train` uses those above

  // Row i has number `row_ids[i]`, or `first_row_id + i` if no ids are given. A draw depends on seed, stream, the
  // number of its row, its column and its shape, and on nothing else.
  std::uint64_t first_row_id = 0;
  VectorView<const std::int64_t> row_ids = {};

  int threads = 0;  // CPU threads; 0: all; never changes a result

  // For arrays on a CUDA device: the stream (a cudaStream_t; null is the default stream) that the draws are queued on.
  void* cuda_stream = nullptr;
};

// Draws from gamma distributions of scale 1: drawn(i, k) has shape shapes(i, k).
//
//   shapes  rows x columns, at most 2^31 - 1 columns, any strides. A row stride of 0 repeats one row; both strides 0
//           repeat one number. Positive normal numbers (2^-126 to 2^128).
//   drawn   the same size, column stride 1; receives the draws, >= 0. It may be `shapes` itself, but must not overlap
//           it otherwise.
//
// For another scale, multiply by it. For a Dirichlet draw, divide a row by its sum. A draw follows the gamma
// distribution, rounded to float, with a relative error of about 2^-20, for shapes from 1e-6 to 1e9
// (docs/numerics.md). Draws below about 2^-125 become 0. For a small shape many do: Pr(0) = 2^(-125 shape).
//
// Same seed, stream, row numbers and shapes: same draws, bit for bit, on every device and instruction set, for any
// number of threads and any split of the rows. A call of sample_categorical with the same seed, stream and row
// numbers shares random numbers with it: use another stream.
//
// Time O(rows * columns). Scratch: a row per thread if the column stride of `shapes` is not 1. Throws InvalidArgument
// for arrays that do not fit and, on the CPU, naming the first shape that is not a positive normal number; drawn is
// then unspecified.
//
// Arrays on a CUDA device (all of them on the same one): the draws are queued on `cuda_stream`. The call allocates
// nothing, waits for nothing and may be captured into a CUDA graph; shapes that are not positive normal
// numbers give NaN. Throws DeviceError where the launch fails.
//
//   std::vector<float> shapes = {0.5f, 2, 8}, drawn(1000 * 3);
//   papilio::sample_gamma({shapes.data(), 1000, 3, 0}, {drawn.data(), 1000, 3}, {.seed = 7});
//
// Source: Marsaglia and Tsang, ACM Transactions on Mathematical Software 26(3), 2000.
void sample_gamma(MatrixView<const float> shapes, MatrixView<float> drawn, const GammaOptions& options = {});

}  // namespace papilio
