#pragma once

#include <cstdint>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "lda/io/model/safetensors.h"
#include "papilio/distributed.h"

// The topics of a checkpoint that several ranks made: a file per rank beside the checkpoint, which has no topics itself
// but says which files hold them. A file's name tells sweep and rank, so that files of a checkpoint that was never
// finished replace none of an older one.

namespace papilio::lda {

// What the parts of a checkpoint have in common.
struct PartsOfCheckpoint {
  std::string checkpoint;  // its path
  std::string identity;    // of corpus and options
  std::int64_t sweep = 0;
  std::int32_t topics = 0;                 // K
  std::vector<std::int64_t> first_tokens;  // ranks + 1: of each rank, and the end

  std::int64_t ranks() const { return static_cast<std::int64_t>(first_tokens.size()) - 1; }
  std::string path_of(std::int64_t rank) const;
};

// Writes the part of a rank, the tensor of its topics z. Throws IoError.
void write_part(const PartsOfCheckpoint& parts, int rank, const TensorView& z);

// The topics of the tokens [first, end) of the corpus, from the parts that hold them. Throws IoError, and FormatError
// for what write_part has not written for this checkpoint.
std::vector<std::int32_t> read_parts(const PartsOfCheckpoint& parts, std::int64_t first, std::int64_t end);

// Removes the parts beside a checkpoint, but those of these sweeps. What cannot be removed stays.
void remove_parts(const std::string& checkpoint, const std::set<std::int64_t>& kept_sweeps) noexcept;

}  // namespace papilio::lda
