#pragma once

#include <cstdint>
#include <vector>

#include "base/function_ref.h"
#include "execution/cuda/memory.h"
#include "lda/model/count_histogram.h"
#include "lda/model/optimize_priors.h"
#include "lda/training/device_ranks_cuda.h"
#include "lda/training/priors/count_histograms_cuda.h"
#include "lda/training/priors/prior_search_cuda.h"

namespace papilio::lda {

// optimize_priors for topics and counts on the current CUDA device, with its tables there. Gives the same bits.
class OptimizedPriorsOnDevice {
 public:
  // Keeps a reference to seeds, which are included in counts. Work is queued on the caller's stream and waited for.
  // With ranks, the corpus is the whole one; each rank has the n_dk of its own documents, and every n_wk.
  OptimizedPriorsOnDevice(const CorpusView& corpus, const Seeds& seeds, std::int32_t topics, cudaStream_t stream,
                          const DeviceRanks* ranks = nullptr);

  // How many bytes of the device it takes.
  static std::int64_t bytes_needed(const CorpusView& corpus, const Seeds& seeds, std::int32_t topics);
  std::int64_t bytes() const { return bytes_; }

  // Replaces the priors. `queue_words` and `queue_documents` queue all n_wk, in any order, and all n_dk on
  // the stream, or before it continues.
  using Queue = base::FunctionRef<void(const CountHistograms&)>;
  void operator()(Queue queue_words, Queue queue_documents, const execution::DeviceArray<std::int64_t>& n_k,
                  Priors& priors);

 private:
  // A histogram that the host has made, copied to the device.
  struct Uploaded {
    void set(const CountHistogram& counts, cudaStream_t stream);
    FinishedHistogram<std::uint64_t> finished() const;

    execution::DeviceArray<std::uint64_t> from;
    execution::DeviceArray<std::int64_t> large;
    std::int64_t terms = 0;
    std::int64_t larges = 0;
  };

  struct Tables {
    execution::DeviceArray<std::uint32_t> topic_rows;  // K x topic_stride
    execution::DeviceArray<std::uint32_t> word_rows;
    execution::DeviceArray<std::uint64_t> words;  // word_stride
    execution::DeviceArray<LargeCount> larger_in_documents, larger_of_words;
    execution::DeviceArray<std::int32_t> larger_counts;  // entries of these two
    execution::DeviceArray<std::int64_t> large_in_documents, large_of_words, large_offsets;
    execution::DeviceArray<double> alpha, beta;
    execution::DeviceArray<AlphaSearchState> state;

    // Calls use(table, entries, what) for each: see memory/device_tables_cuda.h.
    template <class Use>
    void for_each(const CorpusView& corpus, const Seeds& seeds, std::int32_t topics, Use use);
  };

  std::int64_t take_larger(const execution::DeviceArray<std::int64_t>& n_k);
  void search(std::int64_t large_of_words, Priors& priors);

  const Seeds& seeds_;
  const std::int64_t words_;
  const std::int32_t topics_;
  const cudaStream_t stream_;
  const DeviceRanks* const ranks_;
  const std::int64_t topic_stride_;
  execution::Stream beside_;  // searches for beta beside alpha
  Tables tables_;
  std::int64_t bytes_ = 0;
  Uploaded lengths_, totals_, seed_words_, seed_topics_;
};

}  // namespace papilio::lda
