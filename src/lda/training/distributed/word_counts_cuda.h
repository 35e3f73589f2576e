#pragma once

#include <cstdint>

#include "lda/model/seeds.h"
#include "lda/training/sparse/parallel/draws_cuda.h"

// Counts of a block of words on a CUDA device: rows of `padded`, starting with the block's first word.

namespace papilio::lda {

// Adds the tokens of the items to the rows in draw.frequent_next. `whole`: how many items, at the end, are words with
// all of their tokens; those with more tokens come first.
template <class Entry>
void queue_word_counts(const SparseDraw<Entry>& draw, std::int64_t whole, cudaStream_t stream);

// Adds the weights of those seed words that are in the block.
void queue_seed_counts(const SeedWord* seeds, std::int64_t count, std::int64_t first_word, std::int32_t padded,
                       std::int32_t* rows, cudaStream_t stream);

}  // namespace papilio::lda
