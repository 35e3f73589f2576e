#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "papilio/array_view.h"

namespace papilio {

// What a check found in a system.
enum class TridiagonalStatus : std::uint8_t {
  ok,
  not_dominant,  // solve_tridiagonal: neither diagonally dominant nor symmetric with positive pivots: digits may be
                 // lost
  not_positive,  // the others: a pivot is not positive or a precision negative; the matrix is not positive definite
  singular,      // a pivot is 0, infinite or NaN, or so small that 1 / pivot is infinite: x means nothing
};

// "ok", "not_dominant", ...; "unknown" for a number that is not an enumerator.
std::string_view name(TridiagonalStatus status) noexcept;

struct TridiagonalOptions {
  // If given, receives the status of each system, and no system throws.
  VectorView<TridiagonalStatus> status = {};

  // True: a system whose status is not `ok` is an error, and the first one is named (InvalidArgument); x is then
  // unspecified. On the CPU only: on a CUDA device, where calls do not wait, give `status`. Without a check a system
  // that does not meet the requirement gives whatever the arithmetic does.
  bool check = false;

  int threads = 0;  // CPU threads; 0: all; never changes a result

  // For arrays on a CUDA device: the stream (a cudaStream_t; null is the default stream) that the call is queued on,
  // and memory for it to work in, of `tridiagonal_workspace_bytes`, aligned to 256 bytes.
  void* cuda_stream = nullptr;
  VectorView<std::byte> workspace = {};
};

struct GaussianOptions : TridiagonalOptions {
  std::uint64_t seed = 0;    // same seed, same draws
  std::uint64_t stream = 0;  // independent draws under one seed: an iteration, a purpose

  // System s has number `system_ids[s]`, or `first_system_id + s` if no ids are given. A draw depends on seed, stream,
  // the system's number and its coefficients, and on nothing else.
  std::uint64_t first_system_id = 0;
  VectorView<const std::int64_t> system_ids = {};
};

// Solves tridiagonal systems, row s of the matrices being system s of n unknowns:
//
//   a(s, i) x(s, i - 1) + b(s, i) x(s, i) + c(s, i) x(s, i + 1) = d(s, i),   0 <= i < n
//
//   a, b, c, d  systems x n, float or double, any strides: a column stride of 1 is one system after the other
//               ("contiguous"), a row stride of 1 is unknown i of all systems together ("interleaved"), a stride of 0
//               repeats a number. a(s, 0) and c(s, n - 1) are never used. n <= 2^33.
//   x           systems x n; receives the solutions. It may be d itself (the same view), but must not share memory
//               with an array of the call otherwise.
//
// Rows are not exchanged, so every system must be diagonally dominant (|b| >= |a| + |c| in each row) or symmetric
// positive definite; `check` and `status` test this. The error is then that of Gaussian elimination: a few units in the
// last place times the condition number (docs/tridiagonal.md has a table).
//
// Same coefficients: same bits, on every device and instruction set, for any number of threads, any layout and any
// split of the systems into calls. The order of operations depends on n alone: of every 16 neighbouring unknowns all
// but the last are eliminated, which leaves a system of a sixteenth of the size, and so on.
//
// Time O(systems * n). Scratch on the CPU: about half the size of d for a single long system, less than 1 MiB per
// thread for many. Throws InvalidArgument for arrays that do not fit and, with `check`, for the first bad system.
//
// Arrays on a CUDA device (all of them on the same one): the call is queued on `cuda_stream`. It allocates nothing,
// waits for nothing and may be captured into a CUDA graph. Up to n = 4,096 each number is read once and written once;
// on devices before compute capability 9.0 up to 512 (not contiguous) or 4,096 (contiguous; double: 2,048). Longer
// systems are read twice. Arrays that begin at multiples of 16 bytes, with strides that are multiples of 16 bytes
// between systems (contiguous) or rows (interleaved), are read fastest. Throws DeviceError where the launch fails.
//
//   std::vector<double> a = {0, 1, 1, 1}, b = {2, 2, 2, 2}, c = {1, 1, 1, 0}, d = {1, 2, 3, 4}, x(4);
//   papilio::solve_tridiagonal<double>({a.data(), 1, 4}, {b.data(), 1, 4}, {c.data(), 1, 4}, {d.data(), 1, 4},
//                                      {x.data(), 1, 4});  // {0, 1, 0, 2}
//
// Source: Wang, "A parallel method for tridiagonal equations", ACM Transactions on Mathematical Software 7(2), 1981;
// Thomas, "Elliptic problems in linear difference equations over a network", Watson Scientific Computing Laboratory,
// 1949.
template <class T>
void solve_tridiagonal(MatrixView<const T> a, MatrixView<const T> b, MatrixView<const T> c, MatrixView<const T> d,
                       MatrixView<T> x, const TridiagonalOptions& options = {});

// Draws x ~ N(A^-1 h, A^-1) for symmetric positive definite tridiagonal A: solves and draws in one pass.
//
//   diagonal      systems x n: A(i, i)
//   off_diagonal  systems x (n - 1), or x n of which the last column is not read: A(i, i + 1) = A(i + 1, i)
//   h             systems x n: the mean times the precision
//   x             systems x n; as in solve_tridiagonal
//
// With A = L U, x solves A x = h, and back substitution adds e_i / sqrt(pivot i) to unknown i; e_i is number i of the
// system's standard normal numbers, which are the library's own and have float's precision
// (random/normal_lanes.h). Contract otherwise as solve_tridiagonal: the same draws, bit for bit, everywhere. A call of
// sample_categorical or sample_gamma with the same seed, stream and row numbers shares random numbers with it: use
// another stream.
//
//   papilio::draw_gaussian_tridiagonal<float>(diagonal, off_diagonal, h, x, {.seed = 7});
//
// Source: Rue, "Fast sampling of Gaussian Markov random fields", Journal of the Royal Statistical Society B 63(2),
// 2001.
template <class T>
void draw_gaussian_tridiagonal(MatrixView<const T> diagonal, MatrixView<const T> off_diagonal, MatrixView<const T> h,
                               MatrixView<T> x, const GaussianOptions& options = {});

// Solves A x = h for the precision matrix A of an observed random walk: x' A x is the sum over i of
// steps(i) (x(i + 1) - x(i))^2 + weights(i) x(i)^2. So A(i, i) = weights(i) + steps(i - 1) + steps(i) and
// A(i, i + 1) = -steps(i).
//
//   steps    systems x (n - 1), or x n of which the last column is not read: precisions of the steps, >= 0 and finite
//   weights  systems x n: precisions of the observations, >= 0 and finite, at least one > 0 where the steps are > 0
//   h        systems x n: weights times what was observed
//   x        systems x n; as in solve_tridiagonal
//
// If weights are small beside steps, rounding the entries of A loses them: in float, solve_tridiagonal is wrong in the
// third digit for 256 unknowns of which one is observed. Here nothing is ever subtracted, so every pivot is accurate to
// a few units in the last place, whatever the condition number. Contract otherwise as solve_tridiagonal.
//
//   papilio::solve_random_walk<float>({&step, systems, n, 0, 0}, weights, h, x);  // one precision for all steps
//
// Source: docs/tridiagonal.md derives it: v(i) = w(i) + p v(i - 1) / (p + v(i - 1)), a Kalman filter in information
// form.
template <class T>
void solve_random_walk(MatrixView<const T> steps, MatrixView<const T> weights, MatrixView<const T> h, MatrixView<T> x,
                       const TridiagonalOptions& options = {});

// Draws x ~ N(A^-1 h, A^-1) for the A of solve_random_walk; random numbers as in draw_gaussian_tridiagonal.
template <class T>
void draw_random_walk(MatrixView<const T> steps, MatrixView<const T> weights, MatrixView<const T> h, MatrixView<T> x,
                      const GaussianOptions& options = {});

// The bytes of `TridiagonalOptions::workspace` that a call with this x needs, whichever of the four it is: 0 on the
// CPU, and on a CUDA device for systems that are read once (as above: n <= 4,096 from compute capability 9.0 on).
template <class T>
std::int64_t tridiagonal_workspace_bytes(MatrixView<T> x);

}  // namespace papilio
