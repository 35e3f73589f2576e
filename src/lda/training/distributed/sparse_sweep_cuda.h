#pragma once

#include <cstdint>
#include <memory>

#include "lda/training/sweep_cuda.h"

namespace papilio::lda {

// The sparse parallel sweep over a part of a corpus on a GPU, by the counts of all ranks, like
// make_sparse_sweep_of_rank on the CPU. All ranks go by blocks of words if each of them has room for its tokens in
// `memory` bytes of its GPU and can number them with 32 bits; else all go by ranges of documents. Throws DeviceError if
// memory is too small; the message says how much is needed. Collective.
std::unique_ptr<CudaSweep> make_sparse_cuda_sweep_of_rank(const CudaStart& start, std::int64_t memory);

// The sweep by blocks of words, which are larger than the CPU's. While a block's tokens are drawn, others are counted
// and added up. Tokens are put in order by word on the device if that takes at most `memory` bytes of it.
std::unique_ptr<CudaSweep> make_sparse_sweep_by_word_blocks(const CudaStart& start, std::int64_t memory);

// How many bytes of the device its counts of words take, in addition to tokens, lists and topics.
std::int64_t bytes_of_word_blocks(const CudaStart& start);

}  // namespace papilio::lda
