#pragma once

#include <cstdint>
#include <set>
#include <string>
#include <vector>

#include "lda/io/model/checkpoint_parts.h"
#include "lda/io/model/safetensors.h"
#include "papilio/distributed.h"
#include "papilio/lda.h"

namespace papilio::lda {

inline constexpr const char* previous_ending = ".previous";
inline constexpr const char* note_key = "note";  // in the metadata, unless the note is empty

// A tensor of a checkpoint that several ranks wrote: the first token of each rank's part, and the end of the last part.
inline constexpr const char* first_tokens_tensor = "first_tokens";

// Throws InvalidArgument, in the name of `caller`, for a note that is not UTF-8.
void require_note(const std::string& note, const char* caller);

// Writes the checkpoints of a run: one file; over ranks, one part per rank, and then a file by rank 0 that names the
// parts. No call is collective. Until the last file is in place, the previous checkpoint is intact, and so is the one
// before it. All functions throw IoError.
class CheckpointFiles {
 public:
  // Borrows the corpus and options.ranks.
  CheckpointFiles(const CorpusView& corpus, const TrainOptions& options, std::string path, std::string note);

  // Throws InvalidArgument for options out of range, for a state that does not fit them, and for a note that is not
  // UTF-8.
  void require(const ChainState& state) const;

  // Call it before the first file is written. Throws InvalidArgument for the identity of another corpus.
  void set_identity(const CorpusIdentity& of_corpus);
  bool has_identity() const { return !identity_.empty(); }

  // The ranks that share a checkpoint; null for one process.
  Communicator* ranks() const { return ranks_; }
  const CorpusView& corpus() const { return corpus_; }
  const TrainOptions& options() const { return options_; }

  // The first file of this process: its part, or the whole checkpoint, which leaves no parts that ranks wrote but those
  // of the previous checkpoint. `state` gives all but z, which is the tensor.
  void write_topics(const ChainState& state, const TensorView& z) const;

  // Rank 0 writes the file of a checkpoint whose parts are complete.
  void write_names_of_parts(const ChainState& state) const;

 private:
  // Removes the parts that belong neither to a sweep of `kept` nor to the previous checkpoint.
  void remove_other_parts(std::set<std::int64_t> kept) const noexcept;

  Metadata metadata_of(const ChainState& state) const;
  PartsOfCheckpoint parts_of(std::int64_t sweep) const;

  const CorpusView corpus_;
  const TrainOptions options_;
  const std::string path_;
  const std::string note_;  // for whoever resumes
  Communicator* const ranks_;
  Metadata identity_;
};

}  // namespace papilio::lda
