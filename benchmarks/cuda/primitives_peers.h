#pragma once

#include <cstdint>
#include <memory>
#include <string>

// What the primitives are measured beside: CUB of the toolkit, and kernels as one would write them first. Calls of CUB
// return the bytes of temporary memory that they need where `temporary` is null, and are queued on stream() otherwise.

template <class T>
std::int64_t cub_scan(void* temporary, std::int64_t bytes, const T* values, T* out, std::int64_t count);

// keys[i]: the segment of value i.
template <class T>
std::int64_t cub_scan_by_key(void* temporary, std::int64_t bytes, const std::int32_t* keys, const T* values, T* out,
                             std::int64_t count);
template <class T>
std::int64_t cub_reduce_by_key(void* temporary, std::int64_t bytes, const std::int32_t* keys, const T* values,
                               std::int32_t* keys_out, T* out, std::int64_t* runs, std::int64_t count);
template <class T>
std::int64_t cub_segmented_reduce(void* temporary, std::int64_t bytes, const std::int64_t* offsets,
                                  std::int64_t segments, const T* values, T* out);
// Of a CCCL that has one (3.3 and above; CMake's PAPILIO_CCCL), else 0 whatever is asked.
template <class T>
std::int64_t cub_segmented_scan(void* temporary, std::int64_t bytes, const std::int64_t* offsets, std::int64_t segments,
                                const T* values, T* out);
// As 300100 for 3.1.
int cub_version();
std::int64_t cub_histogram(void* temporary, std::int64_t bytes, const std::int32_t* keys, std::int64_t count,
                           std::int32_t* counts, int bins);
template <class T>
std::int64_t cub_select(void* temporary, std::int64_t bytes, const std::uint8_t* flags, const T* values, T* out,
                        std::int64_t* kept, std::int64_t count);

// atomicAdd of 1, or of values[i], to out[keys[i]].
void queue_atomic_counts(const std::int32_t* keys, std::int64_t count, std::int32_t* out);
template <class T>
void queue_atomic_sums(const std::int32_t* keys, const T* values, std::int64_t count, T* out);

// A transposition of `batch` matrices without gaps by a block of 32 x 8 threads per 32 x 32 tile, with padding.
template <class T>
void queue_plain_transposition(const T* in, T* out, std::int64_t rows, std::int64_t columns, std::int64_t batch);

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
