#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <new>
#include <string>
#include <string_view>

#include "base/check.h"
#include "lda/io/bytes/atomic_file.h"
#include "lda/io/bytes/origin.h"
#include "lda/io/model/agreed.h"
#include "lda/io/model/checkpoint_files.h"
#include "lda/io/model/checkpoint_identity.h"
#include "lda/io/model/checkpoint_parts.h"
#include "lda/io/model/corpus_identity.h"
#include "lda/io/model/other_format.h"
#include "lda/io/model/safetensors.h"
#include "lda/model/options.h"
#include "papilio/distributed.h"
#include "papilio/error.h"
#include "papilio/lda.h"

namespace papilio {
namespace {

Start start_of(const lda::SafetensorsFile& file) {
  for (const Start start : {Start::uniform, Start::progressive}) {
    if (file.metadata("start") == name(start)) return start;
  }
  file.fail(fmt::format("start is {}, expected uniform or progressive", lda::quoted(file.metadata("start"))));
}

std::string_view without_caller(std::string_view message) {
  constexpr std::string_view caller = "papilio::load_checkpoint: ";
  return message.starts_with(caller) ? message.substr(caller.size()) : message;
}

// The topics of a checkpoint that several ranks wrote.
std::vector<std::int32_t> topics_of_parts(lda::SafetensorsFile& file, const CorpusView& corpus,
                                          const TrainOptions& options, const lda::Metadata& expected,
                                          const std::string& path, std::int64_t sweep, const RankDocuments& own) {
  const lda::Shape shape = file.shape(lda::first_tokens_tensor);
  if (shape.size() != 1) file.fail("first_tokens is not a list");
  // The previous checkpoint has been renamed; its parts have not.
  const std::string checkpoint = path.ends_with(lda::previous_ending)
                                     ? path.substr(0, path.size() - std::string_view(lda::previous_ending).size())
                                     : path;
  const lda::PartsOfCheckpoint parts = {checkpoint, lda::hash_of_identity(expected), sweep, options.topics,
                                        file.read<std::int64_t>(lda::first_tokens_tensor, shape)};
  if (parts.ranks() < 1 || parts.first_tokens.front() != 0 || parts.first_tokens.back() != corpus.tokens() ||
      !std::is_sorted(parts.first_tokens.begin(), parts.first_tokens.end())) {
    file.fail("first_tokens are not those of parts of the corpus");
  }
  try {
    return lda::read_parts(parts, own.first_token, own.end_token);
  } catch (const IoError& error) {
    file.fail(fmt::format("a part is missing: {}", without_caller(error.what())));
  }
}

ChainState load_one(const CorpusView& corpus, const TrainOptions& options, const lda::Metadata& expected,
                    const std::string& path, std::string& note) {
  const RankDocuments own = lda::own_documents(corpus, options);
  lda::SafetensorsFile file(path, "load_checkpoint");
  lda::require_identity(file, expected, path);
  const bool has_note = file.metadata().count(lda::note_key) > 0;
  note = has_note ? file.metadata(lda::note_key) : "";
  if (file.metadata().size() != expected.size() + (has_note ? 4 : 3)) {
    file.fail("the metadata has entries that a checkpoint does not have");
  }
  ChainState topics;
  topics.sweep = file.metadata_int("sweep");
  topics.beta = file.metadata_double("beta");
  topics.start = start_of(file);
  const char* const of_topics = file.has_tensor(lda::first_tokens_tensor) ? lda::first_tokens_tensor : "z";
  if (file.has_tensor("alpha")) {
    file.require_tensors({"alpha", of_topics});
    topics.alpha = file.read<double>("alpha", {options.topics});
  } else {
    file.require_tensors({of_topics});
  }
  if (of_topics == lda::first_tokens_tensor) {
    topics.z = topics_of_parts(file, corpus, options, expected, path, topics.sweep, own);
  } else {
    topics.z = file.read_small_numbers("z", corpus.tokens(), options.topics);
    topics.z.erase(topics.z.begin() + own.end_token, topics.z.end());
    topics.z.erase(topics.z.begin(), topics.z.begin() + own.first_token);
  }
  try {
    base::require(topics.sweep >= 0, "sweep is {}, expected 0 or more", topics.sweep);
    lda::require_own_topics(corpus, options, topics, "load_checkpoint");
    lda::require_checkpoint_priors(topics, options);
  } catch (const InvalidArgument& error) {
    file.fail(error.what());
  }
  return topics;
}

// Whether the previous checkpoint may be better: the file is missing, or the disk has lost a part of it.
bool is_lost(const IoError& error) { return error.code == ENOENT || error.code == EIO; }

}  // namespace

std::string previous_checkpoint(const std::string& path) { return lda::follow_links(path) + lda::previous_ending; }

// Removes the previous one first: if only one of the two remains, it is the newest.
void remove_checkpoint(const std::string& path) noexcept {
  try {
    lda::remove_abandoned(path);
    for (const std::string& file : {previous_checkpoint(path), lda::follow_links(path)}) ::unlink(file.c_str());
    lda::remove_parts(path, {});
  } catch (const std::bad_alloc&) {
    return;
  }
}

void save_checkpoint(const ChainState& topics, const CorpusView& corpus, const TrainOptions& options,
                     const std::string& path, const CorpusIdentity* of_corpus, const std::string& note) {
  lda::CheckpointFiles files(corpus, options, path, note);
  lda::agreed(files.ranks(), [&] {
    files.require(topics);
    files.set_identity(lda::known_identity(corpus, options, of_corpus, "save_checkpoint"));
    files.write_topics(topics, lda::small_numbers_view("z", topics.z, options.topics));
  });
  if (files.ranks() == nullptr) return;
  lda::agreed(files.ranks(), [&] {
    if (files.ranks()->rank() == 0) files.write_names_of_parts(topics);
  });
}

ChainState load_checkpoint(const CorpusView& corpus, const TrainOptions& options, const std::string& path,
                           CheckpointReport* report, const CorpusIdentity* of_corpus) {
  lda::require_options(options, "load_checkpoint");
  const lda::Metadata expected = lda::checkpoint_identity(corpus, options, of_corpus, "load_checkpoint");
  Communicator* const ranks = lda::trains_over_ranks(options) ? options.ranks : nullptr;
  const auto load = [&](const std::string& from, const std::string& damage) {
    ChainState topics;
    std::string note;
    lda::agreed(ranks, [&] { topics = load_one(corpus, options, expected, from, note); });
    if (report != nullptr) *report = {from, damage, note};
    return topics;
  };
  const auto load_previous = [&](const auto& newest) {
    try {
      return load(previous_checkpoint(path), newest.what());
    } catch (const IoError& error) {
      if (error.code == ENOENT) throw newest;  // no previous one: nothing to say about it
      throw;
    } catch (const Error& error) {
      throw FormatError(fmt::format("{}; and {}", newest.what(), without_caller(error.what())));
    }
  };
  try {
    return load(path, "");
  } catch (const lda::OtherFormat&) {
    throw;
  } catch (const FormatError& error) {
    return load_previous(error);
  } catch (const IoError& error) {
    if (!is_lost(error)) throw;
    return load_previous(error);
  }
}

}  // namespace papilio
