#pragma once

#include <cstdint>
#include <optional>

#include "execution/cuda/memory.h"
#include "lda/model/priors.h"
#include "lda/training/dense/blocks_cuda.h"
#include "lda/training/dense/parallel_cuda.h"
#include "lda/training/device/token_ranges_cuda.h"
#include "lda/training/parameters/dirichlet_cuda.h"
#include "lda/training/recipe.h"
#include "lda/training/sparse/by_document/draws_cuda.h"
#include "papilio/lda.h"

namespace papilio::lda {

// The tables of a chain on a CUDA device, and its priors.
struct TablesOnDevice {
  TablesOnDevice(const CorpusView& corpus, const TrainOptions& options);

  // What they all take, in bytes.
  static std::int64_t bytes(const CorpusView& corpus, const TrainOptions& options);

  static std::int64_t n_wk_stride_of(std::int32_t topics) { return base::round_up<std::int64_t>(topics, 4); }

  // Copies alpha; waits for it.
  void set_priors(const Priors& priors, cudaStream_t stream);

  // Of the priors that have been set; of draws that are sparse and in order.
  sparse::PriorPart prior_part(const Priors& priors) const;

  std::int64_t n_wk_stride;
  execution::DeviceArray<std::int32_t> n_wk;    // V x n_wk_stride, 0 behind the last topic
  execution::DeviceArray<float> phi;            // V x topic_stride, 0 behind the last topic; token by token one row
  execution::DeviceArray<std::int64_t> n_k;     // K
  execution::DeviceArray<double> alpha;         // K
  execution::DeviceArray<float> theta_at_zero;  // topic_stride: float(alpha), 0 behind the last topic

  // Where the options want them.
  execution::DeviceArray<TopicMass> masses;       // K
  execution::DeviceArray<std::int64_t> phi_sums;  // drawn_phi_workspace
  std::optional<ThetaPriorOnDevice> theta_prior;
  execution::DeviceArray<std::uint64_t> prior_totals;        // V, and
  execution::DeviceArray<std::uint64_t> prior_sums;          // V x K / 64, of sparse::PriorPart
  execution::DeviceArray<OrderedCounters> ordered_counters;  // 1
  BlockTablesOnDevice block_tables;
  execution::DeviceArray<double> sequential_masses;  // K, and
  execution::DeviceArray<int> sequential_counts;     // K, of SequentialDraw
};

// Whether draws are those of OrderedDraw.
bool draws_sparsely_in_order(const CorpusView& corpus, const TrainOptions& options);

// What the draws need of a range.
RangeNeeds range_needs(const CorpusView& corpus, const TrainOptions& options, const OrderedTuning& tuning);

}  // namespace papilio::lda
