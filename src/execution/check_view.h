#pragma once

#include <cstdint>
#include <limits>
#include <span>
#include <type_traits>

#include "base/check.h"
#include "papilio/array_view.h"

// What every public function checks of an array before it reads or writes it. Each check costs a few
// comparisons, whatever the size of the array. Messages begin with "papilio::FUNCTION: ARGUMENT".

namespace papilio::execution {

namespace detail {

inline void require_address(const char* function, const char* what, const volatile void* data, std::int64_t alignment) {
  base::require(reinterpret_cast<std::uintptr_t>(data) % static_cast<std::uintptr_t>(alignment) == 0,
                "papilio::{}: {} is at address {:#x}, expected a multiple of {}, the alignment of its type", function,
                what, reinterpret_cast<std::uintptr_t>(data), alignment);
}

// |stride| * (count - 1) elements of `size` bytes, added to `bytes`; false if that is more than an address holds.
inline bool add_extent(std::int64_t stride, std::int64_t count, std::int64_t size, std::int64_t& bytes) {
  std::int64_t extent = 0;
  if (stride == std::numeric_limits<std::int64_t>::min()) return count <= 1;
  const std::int64_t step = stride < 0 ? -stride : stride;
  return count <= 1 ||
         (!__builtin_mul_overflow(step, count - 1, &extent) && !__builtin_mul_overflow(extent, size, &extent) &&
          !__builtin_add_overflow(bytes, extent, &bytes));
}

}  // namespace detail

// Throws InvalidArgument unless `view` can be an array: its size is at least 0 and fits
// into an address space and, if it has entries, their address is aligned and not null.
template <class T>
void require_vector(const char* function, const char* what, const VectorView<T>& view) {
  constexpr auto bytes = static_cast<std::int64_t>(sizeof(T));
  base::require(view.size >= 0, "papilio::{}: {} has {} entries, expected 0 or more", function, what, view.size);
  base::require(view.size <= std::numeric_limits<std::int64_t>::max() / bytes,
                "papilio::{}: {} has {} entries of {} bytes, more than an address space holds", function, what,
                view.size, bytes);
  if (view.size == 0) return;
  base::require(view.data != nullptr, "papilio::{}: {} is null, but {} entries were given", function, what, view.size);
  detail::require_address(function, what, view.data, alignof(T));
}

// The same for a matrix of any strides.
template <class T>
void require_matrix(const char* function, const char* what, const MatrixView<T>& view) {
  constexpr auto bytes = static_cast<std::int64_t>(sizeof(T));
  base::require(view.rows >= 0 && view.columns >= 0, "papilio::{}: {} must have sizes >= 0; got {} rows x {} columns",
                function, what, view.rows, view.columns);
  if (view.rows == 0 || view.columns == 0) return;
  base::require(view.data != nullptr, "papilio::{}: {} is null, but {} rows x {} columns were given", function, what,
                view.rows, view.columns);
  detail::require_address(function, what, view.data, alignof(T));
  std::int64_t extent = bytes;
  base::require(detail::add_extent(view.row_stride, view.rows, bytes, extent) &&
                    detail::add_extent(view.column_stride, view.columns, bytes, extent),
                "papilio::{}: {} has {} rows x {} columns with strides {} and {}, more than an address space holds",
                function, what, view.rows, view.columns, view.row_stride, view.column_stride);
}

// Throws InvalidArgument if rows of a matrix that will be written share elements, because
// threads would write those at the same time. For a matrix that `require_matrix` accepts.
template <class T>
void require_separate_rows(const char* function, const char* what, const MatrixView<T>& view) {
  const auto magnitude = [](std::int64_t stride) { return stride < 0 ? -stride : stride; };
  const std::int64_t row = view.rows > 1 ? magnitude(view.row_stride) : 0;
  const std::int64_t column = view.columns > 1 ? magnitude(view.column_stride) : 0;
  const auto skips = [](std::int64_t outer, std::int64_t inner, std::int64_t count) {
    return outer > inner * (count - 1);
  };
  const bool separate =
      view.rows == 0 || view.columns == 0 ||
      ((view.columns <= 1 || column > 0) && (view.rows <= 1 || row > 0) &&
       (view.rows <= 1 || view.columns <= 1 || skips(row, column, view.columns) || skips(column, row, view.rows)));
  base::require(separate, "papilio::{}: rows of {} overlap: {} rows x {} columns with strides {} and {}", function,
                what, view.rows, view.columns, view.row_stride, view.column_stride);
}

// Whether two arrays share memory.
template <class A, class B>
bool overlap(const VectorView<A>& a, const VectorView<B>& b) {
  const auto begin = [](const auto& view) { return reinterpret_cast<std::uintptr_t>(view.data); };
  const auto end = [&](const auto& view) {
    return begin(view) + static_cast<std::uintptr_t>(view.size) * sizeof(*view.data);
  };
  return !a.empty() && !b.empty() && a.device == b.device && begin(a) < end(b) && begin(b) < end(a);
}

// Throws InvalidArgument if an array that will be written shares
// memory with another array. For arrays that `require_vector` accepts.
template <class A, class B>
void require_apart(const char* function, const char* what, const VectorView<A>& written, const char* other_what,
                   const VectorView<B>& other) {
  base::require(!overlap(written, other), "papilio::{}: {} overlaps {}, expected memory of its own", function, what,
                other_what);
}

// Like require_vector, for a span.
template <class T>
void require_span(const char* function, const char* what, std::span<T> span) {
  if (span.empty()) return;
  base::require(span.data() != nullptr, "papilio::{}: {} is null, but {} entries were given", function, what,
                span.size());
  detail::require_address(function, what, span.data(), alignof(T));
}

}  // namespace papilio::execution
