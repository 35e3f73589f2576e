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
  std::int64_t largest = 0, bytes_kept = 0;
  Sizes passing;
  for (CorpusCut& documents : parts_of_words(corpus, map, most_words)) {
    require_room(documents, most_words, list, "complete_documents");
    largest = std::max(largest, std::ssize(documents.words));
    Part& part = parts_.emplace_back();
    part.documents = std::move(documents);
    part.words = array_on_device(std::span<const std::int32_t>(part.documents.words), "words", stream_);
    for (std::int64_t first = part.documents.first; first < part.documents.end;) {
      const std::int64_t end = end_of_batch(corpus, part.documents, first, most_batch_documents, most_batch_tokens);
      part.batches.push_back(document_batch(corpus, map, part.documents, first, end, BatchOf::halves, options));
      const DocumentBatch& batch = part.batches.back();
      Sizes sizes;
      sizes.include(batch);
      bytes_kept += sizes.bytes();
      if (bytes_kept <= memory / 2) {
        upload(batch, kept_.emplace_back(sizes));
      } else {
        passing.include(batch);
      }
      first = end;
    }
  }
  lists_ = ListsOnDevice(largest, topics_);
  passing_ = Tables(passing);
  check(cudaStreamSynchronize(stream_), "a copy to the device");
}

void CompletionOnDevice::Sizes::include(const DocumentBatch& batch) {
  const auto take = [](std::int64_t& size, const auto& values) { size = std::max(size, std::ssize(values)); };
  take(offsets, batch.offsets);
  take(scored_offsets, batch.scored_offsets);
  take(rows, batch.rows);
  take(counts, batch.counts);
  take(order, batch.order);
  take(scored_rows, batch.scored_rows);
}

std::int64_t CompletionOnDevice::Sizes::bytes() const {
  constexpr auto whole = static_cast<std::int64_t>(sizeof(std::int32_t));
  constexpr auto wide = static_cast<std::int64_t>(sizeof(std::int64_t));
  constexpr auto number = static_cast<std::int64_t>(sizeof(double));
  return wide * (offsets + scored_offsets) + whole * (rows + counts + order + scored_rows) +
         number * (rows + scored_rows);
}

CompletionOnDevice::Tables::Tables(const Sizes& sizes)
    : offsets(sizes.offsets, "documents"),
      scored_offsets(sizes.scored_offsets, "documents"),
      rows(sizes.rows, "documents"),
      counts(sizes.counts, "documents"),
      order(sizes.order, "documents"),
      scored_rows(sizes.scored_rows, "documents"),
      factors(sizes.rows, "documents"),
      probabilities(sizes.scored_rows, "probabilities") {}

// The tables have room for the batch.
void CompletionOnDevice::upload(const DocumentBatch& batch, Tables& tables) const {
  const auto copy = [&](const auto& from, auto& to) {
    if (!from.empty()) to.upload(from.data(), std::ssize(from), stream_);
  };
  copy(batch.offsets, tables.offsets);
  copy(batch.scored_offsets, tables.scored_offsets);
  copy(batch.rows, tables.rows);
  copy(batch.counts, tables.counts);
  copy(batch.order, tables.order);
  copy(batch.scored_rows, tables.scored_rows);
}

void CompletionOnDevice::operator()(QueueLists queue_lists, const double* alpha, double beta,
                                    std::span<std::int64_t> lengths, std::span<double> scores) {
  std::size_t t = 0;
  for (Part& part : parts_) {
    const WordLists lists = lists_.of(part.words.data(), std::ssize(part.documents.words));
    queue_lists(lists, part.documents.words);
    for (const DocumentBatch& batch : part.batches) {
      execution::stop_point();
      const bool is_kept = t < kept_.size();
      Tables& tables = is_kept ? kept_[t] : passing_;
      if (!is_kept) upload(batch, passing_);
      ++t;
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
