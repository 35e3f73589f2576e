#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "base/function_ref.h"
#include "execution/cuda/memory.h"
#include "lda/evaluation/document_batch.h"
#include "lda/evaluation/phi_rows_cuda.h"

namespace papilio::lda {

template <class T>
execution::DeviceArray<T> array_on_device(std::span<const T> values, const char* what, cudaStream_t stream) {
  execution::DeviceArray<T> array(std::ssize(values), what);
  if (!values.empty()) array.upload(values.data(), std::ssize(values), stream);
  return array;
}

// The documents of a corpus on the current CUDA device, to be completed again and again with other models of the same
// words.
class CompletionOnDevice {
 public:
  // Takes at most about `memory` bytes of the device, but for results. Work is put on the stream, and waited for where
  // it reads the host's memory. Throws DeviceError where the words of a document have no room.
  CompletionOnDevice(const CorpusView& corpus, const WordMap& map, const CompletionOptions& options,
                     std::int32_t topics, std::int64_t memory, cudaStream_t stream);

  // Makes rows of phi: of the words of `rows`, which `words` are in the host's memory.
  using QueuePhi = base::FunctionRef<void(const PhiRows& rows, std::span<const std::int32_t> words)>;

  // For each document, how many known tokens it has and ln of the probability of those that are scored.
  // alpha: K, on the device.
  void operator()(QueuePhi queue_phi, const double* alpha, std::span<std::int64_t> lengths, std::span<double> scores);

 private:
  struct Part {
    CorpusCut documents;
    execution::DeviceArray<std::int32_t> words;
    std::vector<DocumentBatch> batches;
  };
  struct Tables {
    execution::DeviceArray<std::int64_t> offsets, scored_offsets;
    execution::DeviceArray<std::int32_t> rows, counts, order, scored_rows;
    execution::DeviceArray<double> factors, probabilities;
  };
  Tables tables_of(const DocumentBatch& batch) const;

  const std::int32_t topics_;
  const int em_steps_;
  const int threads_;
  const cudaStream_t stream_;
  std::vector<Part> parts_;
  std::vector<Tables> tables_;  // of the batches, one after the other
  execution::DeviceArray<double> phi_;
  execution::DeviceArray<double> scratch_;
};

}  // namespace papilio::lda
