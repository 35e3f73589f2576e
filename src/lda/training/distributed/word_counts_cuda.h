#pragma once

#include <cstdint>

#include "lda/model/seeds.h"
#include "lda/training/sparse/parallel/draws_cuda.h"

// Counts of a block of words on a CUDA device, rows of `padded` from its first word on.

namespace papilio::lda {

// Adds the tokens of the items to rows: draw.frequent_next. `whole`: how many of the items, the last ones, are words
// with all of their tokens, those with many first.
template <class Entry>
void queue_word_counts(const SparseDraw<Entry>& draw, std::int64_t whole, cudaStream_t stream);

// Adds the weights of seed words, whose words are of the block.
void queue_seed_counts(const SeedWord* seeds, std::int64_t count, std::int64_t first_word, std::int32_t padded,
                       std::int32_t* rows, cudaStream_t stream);

}  // namespace papilio::lda
