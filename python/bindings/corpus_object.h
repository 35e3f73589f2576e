#pragma once

#include <utility>
#include <variant>

#include "papilio/corpus.h"
#include "papilio/corpus_file.h"

namespace papilio::python {

// A corpus as Python has it: in memory, or mapped from a corpus file. It never changes.
class CorpusObject {
 public:
  explicit CorpusObject(Corpus corpus) : content_(std::move(corpus)) {}
  explicit CorpusObject(MappedCorpus corpus) : content_(std::move(corpus)) {}

  CorpusView view() const {
    return std::visit([](const auto& corpus) { return corpus.view(); }, content_);
  }
  bool is_mapped() const { return std::holds_alternative<MappedCorpus>(content_); }

 private:
  std::variant<Corpus, MappedCorpus> content_;
};

}  // namespace papilio::python
