#include "support/checkpoint_file.h"

#include <fmt/format.h>

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <system_error>
#include <utility>

#include "support/files.h"
#include "support/job_ranks.h"
#include "support/output.h"
#include "support/text.h"

namespace {

namespace fs = std::filesystem;

// The approximate size of the file.
std::int64_t bytes_of(const papilio::CorpusView& corpus, std::int32_t topics) {
  constexpr std::int64_t header = 4096;
  const std::int64_t a_token = topics <= 1 << 8 ? 1 : topics <= 1 << 16 ? 2 : 4;
  return a_token * corpus.tokens() + 8 * std::int64_t{topics} + header;
}

}  // namespace

CheckpointFile::CheckpointFile(std::string path, const papilio::CorpusView& corpus,
                               const papilio::TrainOptions& options)
    : path_(std::move(path)), corpus_(corpus), options_(options) {}

bool CheckpointFile::exists(const std::string& path) {
  std::error_code error;
  return fs::is_regular_file(path, error) || fs::is_regular_file(papilio::previous_checkpoint(path), error);
}

const papilio::CorpusIdentity& CheckpointFile::identity() {
  if (!identity_ && options_.corpus_identity != nullptr) identity_ = *options_.corpus_identity;
  if (!identity_ && writer_) identity_ = writer_->identity();
  if (!identity_) identity_ = papilio::identity_of(corpus_);
  return *identity_;
}

papilio::ChainState CheckpointFile::load() {
  papilio::CheckpointReport report;
  papilio::ChainState topics =
      reading([&] { return papilio::load_checkpoint(corpus_, options_, path_, &report, &identity()); });
  if (!report.damage.empty()) {
    tell(fmt::format("papilio train: {}; continuing from {}, sweep {}\n", without_caller(report.damage), report.path,
                     topics.sweep));
    if (is_first(options_.ranks)) set_aside_damaged();
  }
  note_ = report.note;
  saved_sweep_ = topics.sweep;
  return topics;
}

void CheckpointFile::set_aside_damaged() const {
  std::error_code error;
  fs::rename(path_, path_ + ".damaged", error);
  if (error == std::errc::no_such_file_or_directory) return;  // the newest one is missing
  if (error) {
    throw CommandError(ExitCode::cannot_create,
                       fmt::format("cannot rename {} to {}.damaged: {}", path_, path_, error.message()));
  }
  tell(fmt::format("papilio train: the damaged checkpoint is now {}.damaged\n", path_));
}

papilio::CheckpointWriter& CheckpointFile::writer(std::function<void()> before_message) {
  papilio::CheckpointWriterOptions options;
  options.failed = [this, before_message = std::move(before_message)](const papilio::IoError& failure) {
    before_message();
    try {
      writing(path_, bytes_of(corpus_, options_.topics), [&] { throw papilio::IoError(failure); });
    } catch (const CommandError& error) {
      tell_failure(error);
    }
  };
  options.saved = [this](std::int64_t sweep) { saved_sweep_ = sweep; };
  options.identity = identity_;
  options.note = note_;
  return writer_.emplace(corpus_, options_, path_, std::move(options));
}

void CheckpointFile::save(const papilio::ChainState& topics) {
  writing(path_, bytes_of(corpus_, options_.topics),
          [&] { papilio::save_checkpoint(topics, corpus_, options_, path_, &identity(), note_); });
  saved_sweep_ = topics.sweep;
}

std::string CheckpointFile::save_somewhere(const papilio::ChainState& topics, const std::string& beside) {
  if (try_to_save(topics)) return path_;
  std::string failures;
  const auto saves = [&](const std::string& path) {
    try {
      papilio::save_checkpoint(topics, corpus_, options_, path, &identity(), note_);
      return true;
    } catch (const papilio::IoError& error) {
      failures += fmt::format("{}{}", failures.empty() ? "" : "; ", without_caller(error.what()));
      return false;
    }
  };
  if (beside != path_ && !exists(beside) && saves(beside)) return beside;
  const char* const named = std::getenv("TMPDIR");
  std::string folder = fmt::format("{}/papilio-XXXXXX", named == nullptr || *named == '\0' ? "/tmp" : named);
  if (mkdtemp(folder.data()) == nullptr) {
    throw CommandError(
        ExitCode::io_error,
        fmt::format("{}cannot create {}: {}", failures.empty() ? "" : failures + "; ", folder, std::strerror(errno)));
  }
  const std::string path = folder + "/" + fs::path(beside).filename().string();
  if (saves(path)) return path;
  std::error_code error;
  fs::remove(folder, error);
  throw CommandError(ExitCode::io_error, failures);
}

bool CheckpointFile::try_to_save(const papilio::ChainState& topics) {
  try {
    save(topics);
    return true;
  } catch (const CommandError& error) {
    tell_failure(error);
    return false;
  }
}

void CheckpointFile::tell_failure(const CommandError& error) const {
  tell(fmt::format(
      "papilio train: warning: {}; {}\n", without_caller(error.what()),
      saved_sweep_ ? fmt::format("the checkpoint of sweep {} is kept", *saved_sweep_) : "there is no checkpoint yet"));
}
