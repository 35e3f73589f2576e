#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>

#include "papilio/distributed.h"
#include "papilio/lda.h"
#include "support/exit_code.h"

// The checkpoint of a training run, and the previous
// one. Messages go to standard error and never throw.
class CheckpointFile {
 public:
  // Borrows the corpus and the options.
  CheckpointFile(std::string path, const papilio::CorpusView& corpus, const papilio::TrainOptions& options);

  // Whether there is a checkpoint at the path, or a previous one.
  static bool exists(const std::string& path);

  // What the checkpoints say to the program that resumes; load() sets it to what the loaded one says.
  void set_note(const std::string& note) { note_ = note; }
  const std::string& note() const { return note_; }

  // Whether the file at the path belongs to this run, because the run has loaded or saved it.
  bool is_ours() const { return saved_sweep_.has_value(); }

  // Loads the newest intact checkpoint. A damaged one is reported and renamed to NAME.damaged (over ranks by the
  // first), so that the next save keeps the intact one. Throws CommandError, and what papilio::load_checkpoint throws.
  papilio::ChainState load();

  // Saves the chain while training goes on. If that fails, a message says so, after a call of `before_message`, and the
  // previous checkpoint stays. The writer lives as long as this object.
  papilio::CheckpointWriter& writer(std::function<void()> before_message);

  // Saves after the writer has finished what it has begun. Throws CommandError.
  void save(const papilio::ChainState& topics);

  // Saves after a failure: to its own place, else beside the model (`beside`), else in a new folder among temporary
  // files ($TMPDIR, else /tmp). Returns the path. If all fail, throws CommandError that says why.
  std::string save_somewhere(const papilio::ChainState& topics, const std::string& beside);

 private:
  bool try_to_save(const papilio::ChainState& topics);
  void tell_failure(const CommandError& error) const;
  void set_aside_damaged() const;
  const papilio::CorpusIdentity& identity();

  const std::string path_;
  const papilio::CorpusView corpus_;
  const papilio::TrainOptions& options_;
  std::string note_;
  std::optional<papilio::CorpusIdentity> identity_;  // of the corpus, made once
  std::optional<std::int64_t> saved_sweep_;          // of the newest intact checkpoint
  std::optional<papilio::CheckpointWriter> writer_;
};
