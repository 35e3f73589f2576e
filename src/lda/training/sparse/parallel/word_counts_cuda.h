#pragma once

#include <cstdint>
#include <span>

#include "lda/training/sparse/parallel/draws_cuda.h"

namespace papilio::lda {

// Counts the topics of all words on the current device, from the arrays of `draw`, in at most `budget` further
// bytes: writes n_wk, V x K on the host, and adds to n_k, K on the device. Returns false if so little memory does
// not help; then nothing has been done.
template <class Entry>
bool count_words_on_device(SparseDraw<Entry> draw, std::span<const std::int64_t> word_offsets, std::int64_t budget,
                           int threads, std::span<std::int32_t> n_wk, std::int64_t* n_k, cudaStream_t stream);

}  // namespace papilio::lda
