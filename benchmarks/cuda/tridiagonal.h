#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>

#include "device.h"

// What the tridiagonal solver is measured with, and beside.

// Random dominant systems in four arrays of `entries` numbers each: |b| is 2.1 or more, a, c and d are in (-1, 1).
template <class T>
void fill_systems(T* a, T* b, T* c, T* d, std::int64_t entries);

// The largest |a x- + b x + c x+ - d|.
template <class T>
double largest_residual(const T* a, const T* b, const T* c, const T* d, const T* x, std::int64_t systems,
                        std::int64_t rows, bool interleaved);

// Makes the first a and the last c of each system 0.
template <class T>
void clear_ends(T* a, T* c, std::int64_t systems, std::int64_t rows, bool interleaved);

void copy_on_device(void* to, const void* from, std::int64_t bytes);

// The time on the device of each `launch`, after a `prepare` that is not counted.
Timing time_prepared(const std::function<void()>& prepare, const std::function<void()>& launch,
                     const Effort& effort = {});

// cuSPARSE, where its library is found when the program runs: nothing of it is linked.
class Cusparse {
 public:
  Cusparse();
  ~Cusparse();
  Cusparse(const Cusparse&) = delete;
  Cusparse& operator=(const Cusparse&) = delete;

  // Empty where it is there, else why it is not.
  const std::string& absence() const;

  // Both write the solution over d; the interleaved one destroys all arrays. Bytes of memory to work in, then the call.
  template <class T>
  std::int64_t strided_bytes(std::int64_t systems, std::int64_t rows);
  template <class T>
  void solve_strided(std::int64_t systems, std::int64_t rows, T* a, T* b, T* c, T* d, void* memory);
  // Algorithm 0 is Thomas', 1 LU with pivoting, 2 QR.
  template <class T>
  std::int64_t interleaved_bytes(std::int64_t systems, std::int64_t rows);
  template <class T>
  void solve_interleaved(std::int64_t systems, std::int64_t rows, T* a, T* b, T* c, T* d, void* memory);

 private:
  struct Functions;
  std::unique_ptr<Functions> functions_;
  std::string absence_;
};
