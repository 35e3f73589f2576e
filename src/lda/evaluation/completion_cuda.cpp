#include "lda/evaluation/completion_cuda.h"

#include <algorithm>
#include <utility>

#include "execution/cpu/interruption.h"
#include "lda/evaluation/fold_in/fold_in_cuda.h"

namespace papilio::lda {
namespace {

using execution::check;

constexpr std::int64_t most_batch_documents = std::int64_t{1} << 16;  // between checks for an interruption
constexpr std::int64_t most_batch_tokens = std::int64_t{1} << 24;

}  // namespace

CompletionOnDevice::CompletionOnDevice(const CorpusView& corpus, const WordMap& map, const CompletionOptions& options,
                                       std::int32_t topics, std::int64_t memory, cudaStream_t stream)
    : topics_(topics),
      em_steps_(options.em_steps),
      threads_(options.threads),
      stream_(stream),
      scratch_(fold_in_scratch(topics), "theta") {
  const std::int64_t list = bytes_of_word_list(topics);
  const std::int64_t most_words = memory / 2 / list;
  std::int64_t largest = 0;
  for (CorpusCut& documents : parts_of_words(corpus, map, most_words)) {
    require_room(documents, most_words, list, "complete_documents");
    largest = std::max(largest, std::ssize(documents.words));
    Part& part = parts_.emplace_back();
    part.documents = std::move(documents);
    part.words = array_on_device(std::span<const std::int32_t>(part.documents.words), "words", stream_);
    for (std::int64_t first = part.documents.first; first < part.documents.end;) {
      const std::int64_t end = end_of_batch(corpus, part.documents, first, most_batch_documents, most_batch_tokens);
      part.batches.push_back(document_batch(corpus, map, part.documents, first, end, BatchOf::halves, options));
      tables_.push_back(tables_of(part.batches.back()));
      first = end;
    }
  }
  lists_ = ListsOnDevice(largest, topics_);
  check(cudaStreamSynchronize(stream_), "a copy to the device");
}

CompletionOnDevice::Tables CompletionOnDevice::tables_of(const DocumentBatch& batch) const {
  const auto uploaded = [&](const auto& values) {
    return array_on_device(std::span(std::as_const(values)), "documents", stream_);
  };
  Tables tables;
  tables.offsets = uploaded(batch.offsets);
  tables.scored_offsets = uploaded(batch.scored_offsets);
  tables.rows = uploaded(batch.rows);
  tables.counts = uploaded(batch.counts);
  tables.order = uploaded(batch.order);
  tables.scored_rows = uploaded(batch.scored_rows);
  tables.factors = execution::DeviceArray<double>(std::ssize(batch.rows), "documents");
  tables.probabilities = execution::DeviceArray<double>(std::ssize(batch.scored_rows), "probabilities");
  return tables;
}

void CompletionOnDevice::operator()(QueueLists queue_lists, const double* alpha, double beta,
                                    std::span<std::int64_t> lengths, std::span<double> scores) {
  std::size_t t = 0;
  for (Part& part : parts_) {
    const WordLists lists = lists_.of(part.words.data(), std::ssize(part.documents.words));
    queue_lists(lists, part.documents.words);
    for (const DocumentBatch& batch : part.batches) {
      execution::stop_point();
      Tables& tables = tables_[t++];
      queue_fold_in({.lists = lists,
                     .alpha = alpha,
                     .beta = beta,
                     .steps = em_steps_,
                     .order = tables.order.data(),
                     .offsets = tables.offsets.data(),
                     .rows = tables.rows.data(),
                     .counts = tables.counts.data(),
                     .factors = tables.factors.data(),
                     .scored_offsets = tables.scored_offsets.data(),
                     .scored_rows = tables.scored_rows.data(),
                     .probabilities = tables.probabilities.data(),
                     .scratch = scratch_.data()},
                    batch.sizes.data(), std::ssize(batch.order), stream_);
      std::vector<double> probabilities(batch.scored_rows.size());
      if (!probabilities.empty()) {
        tables.probabilities.download(probabilities.data(), std::ssize(probabilities), stream_);
      }
      check(cudaStreamSynchronize(stream_), "completing documents");
      std::ranges::copy(batch.lengths, lengths.begin() + batch.first);
      add_scores(batch, probabilities, threads_,
                 scores.subspan(static_cast<std::size_t>(batch.first), static_cast<std::size_t>(batch.documents())));
    }
  }
}

}  // namespace papilio::lda
