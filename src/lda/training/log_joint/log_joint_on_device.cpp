#include "lda/training/log_joint/log_joint_on_device.h"

#include <algorithm>

namespace papilio::lda {
namespace {

// Counts below it have their term in a table: half a MiB, which caches hold.
constexpr std::int64_t most_tabulated = std::int64_t{1} << 16;

// Where topics have tables of their own (LogJointTerms), all of them together, and the least in each.
constexpr std::int64_t tabulated_by_topic = std::int64_t{1} << 17;
constexpr std::int64_t least_tabulated = 16;

std::int64_t room_for_larger(std::int64_t tokens, std::int64_t tabulated) { return tokens / tabulated + 1; }

// Gives `to` a copy of the table.
void upload(execution::DeviceArray<std::int64_t>& to, const std::vector<std::int64_t>& table, cudaStream_t stream) {
  if (to.size() != std::ssize(table)) {
    to = {};
    to = execution::DeviceArray<std::int64_t>(std::ssize(table), "the likelihood's terms");
  }
  to.upload(table.data(), std::ssize(table), stream);
}

void make_room(execution::DeviceArray<LargeCount>& to, std::int64_t size) {
  if (to.size() == size) return;
  to = {};
  to = execution::DeviceArray<LargeCount>(size, "large counts");
}

}  // namespace

LogJointOnDevice::LogJointOnDevice(const CorpusView& corpus, const Priors& priors, cudaStream_t stream)
    : corpus_(corpus),
      stream_(stream),
      terms_(corpus.tokens(), corpus.vocabulary_size(), priors, most_tabulated),
      larger_counts_(2, "large counts"),
      sum_(1, "a sum") {
  take_terms();
}

std::int64_t LogJointOnDevice::bytes(const CorpusView& corpus, std::int32_t topics, bool asymmetric) {
  const std::int64_t tokens = corpus.tokens();
  const std::int64_t of_one = std::min(most_tabulated, tokens + 1);
  std::int64_t entries = of_one, room = room_for_larger(tokens, of_one);
  if (asymmetric) {
    entries = std::max({entries, tabulated_by_topic, least_tabulated * topics});
    room = std::max(room, room_for_larger(tokens, std::max(least_tabulated, tabulated_by_topic / topics)));
  }
  const auto large = static_cast<std::int64_t>(sizeof(LargeCount));
  return 8 * (entries + of_one) + large * (room + room_for_larger(tokens, of_one)) + 16;
}

void LogJointOnDevice::set_priors(const Priors& priors) {
  terms_ = LogJointTerms(corpus_.tokens(), corpus_.vocabulary_size(), priors, most_tabulated);
  take_terms();
}

void LogJointOnDevice::take_terms() {
  const std::int64_t tokens = corpus_.tokens();
  sum_of_documents_ = 0;
  for (std::size_t d = 1; d < corpus_.document_offsets.size(); ++d) {
    sum_of_documents_ += terms_.of_document(corpus_.document_offsets[d] - corpus_.document_offsets[d - 1]);
  }
  upload(document_terms_, terms_.of_document_topic.table(), stream_);
  upload(word_terms_, terms_.of_word_topic.table(), stream_);
  make_room(larger_in_documents_, room_for_larger(tokens, terms_.of_document_topic.tabulated()));
  make_room(larger_of_words_, room_for_larger(tokens, terms_.of_word_topic.tabulated()));
}

// The terms of the counts that the device left to the host.
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
  const auto queue_words = [&](const TermSums& sums) { queue_word_terms(n_wk.data(), n_wk.size(), sums, stream_); };
  const auto queue_documents = [&](const TermSums& sums) {
    tokens.for_each(false, [&](const RangeOnDevice& range) { queue_document_terms(range, topics, sums); });
  };
  return (*this)(queue_words, queue_documents, n_k);
}

double LogJointOnDevice::operator()(QueueTerms queue_words, QueueTerms queue_documents,
                                    const execution::DeviceArray<std::int64_t>& n_k) {
  larger_counts_.clear(stream_);
  sum_.clear(stream_);
  const TermSums of_words = {.terms = word_terms_.data(),
                             .tabulated = terms_.of_word_topic.tabulated(),
                             .larger = larger_of_words_.data(),
                             .larger_count = larger_counts_.data(),
                             .sum = sum_.data()};
  const TermSums of_documents = {.terms = document_terms_.data(),
                                 .tabulated = terms_.of_document_topic.tabulated(),
                                 .topic_stride = terms_.of_document_topic.topic_stride(),
                                 .larger = larger_in_documents_.data(),
                                 .larger_count = larger_counts_.data() + 1,
                                 .sum = sum_.data()};
  queue_words(of_words);
  queue_documents(of_documents);

  std::int64_t sum = 0;
  std::int32_t larger[2] = {};
  std::vector<std::int64_t> of_topics(static_cast<std::size_t>(n_k.size()));
  sum_.download(&sum, 1, stream_);
  larger_counts_.download(larger, 2, stream_);
  n_k.download(of_topics.data(), n_k.size(), stream_);
  execution::check(cudaStreamSynchronize(stream_), "the likelihood");
  sum += larger_terms(larger_of_words_, larger[0], terms_.of_word_topic);
  sum += larger_terms(larger_in_documents_, larger[1], terms_.of_document_topic);
  for (const std::int64_t n : of_topics) sum -= terms_.of_topic(n);
  return terms_.nats(sum - sum_of_documents_);
}

}  // namespace papilio::lda
