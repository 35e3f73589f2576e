#pragma once

#include <optional>
#include <span>
#include <string>
#include <utility>
#include <variant>

#include "papilio/communicator.h"
#include "papilio/corpus.h"
#include "papilio/corpus_file.h"
#include "papilio/distributed.h"
#include "papilio/error.h"
#include "papilio/lda.h"

namespace papilio::python {

// A corpus as Python has it: in memory, mapped from a corpus file, or read by ranks together. It never changes.
class CorpusObject {
 public:
  explicit CorpusObject(Corpus corpus) : content_(std::move(corpus)) {}
  explicit CorpusObject(MappedCorpus corpus) : content_(std::move(corpus)) {}
  // One that ranks have verified together, each its own documents.
  CorpusObject(MappedCorpus corpus, CorpusIdentity identity, const Communicator& ranks)
      : content_(std::move(corpus)), shared_({std::move(identity), ranks.rank(), ranks.ranks()}) {}
  // One that ranks have read together: this process has the words of its own documents.
  CorpusObject(RankCorpus corpus, const Communicator& ranks)
      : content_(std::move(corpus)), shared_({of_rank()->identity(), ranks.rank(), ranks.ranks()}) {}

  // All of it. Throws InvalidArgument where this process has the words of one rank's documents alone, with what is
  // expected in its place.
  CorpusView view(const char* expected =
                      "a call with these ranks, or the whole corpus, by "
                      "papilio.distributed.gather_corpus or read_corpus without ranks") const {
    if (is_part()) throw InvalidArgument(refusal(expected));
    return content();
  }
  // For a call with these ranks (null: none), which reads no words but those of their own documents. Throws likewise
  // where the words that are here are those of others.
  CorpusView view(const Communicator* ranks) const { return identity(ranks) != nullptr ? content() : view(); }
  // All but the words, of which there are none in this view.
  CorpusView without_words() const {
    CorpusView frame = content();
    frame.words = {};
    return frame;
  }

  bool is_mapped() const { return std::holds_alternative<MappedCorpus>(content_); }
  // Whether the words of one rank's documents alone are here.
  bool is_part() const { return of_rank() != nullptr && shared_->ranks > 1; }
  // Null: the corpus was not read by ranks together.
  const RankCorpus* of_rank() const { return std::get_if<RankCorpus>(&content_); }

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

  CorpusView content() const {
    return std::visit([](const auto& corpus) { return corpus.view(); }, content_);
  }

  std::string refusal(const char* expected) const {
    const RankDocuments own = documents_of_rank(without_words(), shared_->rank, shared_->ranks);
    return "papilio.Corpus: rank " + std::to_string(shared_->rank) + " of " + std::to_string(shared_->ranks) +
           " has the words of documents " + std::to_string(own.first_document) + ":" +
           std::to_string(own.end_document) + " alone, as papilio.read_corpus(..., ranks=...) gives it; expected " +
           expected;
  }

  std::variant<Corpus, MappedCorpus, RankCorpus> content_;
  std::optional<Shared> shared_ = {};
};

}  // namespace papilio::python
