#pragma once

#include <cstdint>

#include "execution/cuda/check.h"
#include "lda/evaluation/fold_in/word_lists_cuda.h"
#include "lda/training/log_joint/term_sums_cuda.h"
#include "lda/training/priors/count_histograms_cuda.h"
#include "lda/training/sparse/parallel/entries.h"
#include "lda/training/sparse/parallel/list_sizes.h"
#include "lda/training/sparse/parallel/topic_masses.h"
#include "lda/training/sparse/statistics.h"
#include "warp/portability.h"

// The sparse sampler on a CUDA device (docs/lda/sparse.md): what its kernels read and write, all in the memory
// of the current device. The draws are those of the CPU, bit for bit. Tokens are stored twice: z in the order of
// the corpus, from which the documents' lists of topics are made at the start of a sweep; and, by word, where
// each token of the word is. A block draws the tokens of one word, or some tokens of a frequent word, with the
// word's row of phi in shared memory.

namespace papilio::lda {

inline constexpr int chunk_topics = 8;    // a block keeps one running sum for this many topics
inline constexpr int row_multiple = 128;  // rows of phi are padded to a multiple of this

// If there are few enough topics, lists of short documents have short entries: 16 bits, of which the last
// count_bits are the count. A count of count_mask or more is stored as count_mask, and a NarrowEntry of that
// topic is appended to the list, in the list's order; the list's size then has the bit `has_large`. Other
// lists have an Entry for each topic.
struct ShortEntries {
  std::int32_t first_document = 0;  // the first that has such a list
  int count_bits = 0;
  PAPILIO_LANEWISE std::uint32_t count_mask() const { return (1u << count_bits) - 1; }
};
inline constexpr std::uint32_t has_large = 1u << 31;

// The tokens of a document that has several (longer documents come first) and its list, which has room for all topics
// that it can have; list.group counts units of list_unit bytes. Documents of one token follow: for them only the number
// of that token is stored, and their list is its topic.
struct alignas(16) SparseDocument {
  std::uint32_t first_token;
  std::uint32_t tokens;
  sparse::ListPlace list;
};

// Tokens of one word that one block draws.
struct SparseItem {
  std::uint32_t first;  // number of the first, in the order of words
  std::int32_t count;
  std::int32_t row;  // row in the frequent words' counts; -1 if the block has all tokens of the word
};

// The topics' masses, in the form that a device uses.
struct PaddedTopicMasses : sparse::TopicMasses {
  std::int32_t padded = 0;                     // topics rounded up to row_multiple; `inverse` is 0 from `topics` on
  const std::uint64_t* word_masses = nullptr;  // padded: a packed copy of TopicMass::word_mass; 0 from `topics` on

  // `inverse`, and so every phi computed from it, is multiplied by this. Then a count n can be multiplied
  // as the float that has its bits: these are n 2^-149, and 2^126 makes that n 2^-23. Products and sums
  // are rounded as without a scale if phi is above 2^-103. If beta is so small that phi might not be, the
  // scale is 1, and counts are converted.
  float scale = 1;
  float unscale = 1;  // 1 / scale

  static constexpr double least_scaled_beta = 0x1p-60;  // n_k is below 2^41
};

// The arrays in which they are made, and what they are made from.
struct TopicMassArrays {
  const std::int64_t* n_k = nullptr;
  const double* alpha = nullptr;
  double v_beta = 0;  // V beta
  float scale = 1;    // of `inverse`
  sparse::TopicMass* of = nullptr;
  float* inverse = nullptr;
  std::uint64_t* word_masses = nullptr;
  std::uint64_t* prior_sums = nullptr;
};

template <class Entry>
struct SparseLists {
  const typename Entry::Number* z = nullptr;
  SparseDocument* documents = nullptr;
  std::int32_t document_count = 0;  // those that have lists
  const std::uint32_t* single_tokens = nullptr;
  std::int64_t single_count = 0;
  ShortEntries short_entries;
  std::int32_t long_documents = 0;     // the first of them: those of more than longest_sorted tokens
  std::int32_t counted_documents = 0;  // the first of these: those that many blocks count
  const SparseItem* slices = nullptr;  // parts of their tokens; row: the document
  std::int64_t slice_count = 0;
  std::int32_t* counts = nullptr;  // counted_documents x topics, 0 between sweeps
  Entry* lists = nullptr;
  std::int32_t topics = 0;
  std::int64_t* n_k = nullptr;               // counts are added to it
  sparse::Statistics* statistics = nullptr;  // entries are added to it
};

template <class Entry>
struct SparseDraw {
  PaddedTopicMasses masses;
  const SparseItem* items = nullptr;
  std::int64_t item_count = 0;
  const std::int32_t* document = nullptr;         // of each token, in the order of words
  const typename Entry::Number* place = nullptr;  // and its place in its document
  const SparseDocument* documents = nullptr;
  std::int32_t listed_documents = 0;
  const std::uint32_t* single_tokens = nullptr;
  ShortEntries short_entries;
  const Entry* lists = nullptr;
  typename Entry::Number* z = nullptr;
  const std::int32_t* frequent = nullptr;  // rows of `padded` counts: n_wk at the start of the sweep
  std::int32_t* frequent_next = nullptr;   // the same, updated with z; null: no counts are
  std::uint64_t seed = 0;
  std::uint64_t stream = 0;
  std::uint64_t first_token = 0;  // number in the whole corpus of the token whose topic is z[0]
  bool removes = false;           // tokens are taken out of the counts
  bool by_pair = false;  // neighbouring tokens of one document share its sums, if a row and a list fit in shared memory
  bool gathers_changes = false;  // an item's changes are collected before frequent_next changes; not by pair
  bool counts = false;           // draws are counted by part, in `statistics`
  sparse::Statistics* statistics = nullptr;
  float* rows = nullptr;  // if a row of phi does not fit in shared memory: sparse_row_bytes for each block
};

// What a block keeps: phi of a word, the running sums of the word part, and the sums of its warps.
constexpr std::int64_t sparse_row_bytes(std::int32_t padded) {
  return std::int64_t{padded} * 4 + std::int64_t{padded} / chunk_topics * 8 + 16 * 8;
}

// The same with the changes of a frequent word's counts, which take the place of the warps' sums.
constexpr std::int64_t row_and_changes_bytes(std::int32_t padded) {
  return sparse_row_bytes(padded) - 16 * 8 + (padded * 2 > 16 * 8 ? std::int64_t{padded} * 2 : 16 * 8);
}

// What a block keeps for a word of up to `most` tokens if only the word's topics are kept (few_topics_cuda.cuh).
constexpr std::int64_t few_topics_bytes(std::int32_t padded, std::int32_t most) {
  return std::int64_t{padded} / 32 * 8 + std::int64_t{most} * 20 + 8;
}

// Whether a row, or this many bytes, fits in the shared memory of a block on the current device.
bool row_fits_in_shared(std::int32_t padded);
bool list_fits_in_shared(std::int32_t padded);  // a row and a list
bool fits_in_shared(std::int64_t bytes);

// The number of blocks of a draw whose rows are in global memory.
std::int64_t blocks_with_global_rows();

// Makes the lists of all documents.
template <class Entry>
void queue_sparse_lists(const SparseLists<Entry>& lists, cudaStream_t stream);

// Computes the masses, in the arrays of `arrays`.
void queue_topic_masses(const PaddedTopicMasses& masses, const TopicMassArrays& arrays, cudaStream_t stream);

// Adds up the columns of `rows` rows of `padded` counts, and adds the sums to n_k, which has `topics` topics.
void queue_column_sums(const std::int32_t* counts, std::int64_t rows, std::int32_t padded, std::int32_t topics,
                       std::int64_t* n_k, cudaStream_t stream);

// Draws the items. Each takes a block of 32, 128 or 512 threads, which changes no draw.
template <class Entry>
void queue_sparse_parallel_draws(const SparseDraw<Entry>& draw, int threads, cudaStream_t stream);

// The same for items that have all tokens of their words, at most tokens_of_rare each.
inline constexpr int tokens_of_rare = 4;
template <class Entry>
void queue_draws_of_rare_words(const SparseDraw<Entry>& draw, cudaStream_t stream);

// The same for items that have all tokens of their words, at most `tokens`: 8, 16 or 32. No row is made, and there
// are at most topics_with_rows topics.
template <class Entry>
void queue_draws_in_tables(const SparseDraw<Entry>& draw, int tokens, cudaStream_t stream);

// The same for items that have all tokens of their words, at most `most`, which is a multiple of 2. Only
// the topics that a word has are kept.
template <class Entry>
void queue_draws_of_few_topics(const SparseDraw<Entry>& draw, std::int32_t most, int threads, cudaStream_t stream);

// The terms of the likelihood: those of the lists' counts, and those of the counts of the items' words;
// each item has all tokens of its word.
template <class Entry>
void queue_list_terms(const SparseLists<Entry>& lists, const TermSums& sums, cudaStream_t stream);
template <class Entry>
void queue_item_terms(const SparseDraw<Entry>& draw, const TermSums& sums, cudaStream_t stream);

// Histograms of the same counts.
template <class Entry>
void queue_list_histograms(const SparseLists<Entry>& lists, const CountHistograms& histograms, cudaStream_t stream);
template <class Entry>
void queue_item_histogram(const SparseDraw<Entry>& draw, const CountHistograms& histograms, cudaStream_t stream);

// Writes counts to the places that `lists` has for them: list i is for the word of item i, which has all tokens of it.
// If the item's `row` is not -1, its counts are those in draw.frequent_next.
template <class Entry>
void queue_item_counts(const SparseDraw<Entry>& draw, const WordLists& lists, cudaStream_t stream);

// Adds the items' tokens to draw.frequent_next.
template <class Entry>
void queue_frequent_counts(const SparseDraw<Entry>& draw, cudaStream_t stream);

}  // namespace papilio::lda
