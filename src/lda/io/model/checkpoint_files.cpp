#include "lda/io/model/checkpoint_files.h"

#include <fmt/format.h>

#include <new>
#include <set>
#include <utility>

#include "base/check.h"
#include "lda/corpus/utf8.h"
#include "lda/io/bytes/origin.h"
#include "lda/io/model/checkpoint_identity.h"
#include "lda/model/options.h"

namespace papilio::lda {
namespace {

constexpr const char* caller_of_writes = "save_checkpoint";

std::vector<TensorView> tensors_of(const ChainState& state) {
  std::vector<TensorView> tensors;
  if (!state.alpha.empty()) tensors.push_back(tensor_view("alpha", {std::ssize(state.alpha)}, state.alpha));
  return tensors;
}

}  // namespace

void require_note(const std::string& note, const char* caller) {
  base::require(find_ill_formed(note) == std::string::npos, "papilio::{}: note is {}, expected UTF-8", caller,
                lda::quoted(note));
}

CheckpointFiles::CheckpointFiles(const CorpusView& corpus, const TrainOptions& options, std::string path,
                                 std::string note)
    : corpus_(corpus),
      options_(options),
      path_(std::move(path)),
      note_(std::move(note)),
      ranks_(trains_over_ranks(options) ? options.ranks : nullptr) {}

void CheckpointFiles::require(const ChainState& state) const {
  require_options(options_, caller_of_writes);
  require_note(note_, caller_of_writes);
  base::require(state.sweep >= 0, "papilio::save_checkpoint: sweep is {}, expected 0 or more", state.sweep);
  require_own_topics(corpus_, options_, state, caller_of_writes);
  require_checkpoint_priors(state, options_);
  base::require(state.start == Start::uniform || state.start == Start::progressive,
                "papilio::save_checkpoint: the chain started as {}, expected uniform or progressive",
                name(state.start));
}

void CheckpointFiles::set_identity(const CorpusIdentity& of_corpus) {
  identity_ = checkpoint_identity(corpus_, options_, &of_corpus, caller_of_writes);
}

void CheckpointFiles::write_topics(const ChainState& state, const TensorView& z) const {
  if (ranks_ != nullptr) return write_part(parts_of(state.sweep), ranks_->rank(), z);
  std::vector<TensorView> tensors = tensors_of(state);
  tensors.push_back(z);
  write_safetensors(path_, metadata_of(state), tensors, caller_of_writes, previous_ending);
  remove_other_parts({});
}

void CheckpointFiles::write_names_of_parts(const ChainState& state) const {
  const PartsOfCheckpoint parts = parts_of(state.sweep);
  std::vector<TensorView> tensors = tensors_of(state);
  tensors.push_back(tensor_view(first_tokens_tensor, {std::ssize(parts.first_tokens)}, parts.first_tokens));
  write_safetensors(path_, metadata_of(state), tensors, caller_of_writes, previous_ending);
  remove_other_parts({state.sweep});
}

void CheckpointFiles::remove_other_parts(std::set<std::int64_t> kept) const noexcept {
  try {
    kept.insert(SafetensorsFile(previous_checkpoint(path_), caller_of_writes).metadata_int("sweep"));
  } catch (const Error&) {  // there is none, or it is damaged
  } catch (const std::bad_alloc&) {
    return;
  }
  remove_parts(path_, kept);
}

Metadata CheckpointFiles::metadata_of(const ChainState& state) const {
  Metadata metadata = identity_;
  metadata["sweep"] = std::to_string(state.sweep);
  metadata["beta"] = fmt::format("{}", state.beta);
  metadata["start"] = name(state.start);
  if (!note_.empty()) metadata[note_key] = note_;
  return metadata;
}

PartsOfCheckpoint CheckpointFiles::parts_of(std::int64_t sweep) const {
  PartsOfCheckpoint parts = {path_, hash_of_identity(identity_), sweep, options_.topics, {0}};
  for (int rank = 0; rank < ranks_->ranks(); ++rank) {
    parts.first_tokens.push_back(documents_of_rank(corpus_, rank, ranks_->ranks()).end_token);
  }
  return parts;
}

}  // namespace papilio::lda
