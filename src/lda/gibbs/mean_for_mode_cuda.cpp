#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <vector>

#include "base/check.h"
#include "base/math.h"
#include "execution/cuda/memory.h"
#include "lda/evaluation/log_joint_cuda.h"
#include "lda/evaluation/log_joint_terms.h"
#include "lda/gibbs/chain.h"
#include "lda/gibbs/token_ranges_cuda.h"
#include "papilio/error.h"
#include "papilio/primitives.h"
#include "random/purpose.h"

namespace papilio::lda {
namespace {

using execution::check;
using execution::DeviceArray;
using execution::OnDevice;

// Counts below it have their term of the likelihood in a table: half a MiB, which caches hold.
constexpr std::int64_t most_tabulated = std::int64_t{1} << 16;

// Left free where no limit is given: the driver needs memory for kernels and their stacks.
constexpr std::int64_t driver_share = 32;  // one part in so many

std::int64_t memory_to_use(std::int64_t limit) {
  if (limit > 0) return limit;
  const std::int64_t free = execution::free_device_bytes();
  return free - free / driver_share;
}

// A count of n_wk must not leave 32 bits.
void require_countable(const CorpusView& corpus, int threads) {
  constexpr std::int64_t most = std::numeric_limits<std::int32_t>::max();
  if (corpus.tokens() <= most) return;
  std::vector<std::int64_t> occurrences(corpus.vocabulary.size());
  histogram(corpus.words, occurrences, threads);
  const auto word = std::max_element(occurrences.begin(), occurrences.end());
  base::require(*word <= most, "papilio: word {} occurs {} times, expected at most 2^31 - 1",
                word - occurrences.begin(), *word);
}

// The tables of a chain in device memory.
struct Tables {
  Tables(const CorpusView& corpus, std::int32_t topics);

  // What they all take, in bytes.
  static std::int64_t bytes(const CorpusView& corpus, std::int32_t topics);

  static std::int64_t n_wk_stride_of(std::int32_t topics) { return base::round_up<std::int64_t>(topics, 4); }
  static std::int64_t tabulated(const CorpusView& corpus) { return std::min(most_tabulated, corpus.tokens() + 1); }
  static std::int64_t most_larger(const CorpusView& corpus) { return corpus.tokens() / most_tabulated + 1; }

  std::int64_t n_wk_stride;
  DeviceArray<std::int32_t> n_wk;  // V x n_wk_stride, 0 behind the last topic
  DeviceArray<float> phi;          // V x topic_stride, 0 behind the last topic
  DeviceArray<std::int64_t> n_k;   // K

  // Of the likelihood: for n_dk and for n_wk, terms and the counts that have none among them.
  DeviceArray<std::int64_t> document_terms, word_terms;
  DeviceArray<std::int32_t> larger_in_documents, larger_of_words;
  DeviceArray<std::int32_t> larger_counts;  // entries of these two
  DeviceArray<std::int64_t> sum;
};

Tables::Tables(const CorpusView& corpus, std::int32_t topics)
    : n_wk_stride(n_wk_stride_of(topics)),
      n_wk(corpus.vocabulary_size() * n_wk_stride, "n_wk"),
      phi(corpus.vocabulary_size() * topic_stride(topics), "phi"),
      n_k(topics, "n_k"),
      document_terms(tabulated(corpus), "the likelihood's terms"),
      word_terms(tabulated(corpus), "the likelihood's terms"),
      larger_in_documents(most_larger(corpus), "large counts"),
      larger_of_words(most_larger(corpus), "large counts"),
      larger_counts(2, "large counts"),
      sum(1, "a sum") {}

std::int64_t Tables::bytes(const CorpusView& corpus, std::int32_t topics) {
  constexpr std::int64_t granule = std::int64_t{2} << 20;  // in which device memory is given out, nearly
  const std::int64_t large = corpus.vocabulary_size() * 4 * (n_wk_stride_of(topics) + topic_stride(topics));
  const std::int64_t small = std::int64_t{8} * topics + 16 * tabulated(corpus) + 8 * most_larger(corpus) + 16;
  return large + small + granule;
}

std::int64_t memory_for_tokens(const CorpusView& corpus, std::int32_t topics, std::int64_t memory) {
  const std::int64_t needed = Tables::bytes(corpus, topics);
  if (needed >= memory) {
    throw DeviceError(
        fmt::format("papilio::train: {} topics of {} words need {} bytes of device memory for their "
                    "tables alone, {} are free",
                    topics, corpus.vocabulary_size(), needed, memory));
  }
  return memory - needed;
}

// The mean-for-mode estimator with all of its state on a CUDA device, the current one
// when it is made.
class MeanForModeOnCuda final : public Chain {
 public:
  MeanForModeOnCuda(const CorpusView& corpus, const TrainOptions& options, const Topics* resume,
                    std::int64_t memory_limit);

  void sweep() override;
  void wait() override {
    const OnDevice here(device_);
    stream_.wait();
  }
  std::int64_t sweeps() const override { return sweep_; }
  double log_joint() override;
  State take_state() override;

 private:
  void start(const Topics* resume);
  std::int64_t larger_terms(const DeviceArray<std::int32_t>& larger, std::int32_t count, const LogGammaRise& term);

  const CorpusView corpus_;
  const Device device_;
  const std::int32_t topics_;
  const double alpha_;
  const double beta_;
  const std::uint64_t seed_;
  const LogJointTerms terms_;
  std::int64_t sum_of_documents_ = 0;  // of the likelihood's terms of document lengths
  std::int64_t sweep_ = 0;
  execution::Stream stream_;
  TokenRanges tokens_;
  Tables tables_;
};

MeanForModeOnCuda::MeanForModeOnCuda(const CorpusView& corpus, const TrainOptions& options, const Topics* resume,
                                     std::int64_t memory_limit)
    : corpus_(corpus),
      device_(options.device),
      topics_(options.topics),
      alpha_(options.alpha),
      beta_(options.beta),
      seed_(options.seed),
      terms_(corpus, options.topics, options.alpha, options.beta, most_tabulated),
      tokens_(corpus, options.topics, memory_for_tokens(corpus, options.topics, memory_to_use(memory_limit)),
              options.threads, stream_.get()),
      tables_(corpus, options.topics) {
  for (std::size_t d = 1; d < corpus.document_offsets.size(); ++d) {
    sum_of_documents_ += terms_.of_document(corpus.document_offsets[d] - corpus.document_offsets[d - 1]);
  }
  tables_.phi.clear(stream_.get());
  const auto upload = [&](DeviceArray<std::int64_t>& to, const std::vector<std::int64_t>& table) {
    to.upload(table.data(), std::ssize(table), stream_.get());
  };
  upload(tables_.document_terms, terms_.of_document_topic.table());
  upload(tables_.word_terms, terms_.of_word_topic.table());
  start(resume);
}

// Topics to begin with, and their counts.
void MeanForModeOnCuda::start(const Topics* resume) {
  if (resume != nullptr) {
    sweep_ = resume->sweep;
    tokens_.set_topics(resume->z);
  }
  tables_.n_wk.clear(stream_.get());
  tables_.n_k.clear(stream_.get());
  const bool draws = resume == nullptr;
  tokens_.for_each(draws, [&](const RangeOnDevice& range) {
    if (draws) {
      queue_initial_topics(range, topics_, seed_, random::stream(random::Purpose::initial_topics));
    }
    queue_word_counts(range, tables_.n_wk.data(), tables_.n_wk_stride);
    queue_topic_counts(range, topics_, tables_.n_k.data());
  });
  stream_.wait();  // so that the time of the first sweep is its own
}

void MeanForModeOnCuda::sweep() {
  const OnDevice here(device_);
  ++sweep_;
  queue_phi({.phi = tables_.phi.data(),
             .stride = topic_stride(topics_),
             .n_wk = tables_.n_wk.data(),
             .n_wk_stride = tables_.n_wk_stride,
             .n_k = tables_.n_k.data(),
             .words = corpus_.vocabulary_size(),
             .topics = topics_,
             .beta = beta_,
             .prior_mass = static_cast<double>(corpus_.vocabulary_size()) * beta_},
            stream_.get());
  tables_.n_k.clear(stream_.get());
  tokens_.for_each(true, [&](const RangeOnDevice& range) {
    queue_theta(range, {.theta = range.theta, .stride = topic_stride(topics_), .topics = topics_, .alpha = alpha_});
    // A token that changes its topic moves its count: phi is done with n_wk by then.
    queue_topic_draws({.items = range.items,
                       .item_count = range.item_count,
                       .theta = range.theta,
                       .theta_stride = topic_stride(topics_),
                       .phi = tables_.phi.data(),
                       .phi_stride = topic_stride(topics_),
                       .words = range.words,
                       .z = range.z,
                       .topics = topics_,
                       .seed = seed_,
                       .stream = random::stream(random::Purpose::topics, static_cast<std::uint32_t>(sweep_)),
                       .first_token = range.first_token,
                       .n_wk = tables_.n_wk.data(),
                       .n_wk_stride = tables_.n_wk_stride},
                      range.stream);
    queue_topic_counts(range, topics_, tables_.n_k.data());
  });
}

// The terms of the counts that the device left to the host.
std::int64_t MeanForModeOnCuda::larger_terms(const DeviceArray<std::int32_t>& larger, std::int32_t count,
                                             const LogGammaRise& term) {
  std::vector<std::int32_t> counts(static_cast<std::size_t>(count));
  if (count > 0) {
    larger.download(counts.data(), count, stream_.get());
    stream_.wait();
  }
  std::int64_t sum = 0;
  for (const std::int32_t n : counts) sum += term(n);
  return sum;
}

double MeanForModeOnCuda::log_joint() {
  const OnDevice here(device_);
  tables_.larger_counts.clear(stream_.get());
  tables_.sum.clear(stream_.get());
  const TermSums of_words = {.terms = tables_.word_terms.data(),
                             .tabulated = tables_.word_terms.size(),
                             .larger = tables_.larger_of_words.data(),
                             .larger_count = tables_.larger_counts.data(),
                             .sum = tables_.sum.data()};
  const TermSums of_documents = {.terms = tables_.document_terms.data(),
                                 .tabulated = tables_.document_terms.size(),
                                 .larger = tables_.larger_in_documents.data(),
                                 .larger_count = tables_.larger_counts.data() + 1,
                                 .sum = tables_.sum.data()};
  queue_word_terms(tables_.n_wk.data(), tables_.n_wk.size(), of_words, stream_.get());
  tokens_.for_each(false, [&](const RangeOnDevice& range) { queue_document_terms(range, topics_, of_documents); });

  std::int64_t sum = 0;
  std::int32_t larger[2] = {};
  std::vector<std::int64_t> n_k(static_cast<std::size_t>(topics_));
  tables_.sum.download(&sum, 1, stream_.get());
  tables_.larger_counts.download(larger, 2, stream_.get());
  tables_.n_k.download(n_k.data(), topics_, stream_.get());
  stream_.wait();
  sum += larger_terms(tables_.larger_of_words, larger[0], terms_.of_word_topic);
  sum += larger_terms(tables_.larger_in_documents, larger[1], terms_.of_document_topic);
  for (const std::int64_t n : n_k) sum -= terms_.of_topic(n);
  return terms_.nats(sum - sum_of_documents_);
}

State MeanForModeOnCuda::take_state() {
  const OnDevice here(device_);
  State state;
  state.topics = topics_;
  state.sweep = sweep_;
  state.z = tokens_.topics();
  state.n_k.resize(static_cast<std::size_t>(topics_));
  tables_.n_k.download(state.n_k.data(), topics_, stream_.get());
  const auto row = static_cast<std::size_t>(topics_) * sizeof(std::int32_t);
  state.n_wk.resize(corpus_.vocabulary.size() * static_cast<std::size_t>(topics_));
  check(cudaMemcpy2DAsync(state.n_wk.data(), row, tables_.n_wk.data(),
                          static_cast<std::size_t>(tables_.n_wk_stride) * sizeof(std::int32_t), row,
                          corpus_.vocabulary.size(), cudaMemcpyDeviceToHost, stream_.get()),
        "a copy from the device");
  stream_.wait();
  return state;
}

}  // namespace

std::unique_ptr<Chain> start_chain_on_cuda(const CorpusView& corpus, const TrainOptions& options, const Topics* resume,
                                           std::int64_t memory_limit) {
  require_countable(corpus, options.threads);
  const OnDevice here(options.device);
  return std::make_unique<MeanForModeOnCuda>(corpus, options, resume, memory_limit);
}

}  // namespace papilio::lda
