#include "lda/evaluation/document_batch.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <utility>

#include "execution/cpu/parallel_for.h"
#include "execution/out_of_device_memory.h"

namespace papilio::lda {
namespace {

// A document's rows, counts and scored tokens, before they are appended to those of others.
struct BatchedDocument {
  std::int64_t length = 0;
  std::uint64_t key = 0;
  std::vector<std::int32_t> rows = {}, counts = {}, scored_rows = {}, scored_places = {};
};

void split_halves(const KnownDocument& document, std::span<const std::int32_t> rows, BatchedDocument& result) {
  std::vector<std::int32_t> seen(document.words.size());
  std::vector<std::int32_t> place(document.words.size(), -1);  // among the scored words
  for (std::size_t i = 0; i < document.tokens.size(); i += 2) ++seen[static_cast<std::size_t>(document.tokens[i])];
  for (std::size_t w = 0; w < seen.size(); ++w) {
    if (seen[w] == 0) continue;
    result.rows.push_back(rows[w]);
    result.counts.push_back(seen[w]);
  }
  for (std::size_t i = 1; i < document.tokens.size(); i += 2) {
    const auto w = static_cast<std::size_t>(document.tokens[i]);
    if (place[w] < 0) {
      place[w] = static_cast<std::int32_t>(result.scored_rows.size());
      result.scored_rows.push_back(rows[w]);
    }
    result.scored_places.push_back(place[w]);
  }
}

BatchedDocument batched_document(const CorpusView& corpus, const WordMap& map, const CorpusCut& part, std::int64_t d,
                                 BatchOf of, const CompletionOptions& options) {
  const bool in_order = of == BatchOf::halves && !options.shuffle;
  KnownDocument document = in_order ? known_document_in_order(corpus, map, d) : known_document(corpus, map, d);
  BatchedDocument result = {.length = document.size(), .key = document.key};
  std::vector<std::int32_t> rows;
  for (const std::int32_t word : document.words) {
    rows.push_back(static_cast<std::int32_t>(std::ranges::lower_bound(part.words, word) - part.words.begin()));
  }
  if (of == BatchOf::tokens) {
    for (const std::int32_t place : document.tokens) result.rows.push_back(rows[static_cast<std::size_t>(place)]);
  } else if (of == BatchOf::words) {
    result.rows = std::move(rows);
    result.counts = std::move(document.counts);
  } else if (document.size() >= 2) {
    if (options.shuffle) shuffle_tokens(document, options.seed);
    split_halves(document, rows, result);
  }
  return result;
}

// Joins the documents' lists. `offsets` says where each list begins, and where the last one ends.
template <class Member>
std::vector<std::int32_t> put_together(const std::vector<BatchedDocument>& documents, Member member,
                                       std::vector<std::int64_t>& offsets, int threads) {
  offsets.assign(1, 0);
  for (const BatchedDocument& document : documents) offsets.push_back(offsets.back() + std::ssize(document.*member));
  std::vector<std::int32_t> all(static_cast<std::size_t>(offsets.back()));
  execution::parallel_for(std::ssize(documents), 1024, threads, [&](std::int64_t begin, std::int64_t end) {
    for (auto d = static_cast<std::size_t>(begin); d < static_cast<std::size_t>(end); ++d) {
      std::ranges::copy(documents[d].*member, all.begin() + offsets[d]);
    }
  });
  return all;
}

}  // namespace

std::vector<CorpusCut> parts_of_words(const CorpusView& corpus, const WordMap& map, std::int64_t most_words) {
  std::vector<std::int64_t> last_part;  // for each word of the model, the last part that has it
  std::vector<std::int32_t> new_words;
  std::vector<CorpusCut> parts(1);
  for (std::int64_t d = 0; d < corpus.documents(); ++d) {
    const auto find_new_words = [&] {
      new_words.clear();
      const auto begin = static_cast<std::size_t>(corpus.document_offsets[static_cast<std::size_t>(d)]);
      const auto end = static_cast<std::size_t>(corpus.document_offsets[static_cast<std::size_t>(d) + 1]);
      for (std::size_t i = begin; i < end; ++i) {
        const std::int32_t word = map.model_words[static_cast<std::size_t>(corpus.words[i])];
        if (word < 0) continue;
        const auto w = static_cast<std::size_t>(word);
        if (w >= last_part.size()) last_part.resize(w + 1, -1);
        if (last_part[w] == std::ssize(parts) - 1) continue;
        last_part[w] = std::ssize(parts) - 1;
        new_words.push_back(word);
      }
    };
    find_new_words();
    if (std::ssize(parts.back().words) + std::ssize(new_words) > most_words && parts.back().end > parts.back().first) {
      parts.push_back({.first = d, .end = d});
      find_new_words();
    }
    parts.back().words.insert(parts.back().words.end(), new_words.begin(), new_words.end());
    parts.back().end = d + 1;
  }
  for (CorpusCut& part : parts) std::ranges::sort(part.words);
  return parts;
}

void require_room(const CorpusCut& part, std::int64_t most_words, std::int64_t bytes_per_word, const char* caller) {
  if (std::ssize(part.words) <= most_words) return;
  throw execution::OutOfDeviceMemory(fmt::format(
      "papilio::{}: the {} words of document {} need {} bytes of device memory for their counts of topics, {} are free",
      caller, part.words.size(), part.first, std::ssize(part.words) * bytes_per_word, most_words * bytes_per_word));
}

DocumentBatch document_batch(const CorpusView& corpus, const WordMap& map, const CorpusCut& part, std::int64_t first,
                             std::int64_t end, BatchOf of, const CompletionOptions& options) {
  std::vector<BatchedDocument> documents(static_cast<std::size_t>(end - first));
  execution::parallel_for(end - first, 64, options.threads, [&](std::int64_t from, std::int64_t to) {
    for (std::int64_t d = from; d < to; ++d) {
      documents[static_cast<std::size_t>(d)] = batched_document(corpus, map, part, first + d, of, options);
    }
  });
  DocumentBatch batch;
  batch.first = first;
  batch.end = end;
  batch.rows = put_together(documents, &BatchedDocument::rows, batch.offsets, options.threads);
  std::vector<std::int64_t> same;
  if (of != BatchOf::tokens) batch.counts = put_together(documents, &BatchedDocument::counts, same, options.threads);
  if (of == BatchOf::halves) {
    batch.scored_rows = put_together(documents, &BatchedDocument::scored_rows, batch.scored_offsets, options.threads);
    batch.scored_places =
        put_together(documents, &BatchedDocument::scored_places, batch.scored_token_offsets, options.threads);
  }
  for (std::size_t d = 0; d < documents.size(); ++d) {
    batch.lengths.push_back(documents[d].length);
    batch.keys.push_back(documents[d].key);
    if (of != BatchOf::halves || documents[d].length >= 2) batch.order.push_back(static_cast<std::int32_t>(d));
  }
  const auto size = [&](std::int32_t d) { return std::ssize(documents[static_cast<std::size_t>(d)].rows); };
  std::ranges::stable_sort(batch.order, std::greater(), size);
  for (const std::int32_t d : batch.order) batch.sizes.push_back(static_cast<std::int32_t>(size(d)));
  return batch;
}

std::int64_t end_of_batch(const CorpusView& corpus, const CorpusCut& part, std::int64_t first,
                          std::int64_t most_documents, std::int64_t most_tokens) {
  const auto& offsets = corpus.document_offsets;
  std::int64_t end = first + 1;
  while (end < part.end && end - first < most_documents &&
         offsets[static_cast<std::size_t>(end) + 1] - offsets[static_cast<std::size_t>(first)] <= most_tokens) {
    ++end;
  }
  return end;
}

void add_scores(const DocumentBatch& batch, std::span<const double> probabilities, int threads,
                std::span<double> scores) {
  execution::parallel_for(batch.documents(), 256, threads, [&](std::int64_t begin, std::int64_t end) {
    for (auto d = static_cast<std::size_t>(begin); d < static_cast<std::size_t>(end); ++d) {
      const auto of_document = probabilities.subspan(static_cast<std::size_t>(batch.scored_offsets[d]));
      double sum = 0;
      for (auto i = static_cast<std::size_t>(batch.scored_token_offsets[d]);
           i < static_cast<std::size_t>(batch.scored_token_offsets[d + 1]); ++i) {
        sum += std::log(of_document[static_cast<std::size_t>(batch.scored_places[i])]);
      }
      scores[d] = sum;
    }
  });
}

}  // namespace papilio::lda
