#pragma once

#include <memory>
#include <optional>

#include "lda/training/sparse/parallel/by_word/tokens_by_word_cuda.h"
#include "lda/training/sparse/parallel/item_draws_cuda.h"
#include "lda/training/sweep_cuda.h"

namespace papilio::lda {

// Sparse sweeps of all tokens at once, with the same draws as make_sparse_parallel_sweep on the CPU. They take at most
// `memory` bytes of the device: with the whole corpus on it if it fits, else by ranges of documents. Throws DeviceError
// if memory is too small; the message says how much is needed.
std::unique_ptr<CudaSweep> make_sparse_parallel_sweep(const CudaStart& start, std::int64_t memory,
                                                      const SparseParallelTuning& tuning);

// How many bytes of a device the sweeps of a corpus, or of a rank's part, take: in one piece, at most, in addition to
// `others`; and by ranges of documents, at least. One piece is possible if 32 bits can number the tokens.
struct SparseNeeds {
  bool has_numbers = false;
  std::int64_t in_one_piece = 0;
  std::int64_t by_ranges = 0;
};
SparseNeeds sparse_needs(const CudaStart& start, std::int64_t others);

// Throws DeviceError.
[[noreturn]] void refuse_sparse_draws(const CudaStart& start, std::int64_t needed, std::int64_t memory);

// Sweeps by ranges of documents, even if there is room for all. With start.ranks, for a rank's
// part; all ranks must call it.
std::unique_ptr<CudaSweep> make_sparse_sweep_by_ranges(const CudaStart& start, std::int64_t memory,
                                                       const SparseParallelTuning& tuning);

// What the sweeps with the whole corpus on the device need: its layout, and the bytes of tokens and counts of words.
// Tokens are put in order by word on the device if that takes at most `memory` bytes, else on the host.
template <class Entry>
struct SparseLayoutMade {
  SparseLayout layout;
  std::optional<TokensByWord<typename Entry::Number>> by_word;  // if it is made on the device
};
template <class Entry>
SparseLayoutMade<Entry> sparse_layout(const CudaStart& start, const SparseParallelTuning& tuning, std::int64_t memory);
template <class Entry>
std::int64_t bytes_in_one_piece(const CudaStart& start, const SparseLayout& layout);
template <class Entry>
std::unique_ptr<CudaSweep> make_sweep_in_one_piece(const CudaStart& start, const SparseParallelTuning& tuning,
                                                   SparseLayoutMade<Entry> made);

}  // namespace papilio::lda
