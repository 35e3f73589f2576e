#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "execution/cuda/check.h"
#include "execution/cuda/memory.h"
#include "lda/training/sparse/parallel/draws_cuda.h"
#include "lda/training/sparse/parallel/layout_cuda.h"

// What a chain of sparse sweeps keeps on a device.

namespace papilio::lda {

template <class To, class From>
std::vector<To> converted(const std::vector<From>& from) {
  std::vector<To> to(from.size());
  std::transform(from.begin(), from.end(), to.begin(), [](From x) { return static_cast<To>(x); });
  return to;
}

template <class T>
execution::DeviceArray<T> on_device(const std::vector<T>& values, const char* what, cudaStream_t stream) {
  execution::DeviceArray<T> array(std::max<std::int64_t>(static_cast<std::int64_t>(values.size()), 1), what);
  if (!values.empty()) array.upload(values.data(), static_cast<std::int64_t>(values.size()), stream);
  execution::check(cudaStreamSynchronize(stream), "a copy to the device");
  return array;
}

// A corpus on the device, and the topics of its tokens.
template <class Packing>
struct SparseCorpus {
  SparseCorpus(const SparseLayout& layout, const std::vector<std::int32_t>& topics, cudaStream_t stream)
      : documents(on_device(layout.documents, "documents", stream)),
        document(on_device(layout.document, "tokens", stream)),
        place(on_device(converted<typename Packing::Place>(layout.place), "tokens", stream)),
        items(on_device(layout.items, "words", stream)),
        z(on_device(converted<typename Packing::Topic>(topics), "topics", stream)),
        lists(layout.list_entries, "lists of topics") {}

  std::int64_t bytes() const {
    return documents.bytes() + document.bytes() + place.bytes() + items.bytes() + z.bytes() + lists.bytes();
  }

  execution::DeviceArray<SparseDocument> documents;
  execution::DeviceArray<std::int32_t> document;
  execution::DeviceArray<typename Packing::Place> place;
  execution::DeviceArray<SparseItem> items;
  execution::DeviceArray<typename Packing::Topic> z;
  execution::DeviceArray<typename Packing::Entry> lists;
};

// What a sweep keeps of topics.
struct TopicArrays {
  explicit TopicArrays(std::int32_t topics)
      : n_k(topics, "n_k"),
        alpha(topics, "alpha"),
        records(topics, "the topics' masses"),
        inverse(padded_topics(topics), "the topics' masses"),
        unit(topics, "the word part"),
        smoothing(topics, "the smoothing part") {}

  std::int64_t bytes() const {
    return n_k.bytes() + alpha.bytes() + records.bytes() + inverse.bytes() + unit.bytes() + smoothing.bytes();
  }

  execution::DeviceArray<std::int64_t> n_k;
  execution::DeviceArray<double> alpha;
  execution::DeviceArray<SparseTopic> records;
  execution::DeviceArray<float> inverse;
  execution::DeviceArray<std::uint64_t> unit;
  execution::DeviceArray<std::uint64_t> smoothing;
};

}  // namespace papilio::lda
