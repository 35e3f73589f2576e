#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "papilio/report.h"

namespace papilio::lda {

// A topic's share of a document.
struct TopicShare {
  std::int32_t topic;
  float share;
};

// A document that is typical of a topic.
struct LeadingDocument {
  std::int64_t document;
  float share;                     // that the topic has of it
  std::vector<TopicShare> topics;  // its largest, largest first
};

// What the topics of documents say.
struct DocumentStudy {
  std::vector<std::vector<LeadingDocument>> typical;  // by topic: those with the largest shares of it, largest first
  std::vector<double> group_tokens;                   // G x K, the sum over documents of tokens x theta
  std::vector<std::int64_t> known_tokens;             // G
};

// Infers theta of all documents and keeps what the page shows. `group_of` has a group in [0, groups), or -1, for each
// document, or is empty. Documents without a word that the model knows are left out.
//
// Memory: 64 MiB of theta at a time. The same result for any number of threads.
DocumentStudy study_documents(const Model& model, const CorpusView& corpus, std::span<const std::int32_t> group_of,
                              std::size_t groups, const ReportOptions& options);

}  // namespace papilio::lda
