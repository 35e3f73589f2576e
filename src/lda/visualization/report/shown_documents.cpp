#include "lda/visualization/report/shown_documents.h"

#include <algorithm>
#include <map>
#include <utility>

#include "base/check.h"
#include "lda/visualization/report/page_json.h"

namespace papilio {
namespace lda {
namespace {

constexpr std::size_t words_per_text = 40;

// The most frequent words of a document, for use if its text is unknown.
std::string frequent_words(const CorpusView& corpus, std::int64_t document) {
  std::map<std::int32_t, std::int64_t> counts;
  const auto begin = static_cast<std::size_t>(corpus.document_offsets[static_cast<std::size_t>(document)]);
  const auto end = static_cast<std::size_t>(corpus.document_offsets[static_cast<std::size_t>(document) + 1]);
  for (std::size_t i = begin; i < end; ++i) --counts[corpus.words[i]];
  std::vector<std::pair<std::int64_t, std::int32_t>> order;
  for (const auto& [word, negative] : counts) order.emplace_back(negative, word);
  std::sort(order.begin(), order.end());
  order.resize(std::min(order.size(), words_per_text));
  std::string text;
  for (const auto& [negative, word] : order) {
    if (!text.empty()) text += ' ';
    text += excerpt_of(corpus.vocabulary[static_cast<std::size_t>(word)], 24);
  }
  return text;
}

}  // namespace

std::size_t ShownDocuments::place(std::int64_t document) const {
  return static_cast<std::size_t>(std::lower_bound(documents.begin(), documents.end(), document) - documents.begin());
}

ShownDocuments show_documents(const DocumentStudy& study, const ReportDocuments& documents, std::size_t excerpt,
                              const char* caller) {
  ShownDocuments shown;
  for (const std::vector<LeadingDocument>& typical : study.typical) {
    for (const LeadingDocument& document : typical) shown.documents.push_back(document.document);
  }
  std::sort(shown.documents.begin(), shown.documents.end());
  shown.documents.erase(std::unique(shown.documents.begin(), shown.documents.end()), shown.documents.end());
  if (documents.texts && !shown.documents.empty()) {
    shown.are_words = false;
    shown.excerpts = documents.texts(shown.documents);
    base::require(shown.excerpts.size() == shown.documents.size(), "papilio::{}: texts gave {} texts for {} documents",
                  caller, shown.excerpts.size(), shown.documents.size());
  } else {
    for (const std::int64_t d : shown.documents) shown.excerpts.push_back(frequent_words(documents.corpus, d));
  }
  for (std::string& text : shown.excerpts) text = excerpt_of(text, excerpt);
  return shown;
}

}  // namespace lda

std::vector<std::vector<TypicalDocument>> typical_documents(const Model& model, const ReportDocuments& documents,
                                                            const ReportOptions& options) {
  constexpr const char* caller = "typical_documents";
  model.verify();
  documents.corpus.verify(options.threads);
  base::require(options.documents >= 0, "papilio::{}: documents is {}, expected at least 0", caller, options.documents);
  base::require(options.excerpt >= 1, "papilio::{}: excerpt is {}, expected at least 1", caller, options.excerpt);
  const lda::DocumentStudy study = lda::study_documents(model, documents.corpus, {}, 0, options);
  const lda::ShownDocuments shown =
      lda::show_documents(study, documents, static_cast<std::size_t>(options.excerpt), caller);
  std::vector<std::vector<TypicalDocument>> typical(study.typical.size());
  for (std::size_t k = 0; k < typical.size(); ++k) {
    for (const lda::LeadingDocument& one : study.typical[k]) {
      typical[k].push_back({one.document, one.share, shown.excerpts[shown.place(one.document)]});
    }
  }
  return typical;
}

}  // namespace papilio
