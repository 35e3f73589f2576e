#include "lda/training/priors/optimize_priors_cuda.h"

#include <algorithm>
#include <cstddef>
#include <span>
#include <utility>

#include "execution/ranks/collectives.h"
#include "lda/training/memory/device_tables_cuda.h"

namespace papilio::lda {
namespace {

using execution::check;

constexpr std::int64_t word_stride = first_large_count + 1;
// Most n_wk that are not 0 are small, so threads would contend for one counter.
constexpr std::uint32_t word_copies = 128;

std::int64_t longest_document(const CorpusView& corpus) {
  std::int64_t longest = 0;
  const auto& offsets = corpus.document_offsets;
  for (std::size_t d = 1; d < offsets.size(); ++d) longest = std::max(longest, offsets[d] - offsets[d - 1]);
  return longest;
}

// Entries of a topic's row: one for each count that a document can have.
std::int64_t entries_of_topic(const CorpusView& corpus) {
  return std::min(longest_document(corpus), first_large_count) + 1;
}

std::int64_t room_for_larger(std::int64_t tokens) { return tokens / first_large_count + 1; }

CountHistogram lengths_of(const CorpusView& corpus) {
  CountHistogram lengths;
  const auto& offsets = corpus.document_offsets;
  for (std::size_t d = 1; d < offsets.size(); ++d) lengths.add(offsets[d] - offsets[d - 1]);
  lengths.finish();
  return lengths;
}

std::vector<LargeCount> of_all_ranks(const std::vector<LargeCount>& own, Communicator& ranks) {
  std::vector<LargeCount> all;
  for (const std::vector<std::byte>& bytes : execution::gather_everywhere(ranks, std::as_bytes(std::span(own)))) {
    const auto* counts = reinterpret_cast<const LargeCount*>(bytes.data());
    all.insert(all.end(), counts, counts + bytes.size() / sizeof(LargeCount));
  }
  return all;
}

template <class T>
std::vector<T> downloaded(const execution::DeviceArray<T>& array, std::int64_t count, cudaStream_t stream) {
  std::vector<T> values(static_cast<std::size_t>(count));
  if (count > 0) array.download(values.data(), count, stream);
  return values;
}

}  // namespace

void OptimizedPriorsOnDevice::Uploaded::set(const CountHistogram& counts, cudaStream_t stream) {
  terms = std::ssize(counts.above());
  larges = std::ssize(counts.large());
  std::vector<std::uint64_t> values(1);  // a histogram begins with the number of counts that are 0 or more
  values.insert(values.end(), counts.above().begin(), counts.above().end());
  TakeMemory()(from, std::max(from.size(), std::ssize(values)), "counts of counts");
  from.upload(values.data(), std::ssize(values), stream);
  if (larges > 0) {
    TakeMemory()(large, std::max(large.size(), larges), "large counts");
    large.upload(counts.large().data(), larges, stream);
  }
  check(cudaStreamSynchronize(stream), "a copy to the device");
}

FinishedHistogram<std::uint64_t> OptimizedPriorsOnDevice::Uploaded::finished() const {
  return {.from = from.data(), .terms = terms, .large = large.data(), .large_count = larges};
}

template <class Use>
void OptimizedPriorsOnDevice::Tables::for_each(const CorpusView& corpus, const Seeds& seeds, std::int32_t topics,
                                               Use use) {
  const std::int64_t in_documents = room_for_larger(corpus.tokens());
  const std::int64_t of_words = room_for_larger(corpus.tokens() + seeds.total());
  use(topic_rows, topics * entries_of_topic(corpus), "counts of counts");
  use(word_rows, word_copies * word_stride, "counts of counts");
  use(words, word_stride, "counts of counts");
  use(larger_in_documents, in_documents, "large counts");
  use(larger_of_words, of_words, "large counts");
  use(larger_counts, 2, "large counts");
  use(large_in_documents, in_documents, "large counts");
  use(large_of_words, of_words, "large counts");
  use(large_offsets, std::int64_t{topics} + 1, "large counts");
  use(alpha, topics, "alpha");
  use(beta, 1, "beta");
  use(state, 1, "a search");
}

OptimizedPriorsOnDevice::OptimizedPriorsOnDevice(const CorpusView& corpus, const Seeds& seeds, std::int32_t topics,
                                                 cudaStream_t stream, const DeviceRanks* ranks)
    : seeds_(seeds),
      words_(corpus.vocabulary_size()),
      topics_(topics),
      stream_(stream),
      ranks_(ranks),
      topic_stride_(entries_of_topic(corpus)),
      bytes_(bytes_needed(corpus, seeds, topics)) {
  tables_.for_each(corpus, seeds, topics, TakeMemory());
  lengths_.set(lengths_of(corpus), stream_);
  CountHistogram words, sums;
  for (const SeedWord& seed : seeds.words()) words.add(seed.weight);
  for (const std::int64_t s : seeds.s_k()) sums.add(s);
  words.finish();
  sums.finish();
  seed_words_.set(words, stream_);
  seed_topics_.set(sums, stream_);
}

std::int64_t OptimizedPriorsOnDevice::bytes_needed(const CorpusView& corpus, const Seeds& seeds, std::int32_t topics) {
  Tables none;
  std::int64_t bytes = 0;
  none.for_each(corpus, seeds, topics, AddBytes{bytes});
  // Histograms made by the host: of lengths and n_k, and of seeds.
  execution::DeviceArray<std::int64_t> list;
  for (int histogram = 0; histogram < 4; ++histogram) AddBytes{bytes}(list, word_stride, "");
  AddBytes{bytes}(list, room_for_larger(corpus.tokens()), "");
  AddBytes{bytes}(list, topics, "");
  AddBytes{bytes}(list, std::ssize(seeds.words()) + 1, "");
  AddBytes{bytes}(list, topics, "");
  return bytes;
}

void OptimizedPriorsOnDevice::operator()(Queue queue_words, Queue queue_documents,
                                         const execution::DeviceArray<std::int64_t>& n_k, Priors& priors) {
  tables_.topic_rows.clear(stream_);
  tables_.word_rows.clear(stream_);
  tables_.larger_counts.clear(stream_);
  queue_words({.counts = tables_.word_rows.data(),
               .stride = word_stride,
               .copies = word_copies,
               .larger = tables_.larger_of_words.data(),
               .larger_count = tables_.larger_counts.data()});
  queue_documents({.counts = tables_.topic_rows.data(),
                   .stride = topic_stride_,
                   .larger = tables_.larger_in_documents.data(),
                   .larger_count = tables_.larger_counts.data() + 1});
  if (ranks_ != nullptr) {
    ranks_->sums.add_up(reinterpret_cast<std::int32_t*>(tables_.topic_rows.data()), tables_.topic_rows.size(), stream_);
    ranks_->sums.wait(stream_);
  }
  queue_finished_words(tables_.word_rows.data(), word_copies, word_stride, tables_.words.data(), stream_);
  queue_finished_topics(tables_.topic_rows.data(), topic_stride_, topics_, stream_);
  search(take_larger(n_k), priors);
}

// The host sorts large counts and makes the histogram of n_k. Returns how many n_wk are large.
std::int64_t OptimizedPriorsOnDevice::take_larger(const execution::DeviceArray<std::int64_t>& n_k) {
  std::int32_t larger[2] = {};
  tables_.larger_counts.download(larger, 2, stream_);
  const std::vector<std::int64_t> of_topics = downloaded(n_k, n_k.size(), stream_);
  check(cudaStreamSynchronize(stream_), "counting counts");
  std::vector<LargeCount> of_words = downloaded(tables_.larger_of_words, larger[0], stream_);
  std::vector<LargeCount> in_documents = downloaded(tables_.larger_in_documents, larger[1], stream_);
  check(cudaStreamSynchronize(stream_), "a copy from the device");

  if (ranks_ != nullptr) in_documents = of_all_ranks(in_documents, ranks_->ranks);

  CountHistogram totals;
  for (const std::int64_t n : of_topics) totals.add(n);
  totals.finish();
  totals_.set(totals, stream_);

  std::vector<std::int64_t> sorted;
  for (const LargeCount& large : of_words) sorted.push_back(large.count);
  std::sort(sorted.begin(), sorted.end());
  if (!sorted.empty()) tables_.large_of_words.upload(sorted.data(), std::ssize(sorted), stream_);

  std::sort(in_documents.begin(), in_documents.end(), [](const LargeCount& a, const LargeCount& b) {
    return std::pair(a.topic, a.count) < std::pair(b.topic, b.count);
  });
  std::vector<std::int64_t> by_topic, offsets(static_cast<std::size_t>(topics_) + 1);
  for (const LargeCount& large : in_documents) {
    by_topic.push_back(large.count);
    ++offsets[static_cast<std::size_t>(large.topic) + 1];
  }
  for (std::size_t k = 1; k < offsets.size(); ++k) offsets[k] += offsets[k - 1];
  if (!by_topic.empty()) tables_.large_in_documents.upload(by_topic.data(), std::ssize(by_topic), stream_);
  tables_.large_offsets.upload(offsets.data(), std::ssize(offsets), stream_);
  check(cudaStreamSynchronize(stream_), "a copy to the device");
  return std::ssize(sorted);
}

void OptimizedPriorsOnDevice::search(std::int64_t large_of_words, Priors& priors) {
  constexpr PriorSearch how;
  tables_.alpha.upload(priors.alpha.data(), topics_, stream_);
  tables_.beta.upload(&priors.beta, 1, stream_);
  check(cudaStreamSynchronize(stream_), "a copy to the device");  // what the other stream reads is there, too
  queue_beta_search({.beta = tables_.beta.data(),
                     .words = static_cast<double>(words_),
                     .of_words = {.from = tables_.words.data(),
                                  .terms = word_stride - 1,
                                  .large = tables_.large_of_words.data(),
                                  .large_count = large_of_words},
                     .of_topics = totals_.finished(),
                     .seed_words = seed_words_.finished(),
                     .seed_topics = seed_topics_.finished(),
                     .most_iterations = how.most_iterations,
                     .tolerance = how.tolerance},
                    beside_.get());
  queue_alpha_search({.alpha = tables_.alpha.data(),
                      .topics = topics_,
                      .counts = {.from = tables_.topic_rows.data(),
                                 .stride = topic_stride_,
                                 .large = tables_.large_in_documents.data(),
                                 .large_offsets = tables_.large_offsets.data()},
                      .lengths = lengths_.finished(),
                      .state = tables_.state.data(),
                      .tolerance = how.tolerance},
                     how.most_iterations, stream_);
  tables_.alpha.download(priors.alpha.data(), topics_, stream_);
  tables_.beta.download(&priors.beta, 1, beside_.get());
  check(cudaStreamSynchronize(stream_), "optimising priors");
  beside_.wait();
}

}  // namespace papilio::lda
