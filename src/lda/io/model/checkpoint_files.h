#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "lda/io/model/checkpoint_parts.h"
#include "lda/io/model/safetensors.h"
#include "papilio/distributed.h"
#include "papilio/lda.h"

namespace papilio::lda {

inline constexpr const char* previous_ending = ".previous";

// A tensor of a checkpoint by several ranks: the first token of each rank's part, and the end.
inline constexpr const char* first_tokens_tensor = "first_tokens";

// Writes the checkpoints of a run: one file; or over ranks a part each, and then one file by rank 0 that names them.
// No call is collective. Until the last file is in place, the checkpoint before is whole, and so is the one before
// that. All throw IoError.
class CheckpointFiles {
 public:
  // Borrows the corpus and options.ranks.
  CheckpointFiles(const CorpusView& corpus, const TrainOptions& options, std::string path);

  // Throws InvalidArgument for options out of range, and for a state that does not fit.
  void require(const ChainState& state) const;

  // Before the first file. Throws InvalidArgument for the identity of another corpus.
  void set_identity(const CorpusIdentity& of_corpus);
  bool has_identity() const { return !identity_.empty(); }

  // The ranks that share a checkpoint; null for one process.
  Communicator* ranks() const { return ranks_; }
  const CorpusView& corpus() const { return corpus_; }
  const TrainOptions& options() const { return options_; }

  // What this process begins with: its part, or the whole. Of the state all but z, which is the tensor.
  void write_topics(const ChainState& state, const TensorView& z) const;

  // The file of a checkpoint whose parts are whole, by rank 0.
  void write_names_of_parts(const ChainState& state) const;

 private:
  Metadata metadata_of(const ChainState& state) const;
  PartsOfCheckpoint parts_of(std::int64_t sweep) const;

  const CorpusView corpus_;
  const TrainOptions options_;
  const std::string path_;
  Communicator* const ranks_;
  Metadata identity_;
};

}  // namespace papilio::lda
