#pragma once

#include <cstdint>
#include <optional>

#include "execution/cuda/memory.h"
#include "lda/model/priors.h"
#include "lda/training/dense/blocks_cuda.h"
#include "lda/training/parameters/dirichlet_cuda.h"
#include "lda/training/parameters/removal_mass.h"
#include "lda/training/plan.h"
#include "lda/training/sequential/sparse_cuda.h"
#include "lda/training/sparse/by_document/draws_cuda.h"
#include "lda/training/sparse/statistics.h"
#include "papilio/lda.h"

namespace papilio::lda {

// The tables of sweeps over ranges of documents on a CUDA device, and the priors there.
struct TablesOnDevice {
  TablesOnDevice(const CorpusView& corpus, const TrainOptions& options, const Plan& plan);

  // How many bytes all of them need: at least what they take.
  static std::int64_t bytes_needed(const CorpusView& corpus, const TrainOptions& options, const Plan& plan);

  // How many bytes they take.
  std::int64_t bytes() const { return bytes_; }

  // Copies alpha, and waits until the copy is done.
  void set_priors(const Priors& priors, cudaStream_t stream);

  // For the priors that have been set, if draws are sparse and by document.
  sparse::PriorPart prior_part(const Priors& priors) const;

  execution::DeviceArray<std::int32_t> n_wk;    // V x count_stride, 0 past the last topic
  execution::DeviceArray<float> phi;            // Plan::phi_rows x topic_stride, 0 past the last topic
  execution::DeviceArray<std::int64_t> n_k;     // K
  execution::DeviceArray<double> alpha;         // K
  execution::DeviceArray<float> theta_at_zero;  // topic_stride: float(alpha), 0 past the last topic

  // If the plan wants them.
  execution::DeviceArray<RemovalMass> removal_masses;  // K
  execution::DeviceArray<std::int64_t> phi_sums;       // drawn_phi_workspace
  std::optional<ThetaPriorOnDevice> theta_prior;
  execution::DeviceArray<std::uint64_t> prior_totals;            // V, for sparse::PriorPart
  execution::DeviceArray<std::uint64_t> prior_sums;              // V x K / 64, likewise
  execution::DeviceArray<sparse::Statistics> sparse_statistics;  // 1
  execution::DeviceArray<double> sequential_masses;              // K, for SequentialDraw
  execution::DeviceArray<int> sequential_counts;                 // K, likewise
  SequentialSparseTables sequential_sparse;
  BlockTablesOnDevice block_tables;

 private:
  TablesOnDevice() = default;

  // Calls use(table, entries, what) for each of them except the block tables: see memory/device_tables_cuda.h.
  template <class Use>
  void for_each(const CorpusView& corpus, const TrainOptions& options, const Plan& plan, Use use);

  std::int64_t bytes_ = 0;
};

}  // namespace papilio::lda
