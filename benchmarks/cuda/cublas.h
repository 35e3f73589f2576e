#pragma once

#include <cstdint>
#include <memory>
#include <string>

// cuBLAS, where its library is found when the program runs: nothing of it is linked.
class Cublas {
 public:
  Cublas();
  ~Cublas();
  Cublas(const Cublas&) = delete;
  Cublas& operator=(const Cublas&) = delete;

  // Empty where it is there, else why it is not.
  const std::string& absence() const { return absence_; }

  // Queues out = in^T by geam on stream(), for a matrix of rows x columns without gaps.
  template <class T>
  void transpose(const T* in, T* out, std::int64_t rows, std::int64_t columns);

 private:
  struct Functions;
  std::unique_ptr<Functions> functions_;
  std::string absence_;
};
