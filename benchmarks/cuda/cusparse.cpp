#include <dlfcn.h>

#include <stdexcept>

#include "tridiagonal.h"

namespace {

using Handle = void*;

// As cusparse.h declares them; status 0 is success.
template <class T>
struct Solvers {
  int (*strided_bytes)(Handle, int, const T*, const T*, const T*, const T*, int, int, std::size_t*);
  int (*strided)(Handle, int, const T*, const T*, const T*, T*, int, int, void*);
  int (*interleaved_bytes)(Handle, int, int, const T*, const T*, const T*, const T*, int, std::size_t*);
  int (*interleaved)(Handle, int, int, T*, T*, T*, T*, int, void*);
};

void require_success(int status, const char* what) {
  if (status != 0)
    throw std::runtime_error(std::string("cuSPARSE: ") + what + " gave status " + std::to_string(status));
}

constexpr int thomas = 0;

}  // namespace

struct Cusparse::Functions {
  void* library = nullptr;
  Handle handle = nullptr;
  int (*create)(Handle*) = nullptr;
  int (*destroy)(Handle) = nullptr;
  int (*set_stream)(Handle, void*) = nullptr;
  Solvers<float> of_float = {};
  Solvers<double> of_double = {};

  template <class F>
  void find(F& function, const std::string& name) {
    function = reinterpret_cast<F>(dlsym(library, name.c_str()));
    if (function == nullptr) throw std::runtime_error("cuSPARSE has no " + name);
  }
  template <class T>
  void find(Solvers<T>& solvers, const std::string& prefix) {
    find(solvers.strided_bytes, prefix + "gtsv2StridedBatch_bufferSizeExt");
    find(solvers.strided, prefix + "gtsv2StridedBatch");
    find(solvers.interleaved_bytes, prefix + "gtsvInterleavedBatch_bufferSizeExt");
    find(solvers.interleaved, prefix + "gtsvInterleavedBatch");
  }
  template <class T>
  const Solvers<T>& solvers() const {
    if constexpr (sizeof(T) == sizeof(float))
      return of_float;
    else
      return of_double;
  }
};

Cusparse::Cusparse() : functions_(std::make_unique<Functions>()) {
  Functions& f = *functions_;
  for (const char* name : {"libcusparse.so.12", "libcusparse.so"})
    if (f.library == nullptr) f.library = dlopen(name, RTLD_NOW);
  if (f.library == nullptr) {
    absence_ = dlerror();
    return;
  }
  try {
    f.find(f.create, "cusparseCreate");
    f.find(f.destroy, "cusparseDestroy");
    f.find(f.set_stream, "cusparseSetStream");
    f.find(f.of_float, "cusparseS");
    f.find(f.of_double, "cusparseD");
    require_success(f.create(&f.handle), "cusparseCreate");
    require_success(f.set_stream(f.handle, stream()), "cusparseSetStream");
  } catch (const std::runtime_error& error) {
    absence_ = error.what();
  }
}

Cusparse::~Cusparse() {
  if (functions_->handle != nullptr) functions_->destroy(functions_->handle);
}

const std::string& Cusparse::absence() const { return absence_; }

template <class T>
std::int64_t Cusparse::strided_bytes(std::int64_t systems, std::int64_t rows) {
  std::size_t bytes = 0;
  const auto m = static_cast<int>(rows), count = static_cast<int>(systems);
  require_success(functions_->solvers<T>().strided_bytes(functions_->handle, m, nullptr, nullptr, nullptr, nullptr,
                                                         count, m, &bytes),
                  "gtsv2StridedBatch_bufferSizeExt");
  return static_cast<std::int64_t>(bytes);
}

template <class T>
void Cusparse::solve_strided(std::int64_t systems, std::int64_t rows, T* a, T* b, T* c, T* d, void* memory) {
  const auto m = static_cast<int>(rows), count = static_cast<int>(systems);
  require_success(functions_->solvers<T>().strided(functions_->handle, m, a, b, c, d, count, m, memory),
                  "gtsv2StridedBatch");
}

template <class T>
std::int64_t Cusparse::interleaved_bytes(std::int64_t systems, std::int64_t rows) {
  std::size_t bytes = 0;
  const auto m = static_cast<int>(rows), count = static_cast<int>(systems);
  require_success(functions_->solvers<T>().interleaved_bytes(functions_->handle, thomas, m, nullptr, nullptr, nullptr,
                                                             nullptr, count, &bytes),
                  "gtsvInterleavedBatch_bufferSizeExt");
  return static_cast<std::int64_t>(bytes);
}

template <class T>
void Cusparse::solve_interleaved(std::int64_t systems, std::int64_t rows, T* a, T* b, T* c, T* d, void* memory) {
  const auto m = static_cast<int>(rows), count = static_cast<int>(systems);
  require_success(functions_->solvers<T>().interleaved(functions_->handle, thomas, m, a, b, c, d, count, memory),
                  "gtsvInterleavedBatch");
}

#define INSTANTIATE(T)                                                                      \
  template std::int64_t Cusparse::strided_bytes<T>(std::int64_t, std::int64_t);             \
  template void Cusparse::solve_strided(std::int64_t, std::int64_t, T*, T*, T*, T*, void*); \
  template std::int64_t Cusparse::interleaved_bytes<T>(std::int64_t, std::int64_t);         \
  template void Cusparse::solve_interleaved(std::int64_t, std::int64_t, T*, T*, T*, T*, void*);
INSTANTIATE(float)
INSTANTIATE(double)
