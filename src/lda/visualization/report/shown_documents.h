#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "lda/visualization/report/document_study.h"
#include "papilio/report.h"

namespace papilio::lda {

// The documents that are typical of some topic, each once, and how each begins.
struct ShownDocuments {
  std::vector<std::int64_t> documents;  // ascending
  std::vector<std::string> excerpts;    // of these
  bool are_words = true;                // the most frequent words of documents whose texts are not known

  // Where a document is among them.
  std::size_t place(std::int64_t document) const;
};

// Excerpts have at most that many characters. Throws InvalidArgument, "papilio::caller: ...", where
// `documents.texts` does not give one text per document asked for.
ShownDocuments show_documents(const DocumentStudy& study, const ReportDocuments& documents, std::size_t excerpt,
                              const char* caller);

}  // namespace papilio::lda
