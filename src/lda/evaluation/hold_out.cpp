#include "base/check.h"
#include "lda/model/checked_on_threads.h"
#include "papilio/evaluation.h"

namespace papilio {

HeldOutSplit hold_out_every(const CorpusView& corpus, std::int64_t every) {
  return lda::hold_out_every(corpus, every, 0);
}

HeldOutSplit lda::hold_out_every(const CorpusView& corpus, std::int64_t every, int threads) {
  base::require(every >= 2, "papilio::hold_out_every: every is {}, expected at least 2", every);
  corpus.verify(threads);
  HeldOutSplit split;
  split.training.vocabulary.assign(corpus.vocabulary.begin(), corpus.vocabulary.end());
  split.held_out.vocabulary = split.training.vocabulary;
  for (std::int64_t d = 0; d < corpus.documents(); ++d) {
    Corpus& part = d % every == every - 1 ? split.held_out : split.training;
    const auto place = static_cast<std::size_t>(d);
    part.words.insert(part.words.end(), corpus.words.begin() + corpus.document_offsets[place],
                      corpus.words.begin() + corpus.document_offsets[place + 1]);
    part.document_offsets.push_back(static_cast<std::int64_t>(part.words.size()));
    if (!corpus.document_names.empty()) {
      part.document_names.push_back(corpus.document_names[place]);
    }
  }
  return split;
}

}  // namespace papilio
