#pragma once

#include <cstdint>
#include <vector>

#include "lda/io/model/safetensors.h"

namespace papilio::lda {

// The counts n_wk as three tensors, those of a matrix in compressed
// rows: only the entries that are not 0, sorted by word, then by topic.
inline constexpr const char* count_offsets_tensor = "n_wk_offsets";  // I64, V + 1: where each word's entries begin
inline constexpr const char* count_topics_tensor = "n_wk_topics";    // U8, U16 or I32, by K: the topic of each entry
inline constexpr const char* counts_tensor = "n_wk_counts";          // U8, U16 or I32, by the largest: its count

// The same counts in memory.
struct CompressedCounts {
  std::vector<std::int64_t> offsets;
  std::vector<std::int32_t> topics;
  std::vector<std::int32_t> counts;

  // The three tensors, which borrow from this object.
  std::vector<TensorView> tensors(std::int32_t topic_count) const;
};

// Whether a table of counts, V x K, is written in this way: if that takes at most half the space. Small tables are not.
bool is_written_sparse(const std::vector<std::int32_t>& n_wk);

// Runs on all threads. n_wk has whole rows of `topics` entries, none of them negative.
CompressedCounts compressed_counts(const std::vector<std::int32_t>& n_wk, std::int32_t topics);

// Reads the table, V x K, from the file's three tensors. Throws FormatError for what
// compressed_counts does not make, and for a table that would take more than half of
// the memory of the machine or the container: a small file may claim a large table.
std::vector<std::int32_t> read_compressed_counts(SafetensorsFile& file, std::int64_t words, std::int32_t topics);

}  // namespace papilio::lda
