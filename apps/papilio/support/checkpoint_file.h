#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>

#include "papilio/distributed.h"
#include "papilio/lda.h"
#include "support/exit_code.h"

// The checkpoint of a training run, and the one before it. What it tells goes to standard
// error, and never throws.
class CheckpointFile {
 public:
  // Borrows the corpus and the options.
  CheckpointFile(std::string path, const papilio::CorpusView& corpus, const papilio::TrainOptions& options);

  // Whether there is a checkpoint at the path, or one before it.
  static bool exists(const std::string& path);

  // Whether the file at the path belongs to this run, which has loaded or saved it.
  bool is_ours() const { return saved_sweep_.has_value(); }

  // Loads the newest whole one. A damaged one is reported and renamed to NAME.damaged, so that the next
  // save keeps the whole one. Throws CommandError, and what papilio::load_checkpoint throws.
  papilio::ChainState load();

  // What saves the chain while training goes on. Where that fails a message says so, after `before_message`, and the
  // checkpoint before stays. It lives as long as this.
  papilio::CheckpointWriter& writer(std::function<void()> before_message);

  // After what the writer has begun is finished. Throws CommandError.
  void save(const papilio::ChainState& topics);

  // Saves after a failure: at its own place, beside the model (`beside`), or in a new folder where temporary files go
  // ($TMPDIR, else /tmp), whatever works first. Returns the path. Throws CommandError that says why none did.
  std::string save_somewhere(const papilio::ChainState& topics, const std::string& beside);

 private:
  bool try_to_save(const papilio::ChainState& topics);
  void tell_failure(const CommandError& error) const;
  void set_aside_damaged() const;
  const papilio::CorpusIdentity& identity();

  const std::string path_;
  const papilio::CorpusView corpus_;
  const papilio::TrainOptions& options_;
  std::optional<papilio::CorpusIdentity> identity_;  // of the corpus, made once
  std::optional<std::int64_t> saved_sweep_;          // of the newest one that is whole
  std::optional<papilio::CheckpointWriter> writer_;
};
