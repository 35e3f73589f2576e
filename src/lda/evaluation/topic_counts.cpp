#include <cstdint>
#include <vector>

#include "base/check.h"
#include "execution/check_view.h"
#include "papilio/lda.h"

namespace papilio {
namespace {

using base::require;

void require_rows(const TopicCounts& counts) {
  const auto& offsets = counts.document_offsets;
  const auto entries = static_cast<std::int64_t>(counts.n_dk.size());
  require(!offsets.empty() && offsets.front() == 0,
          "papilio::TopicCounts: document_offsets must begin with 0 and have one entry more than documents");
  require(counts.document_topics.size() == counts.n_dk.size(),
          "papilio::TopicCounts: document_topics has {} entries and n_dk {}, expected the same number",
          counts.document_topics.size(), entries);
  for (std::size_t d = 0; d + 1 < offsets.size(); ++d) {
    require(offsets[d] <= offsets[d + 1] && offsets[d + 1] <= entries,
            "papilio::TopicCounts: document_offsets {} and {} of document {}, expected not to decrease, and at most {}",
            offsets[d], offsets[d + 1], d, entries);
  }
  require(offsets.back() == entries, "papilio::TopicCounts: document_offsets end with {}, expected {} entries",
          offsets.back(), entries);
}

// The number of tokens of each topic over all documents.
std::vector<std::int64_t> sum_of_rows(const TopicCounts& counts) {
  const std::size_t topics = counts.n_k.size();
  std::vector<std::int64_t> sum(topics);
  std::vector<std::int64_t> last_document(topics, -1);
  for (std::int64_t d = 0; d < counts.documents(); ++d) {
    const auto row = static_cast<std::size_t>(d);
    for (auto i = static_cast<std::size_t>(counts.document_offsets[row]);
         i < static_cast<std::size_t>(counts.document_offsets[row + 1]); ++i) {
      const std::int32_t topic = counts.document_topics[i];
      require(0 <= topic && static_cast<std::size_t>(topic) < topics,
              "papilio::TopicCounts: a topic of document {} is {}, expected 0 <= topic < {}", d, topic, topics);
      const auto k = static_cast<std::size_t>(topic);
      require(last_document[k] != d, "papilio::TopicCounts: document {} has topic {} twice", d, topic);
      require(counts.n_dk[i] >= 0, "papilio::TopicCounts: n_dk of document {}, topic {} is {}, expected 0 or more", d,
              topic, counts.n_dk[i]);
      last_document[k] = d;
      sum[k] += counts.n_dk[i];
    }
  }
  return sum;
}

std::vector<std::int64_t> sum_of_words(const TopicCounts& counts) {
  const std::size_t topics = counts.n_k.size();
  std::vector<std::int64_t> sum(topics);
  for (std::size_t i = 0; i < counts.n_wk.size(); ++i) {
    require(counts.n_wk[i] >= 0, "papilio::TopicCounts: n_wk of word {}, topic {} is {}, expected 0 or more",
            i / topics, i % topics, counts.n_wk[i]);
    sum[i % topics] += counts.n_wk[i];
  }
  return sum;
}

}  // namespace

std::int64_t TopicCounts::tokens() const {
  std::uint64_t sum = 0;
  for (const std::int64_t n : n_k) sum += static_cast<std::uint64_t>(n);
  return static_cast<std::int64_t>(sum);
}

void TopicCounts::verify() const {
  execution::require_span("TopicCounts", "document_offsets", document_offsets);
  execution::require_span("TopicCounts", "document_topics", document_topics);
  execution::require_span("TopicCounts", "n_dk", n_dk);
  execution::require_span("TopicCounts", "n_wk", n_wk);
  execution::require_span("TopicCounts", "n_k", n_k);
  require(!n_k.empty(), "papilio::TopicCounts: n_k is empty, expected a count for each topic");
  require(n_wk.size() % n_k.size() == 0, "papilio::TopicCounts: n_wk has {} entries, expected a multiple of K = {}",
          n_wk.size(), n_k.size());
  require_rows(*this);
  const std::vector<std::int64_t> of_documents = sum_of_rows(*this);
  const std::vector<std::int64_t> of_words = sum_of_words(*this);
  for (std::size_t k = 0; k < n_k.size(); ++k) {
    require(n_k[k] == of_documents[k] && n_k[k] == of_words[k],
            "papilio::TopicCounts: n_k of topic {} is {}, but its counts over documents sum to {}, over words to {}", k,
            n_k[k], of_documents[k], of_words[k]);
  }
}

}  // namespace papilio
