#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "base/function_ref.h"
#include "execution/cuda/memory.h"
#include "lda/evaluation/document_batch.h"
#include "lda/evaluation/fold_in/word_lists_cuda.h"

namespace papilio::lda {

template <class T>
execution::DeviceArray<T> array_on_device(std::span<const T> values, const char* what, cudaStream_t stream) {
  execution::DeviceArray<T> array(std::ssize(values), what);
  if (!values.empty()) array.upload(values.data(), std::ssize(values), stream);
  return array;
}

// The lists of words on the current CUDA device.
class ListsOnDevice {
 public:
  ListsOnDevice() = default;
  ListsOnDevice(std::int64_t most_words, std::int32_t topics)
      : topics_(topics),
        reciprocals_(topics, "masses of topics"),
        entries_(most_words * WordLists{.topics = topics}.stride(), "topics of words"),
        sizes_(most_words, "topics of words") {}

  // The lists of `count` words, which are in the device's memory.
  WordLists of(const std::int32_t* words, std::int64_t count) {
    return {words, count, topics_, reciprocals_.data(), entries_.data(), sizes_.data()};
  }

 private:
  std::int32_t topics_ = 0;
  execution::DeviceArray<double> reciprocals_;
  execution::DeviceArray<std::uint32_t> entries_, sizes_;
};

// The documents of a corpus on the current CUDA device, which are
// completed again and again with different models of the same words.
class CompletionOnDevice {
 public:
  // Takes at most about `memory` bytes of the device, and the tables of one batch of documents; all of it now, so that
  // later calls do not run out of memory. Work is put on the stream; reads of the host's memory are waited for. Throws
  // DeviceError if the words of a document do not fit.
  CompletionOnDevice(const CorpusView& corpus, const WordMap& map, const CompletionOptions& options,
                     std::int32_t topics, std::int64_t memory, cudaStream_t stream);

  // Makes the lists of the words of `lists`, and the reciprocals of
  // topics' masses. `words` are the same words in the host's memory.
  using QueueLists = base::FunctionRef<void(const WordLists& lists, std::span<const std::int32_t> words)>;

  // For each document: the number of its known tokens, and ln of the
  // probability of those that are scored. alpha: K, on the device.
  void operator()(QueueLists queue_lists, const double* alpha, double beta, std::span<std::int64_t> lengths,
                  std::span<double> scores);

 private:
  struct Part {
    CorpusCut documents;
    execution::DeviceArray<std::int32_t> words;
    std::vector<DocumentBatch> batches;
  };
  // How many entries the tables of some batches have at most.
  struct Sizes {
    std::int64_t offsets = 0, scored_offsets = 0, rows = 0, counts = 0, order = 0, scored_rows = 0;
    void include(const DocumentBatch& batch);
    std::int64_t bytes() const;
  };
  struct Tables {
    Tables() = default;
    explicit Tables(const Sizes& sizes);
    execution::DeviceArray<std::int64_t> offsets, scored_offsets;
    execution::DeviceArray<std::int32_t> rows, counts, order, scored_rows;
    execution::DeviceArray<double> factors, probabilities;
  };
  void upload(const DocumentBatch& batch, Tables& tables) const;

  const std::int32_t topics_;
  const int em_steps_;
  const int threads_;
  const cudaStream_t stream_;
  std::vector<Part> parts_;
  std::vector<Tables> kept_;  // of the first batches, one after the other, in at most half of the memory
  Tables passing_;            // with room for each of the others, which are uploaded whenever they are used
  ListsOnDevice lists_;
  execution::DeviceArray<double> scratch_;
};

}  // namespace papilio::lda
