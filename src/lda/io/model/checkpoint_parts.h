#pragma once

#include <cstdint>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "lda/io/model/safetensors.h"
#include "papilio/distributed.h"

// The topics of a checkpoint that several ranks wrote: one file per rank beside the checkpoint, which has no topics
// itself but says which files have them. A file's name contains the sweep and the rank, so that files of a checkpoint
// that was never finished do not replace those of an older one.

namespace papilio::lda {

// What the parts of a checkpoint have in common.
struct PartsOfCheckpoint {
  std::string checkpoint;  // its path
  std::string identity;    // of corpus and options
  std::int64_t sweep = 0;
  std::int32_t topics = 0;                 // K
  std::vector<std::int64_t> first_tokens;  // ranks + 1: that of each rank, and the end

  std::int64_t ranks() const { return static_cast<std::int64_t>(first_tokens.size()) - 1; }
  std::string path_of(std::int64_t rank) const;
};

// Writes the part of a rank: the tensor z of its topics. Throws IoError.
void write_part(const PartsOfCheckpoint& parts, int rank, const TensorView& z);

// The topics of tokens [first, end) of the corpus, from the parts that contain them. Throws IoError, and FormatError
// for parts that write_part has not written for this checkpoint.
std::vector<std::int32_t> read_parts(const PartsOfCheckpoint& parts, std::int64_t first, std::int64_t end);

// Removes the parts beside a checkpoint, except those of `kept_sweeps`. Files that cannot be removed stay.
void remove_parts(const std::string& checkpoint, const std::set<std::int64_t>& kept_sweeps) noexcept;

}  // namespace papilio::lda
