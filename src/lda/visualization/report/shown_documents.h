#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "lda/visualization/report/document_study.h"
#include "papilio/report.h"

namespace papilio::lda {

// The documents that are typical of some topic, each once, and the beginning of each.
struct ShownDocuments {
  std::vector<std::int64_t> documents;  // ascending
  std::vector<std::string> excerpts;    // one for each of these
  bool are_words = true;                // the texts are unknown: excerpts are the documents' most frequent words

  // The place of a document among them.
  std::size_t place(std::int64_t document) const;
};

// Excerpts have at most `excerpt` characters. Throws InvalidArgument, "papilio::caller: ...", if `documents.texts` does
// not return one text per document asked for.
ShownDocuments show_documents(const DocumentStudy& study, const ReportDocuments& documents, std::size_t excerpt,
                              const char* caller);

}  // namespace papilio::lda
