#pragma once

#include <cstdint>
#include <memory>

#include "lda/training/sweep_cuda.h"

namespace papilio::lda {

// The sparse parallel sweep of a part of a corpus on a GPU, whose counts are those of all ranks: as
// make_sparse_sweep_of_rank has it on the CPU. By blocks of words where every rank has room for its tokens in `memory`
// bytes of its GPU and 32-bit numbers for them, else by ranges of documents where every rank has room for these. Throws
// DeviceError where memory is short, with the least that would do. Collective.
std::unique_ptr<CudaSweep> make_sparse_cuda_sweep_of_rank(const CudaStart& start, std::int64_t memory);

// By larger blocks of words than the CPU's. While a block's tokens are drawn, others are counted and added up. Tokens
// are put in order by word on the device if that takes at most `memory` bytes of it.
std::unique_ptr<CudaSweep> make_sparse_sweep_by_word_blocks(const CudaStart& start, std::int64_t memory);

// What that takes of the device for counts of words, beside tokens, lists and topics.
std::int64_t bytes_of_word_blocks(const CudaStart& start);

}  // namespace papilio::lda
