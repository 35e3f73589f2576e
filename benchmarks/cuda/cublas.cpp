#include "cublas.h"

#include <dlfcn.h>

#include <stdexcept>

#include "device.h"

namespace {

using Handle = void*;

// As cublas_v2.h declares it; status 0 is success.
template <class T>
using Geam = int (*)(Handle, int, int, int, int, const T*, const T*, int, const T*, const T*, int, T*, int);

void require_success(int status, const char* what) {
  if (status != 0) throw std::runtime_error(std::string("cuBLAS: ") + what + " gave status " + std::to_string(status));
}

constexpr int as_it_is = 0, transposed = 1;

}  // namespace

struct Cublas::Functions {
  void* library = nullptr;
  Handle handle = nullptr;
  int (*create)(Handle*) = nullptr;
  int (*destroy)(Handle) = nullptr;
  int (*set_stream)(Handle, void*) = nullptr;
  Geam<float> of_float = nullptr;
  Geam<double> of_double = nullptr;

  template <class F>
  void find(F& function, const char* name) {
    function = reinterpret_cast<F>(dlsym(library, name));
    if (function == nullptr) throw std::runtime_error(std::string("cuBLAS has no ") + name);
  }
};

Cublas::Cublas() : functions_(std::make_unique<Functions>()) {
  Functions& f = *functions_;
  for (const char* name : {"libcublas.so.13", "libcublas.so.12", "libcublas.so"})
    if (f.library == nullptr) f.library = dlopen(name, RTLD_NOW);
  if (f.library == nullptr) {
    absence_ = dlerror();
    return;
  }
  try {
    f.find(f.create, "cublasCreate_v2");
    f.find(f.destroy, "cublasDestroy_v2");
    f.find(f.set_stream, "cublasSetStream_v2");
    f.find(f.of_float, "cublasSgeam");
    f.find(f.of_double, "cublasDgeam");
    require_success(f.create(&f.handle), "cublasCreate");
    require_success(f.set_stream(f.handle, stream()), "cublasSetStream");
  } catch (const std::runtime_error& error) {
    absence_ = error.what();
  }
}

Cublas::~Cublas() {
  if (functions_->handle != nullptr) functions_->destroy(functions_->handle);
}

// cuBLAS goes down columns: to it, `in` is columns x rows, and `out` rows x columns.
template <class T>
void Cublas::transpose(const T* in, T* out, std::int64_t rows, std::int64_t columns) {
  const auto m = static_cast<int>(rows), n = static_cast<int>(columns);
  const T one = 1, zero = 0;
  const auto call = [&](Geam<T> geam) {
    require_success(geam(functions_->handle, transposed, as_it_is, m, n, &one, in, n, &zero, out, m, out, m), "geam");
  };
  if constexpr (sizeof(T) == sizeof(float))
    call(functions_->of_float);
  else
    call(functions_->of_double);
}

template void Cublas::transpose(const float*, float*, std::int64_t, std::int64_t);
template void Cublas::transpose(const double*, double*, std::int64_t, std::int64_t);
