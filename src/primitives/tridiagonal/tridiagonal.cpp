#include "papilio/tridiagonal.h"

#include <algorithm>
#include <string>
#include <vector>

#include "base/check.h"
#include "base/choices.h"
#include "primitives/tridiagonal/check_call.h"
#include "primitives/tridiagonal/chunk_kernel.h"
#include "primitives/tridiagonal/solve_cpu.h"
#include "primitives/tridiagonal/tridiagonal_cuda.h"

namespace papilio {
namespace {

using primitives::Diagonal;
using primitives::NamedMatrix;
using primitives::Noise;
using primitives::TridiagonalCall;

struct StatusRow {
  TridiagonalStatus value;
  std::string_view name;
  const char* meaning;
};
constexpr StatusRow statuses[] = {
    {TridiagonalStatus::ok, "ok", "is fine"},
    {TridiagonalStatus::not_dominant, "not_dominant",
     "is neither diagonally dominant nor symmetric with positive pivots, which elimination without exchanges needs"},
    {TridiagonalStatus::not_positive, "not_positive", "is not positive definite, or has a negative precision"},
    {TridiagonalStatus::singular, "singular", "has a pivot that is 0, infinite or not a number"},
};

template <class T>
Diagonal<T> diagonal_of(const MatrixView<T>& m) {
  return {m.data, m.row_stride, m.column_stride};
}

// Entry i becomes entry i + 1: what is to the right of an unknown is to the left of the next one.
template <class T>
Diagonal<T> one_later(const MatrixView<T>& m) {
  if (m.data == nullptr) return {};
  return {m.data - m.column_stride, m.row_stride, m.column_stride};
}

template <class T>
Noise noise_of(const MatrixView<T>& x, const GaussianOptions& options) {
  return {.wanted = true,
          .seed = options.seed,
          .stream = options.stream,
          .first_id = options.first_system_id,
          .ids = options.system_ids.data,
          .scale = 1,
          .rows = x.columns};
}

// If it need not be positive, a system is ok if it is dominant, or if it is symmetric with positive pivots.
TridiagonalStatus status_of(unsigned faults, bool needs_positive) {
  if ((faults & tridiagonal_kernel::singular) != 0) return TridiagonalStatus::singular;
  if (needs_positive)
    return (faults & tridiagonal_kernel::falling) != 0 ? TridiagonalStatus::not_positive : TridiagonalStatus::ok;
  const bool dominant = (faults & tridiagonal_kernel::loose) == 0;
  const bool positive = (faults & (tridiagonal_kernel::skewed | tridiagonal_kernel::falling)) == 0;
  return dominant || positive ? TridiagonalStatus::ok : TridiagonalStatus::not_dominant;
}

// Writes statuses, or throws if nobody asked for them.
void report(const char* function, const std::vector<std::uint8_t>& faults, bool needs_positive, std::int64_t unknowns,
            const VectorView<TridiagonalStatus>& status) {
  for (std::size_t s = 0; s < faults.size(); ++s) {
    const TridiagonalStatus found = status_of(faults[s], needs_positive);
    if (!status.empty())
      status.data[s] = found;
    else
      base::require(found == TridiagonalStatus::ok, "papilio::{}: system {} {} ({} systems of {} unknowns)", function,
                    s, base::find_row(statuses, found)->meaning, faults.size(), unknowns);
  }
}

template <class T>
void run(const char* function, const TridiagonalCall<T>& call, Device device, const TridiagonalOptions& options) {
  if (call.systems.count == 0 || call.systems.rows == 0) {
    for (std::int64_t s = 0; device.is_cpu() && s < options.status.size; ++s)
      options.status.data[s] = TridiagonalStatus::ok;
    return;
  }
  if (!device.is_cpu())
    return primitives::solve_on_cuda(call, options.status.empty() ? nullptr : options.status.data,
                                     options.workspace.data, device, options.cuda_stream);
  const bool check = options.check || !options.status.empty();
  std::vector<std::uint8_t> faults(check ? static_cast<std::size_t>(call.systems.count) : 0);
  primitives::solve_on_cpu(call, check ? faults.data() : nullptr, options.threads);
  if (check) report(function, faults, call.walk || call.noise.wanted, call.systems.rows, options.status);
}

template <class T>
void run_walk(const char* function, const MatrixView<const T>& steps, const MatrixView<const T>& weights,
              const MatrixView<const T>& h, const MatrixView<T>& x, const TridiagonalOptions& options,
              const Noise& noise) {
  primitives::check_call<T>(function, {{"steps", steps, true}, {"weights", weights}, {"h", h}}, x, options);
  run<T>(function,
         {{one_later(steps), diagonal_of(weights), {}, diagonal_of(h), x.rows, x.columns, true},
          diagonal_of(x),
          true,
          noise},
         x.device, options);
}

}  // namespace

std::string_view name(TridiagonalStatus status) noexcept { return base::name_in(statuses, status); }

template <class T>
void solve_tridiagonal(MatrixView<const T> a, MatrixView<const T> b, MatrixView<const T> c, MatrixView<const T> d,
                       MatrixView<T> x, const TridiagonalOptions& options) {
  primitives::check_call<T>("solve_tridiagonal", {{"a", a}, {"b", b}, {"c", c}, {"d", d}}, x, options);
  run<T>("solve_tridiagonal",
         {{diagonal_of(a), diagonal_of(b), diagonal_of(c), diagonal_of(d), x.rows, x.columns, true},
          diagonal_of(x),
          false,
          {}},
         x.device, options);
}

template <class T>
void draw_gaussian_tridiagonal(MatrixView<const T> diagonal, MatrixView<const T> off_diagonal, MatrixView<const T> h,
                               MatrixView<T> x, const GaussianOptions& options) {
  constexpr const char* function = "draw_gaussian_tridiagonal";
  primitives::check_call<T>(function, {{"diagonal", diagonal}, {"off_diagonal", off_diagonal, true}, {"h", h}}, x,
                            options);
  primitives::check_numbers(function, x, options);
  run<T>(function,
         {{one_later(off_diagonal), diagonal_of(diagonal), diagonal_of(off_diagonal), diagonal_of(h), x.rows, x.columns,
           true},
          diagonal_of(x),
          false,
          noise_of(x, options)},
         x.device, options);
}

template <class T>
void solve_random_walk(MatrixView<const T> steps, MatrixView<const T> weights, MatrixView<const T> h, MatrixView<T> x,
                       const TridiagonalOptions& options) {
  run_walk<T>("solve_random_walk", steps, weights, h, x, options, {});
}

template <class T>
void draw_random_walk(MatrixView<const T> steps, MatrixView<const T> weights, MatrixView<const T> h, MatrixView<T> x,
                      const GaussianOptions& options) {
  primitives::check_numbers("draw_random_walk", x, options);
  run_walk<T>("draw_random_walk", steps, weights, h, x, options, noise_of(x, options));
}

template <class T>
std::int64_t tridiagonal_workspace_bytes(MatrixView<T> x) {
  execution::require_matrix("tridiagonal_workspace_bytes", "x", x);
  if (x.device.is_cpu() || x.rows == 0 || x.columns == 0) return 0;
  base::require(x.columns <= primitives::most_unknowns,
                "papilio::tridiagonal_workspace_bytes: x has {} columns, expected at most 2^33", x.columns);
  return primitives::tridiagonal_workspace_on_cuda(x.rows, x.columns, primitives::is_interleaved(diagonal_of(x)),
                                                   static_cast<std::int64_t>(sizeof(T)), x.device);
}

#define PAPILIO_TRIDIAGONAL(T)                                                                                        \
  template void solve_tridiagonal(MatrixView<const T>, MatrixView<const T>, MatrixView<const T>, MatrixView<const T>, \
                                  MatrixView<T>, const TridiagonalOptions&);                                          \
  template void draw_gaussian_tridiagonal(MatrixView<const T>, MatrixView<const T>, MatrixView<const T>,              \
                                          MatrixView<T>, const GaussianOptions&);                                     \
  template void solve_random_walk(MatrixView<const T>, MatrixView<const T>, MatrixView<const T>, MatrixView<T>,       \
                                  const TridiagonalOptions&);                                                         \
  template void draw_random_walk(MatrixView<const T>, MatrixView<const T>, MatrixView<const T>, MatrixView<T>,        \
                                 const GaussianOptions&);                                                             \
  template std::int64_t tridiagonal_workspace_bytes(MatrixView<T>);
PAPILIO_TRIDIAGONAL(float)
PAPILIO_TRIDIAGONAL(double)
#undef PAPILIO_TRIDIAGONAL

}  // namespace papilio
