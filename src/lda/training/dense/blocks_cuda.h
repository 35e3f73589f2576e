#pragma once

#include <cstdint>

#include "execution/cuda/memory.h"
#include "lda/training/dense/parallel_cuda.h"
#include "papilio/sampling.h"

// Draws of topics on a CUDA device by the methods of the papers, with the same tables and sums as on the CPU, bit for
// bit. They are for study and comparison; fast training draws by slots.

namespace papilio::lda {

// Tables for the warps that draw at the same time. Draws that share them must not overlap.
struct BlockTables {
  PartialSums method = PartialSums::prefix;  // any method but slots
  float* tables = nullptr;
  std::int64_t table_size = 0;  // in floats
  std::int64_t warps = 0;
};

// The same with memory of their own; empty for slots.
class BlockTablesOnDevice {
 public:
  BlockTablesOnDevice() = default;
  BlockTablesOnDevice(PartialSums method, std::int32_t topics, std::int64_t tokens);

  // For the current device. Throws InvalidArgument if there are too many topics for a table.
  static std::int64_t bytes_needed(PartialSums method, std::int32_t topics, std::int64_t tokens);

  std::int64_t bytes() const { return memory_.bytes(); }

  const BlockTables& get() const { return tables_; }

 private:
  BlockTables tables_;
  execution::DeviceArray<float> memory_;
};

// Like queue_parallel_draws; also draws the refused tokens.
void queue_parallel_draws_by_blocks(const TopicDraw& draw, const BlockTables& tables, void* cuda_stream);

// Like queue_by_document_draws. `rows` has 2 * topic_stride(topics) floats for each document of the items.
void queue_by_document_draws_by_blocks(const TopicDraw& draw, const double* alpha, float* rows,
                                       const BlockTables& tables, void* cuda_stream);

}  // namespace papilio::lda
