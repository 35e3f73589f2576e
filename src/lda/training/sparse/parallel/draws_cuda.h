#pragma once

#include <cstdint>

#include "execution/cuda/check.h"
#include "lda/training/log_joint/term_sums_cuda.h"

// The sparse sampler on a CUDA device (docs/lda/sparse.md): what its kernels read and write,
// all of it in the memory of the current device. The draws are those of the CPU, bit for bit.
//
// Tokens lie twice: z in the order of the corpus, from which documents' lists of topics are made at
// the beginning of a sweep; and, by word, where each token of the word is. A block draws the tokens of
// one word, or some of those of a frequent word, with the word's row of phi in shared memory.

namespace papilio::lda {

// How tokens and lists are stored: as long as documents have less than 2^16 tokens and
// there are at most 2^16 topics, in 12 bytes a token altogether.
struct NarrowPacking {
  using Topic = std::uint16_t;
  using Place = std::uint16_t;  // of a token in its document
  using Entry = std::uint32_t;  // of a list: a topic and its count
  static constexpr int bits = 16;
};
struct WidePacking {
  using Topic = std::uint32_t;
  using Place = std::uint32_t;
  using Entry = std::uint64_t;
  static constexpr int bits = 32;
};

inline constexpr int list_lanes = 8;      // of the order in which a list is summed
inline constexpr int chunk_topics = 8;    // whose running sum a block keeps
inline constexpr int row_multiple = 128;  // rows of phi are padded to

// A document's tokens (there are some; longer documents come first) and its list, which has room for all the topics
// that it can have: list_lanes entries at a time, zeros behind the last.
struct alignas(16) SparseDocument {
  std::uint32_t first_token;
  std::uint32_t tokens;
  std::uint32_t list;     // where it begins, in units of list_lanes entries
  std::uint32_t entries;  // topics with a count
};

// Tokens of one word that a block draws.
struct SparseItem {
  std::uint32_t first;  // of the tokens by word
  std::int32_t count;
  std::int32_t row;  // of the frequent words' counts; -1 where the block has all tokens of the word
};

// What taking a token out of its topic asks for: one sector of memory.
struct alignas(16) SparseTopic {
  double alpha;
  double reciprocal;        // r_k = 1 / ((n_k - 1) + V beta), 0 for a topic without tokens
  std::uint64_t unit;       // a_k
  std::uint64_t smoothing;  // b_k
};

// Of topics, at the sweep's start.
struct SparseTopics {
  std::int32_t topics = 0;
  std::int32_t padded = 0;             // to row_multiple; `inverse` is 0 from `topics` on
  const double* alpha = nullptr;       // K
  SparseTopic* records = nullptr;      // K
  float* inverse = nullptr;            // float(1 / y_k), y_k = n_k + V beta; 0 for a topic without tokens
  std::uint64_t* unit = nullptr;       // a_k: what a token of the word adds to the word part
  std::uint64_t* smoothing = nullptr;  // B_k: running sums of the smoothing part
  double beta = 0;
  double prior_mass = 0;  // V beta
  double scale = 0;       // 2^s, and 2^-s: units of the integers are 2^-s
  double inverse_scale = 0;
};

// Sums of a sweep.
struct SparseCounters {
  unsigned long long entries;    // of all lists
  unsigned long long own;        // draws of what the old topic weighs without the token,
  unsigned long long document;   // from the document part,
  unsigned long long word;       // from the word part,
  unsigned long long smoothing;  // and from the smoothing part
};

template <class Packing>
struct SparseLists {
  const typename Packing::Topic* z = nullptr;
  SparseDocument* documents = nullptr;
  std::int32_t document_count = 0;
  std::int32_t long_documents = 0;  // the first of them, those of more than longest_sorted tokens
  typename Packing::Entry* lists = nullptr;
  std::int32_t topics = 0;
  std::int64_t* n_k = nullptr;         // added to
  SparseCounters* counters = nullptr;  // entries are added to
};

// Documents of at most so many tokens are sorted by a warp; longer ones are counted by a block.
inline constexpr std::int32_t longest_sorted = 512;

template <class Packing>
struct SparseDraw {
  SparseTopics topics;
  const SparseItem* items = nullptr;
  std::int64_t item_count = 0;
  const std::int32_t* document = nullptr;          // of each token by word
  const typename Packing::Place* place = nullptr;  // likewise
  const SparseDocument* documents = nullptr;
  const typename Packing::Entry* lists = nullptr;
  typename Packing::Topic* z = nullptr;
  const std::int32_t* frequent = nullptr;  // rows of `padded` counts: n_wk of the sweep's start
  std::int32_t* frequent_next = nullptr;   // the same, which follow z
  std::uint64_t seed = 0;
  std::uint64_t stream = 0;
  bool removes = false;  // tokens are taken out of the counts
  bool counts = false;   // the sweep is summed up in
  SparseCounters* counters = nullptr;
  float* rows = nullptr;  // where a row of phi has no room in shared memory: sparse_row_bytes for each block
};

// What a block keeps: phi of a word, the running sums of the word part, and those of its warps.
constexpr std::int64_t sparse_row_bytes(std::int32_t padded) {
  return std::int64_t{padded} * 4 + std::int64_t{padded} / chunk_topics * 8 + 16 * 8;
}

// Whether the current device has room for that in a block's shared memory.
bool row_fits_in_shared(std::int32_t padded);

// Blocks of a draw whose rows are in global memory.
std::int64_t blocks_with_global_rows();

// Makes the lists of all documents.
template <class Packing>
void queue_sparse_lists(const SparseLists<Packing>& lists, cudaStream_t stream);

// All that a sweep needs of topics, from n_k.
void queue_sparse_topics(const SparseTopics& topics, const std::int64_t* n_k, cudaStream_t stream);

// Draws the items, each by a block of 32, 128 or 512 threads, which changes no draw.
template <class Packing>
void queue_sparse_parallel_draws(const SparseDraw<Packing>& draw, int threads, cudaStream_t stream);

// The terms of the likelihood: of the lists' counts, and of the counts of the items' words, each of
// which has all tokens of its word.
template <class Packing>
void queue_list_terms(const SparseLists<Packing>& lists, const TermSums& sums, cudaStream_t stream);
template <class Packing>
void queue_item_terms(const SparseDraw<Packing>& draw, const TermSums& sums, cudaStream_t stream);

// Adds the items' tokens to draw.frequent_next.
template <class Packing>
void queue_frequent_counts(const SparseDraw<Packing>& draw, cudaStream_t stream);

}  // namespace papilio::lda
