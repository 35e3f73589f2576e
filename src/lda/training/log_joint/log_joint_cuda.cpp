#include "lda/training/log_joint/log_joint_cuda.h"

#include <iterator>

#include "lda/training/memory/device_tables_cuda.h"

namespace papilio::lda {
namespace {

// Counts below this have their terms in a table of half a MiB, which fits in caches.
constexpr std::int64_t most_tabulated = std::int64_t{1} << 16;

std::int64_t room_for_larger(std::int64_t tokens, std::int64_t tabulated) { return tokens / tabulated + 1; }

}  // namespace

template <class Use>
void LogJointOnDevice::TermTables::for_each(std::int64_t tokens, const Tabulated& counts, Use use) {
  use(document_terms, counts.document_tables * counts.of_documents, "the likelihood's terms");
  use(word_terms, counts.of_words, "the likelihood's terms");
  use(larger_in_documents, room_for_larger(tokens, counts.of_documents), "large counts");
  use(larger_of_words, room_for_larger(tokens, counts.of_words), "large counts");
  use(larger_counts, 2, "large counts");
  use(sum, 1, "a sum");
}

LogJointOnDevice::LogJointOnDevice(const CorpusView& corpus, const Seeds& seeds, const Priors& priors,
                                   cudaStream_t stream, const DeviceRanks* ranks)
    : corpus_(corpus),
      seeds_(seeds),
      counted_(corpus.tokens() + seeds.total()),
      stream_(stream),
      ranks_(ranks),
      terms_(counted_, corpus.vocabulary_size(), priors, most_tabulated) {
  take_terms();
}

std::int64_t LogJointOnDevice::bytes_needed(const CorpusView& corpus, const Seeds& seeds, std::int32_t topics,
                                            bool asymmetric) {
  const std::int64_t tokens = corpus.tokens() + seeds.total();
  const std::int64_t of_one = LogJointTerms::tabulated(tokens, most_tabulated);
  const std::int64_t by_topic = LogJointTerms::tabulated_by_topic(tokens, topics, most_tabulated);
  TermTables none;
  std::int64_t bytes = 0;
  none.for_each(tokens, {of_one, 1, of_one}, AddBytes{bytes});
  // While tables of one kind replace those of the other, there may be some of both.
  if (asymmetric) none.for_each(tokens, {by_topic, topics, of_one}, AddBytes{bytes});
  return bytes;
}

std::int64_t LogJointOnDevice::bytes() const {
  TermTables none;
  std::int64_t bytes = 0;
  none.for_each(counted_, tabulated(), AddBytes{bytes});
  return bytes;
}

void LogJointOnDevice::set_priors(const Priors& priors) { next_priors_ = priors; }

LogJointOnDevice::Tabulated LogJointOnDevice::tabulated() const {
  const std::int64_t of_documents = terms_.of_document_topic.tabulated();
  return {of_documents, std::ssize(terms_.of_document_topic.table()) / of_documents, terms_.of_word_topic.tabulated()};
}

void LogJointOnDevice::take_terms() {
  sum_of_documents_ = 0;
  for (std::size_t d = 1; d < corpus_.document_offsets.size(); ++d) {
    sum_of_documents_ += terms_.of_document(corpus_.document_offsets[d] - corpus_.document_offsets[d - 1]);
  }
  tables_.for_each(counted_, tabulated(), TakeMemory());
  tables_.document_terms.upload(terms_.of_document_topic.table().data(), tables_.document_terms.size(), stream_);
  tables_.word_terms.upload(terms_.of_word_topic.table().data(), tables_.word_terms.size(), stream_);
}

// The terms of the counts that the device has left to the host.
std::int64_t LogJointOnDevice::larger_terms(const execution::DeviceArray<LargeCount>& larger, std::int32_t count,
                                            const LogGammaRise& term) const {
  std::vector<LargeCount> counts(static_cast<std::size_t>(count));
  if (count > 0) {
    larger.download(counts.data(), count, stream_);
    execution::check(cudaStreamSynchronize(stream_), "a copy from the device");
  }
  std::int64_t sum = 0;
  for (const LargeCount& of : counts) sum += term(of.count, of.topic);
  return sum;
}

double LogJointOnDevice::operator()(TokenRanges& tokens, const execution::DeviceArray<std::int32_t>& n_wk,
                                    const execution::DeviceArray<std::int64_t>& n_k) {
  const auto topics = static_cast<std::int32_t>(n_k.size());
  const auto queue_words = [&](const TermSums& sums) {
    if (ranks_ == nullptr || ranks_->is_first()) queue_word_terms(n_wk.data(), n_wk.size(), sums, stream_);
  };
  const auto queue_documents = [&](const TermSums& sums) {
    tokens.for_each(false, [&](const RangeOnDevice& range) { queue_document_terms(range, topics, sums); });
  };
  return (*this)(queue_words, queue_documents, n_k);
}

double LogJointOnDevice::operator()(QueueTerms queue_words, QueueTerms queue_documents,
                                    const execution::DeviceArray<std::int64_t>& n_k) {
  if (next_priors_) {
    terms_ = LogJointTerms(counted_, corpus_.vocabulary_size(), *next_priors_, most_tabulated);
    take_terms();
    next_priors_.reset();
  }
  tables_.larger_counts.clear(stream_);
  tables_.sum.clear(stream_);
  const TermSums of_words = {.terms = tables_.word_terms.data(),
                             .tabulated = terms_.of_word_topic.tabulated(),
                             .larger = tables_.larger_of_words.data(),
                             .larger_count = tables_.larger_counts.data(),
                             .sum = tables_.sum.data()};
  const TermSums of_documents = {.terms = tables_.document_terms.data(),
                                 .tabulated = terms_.of_document_topic.tabulated(),
                                 .topic_stride = terms_.of_document_topic.topic_stride(),
                                 .larger = tables_.larger_in_documents.data(),
                                 .larger_count = tables_.larger_counts.data() + 1,
                                 .sum = tables_.sum.data()};
  queue_words(of_words);
  queue_documents(of_documents);

  std::int64_t sum = 0;
  std::int32_t larger[2] = {};
  std::vector<std::int64_t> of_topics(static_cast<std::size_t>(n_k.size()));
  tables_.sum.download(&sum, 1, stream_);
  tables_.larger_counts.download(larger, 2, stream_);
  n_k.download(of_topics.data(), n_k.size(), stream_);
  execution::check(cudaStreamSynchronize(stream_), "the likelihood");
  sum += larger_terms(tables_.larger_of_words, larger[0], terms_.of_word_topic);
  sum += larger_terms(tables_.larger_in_documents, larger[1], terms_.of_document_topic);
  if (ranks_ != nullptr) ranks_->ranks.add_up(std::span(&sum, 1));
  for (const std::int64_t n : of_topics) sum -= terms_.of_topic(n);
  return terms_.nats(sum - sum_of_documents_ - terms_.of_seeds(seeds_));
}

}  // namespace papilio::lda
