#pragma once

#include <cstdint>
#include <initializer_list>

#include "base/check.h"
#include "execution/check_view.h"
#include "execution/cpu/parallel_for.h"
#include "papilio/tridiagonal.h"

// What the tridiagonal functions check about their arrays before they read them.

namespace papilio::primitives {

// An argument with its name. Diagonals between unknowns may have one column less than there are unknowns.
template <class T>
struct NamedMatrix {
  const char* name;
  MatrixView<const T> view;
  bool between = false;
};

inline constexpr std::int64_t most_unknowns = std::int64_t{1} << 33;

// The addresses that a matrix covers, from its lowest entry to past its highest.
struct AddressRange {
  std::uintptr_t begin = 0, end = 0;
};
template <class T>
AddressRange addresses_of(const MatrixView<T>& m) {
  if (m.rows == 0 || m.columns == 0) return {};
  std::int64_t lowest = 0, highest = 0;
  for (const std::int64_t extent : {(m.rows - 1) * m.row_stride, (m.columns - 1) * m.column_stride})
    (extent < 0 ? lowest : highest) += extent;
  const auto at = reinterpret_cast<std::uintptr_t>(m.data);
  constexpr auto bytes = static_cast<std::int64_t>(sizeof(T));
  return {at + static_cast<std::uintptr_t>(lowest * bytes), at + static_cast<std::uintptr_t>((highest + 1) * bytes)};
}

template <class T>
bool is_same_view(const MatrixView<const T>& a, const MatrixView<T>& b) {
  return a.data == b.data && a.rows == b.rows && a.columns == b.columns && a.row_stride == b.row_stride &&
         a.column_stride == b.column_stride;
}

// Whether the entries lie without gaps, so that everything within their range is an entry.
template <class T>
bool is_gapless(const MatrixView<T>& m) {
  const AddressRange range = addresses_of(m);
  return static_cast<std::int64_t>((range.end - range.begin) / sizeof(T)) == m.rows * m.columns;
}

template <class T>
void check_matrix(const char* function, const NamedMatrix<T>& matrix, const MatrixView<T>& x) {
  const auto& [name, view, between] = matrix;
  execution::require_matrix(function, name, view);
  base::require(view.rows == x.rows && (view.columns == x.columns || (between && view.columns == x.columns - 1)),
                "papilio::{}: {} must have {} rows x {}{} columns, as x has; got {} x {}", function, name, x.rows,
                x.columns, between ? " or one less" : "", view.rows, view.columns);
  base::require(view.device == x.device, "papilio::{}: {} is on {}, x on {}", function, name, view.device.name(),
                x.device.name());
}

// x may be the same memory as the right-hand side, which is the last of the matrices.
template <class T>
void check_apart(const char* function, std::initializer_list<NamedMatrix<T>> matrices, const MatrixView<T>& x) {
  if (!is_gapless(x)) return;
  const AddressRange written = addresses_of(x);
  for (const NamedMatrix<T>& matrix : matrices) {
    const bool right_hand_side = &matrix == matrices.end() - 1;
    if (right_hand_side && is_same_view(matrix.view, x)) continue;
    const AddressRange read = addresses_of(matrix.view);
    base::require(!(written.begin < read.end && read.begin < written.end),
                  "papilio::{}: x overlaps {}, expected memory of its own", function, matrix.name);
  }
}

template <class T>
void check_options(const char* function, const MatrixView<T>& x, const TridiagonalOptions& options) {
  execution::require_vector(function, "status", options.status);
  base::require(options.status.empty() || options.status.size == x.rows,
                "papilio::{}: status must have one entry per system; got {} for {} systems", function,
                options.status.size, x.rows);
  base::require(options.status.empty() || options.status.device == x.device, "papilio::{}: status is on {}, x on {}",
                function, options.status.device.name(), x.device.name());
  base::require(x.device.is_cpu() || !options.check || !options.status.empty(),
                "papilio::{}: check throws on the CPU only, x is on {}; give status there", function, x.device.name());
  execution::thread_count(options.threads);
  if (x.device.is_cpu()) return;
  const std::int64_t needed = tridiagonal_workspace_bytes(x);
  base::require(options.workspace.size >= needed && (needed == 0 || options.workspace.device == x.device),
                "papilio::{}: workspace must have {} bytes on {}; got {} on {}", function, needed, x.device.name(),
                options.workspace.size, options.workspace.device.name());
  base::require(needed == 0 || reinterpret_cast<std::uintptr_t>(options.workspace.data) % 256 == 0,
                "papilio::{}: workspace must be aligned to 256 bytes", function);
}

template <class T>
void check_call(const char* function, std::initializer_list<NamedMatrix<T>> matrices, const MatrixView<T>& x,
                const TridiagonalOptions& options) {
  execution::require_matrix(function, "x", x);
  base::require(x.columns <= most_unknowns, "papilio::{}: x has {} columns, expected at most 2^33", function,
                x.columns);
  for (const NamedMatrix<T>& matrix : matrices) check_matrix(function, matrix, x);
  check_options(function, x, options);
  if (x.rows == 0 || x.columns == 0) return;
  execution::require_separate_rows(function, "x", x);
  check_apart(function, matrices, x);
}

template <class T>
void check_numbers(const char* function, const MatrixView<T>& x, const GaussianOptions& options) {
  const VectorView<const std::int64_t>& ids = options.system_ids;
  execution::require_vector(function, "system_ids", ids);
  base::require(ids.empty() || ids.size == x.rows,
                "papilio::{}: system_ids must have one entry per system; got {} for {} systems", function, ids.size,
                x.rows);
  base::require(ids.empty() || ids.device == x.device, "papilio::{}: system_ids are on {}, x on {}", function,
                ids.device.name(), x.device.name());
}

}  // namespace papilio::primitives
