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

// The sparse sampler on a CUDA device (docs/lda/sparse.md): what its kernels read and write,
// all of it in the memory of the current device. The draws are those of the CPU, bit for bit.
// Tokens are stored twice: z in the order of the corpus, from which documents' lists of topics are made at
// the beginning of a sweep; and, by word, where each token of the word is. A block draws the tokens of
// one word, or some of those of a frequent word, with the word's row of phi in shared memory.

namespace papilio::lda {

inline constexpr int chunk_topics = 8;    // whose running sum a block keeps
inline constexpr int row_multiple = 128;  // rows of phi are padded to

// Lists of short documents, where there are few enough topics for it, have short entries: 16 bits, of which the last
// count_bits are the count. Where the count is count_mask or more they are count_mask, and a NarrowEntry of the topic
// is among those that follow the list, in its order; the list's size then has the bit `has_large`. Other lists have an
// Entry for each topic.
struct ShortEntries {
  std::int32_t first_document = 0;  // that has such a list
  int count_bits = 0;
  PAPILIO_LANEWISE std::uint32_t count_mask() const { return (1u << count_bits) - 1; }
};
inline constexpr std::uint32_t has_large = 1u << 31;

// The tokens of a document that has several (longer documents come first) and its list, which has room for all the
// topics that it can have: list.group counts list_unit bytes. The documents of one token, which follow, have that
// token's number alone: their lists are their topics.
struct alignas(16) SparseDocument {
  std::uint32_t first_token;
  std::uint32_t tokens;
  sparse::ListPlace list;
};

// Tokens of one word that a block draws.
struct SparseItem {
  std::uint32_t first;  // of the tokens by word
  std::int32_t count;
  std::int32_t row;  // of the frequent words' counts; -1 where the block has all tokens of the word
};

// Masses of topics as a device has them.
struct PaddedTopicMasses : sparse::TopicMasses {
  std::int32_t padded = 0;                     // topics, to row_multiple; `inverse` is 0 from `topics` on
  const std::uint64_t* word_masses = nullptr;  // padded: TopicMass::word_mass once more, packed; 0 from `topics` on

  // `inverse` is multiplied by this, and so is every phi that comes from it. A count n is a float if it is multiplied
  // by its bits: they are n 2^-149 as a float, and 2^126 makes that n 2^-23. Products and sums are rounded as they are
  // without a scale where phi is above 2^-103. Where beta is so small that it might not be, the scale is 1, and counts
  // are converted.
  float scale = 1;
  float unscale = 1;  // 1 / scale

  static constexpr double least_scaled_beta = 0x1p-60;  // n_k is below 2^41
};

// Where they are made, and what of.
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
  std::int32_t document_count = 0;  // that have lists
  const std::uint32_t* single_tokens = nullptr;
  std::int64_t single_count = 0;
  ShortEntries short_entries;
  std::int32_t long_documents = 0;     // the first of them, those of more than longest_sorted tokens
  std::int32_t counted_documents = 0;  // the first of these, which many blocks count
  const SparseItem* slices = nullptr;  // of their tokens; row: the document
  std::int64_t slice_count = 0;
  std::int32_t* counts = nullptr;  // counted_documents x topics: 0 between sweeps
  Entry* lists = nullptr;
  std::int32_t topics = 0;
  std::int64_t* n_k = nullptr;               // added to
  sparse::Statistics* statistics = nullptr;  // entries are added to
};

template <class Entry>
struct SparseDraw {
  PaddedTopicMasses masses;
  const SparseItem* items = nullptr;
  std::int64_t item_count = 0;
  const std::int32_t* document = nullptr;         // of each token by word
  const typename Entry::Number* place = nullptr;  // likewise
  const SparseDocument* documents = nullptr;
  std::int32_t listed_documents = 0;
  const std::uint32_t* single_tokens = nullptr;
  ShortEntries short_entries;
  const Entry* lists = nullptr;
  typename Entry::Number* z = nullptr;
  const std::int32_t* frequent = nullptr;  // rows of `padded` counts: n_wk of the sweep's start
  std::int32_t* frequent_next = nullptr;   // the same, which follow z; null: no counts do
  std::uint64_t seed = 0;
  std::uint64_t stream = 0;
  std::uint64_t first_token = 0;  // the number in the whole corpus of the token that z[0] belongs to
  bool removes = false;           // tokens are taken out of the counts
  bool by_pair = false;  // neighbours of one document share its sums, where a row and a list fit in shared memory
  bool gathers_changes = false;  // of an item's counts, before frequent_next is changed; not by pair
  bool counts = false;           // draws by their parts, which are added to
  sparse::Statistics* statistics = nullptr;
  float* rows = nullptr;  // where a row of phi has no room in shared memory: sparse_row_bytes for each block
};

// What a block keeps: phi of a word, the running sums of the word part, and those of its warps.
constexpr std::int64_t sparse_row_bytes(std::int32_t padded) {
  return std::int64_t{padded} * 4 + std::int64_t{padded} / chunk_topics * 8 + 16 * 8;
}

// The same with the changes of a frequent word's counts, which are where the sums of warps were.
constexpr std::int64_t row_and_changes_bytes(std::int32_t padded) {
  return sparse_row_bytes(padded) - 16 * 8 + (padded * 2 > 16 * 8 ? std::int64_t{padded} * 2 : 16 * 8);
}

// What a block keeps of a word of up to `most` tokens whose topics alone are kept (few_topics_cuda.cuh).
constexpr std::int64_t few_topics_bytes(std::int32_t padded, std::int32_t most) {
  return std::int64_t{padded} / 32 * 8 + std::int64_t{most} * 20 + 8;
}

// Whether the current device has room for a row, or for this many bytes, in a block's shared memory.
bool row_fits_in_shared(std::int32_t padded);
bool list_fits_in_shared(std::int32_t padded);  // and a list
bool fits_in_shared(std::int64_t bytes);

// Blocks of a draw whose rows are in global memory.
std::int64_t blocks_with_global_rows();

// Makes the lists of all documents.
template <class Entry>
void queue_sparse_lists(const SparseLists<Entry>& lists, cudaStream_t stream);

// Makes the masses, whose arrays are those of `arrays`.
void queue_topic_masses(const PaddedTopicMasses& masses, const TopicMassArrays& arrays, cudaStream_t stream);

// Adds the columns of `rows` rows of `padded` counts up: to n_k, of `topics` topics.
void queue_column_sums(const std::int32_t* counts, std::int64_t rows, std::int32_t padded, std::int32_t topics,
                       std::int64_t* n_k, cudaStream_t stream);

// Draws the items, each by a block of 32, 128 or 512 threads, which changes no draw.
template <class Entry>
void queue_sparse_parallel_draws(const SparseDraw<Entry>& draw, int threads, cudaStream_t stream);

// The same of items that have all tokens of their words, at most tokens_of_rare.
inline constexpr int tokens_of_rare = 4;
template <class Entry>
void queue_draws_of_rare_words(const SparseDraw<Entry>& draw, cudaStream_t stream);

// The same of items that have all tokens of their words, at most `tokens`: 8, 16 or 32; no row is made, and
// there are at most topics_with_rows topics.
template <class Entry>
void queue_draws_in_tables(const SparseDraw<Entry>& draw, int tokens, cudaStream_t stream);

// The same of items that have all tokens of their words, at most `most`, which is a multiple of 2; only the topics that
// a word has are kept.
template <class Entry>
void queue_draws_of_few_topics(const SparseDraw<Entry>& draw, std::int32_t most, int threads, cudaStream_t stream);

// The terms of the likelihood: of the lists' counts, and of the counts of the items' words, each of
// which has all tokens of its word.
template <class Entry>
void queue_list_terms(const SparseLists<Entry>& lists, const TermSums& sums, cudaStream_t stream);
template <class Entry>
void queue_item_terms(const SparseDraw<Entry>& draw, const TermSums& sums, cudaStream_t stream);

// Histograms of the same counts.
template <class Entry>
void queue_list_histograms(const SparseLists<Entry>& lists, const CountHistograms& histograms, cudaStream_t stream);
template <class Entry>
void queue_item_histogram(const SparseDraw<Entry>& draw, const CountHistograms& histograms, cudaStream_t stream);

// Counts in the places that `lists` has for them: list i is of the word of item i, which has all tokens of it; the
// counts of one whose `row` is not -1 are those of draw.frequent_next.
template <class Entry>
void queue_item_counts(const SparseDraw<Entry>& draw, const WordLists& lists, cudaStream_t stream);

// Adds the items' tokens to draw.frequent_next.
template <class Entry>
void queue_frequent_counts(const SparseDraw<Entry>& draw, cudaStream_t stream);

}  // namespace papilio::lda
