#include <algorithm>
#include <utility>
#include <vector>

#include "base/function_ref.h"
#include "execution/cpu/interruption.h"
#include "execution/cpu/parallel_for.h"
#include "execution/cuda/memory.h"
#include "execution/cuda/staged_copies.h"
#include "lda/evaluation/completion_cuda.h"
#include "lda/evaluation/document_batch.h"
#include "lda/evaluation/evaluation_on_device.h"
#include "lda/evaluation/fold_in/fold_in_cuda.h"
#include "lda/evaluation/phi_rows_cuda.h"
#include "lda/evaluation/topic_draws_cuda.h"
#include "lda/model/seeds.h"

namespace papilio::lda {
namespace {

using execution::check;
using execution::DeviceArray;

constexpr std::int64_t most_staged = std::int64_t{1} << 24;  // counts that are uploaded at once
constexpr std::int64_t most_documents = std::int64_t{1} << 16;
constexpr std::int64_t most_tokens = std::int64_t{1} << 24;

std::int64_t memory_for_evaluation() { return execution::free_device_bytes() / 4 * 3; }

// What a model gives to every document, on the current device.
class ModelOnDevice {
 public:
  ModelOnDevice(const Model& model, int threads, cudaStream_t stream)
      : model_(model),
        threads_(threads),
        stream_(stream),
        prior_mass_(static_cast<double>(model.vocabulary_size()) * model.beta),
        alpha_(array_on_device(std::span<const double>(model.alpha), "alpha", stream)) {
    std::vector<std::int64_t> n_k = model.n_k;
    for (std::size_t k = 0; k < model.s_k.size(); ++k) n_k[k] += model.s_k[k];
    n_k_ = array_on_device(std::span<const std::int64_t>(n_k), "n_k", stream);
    check(cudaStreamSynchronize(stream), "a copy to the device");
  }

  const double* alpha() const { return alpha_.data(); }

  // Makes rows of phi, and waits for them.
  void make_phi(PhiRows rows, std::span<const std::int32_t> words) {
    DeviceArray<double> masses(model_.topics, "masses of topics");
    queue_fixed_topic_masses(n_k_.data(), model_.topics, prior_mass_, masses.data(), stream_);
    rows.masses = masses.data();
    rows.beta = model_.beta;
    stage(words, [&](const std::uint32_t* counts, std::int64_t first, std::int64_t count) {
      queue_phi_rows(rows, counts, first, count, stream_);
    });
  }

  // Makes lists, and waits for them.
  void make_lists(const WordLists& lists, std::span<const std::int32_t> words) {
    queue_mass_reciprocals(n_k_.data(), prior_mass_, lists, stream_);
    stage(words, [&](const std::uint32_t* counts, std::int64_t first, std::int64_t count) {
      queue_word_lists(lists, counts, model_.topics, first, count, stream_);
    });
  }

 private:
  // Calls queue(counts, first, count) for words [first, first + count) when their rows of counts are on the device.
  void stage(std::span<const std::int32_t> words,
             base::FunctionRef<void(const std::uint32_t*, std::int64_t, std::int64_t)> queue) {
    const std::int64_t topics = model_.topics;
    const std::int64_t at_once =
        std::clamp<std::int64_t>(most_staged / topics, 1, std::max<std::int64_t>(std::ssize(words), 1));
    std::vector<std::uint32_t> staged(static_cast<std::size_t>(at_once * topics));
    DeviceArray<std::uint32_t> counts(at_once * topics, "n_wk");
    for (std::int64_t first = 0; first < std::ssize(words); first += at_once) {
      execution::stop_point();
      const std::int64_t here = std::min(at_once, std::ssize(words) - first);
      execution::parallel_for(here, 64, threads_, [&](std::int64_t begin, std::int64_t end) {
        for (std::int64_t r = begin; r < end; ++r) {
          const std::int32_t word = words[static_cast<std::size_t>(first + r)];
          std::uint32_t* const row = staged.data() + r * topics;
          std::copy_n(model_.n_wk.data() + word * topics, topics, row);
          for (const SeedWord& seed : seeds_of(model_.seed_words, word)) {
            row[seed.topic] += static_cast<std::uint32_t>(seed.weight);  // below 2^32: both are below 2^31
          }
        }
      });
      counts.upload(staged.data(), here * topics, stream_);
      queue(counts.data(), first, here);
      check(cudaStreamSynchronize(stream_), "a copy to the device");
    }
  }

  const Model& model_;
  const int threads_;
  const cudaStream_t stream_;
  const double prior_mass_;
  DeviceArray<std::int64_t> n_k_;
  DeviceArray<double> alpha_;
};

// A batch on the device, and what is computed from it there.
struct InferBatch {
  DocumentBatch documents;
  DeviceArray<std::int64_t> offsets;
  DeviceArray<std::int32_t> rows, counts, order, z;
  DeviceArray<std::uint64_t> keys;
  DeviceArray<double> factors;
  DeviceArray<float> theta;
};

// The inference of one call.
class InferOnDevice {
 public:
  InferOnDevice(const Model& model, const CorpusView& corpus, const WordMap& map, const InferOptions& options)
      : model_(model),
        corpus_(corpus),
        map_(map),
        options_(options),
        tables_(model, options.threads, stream_.get()),
        copies_(corpus.documents() * model.topics * static_cast<std::int64_t>(sizeof(float)), options.threads,
                stream_.get()) {
    for (const double a : model.alpha) alpha_sum_ += a;
    memory_ = memory_for_evaluation();
    is_gibbs_ = options.method == InferMethod::gibbs;
    if (!is_gibbs_) scratch_ = DeviceArray<double>(fold_in_scratch(model.topics), "theta");
  }

  void run(DocumentTopics& result) {
    const std::int64_t row = std::int64_t{model_.topics} * static_cast<std::int64_t>(sizeof(double));
    const std::int64_t bytes_per_word = is_gibbs_ ? 2 * row : bytes_of_word_list(model_.topics);
    const std::int64_t most_words = memory_ / 2 / bytes_per_word;
    for (const CorpusCut& part : parts_of_words(corpus_, map_, most_words)) {
      require_room(part, most_words, bytes_per_word, "infer");
      make_rows(part);
      // The host makes the next batch while the device infers this one.
      InferBatch batch = next_batch(part, part.first);
      while (batch.documents.documents() > 0) {
        execution::stop_point();
        queue(part, batch);
        const std::int64_t end = batch.documents.end;
        DocumentBatch next = end < part.end ? documents_from(part, end) : DocumentBatch{};
        copies_.download(result.theta.data() + batch.documents.first * model_.topics, batch.theta.data(),
                         batch.theta.size());
        std::ranges::copy(batch.documents.lengths, result.document_tokens.begin() + batch.documents.first);
        batch = {};
        batch = uploaded(std::move(next));
      }
    }
  }

 private:
  void make_rows(const CorpusCut& part) {
    phi_ = {};
    sums_ = {};
    lists_ = {};
    if (!is_gibbs_) {
      lists_ = ListsOnDevice(std::ssize(part.words), model_.topics);
      tables_.make_lists(lists_of(part), part.words);
      return;
    }
    const std::int64_t entries = std::ssize(part.words) * model_.topics;
    phi_ = DeviceArray<double>(entries, "rows of phi");
    const PhiRows rows = {.count = std::ssize(part.words), .phi = phi_.data(), .topics = model_.topics};
    tables_.make_phi(rows, part.words);
    sums_ = DeviceArray<double>(entries, "rows of phi");
    queue_alpha_phi_sums(rows, tables_.alpha(), sums_.data(), stream_.get());
  }

  WordLists lists_of(const CorpusCut& part) { return lists_.of(nullptr, std::ssize(part.words)); }

  DocumentBatch documents_from(const CorpusCut& part, std::int64_t first) const {
    const std::int64_t row = std::int64_t{model_.topics} * static_cast<std::int64_t>(sizeof(float));
    const std::int64_t documents = std::clamp<std::int64_t>(memory_ / 8 / row, 1, most_documents);
    const std::int64_t end = end_of_batch(corpus_, part, first, documents, most_tokens);
    return document_batch(corpus_, map_, part, first, end, is_gibbs_ ? BatchOf::tokens : BatchOf::words,
                          {.threads = options_.threads});
  }

  InferBatch next_batch(const CorpusCut& part, std::int64_t first) const {
    return first < part.end ? uploaded(documents_from(part, first)) : InferBatch{};
  }

  InferBatch uploaded(DocumentBatch documents) const {
    const auto on_device = [&](const auto& values) {
      return array_on_device(std::span(std::as_const(values)), "documents", stream_.get());
    };
    InferBatch batch;
    batch.offsets = on_device(documents.offsets);
    batch.rows = on_device(documents.rows);
    batch.counts = on_device(documents.counts);
    batch.order = on_device(documents.order);
    batch.keys = on_device(documents.keys);
    const std::int64_t rows = std::ssize(documents.rows);
    if (is_gibbs_) batch.z = DeviceArray<std::int32_t>(rows, "topics");
    if (!is_gibbs_) batch.factors = DeviceArray<double>(rows, "documents");
    batch.theta = DeviceArray<float>(documents.documents() * model_.topics, "theta");
    check(cudaStreamSynchronize(stream_.get()), "a copy to the device");
    batch.documents = std::move(documents);
    return batch;
  }

  void queue(const CorpusCut& part, InferBatch& batch) {
    const auto documents = std::ssize(batch.documents.order);
    if (is_gibbs_) return queue_gibbs(batch);
    queue_fold_in({.lists = lists_of(part),
                   .alpha = tables_.alpha(),
                   .beta = model_.beta,
                   .steps = options_.em_steps,
                   .order = batch.order.data(),
                   .offsets = batch.offsets.data(),
                   .rows = batch.rows.data(),
                   .counts = batch.counts.data(),
                   .factors = batch.factors.data(),
                   .theta = batch.theta.data(),
                   .scratch = scratch_.data()},
                  batch.documents.sizes.data(), documents, stream_.get());
  }

  void queue_gibbs(InferBatch& batch) {
    const auto documents = std::ssize(batch.documents.order);
    const std::int64_t longest = batch.documents.sizes.empty() ? 0 : batch.documents.sizes.front();
    const std::int64_t most_present = std::min<std::int64_t>(longest, model_.topics);
    const std::int64_t bytes_per_warp = 8 * std::int64_t{model_.topics} + 8 * most_present;
    const std::int64_t warps = std::clamp<std::int64_t>(
        std::min({warps_for_topic_sampling(), documents, memory_ / 8 / bytes_per_warp}), 1, documents);
    if (topic_sums_.size() < warps * model_.topics) {
      topic_sums_ = {};
      topic_sums_ = DeviceArray<std::int64_t>(warps * model_.topics, "sums of topics");
    }
    if (present_.size() < 2 * warps * most_present) {
      present_ = {};
      present_ = DeviceArray<std::int32_t>(2 * warps * most_present, "topics of documents");
    }
    queue_topic_sampling({.phi = phi_.data(),
                          .prior_sums = sums_.data(),
                          .topics = model_.topics,
                          .alpha = tables_.alpha(),
                          .alpha_sum = alpha_sum_,
                          .sweeps = options_.sweeps,
                          .burn_in = options_.burn_in,
                          .seed = options_.seed,
                          .order = batch.order.data(),
                          .offsets = batch.offsets.data(),
                          .tokens = batch.rows.data(),
                          .keys = batch.keys.data(),
                          .z = batch.z.data(),
                          .theta = batch.theta.data(),
                          .warps = warps,
                          .sums = topic_sums_.data(),
                          .present = present_.data(),
                          .most_present = most_present},
                         batch.documents.sizes.data(), documents, stream_.get());
  }

  const Model& model_;
  const CorpusView& corpus_;
  const WordMap& map_;
  const InferOptions& options_;
  execution::Stream stream_;
  ModelOnDevice tables_;
  execution::StagedCopies copies_;
  double alpha_sum_ = 0;
  std::int64_t memory_ = 0;
  bool is_gibbs_ = false;
  DeviceArray<double> phi_, sums_, scratch_;
  ListsOnDevice lists_;
  DeviceArray<std::int64_t> topic_sums_;
  DeviceArray<std::int32_t> present_;
};

}  // namespace

void infer_on_device(const Model& model, const CorpusView& corpus, const WordMap& map, const InferOptions& options,
                     DocumentTopics& result) {
  const execution::OnDevice here(options.device);
  InferOnDevice(model, corpus, map, options).run(result);
}

void score_on_device(const Model& model, const CorpusView& corpus, const WordMap& map, const CompletionOptions& options,
                     std::span<std::int64_t> lengths, std::span<double> scores) {
  const execution::OnDevice here(options.device);
  const execution::Stream stream;
  ModelOnDevice tables(model, options.threads, stream.get());
  CompletionOnDevice completion(corpus, map, options, model.topics, memory_for_evaluation(), stream.get());
  const auto make_lists = [&](const WordLists& lists, std::span<const std::int32_t> words) {
    tables.make_lists(lists, words);
  };
  completion(make_lists, tables.alpha(), model.beta, lengths, scores);
}

}  // namespace papilio::lda
