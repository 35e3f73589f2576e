#include "support/command_files.h"

#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cctype>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <optional>
#include <utility>

#include "papilio/texts.h"
#include "support/corpus_input.h"
#include "support/exit_code.h"
#include "support/files.h"
#include "support/interrupt.h"
#include "support/text.h"

namespace {

namespace fs = std::filesystem;
using Kind = papilio::OutputTarget::Kind;
using FileId = std::pair<dev_t, ino_t>;

// Nothing for a file that does not exist, and for a device: /dev/null may be named twice.
std::optional<FileId> file_id(const std::string& path) {
  struct stat found = {};
  if (stat(path.c_str(), &found) != 0 || S_ISCHR(found.st_mode)) return std::nullopt;
  return FileId{found.st_dev, found.st_ino};
}

bool is_file_name(const papilio::OutputTarget& target) {
  return target.kind == Kind::nothing || target.kind == Kind::file || target.kind == Kind::pipe;
}

std::string lower_case(std::string text) {
  std::transform(text.begin(), text.end(), text.begin(), [](unsigned char c) { return std::tolower(c); });
  return text;
}

// Whether two outputs are one file: the same inode, or the same name in the same folder. Names that differ only in case
// are one file on some file systems; on which ones cannot be known before the file exists.
bool are_one_file(const papilio::OutputTarget& a, const papilio::OutputTarget& b) {
  if (!is_file_name(a) || !is_file_name(b)) return false;
  const std::optional<FileId> file_a = file_id(a.path);
  if (file_a && file_a == file_id(b.path)) return true;
  const auto name = [](const std::string& path) { return lower_case(fs::path(path).filename().string()); };
  const std::optional<FileId> folder_a = file_id(folder_of(a.path));
  return folder_a && folder_a == file_id(folder_of(b.path)) && name(a.path) == name(b.path);
}

// Whether a folder of texts contains the file as a document. Hidden files, files in hidden folders, and files that
// papilio writes are not documents.
bool is_document_of(const std::string& folder, const std::string& file) {
  if (papilio::is_papilio_file_name(fs::path(file).filename().string())) return false;
  std::error_code error;
  const fs::path inside = fs::canonical(file, error).lexically_relative(fs::canonical(folder, error));
  if (error || inside.empty() || *inside.begin() == "..") return false;
  return std::none_of(inside.begin(), inside.end(), [](const fs::path& part) { return part.string().front() == '.'; });
}

bool is_input(const papilio::OutputTarget& output, const std::string& input) {
  if (output.kind != Kind::file && output.kind != Kind::pipe) return false;
  std::error_code error;
  if (fs::is_directory(input, error)) return is_document_of(input, output.path);
  const std::optional<FileId> file = file_id(output.path);
  return file && file == file_id(input);
}

[[noreturn]] void fail_creating(const std::string& path, const std::string& why) {
  throw CommandError(ExitCode::cannot_create, fmt::format("cannot create {}: {}", path, why));
}

}  // namespace

void CommandFiles::reads(const std::string& option, const std::string& path) {
  if (!path.empty() && path != "-") inputs_.push_back({option, path});
}

void CommandFiles::reads(const CorpusArguments& corpus, const std::string& option) {
  if (corpus.path.empty()) return;
  reads(option, corpus.path);
  reads("--vocabulary", corpus.vocabulary);
  for (const std::string& file : stop_word_lists(corpus.stop_words).files) reads("--stopwords", file);
  reads("--extra-stopwords", corpus.extra_stop_words);
  if (corpus.phrases.source != "auto") reads("--phrases", corpus.phrases.source);
  if (!corpus.vocabulary.empty() || corpus.path == "-") return;
  try {
    const CorpusFormat format =
        corpus.format == CorpusFormat::detect ? papilio::detect_corpus_format(corpus.path) : corpus.format;
    if (papilio::has_vocabulary_file(format)) {
      reads(fmt::format("the vocabulary of {}", option), papilio::find_vocabulary(corpus.path));
    }
  } catch (const papilio::Error&) {
    return;  // reported when the corpus is read
  }
}

void CommandFiles::writes(Output output) {
  if (!output.path.empty() && output.path != "-") outputs_.push_back(std::move(output));
}

void CommandFiles::reserve() {
  for (const Output& output : outputs_) require_creatable(output);
  require_distinct();
  remove_unfinished_at_signals();
  for (std::size_t i = 0; i < outputs_.size(); ++i) {
    const bool is_file = targets_[i].kind == Kind::nothing || targets_[i].kind == Kind::file;
    if (is_file && !outputs_[i].goes_with_last) keep_name(outputs_[i], targets_[i]);
  }
}

bool CommandFiles::writes_streams() const {
  return std::any_of(targets_.begin(), targets_.end(), [](const papilio::OutputTarget& target) {
    return target.kind == Kind::pipe || target.kind == Kind::descriptor;
  });
}

void CommandFiles::require_creatable(const Output& output) {
  if (output.goes_with_last && targets_.back().kind == Kind::device) {
    targets_.push_back(targets_.back());
    return;
  }
  const std::string& path = output.path;
  const std::string folder = folder_of(path);
  std::error_code error;
  if (!fs::is_directory(folder, error) && (error.value() == ENOENT || !error)) {
    fail_creating(path, fmt::format("folder {} does not exist", folder));
  }
  papilio::OutputTarget target;
  try {
    target = papilio::output_target(path);
  } catch (const papilio::IoError& problem) {
    fail_creating(path, std::strerror(problem.code));
  }
  if (target.kind == Kind::folder) fail_creating(path, "it is a folder");
  if (target.kind == Kind::other) fail_creating(path, "it is a socket or a block device, expected a file");
  if (!output.takes_streams && (target.kind == Kind::pipe || target.kind == Kind::descriptor)) {
    fail_creating(path, "it is a pipe or an open descriptor, expected a file");
  }
  const bool in_place = target.kind == Kind::pipe || target.kind == Kind::device;
  const std::string place = in_place ? target.path : folder_of(target.path);
  if (target.kind != Kind::descriptor && access(place.c_str(), in_place ? W_OK : W_OK | X_OK) != 0) {
    fail_creating(path, std::strerror(errno));
  }
  targets_.push_back(std::move(target));
}

void CommandFiles::require_distinct() const {
  for (std::size_t i = 0; i < outputs_.size(); ++i) {
    for (const Input& input : inputs_) {
      if (!is_input(targets_[i], input.path)) continue;
      throw CommandError(ExitCode::usage, fmt::format("{} {} would overwrite an input: {}, {}; choose another name",
                                                      outputs_[i].option, outputs_[i].path, input.option, input.path));
    }
    for (std::size_t j = 0; j < i; ++j) {
      // A checkpoint and the previous one can be two names of one file, if a run was killed at a certain moment.
      const bool is_pair = outputs_[i].goes_with_last && j + 1 == i;
      if (is_pair || !are_one_file(targets_[j], targets_[i])) continue;
      throw CommandError(ExitCode::usage,
                         fmt::format("{} {} and {} {} are the same file; give each its own name", outputs_[j].option,
                                     outputs_[j].path, outputs_[i].option, outputs_[i].path));
    }
  }
}

// Only a file that exists now may be replaced, never one that appears later.
void CommandFiles::keep_name(const Output& output, const papilio::OutputTarget& target) {
  using Existing = papilio::OutputReservation::Existing;
  const auto is_there = [&] {
    std::error_code error;
    return fs::is_regular_file(target.path, error);
  };
  const auto refuse = [&] {
    throw CommandError(ExitCode::cannot_create, fmt::format("{} exists; {}", output.path, output.advice));
  };
  const bool replaces = force_ || (output.may_replace && is_there());
  if (!replaces && is_there()) refuse();
  try {
    reservations_.emplace_back(output.path, replaces ? Existing::replaced : Existing::kept);
  } catch (const papilio::IoError& problem) {
    throw CommandError(means_denied(problem.code) ? ExitCode::cannot_create : ExitCode::io_error, problem.what());
  }
  if (!replaces && is_there()) refuse();  // another run has finished between the two checks
}
