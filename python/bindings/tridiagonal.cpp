#include "papilio/tridiagonal.h"

#include <nanobind/nanobind.h>

#include <cstddef>
#include <cstdint>

#include "arrays.h"
#include "bindings.h"
#include "lock.h"

// What papilio/_tridiagonal.py calls.

namespace nb = nanobind;

namespace papilio::python {
namespace {

Array number_array(nb::handle h, const char* what, bool writable = false) {
  return Array(h, what, writable).expect({Number::float32, Number::float64}, what, "float32 or float64");
}

// x as a matrix to be written.
template <class T>
MatrixView<T> written(const Array& x) {
  const MatrixView<const T> m = x.matrix<T>();
  return {static_cast<T*>(x.data), m.rows, m.columns, m.row_stride, m.column_stride, m.device};
}

template <class F>
void with_numbers(const Array& x, const F& f) {
  x.number == Number::float32 ? f.template operator()<float>() : f.template operator()<double>();
}

// What the caller calls the diagonals and the right-hand side: below, on and above the main diagonal.
struct Names {
  const char *lower, *diagonal, *off, *right;
};
constexpr Names of_systems = {"a", "b", "c", "d"}, of_walks = {"", "weights", "steps", "h"},
                of_gaussians = {"", "diagonal", "off_diagonal", "h"};

// The arrays of a call. `lower` is None where the matrix is symmetric or a walk's.
struct Arrays {
  Array lower, diagonal, off, right, x;

  Arrays(const Names& names, nb::handle a, nb::handle b, nb::handle c, nb::handle d, nb::handle result)
      : diagonal(number_array(b, names.diagonal)),
        off(number_array(c, names.off)),
        right(number_array(d, names.right)),
        x(number_array(result, "out", true)) {
    if (!a.is_none()) lower = number_array(a, names.lower);
    lower.expect({x.number}, names.lower, "the dtype of the right-hand side");
    diagonal.expect({x.number}, names.diagonal, "the dtype of the right-hand side");
    off.expect({x.number}, names.off, "the dtype of the right-hand side");
    right.expect({x.number}, names.right, "the dtype of out");
  }
};

// Where a call runs, and what it is lent there.
struct Lent {
  Array status, workspace;
  TridiagonalOptions options;

  Lent(bool check, int threads, std::uintptr_t cuda_stream, nb::handle states, nb::handle memory)
      : status(Array(states, "status", true).expect({Number::uint8}, "status", "uint8")),
        workspace(Array(memory, "the workspace", true).expect({Number::uint8}, "the workspace", "uint8")) {
    options.status = status.vector<TridiagonalStatus>("status");
    options.check = check, options.threads = threads;
    options.cuda_stream = reinterpret_cast<void*>(cuda_stream);
    options.workspace = workspace.vector<std::byte>("the workspace");
  }
};

void solve(bool walk, nb::handle a, nb::handle b, nb::handle c, nb::handle d, nb::handle x, bool check, int threads,
           std::uintptr_t cuda_stream, nb::handle status, nb::handle workspace) {
  const Arrays on(walk ? of_walks : of_systems, a, b, c, d, x);
  const Lent lent(check, threads, cuda_stream, status, workspace);
  with_numbers(on.x, [&]<class T>() {
    const auto diagonal = on.diagonal.matrix<T>(), off = on.off.matrix<T>(), right = on.right.matrix<T>();
    const auto lower = walk ? off : on.lower.matrix<T>();
    const MatrixView<T> result = written<T>(on.x);
    const Unlocked unlocked;
    if (walk)
      solve_random_walk<T>(off, diagonal, right, result, lent.options);
    else
      solve_tridiagonal<T>(lower, diagonal, off, right, result, lent.options);
  });
}

void draw(bool walk, nb::handle b, nb::handle c, nb::handle d, nb::handle x, bool check, int threads,
          std::uintptr_t cuda_stream, nb::handle status, nb::handle workspace, std::uint64_t seed, std::uint64_t stream,
          std::uint64_t first_system_id, nb::handle system_ids) {
  const Arrays on(walk ? of_walks : of_gaussians, nb::none(), b, c, d, x);
  const Lent lent(check, threads, cuda_stream, status, workspace);
  const Array ids = Array(system_ids, "system_ids").expect({Number::int64, Number::uint64}, "system_ids", "int64");
  GaussianOptions options;
  static_cast<TridiagonalOptions&>(options) = lent.options;
  options.seed = seed, options.stream = stream, options.first_system_id = first_system_id;
  options.system_ids = ids.vector<const std::int64_t>("system_ids");
  with_numbers(on.x, [&]<class T>() {
    const auto diagonal = on.diagonal.matrix<T>(), off = on.off.matrix<T>(), right = on.right.matrix<T>();
    const MatrixView<T> result = written<T>(on.x);
    const Unlocked unlocked;
    if (walk)
      draw_random_walk<T>(off, diagonal, right, result, options);
    else
      draw_gaussian_tridiagonal<T>(diagonal, off, right, result, options);
  });
}

std::int64_t workspace_bytes(nb::handle x) {
  const Array array = number_array(x, "out", true);
  std::int64_t bytes = 0;
  with_numbers(array, [&]<class T>() { bytes = tridiagonal_workspace_bytes(written<T>(array)); });
  return bytes;
}

}  // namespace

void bind_tridiagonal(nb::module_& m) {
  m.def("solve_tridiagonal", &solve, nb::arg("walk"), nb::arg("a").none(), nb::arg("b"), nb::arg("c"), nb::arg("d"),
        nb::arg("x"), nb::arg("check"), nb::arg("threads"), nb::arg("cuda_stream"), nb::arg("status").none(),
        nb::arg("workspace").none());
  m.def("draw_tridiagonal", &draw, nb::arg("walk"), nb::arg("b"), nb::arg("c"), nb::arg("d"), nb::arg("x"),
        nb::arg("check"), nb::arg("threads"), nb::arg("cuda_stream"), nb::arg("status").none(),
        nb::arg("workspace").none(), nb::arg("seed"), nb::arg("stream"), nb::arg("first_system_id"),
        nb::arg("system_ids").none());
  m.def("tridiagonal_workspace_bytes", &workspace_bytes, nb::arg("x"));
}

}  // namespace papilio::python
