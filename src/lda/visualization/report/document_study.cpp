#include "lda/visualization/report/document_study.h"

#include <algorithm>
#include <cstddef>
#include <utility>

#include "lda/model/checked_on_threads.h"
#include "papilio/evaluation.h"

namespace papilio::lda {
namespace {

constexpr std::int64_t theta_at_a_time = std::int64_t{1} << 24;  // floats
constexpr std::size_t topics_per_document = 4;

// Documents [first, first + count) of a corpus, as a corpus of their own.
class Slice {
 public:
  Slice(const CorpusView& corpus, std::int64_t first, std::int64_t count) : corpus_(corpus) {
    const auto begin = corpus.document_offsets.begin() + first;
    offsets_.assign(begin, begin + count + 1);
    words_ = corpus.words.subspan(static_cast<std::size_t>(offsets_.front()),
                                  static_cast<std::size_t>(offsets_.back() - offsets_.front()));
    for (std::int64_t& offset : offsets_) offset -= *begin;
  }

  CorpusView view() const { return {offsets_, words_, corpus_.vocabulary, {}}; }

 private:
  const CorpusView& corpus_;
  std::vector<std::int64_t> offsets_;
  std::span<const std::int32_t> words_;
};

std::vector<TopicShare> largest_topics(std::span<const float> theta) {
  std::vector<TopicShare> all;
  for (std::size_t k = 0; k < theta.size(); ++k) all.push_back({static_cast<std::int32_t>(k), theta[k]});
  const auto middle = all.begin() + static_cast<std::ptrdiff_t>(std::min(topics_per_document, all.size()));
  std::partial_sort(all.begin(), middle, all.end(), [](const TopicShare& a, const TopicShare& b) {
    return a.share != b.share ? a.share > b.share : a.topic < b.topic;
  });
  all.erase(middle, all.end());
  return all;
}

// The documents with the largest shares of each topic, so far.
class Leaders {
 public:
  Leaders(std::int32_t topics, int documents)
      : most_(static_cast<std::size_t>(documents)), of_topic_(static_cast<std::size_t>(topics)) {}

  void offer(std::int64_t document, std::span<const float> theta) {
    std::vector<TopicShare> largest;
    for (std::size_t k = 0; k < theta.size() && most_ > 0; ++k) {
      std::vector<LeadingDocument>& leaders = of_topic_[k];
      if (leaders.size() == most_ && theta[k] <= leaders.back().share) continue;
      if (largest.empty()) largest = largest_topics(theta);
      // Comes after documents with the same share, whose numbers are lower.
      const auto place =
          std::upper_bound(leaders.begin(), leaders.end(), theta[k],
                           [](float share, const LeadingDocument& leader) { return share > leader.share; });
      leaders.insert(place, {document, theta[k], largest});
      if (leaders.size() > most_) leaders.pop_back();
    }
  }

  std::vector<std::vector<LeadingDocument>> take() { return std::move(of_topic_); }

 private:
  std::size_t most_;
  std::vector<std::vector<LeadingDocument>> of_topic_;
};

}  // namespace

DocumentStudy study_documents(const Model& model, const CorpusView& corpus, std::span<const std::int32_t> group_of,
                              std::size_t groups, const ReportOptions& options) {
  const auto topics = static_cast<std::size_t>(model.topics);
  const WordMap map = map_words(model, corpus, options.threads);
  Leaders leaders(model.topics, options.documents);
  DocumentStudy study = {{}, std::vector<double>(groups * topics), std::vector<std::int64_t>(groups)};
  const std::int64_t step = std::max<std::int64_t>(1, theta_at_a_time / model.topics);
  for (std::int64_t first = 0; first < corpus.documents(); first += step) {
    const Slice slice(corpus, first, std::min(step, corpus.documents() - first));
    const CorpusView part = slice.view();
    const DocumentTopics theta =
        infer(model, part,
              {.sweeps = options.sweeps, .burn_in = options.burn_in, .seed = options.seed, .threads = options.threads});
    for (std::int64_t d = 0; d < part.documents(); ++d) {
      const auto begin = part.words.begin() + part.document_offsets[static_cast<std::size_t>(d)];
      const auto end = part.words.begin() + part.document_offsets[static_cast<std::size_t>(d) + 1];
      const auto known = std::count_if(
          begin, end, [&](std::int32_t word) { return map.model_words[static_cast<std::size_t>(word)] >= 0; });
      if (known == 0) continue;
      const std::span<const float> row(theta.row(d), topics);
      leaders.offer(first + d, row);
      const std::int32_t group = group_of.empty() ? -1 : group_of[static_cast<std::size_t>(first + d)];
      if (group < 0) continue;
      study.known_tokens[static_cast<std::size_t>(group)] += known;
      double* sums = study.group_tokens.data() + static_cast<std::size_t>(group) * topics;
      for (std::size_t k = 0; k < topics; ++k) sums[k] += static_cast<double>(known) * double{row[k]};
    }
  }
  study.typical = leaders.take();
  return study;
}

}  // namespace papilio::lda
