#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "base/function_ref.h"
#include "execution/cuda/memory.h"
#include "lda/evaluation/log_joint_terms.h"
#include "lda/model/priors.h"
#include "lda/training/device_ranks_cuda.h"
#include "lda/training/log_joint/term_sums_cuda.h"
#include "lda/training/memory/token_ranges_cuda.h"

namespace papilio::lda {

// papilio::log_joint for topics and counts that are on the current CUDA
// device, with its tables there.
class LogJointOnDevice {
 public:
  // Keeps references to corpus and seeds; counts include those of the seeds. Work is queued on the caller's
  // stream and waited for. With ranks, the corpus is the whole one; each rank has the terms of its own documents,
  // and the first also has those of the words.
  LogJointOnDevice(const CorpusView& corpus, const Seeds& seeds, const Priors& priors, cudaStream_t stream,
                   const DeviceRanks* ranks = nullptr);

  // The most bytes of the device that it takes; more if priors may differ between topics.
  static std::int64_t bytes_needed(const CorpusView& corpus, const Seeds& seeds, std::int32_t topics, bool asymmetric);

  // The bytes that it has taken.
  std::int64_t bytes() const;

  // The priors of the next likelihood; the tables are made again for them.
  void set_priors(const Priors& priors);

  // n_wk: all entries of the table; those past the last topic are 0.
  double operator()(TokenRanges& tokens, const execution::DeviceArray<std::int32_t>& n_wk,
                    const execution::DeviceArray<std::int64_t>& n_k);

  // The same; the caller queues the sums over all n_wk and all n_dk on its stream.
  using QueueTerms = base::FunctionRef<void(const TermSums&)>;
  double operator()(QueueTerms queue_words, QueueTerms queue_documents,
                    const execution::DeviceArray<std::int64_t>& n_k);

 private:
  // How many counts have their terms in a table, and how many tables there are.
  struct Tabulated {
    std::int64_t of_documents;
    std::int64_t document_tables;
    std::int64_t of_words;
  };

  // For n_dk and for n_wk: terms, and the counts that have none in the tables.
  struct TermTables {
    execution::DeviceArray<std::int64_t> document_terms, word_terms;
    execution::DeviceArray<LargeCount> larger_in_documents, larger_of_words;
    execution::DeviceArray<std::int32_t> larger_counts;  // entries of these two
    execution::DeviceArray<std::int64_t> sum;

    // Calls use(table, entries, what) for each: see memory/device_tables_cuda.h.
    template <class Use>
    void for_each(std::int64_t tokens, const Tabulated& counts, Use use);
  };

  Tabulated tabulated() const;
  void take_terms();
  std::int64_t larger_terms(const execution::DeviceArray<LargeCount>& larger, std::int32_t count,
                            const LogGammaRise& term) const;

  const CorpusView corpus_;
  const Seeds& seeds_;
  const std::int64_t counted_;  // tokens, plus the weights of seeds
  const cudaStream_t stream_;
  const DeviceRanks* const ranks_;
  LogJointTerms terms_;
  std::optional<Priors> next_priors_;  // if they differ from those of the terms
  std::int64_t sum_of_documents_ = 0;  // of the terms of document lengths
  TermTables tables_;
};

}  // namespace papilio::lda
