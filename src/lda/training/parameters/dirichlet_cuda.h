#pragma once

#include <cstdint>
#include <span>

#include "execution/cuda/memory.h"
#include "lda/training/memory/device_tables_cuda.h"
#include "lda/training/memory/document_range_cuda.h"

// Draws theta and phi on a CUDA device, bit for bit as lda/training/parameters/dirichlet_cpu.h draws them. Each call
// queues kernels on a stream of the current device; pointers are to its memory.

namespace papilio::lda {

// The priors of topics on a device, in the form that draws of theta need.
class ThetaPriorOnDevice {
 public:
  ThetaPriorOnDevice() = default;  // empty until its tables have memory
  explicit ThetaPriorOnDevice(std::int32_t topics) { for_each_table(topics, TakeMemory()); }

  // Calls use(table, entries, what) for each of its tables: see memory/device_tables_cuda.h.
  template <class Use>
  void for_each_table(std::int32_t topics, Use use) {
    use(shape_, topics, "the priors of topics");
    use(inverse_, topics, "the priors of topics");
  }

  // alpha: K, on the host. The copy is ordered on the stream, and the call waits for it.
  void set(std::span<const double> alpha, cudaStream_t stream);

  const float* shape() const { return shape_.data(); }
  const float* inverse() const { return inverse_.data(); }

 private:
  execution::DeviceArray<float> shape_;
  execution::DeviceArray<float> inverse_;
};

struct DrawnThetaTable {
  float* theta = nullptr;   // a row for each document of the range; 0 past the last topic
  std::int64_t stride = 0;  // a multiple of 4, like topic_stride()
  std::int32_t topics = 0;
  const float* shape = nullptr;    // from ThetaPriorOnDevice
  const float* inverse = nullptr;  // from ThetaPriorOnDevice
  std::uint64_t seed = 0;
  std::uint64_t stream = 0;  // of random numbers
};

// Draws theta for the documents of a range, which are numbered from range.first_document.
void queue_drawn_theta(const DocumentRange& range, const DrawnThetaTable& table);

struct DrawnPhiTable {
  float* phi = nullptr;                // words x stride; 0 past the last topic
  std::int64_t stride = 0;             // a multiple of 4
  const std::int32_t* n_wk = nullptr;  // words x n_wk_stride
  std::int64_t n_wk_stride = 0;        // a multiple of 4
  std::int64_t words = 0;
  std::int32_t topics = 0;
  std::int64_t tokens = 0;  // the sum of n_wk: tokens of the corpus, plus the weights of seeds
  double beta = 0;
  std::uint64_t seed = 0;
  std::uint64_t stream = 0;           // of random numbers
  std::int64_t* workspace = nullptr;  // drawn_phi_workspace(topics) entries
};

constexpr std::int64_t drawn_phi_workspace(std::int32_t topics) { return 2 * std::int64_t{topics}; }

// Draws phi.
void queue_drawn_phi(const DrawnPhiTable& table, cudaStream_t stream);

}  // namespace papilio::lda
