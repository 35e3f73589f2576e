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
  float share;                     // the topic's share of the document
  std::vector<TopicShare> topics;  // the document's largest topics, largest first
};

// What is known from the topics of documents.
struct DocumentStudy {
  std::vector<std::vector<LeadingDocument>> typical;  // by topic: the documents with the largest shares of it, in order
  std::vector<double> group_tokens;                   // G x K, the sum over documents of tokens x theta
  std::vector<std::int64_t> known_tokens;             // G
};

// Infers theta of all documents and keeps what the page shows. `group_of` is empty, or has for each document a group in
// [0, groups) or -1. Documents without a word that the model knows are left out.
//
// Memory: 64 MiB of theta at a time. The result is the same for any number of threads.
DocumentStudy study_documents(const Model& model, const CorpusView& corpus, std::span<const std::int32_t> group_of,
                              std::size_t groups, const ReportOptions& options);

}  // namespace papilio::lda
