#pragma once

#include <optional>
#include <utility>
#include <variant>

#include "papilio/communicator.h"
#include "papilio/corpus.h"
#include "papilio/corpus_file.h"
#include "papilio/lda.h"

namespace papilio::python {

// A corpus as Python has it: in memory, or mapped from a corpus file. It never changes.
class CorpusObject {
 public:
  explicit CorpusObject(Corpus corpus) : content_(std::move(corpus)) {}
  explicit CorpusObject(MappedCorpus corpus) : content_(std::move(corpus)) {}
  // One that ranks have verified together, each its own documents.
  CorpusObject(MappedCorpus corpus, CorpusIdentity identity, const Communicator& ranks)
      : content_(std::move(corpus)), shared_({std::move(identity), ranks.rank(), ranks.ranks()}) {}

  CorpusView view() const {
    return std::visit([](const auto& corpus) { return corpus.view(); }, content_);
  }
  bool is_mapped() const { return std::holds_alternative<MappedCorpus>(content_); }

  // For TrainOptions::corpus_identity: null where this rank's documents have not been verified as those of these ranks.
  const CorpusIdentity* identity(const Communicator* ranks) const {
    const bool is_shared =
        ranks != nullptr && shared_ && shared_->rank == ranks->rank() && shared_->ranks == ranks->ranks();
    return is_shared ? &shared_->identity : nullptr;
  }

 private:
  struct Shared {
    CorpusIdentity identity;
    int rank;
    int ranks;
  };

  std::variant<Corpus, MappedCorpus> content_;
  std::optional<Shared> shared_ = {};
};

}  // namespace papilio::python
