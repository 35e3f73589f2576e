#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "execution/cpu/fresh_memory.h"
#include "execution/cpu/parallel_for.h"
#include "execution/cuda/check.h"
#include "execution/cuda/memory.h"
#include "execution/cuda/staged_copies.h"
#include "lda/model/priors.h"
#include "lda/training/sparse/fixed_point.h"
#include "lda/training/sparse/parallel/draws_cuda.h"
#include "lda/training/sparse/parallel/layout_cuda.h"
#include "papilio/lda.h"

// The arrays that a chain of sparse sweeps keeps on a device.

namespace papilio::lda {

template <class To, class From>
std::vector<To> converted(const std::vector<From>& from) {
  std::vector<To> to;
  execution::make_zeros(to, from.size(), 0);
  execution::parallel_for(std::ssize(from), std::int64_t{1} << 16, 0, [&](std::int64_t begin, std::int64_t end) {
    std::transform(from.begin() + begin, from.begin() + end, to.begin() + begin,
                   [](From x) { return static_cast<To>(x); });
  });
  return to;
}

template <class T>
execution::DeviceArray<T> on_device(std::span<const T> values, const char* what, cudaStream_t stream) {
  execution::DeviceArray<T> array(std::max<std::int64_t>(std::ssize(values), 1), what);
  if (!values.empty()) array.upload(values.data(), std::ssize(values), stream);
  execution::check(cudaStreamSynchronize(stream), "a copy to the device");
  return array;
}

template <class T>
execution::DeviceArray<T> on_device(const std::vector<T>& values, const char* what, cudaStream_t stream) {
  return on_device(std::span<const T>(values), what, stream);
}

// The same for very large arrays, converted during the copy.
template <class To, class From>
execution::DeviceArray<To> many_on_device(const std::vector<From>& values, const char* what, int threads,
                                          cudaStream_t stream) {
  execution::DeviceArray<To> array(std::max<std::int64_t>(std::ssize(values), 1), what);
  execution::StagedCopies(std::ssize(values) * std::int64_t{sizeof(To)}, threads, stream)
      .upload(array.data(), values.data(), std::ssize(values));
  return array;
}

// The token of each document that has only one.
inline std::vector<std::uint32_t> single_tokens_of(const SparseLayout& layout) {
  std::vector<std::uint32_t> tokens;
  tokens.reserve(layout.documents.size() - static_cast<std::size_t>(layout.listed_documents));
  for (auto d = static_cast<std::size_t>(layout.listed_documents); d < layout.documents.size(); ++d) {
    tokens.push_back(layout.documents[d].first_token);
  }
  return tokens;
}

// A corpus on the device, and the topics of its tokens.
template <class Entry>
struct SparseCorpus {
  using Number = typename Entry::Number;

  // `by_word`: set if it is not in the layout. `z_of_tokens`: null if the caller makes z, which has this many tokens.
  SparseCorpus(const SparseLayout& layout, std::optional<TokensByWord<Number>> by_word,
               const std::vector<std::int32_t>* z_of_tokens, std::int64_t tokens, std::int32_t topics, int threads,
               cudaStream_t stream)
      : documents(on_device(
            std::span<const SparseDocument>(layout.documents).first(static_cast<std::size_t>(layout.listed_documents)),
            "documents", stream)),
        single_tokens(on_device(single_tokens_of(layout), "documents", stream)),
        document(by_word ? std::move(by_word->document)
                         : many_on_device<std::int32_t>(layout.document, "tokens", threads, stream)),
        place(by_word ? std::move(by_word->place) : many_on_device<Number>(layout.place, "tokens", threads, stream)),
        items(on_device(layout.items, "words", stream)),
        z(z_of_tokens != nullptr ? many_on_device<Number>(*z_of_tokens, "topics", threads, stream)
                                 : execution::DeviceArray<Number>(std::max<std::int64_t>(tokens, 1), "topics")),
        lists(std::max<std::int64_t>(layout.list_units, 1) * (list_unit / std::int64_t{sizeof(Entry)}),
              "lists of topics"),
        slices(on_device(layout.slices, "documents", stream)),
        counts(std::max<std::int64_t>(std::int64_t{layout.counted_documents} * topics, 1), "counts of long documents") {
    counts.clear(stream);
  }

  // How many bytes of the device it takes.
  static std::int64_t bytes_needed(const SparseLayout& layout, std::int64_t tokens, std::int32_t topics) {
    const auto array = [](std::int64_t count, std::size_t size) {
      return std::max<std::int64_t>(count, 1) * static_cast<std::int64_t>(size);
    };
    return array(layout.listed_documents, sizeof(SparseDocument)) +
           array(std::ssize(layout.documents) - layout.listed_documents, sizeof(std::uint32_t)) +
           array(tokens, sizeof(std::int32_t)) + 2 * array(tokens, sizeof(Number)) +
           array(std::ssize(layout.items), sizeof(SparseItem)) + array(layout.list_units, list_unit) +
           array(std::ssize(layout.slices), sizeof(SparseItem)) +
           array(std::int64_t{layout.counted_documents} * topics, sizeof(std::int32_t));
  }

  std::int64_t bytes() const {
    return documents.bytes() + single_tokens.bytes() + document.bytes() + place.bytes() + items.bytes() + z.bytes() +
           lists.bytes() + slices.bytes() + counts.bytes();
  }

  execution::DeviceArray<SparseDocument> documents;
  execution::DeviceArray<std::uint32_t> single_tokens;
  execution::DeviceArray<std::int32_t> document;
  execution::DeviceArray<Number> place;
  execution::DeviceArray<SparseItem> items;
  execution::DeviceArray<Number> z;
  execution::DeviceArray<Entry> lists;
  execution::DeviceArray<SparseItem> slices;
  execution::DeviceArray<std::int32_t> counts;
};

// `tokens`: their number, of which the parts are shares; 0 if parts were not counted.
inline SweepDraws sparse_draws(const sparse::Statistics& sums, std::int64_t documents, std::int64_t tokens) {
  SweepDraws draws;
  draws.sparse = true;
  draws.topics_per_document =
      static_cast<double>(sums.entries) / static_cast<double>(std::max<std::int64_t>(documents, 1));
  if (tokens == 0) return draws;
  const auto all = static_cast<double>(tokens);
  draws.from_own = static_cast<double>(sums.from_own) / all;
  draws.from_document = static_cast<double>(sums.from_document) / all;
  draws.from_word = static_cast<double>(sums.from_word) / all;
  draws.from_prior = static_cast<double>(sums.from_prior) / all;
  return draws;
}

// What a sweep keeps for the topics.
struct TopicArrays {
  explicit TopicArrays(std::int32_t topics)
      : n_k(topics, "n_k"),
        alpha(topics, "alpha"),
        of(topics, "the topics' masses"),
        inverse(padded_topics(topics), "the topics' masses"),
        word_masses(padded_topics(topics), "the word part"),
        prior_sums(topics, "the prior part") {
    masses.topics = topics;
    masses.padded = padded_topics(topics);
    masses.of = of.data();
    masses.inverse = inverse.data();
    masses.word_masses = word_masses.data();
    masses.prior_sums = prior_sums.data();
  }

  static std::int64_t bytes_needed(std::int32_t topics) {
    return std::int64_t{topics} *
               std::int64_t{2 * sizeof(std::int64_t) + sizeof(sparse::TopicMass) + sizeof(std::uint64_t)} +
           padded_topics(topics) * std::int64_t{sizeof(float) + sizeof(std::uint64_t)};
  }

  // Waits until the copy is done.
  void set_priors(const Priors& priors, cudaStream_t stream) {
    const int places = sparse::fixed_point_places(priors.alpha_sum());
    masses.beta = priors.beta;
    masses.unit = std::ldexp(1.0, -places);
    masses.places = std::ldexp(1.0, places);
    masses.scale = priors.beta >= PaddedTopicMasses::least_scaled_beta ? 0x1p126f : 1.0f;
    masses.unscale = 1 / masses.scale;
    alpha.upload(priors.alpha.data(), alpha.size(), stream);
    execution::check(cudaStreamSynchronize(stream), "a copy to the device");
  }

  TopicMassArrays arrays(double v_beta) {
    return {.n_k = n_k.data(),
            .alpha = alpha.data(),
            .v_beta = v_beta,
            .scale = masses.scale,
            .of = of.data(),
            .inverse = inverse.data(),
            .word_masses = word_masses.data(),
            .prior_sums = prior_sums.data()};
  }

  std::int64_t bytes() const {
    return n_k.bytes() + alpha.bytes() + of.bytes() + inverse.bytes() + word_masses.bytes() + prior_sums.bytes();
  }

  execution::DeviceArray<std::int64_t> n_k;
  execution::DeviceArray<double> alpha;
  execution::DeviceArray<sparse::TopicMass> of;
  execution::DeviceArray<float> inverse;
  execution::DeviceArray<std::uint64_t> word_masses;
  execution::DeviceArray<std::uint64_t> prior_sums;
  PaddedTopicMasses masses;
};

}  // namespace papilio::lda
