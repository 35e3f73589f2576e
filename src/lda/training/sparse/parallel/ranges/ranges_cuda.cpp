#include "lda/training/sparse/parallel/ranges/ranges_cuda.h"

#include <algorithm>
#include <chrono>
#include <cstring>
#include <iterator>
#include <utility>

#include "base/math.h"
#include "execution/cpu/parallel_for.h"
#include "execution/cuda/check.h"
#include "execution/cuda/pinned_bytes.h"
#include "lda/training/sparse/parallel/arrays_cuda.h"

namespace papilio::lda {

using execution::check;

// Where the arrays of a range are, in bytes. Those before `lists` are copied from the host.
struct RangeArraysLayout {
  std::int64_t documents = 0, single_tokens = 0, items = 0, slices = 0, document = 0, place = 0, z = 0, lists = 0,
               counts = 0, end = 0;
};

template <class Entry>
struct SparseRanges<Entry>::Range {
  explicit Range(SparseLayout of) : layout(std::move(of)) {}
  SparseLayout layout;  // without what is only on the device
  std::int64_t single_count = 0;
  RangeArraysLayout at;
  std::int64_t first_token = 0;  // number in the corpus that is trained on
  std::int64_t tokens = 0;
  bool stays = false;
  execution::DeviceArray<std::byte> on_device;      // if it stays there
  std::unique_ptr<execution::PinnedBytes> on_host;  // if it does not
  execution::Event is_back;                         // its topics are on the host again
};

template <class Entry>
struct SparseRanges<Entry>::Slot {
  explicit Slot(std::int64_t bytes) : memory(bytes, "a range of documents") {}
  execution::DeviceArray<std::byte> memory;
  execution::Event is_loaded, is_drawn, is_free;
};

namespace {

template <class T>
T* part_at(std::byte* memory, std::int64_t at) {
  return reinterpret_cast<T*>(memory + at);
}

template <class T>
void put(std::byte* memory, std::int64_t at, const T* values, std::int64_t count) {
  if (count > 0) std::memcpy(memory + at, values, static_cast<std::size_t>(count) * sizeof(T));
}

template <class To, class From>
void convert(const From* from, To* to, std::int64_t count, int threads) {
  execution::parallel_for(count, std::int64_t{1} << 16, threads, [&](std::int64_t begin, std::int64_t end) {
    std::transform(from + begin, from + end, to + begin, [](From x) { return static_cast<To>(x); });
  });
}

template <class Entry>
RangeArraysLayout arrays_of(const SparseLayout& layout, std::int64_t tokens, std::int32_t topics) {
  RangeArraysLayout at;
  const auto after = [](std::int64_t begin, std::int64_t count, std::size_t size) {
    return base::round_up(begin + count * static_cast<std::int64_t>(size), range_alignment);
  };
  using Number = typename Entry::Number;
  at.single_tokens = after(at.documents, layout.listed_documents, sizeof(SparseDocument));
  at.items = after(at.single_tokens, std::ssize(layout.documents) - layout.listed_documents, sizeof(std::uint32_t));
  at.slices = after(at.items, std::ssize(layout.items), sizeof(SparseItem));
  at.document = after(at.slices, std::ssize(layout.slices), sizeof(SparseItem));
  at.place = after(at.document, tokens, sizeof(std::int32_t));
  at.z = after(at.place, tokens, sizeof(Number));
  at.lists = after(at.z, tokens, sizeof(Number));
  at.counts = after(at.lists, layout.list_units, list_unit);
  at.end = after(at.counts, std::int64_t{layout.counted_documents} * topics, sizeof(std::int32_t));
  return at;
}

// Documents [first, end), as a corpus of their own.
struct DocumentsOfCorpus {
  DocumentsOfCorpus(const CorpusView& corpus, std::int64_t first, std::int64_t end) : view(corpus) {
    const std::int64_t first_token = corpus.document_offsets[static_cast<std::size_t>(first)];
    for (std::int64_t d = first; d <= end; ++d) {
      offsets.push_back(corpus.document_offsets[static_cast<std::size_t>(d)] - first_token);
    }
    view.document_offsets = offsets;
    view.words = corpus.words.subspan(static_cast<std::size_t>(first_token), static_cast<std::size_t>(offsets.back()));
    view.document_names = {};
  }
  std::vector<std::int64_t> offsets;
  CorpusView view;
};

}  // namespace

template <class Entry>
SparseRanges<Entry>::SparseRanges(const CorpusView& corpus, std::int32_t topics, const SparseCut& cut,
                                  const RangePlan& plan, const std::vector<std::int32_t>& z, int threads,
                                  std::uint64_t first_token, cudaStream_t stream)
    : threads_(threads), first_token_(first_token), stream_(stream), tokens_(corpus.tokens()) {
  for (std::int64_t i = 0; i < plan.slots; ++i) slots_.push_back(std::make_unique<Slot>(plan.slot_bytes));
  std::int64_t first_document = 0;
  for (std::size_t r = 0; r < plan.ends.size(); ++r) {
    const DocumentsOfCorpus part(corpus, first_document, plan.ends[r]);
    auto range = std::make_unique<Range>(SparseLayout(part.view, topics, cut, {}, threads));
    range->first_token = corpus.document_offsets[static_cast<std::size_t>(first_document)];
    range->tokens = part.view.tokens();
    range->stays = plan.stays[r];
    fill(*range, topics, z);
    ranges_.push_back(std::move(range));
    first_document = plan.ends[r];
  }
  measure_copies();
}

template <class Entry>
SparseRanges<Entry>::~SparseRanges() {
  // Copies may still be reading or writing host memory.
  cudaStreamSynchronize(stream_);
  cudaStreamSynchronize(to_device_.get());
  cudaStreamSynchronize(from_device_.get());
}

// Puts the layout's arrays for the range where copies to the device start, and on the device if it stays there.
template <class Entry>
void SparseRanges<Entry>::fill(Range& range, std::int32_t topics, const std::vector<std::int32_t>& z) {
  using Number = typename Entry::Number;
  SparseLayout& layout = range.layout;
  const RangeArraysLayout at = range.at = arrays_of<Entry>(layout, range.tokens, topics);
  documents_ += std::ssize(layout.documents);
  range.single_count = std::ssize(layout.documents) - layout.listed_documents;
  auto host = std::make_unique<execution::PinnedBytes>(at.lists);
  std::byte* const memory = host->data();
  put(memory, at.documents, layout.documents.data(), layout.listed_documents);
  put(memory, at.single_tokens, single_tokens_of(layout).data(), range.single_count);
  put(memory, at.items, layout.items.data(), std::ssize(layout.items));
  put(memory, at.slices, layout.slices.data(), std::ssize(layout.slices));
  put(memory, at.document, layout.document.data(), range.tokens);
  convert(layout.place.data(), part_at<Number>(memory, at.place), range.tokens, threads_);
  convert(z.data() + range.first_token, part_at<Number>(memory, at.z), range.tokens, threads_);
  layout.documents = {};
  layout.document = {};
  layout.place = {};
  layout.word_offsets = {};
  if (!range.stays) {
    range.on_host = std::move(host);
    return;
  }
  range.on_device = execution::DeviceArray<std::byte>(at.end, "a range of documents");
  check(cudaMemcpyAsync(range.on_device.data(), memory, static_cast<std::size_t>(at.lists), cudaMemcpyHostToDevice,
                        stream_),
        "a copy to the device");
  check(cudaStreamSynchronize(stream_), "a copy to the device");  // the host's memory is freed after this
}

// Copies a streamed range twice and times the second copy, because the first may take longer.
template <class Entry>
void SparseRanges<Entry>::measure_copies() {
  const auto range = std::ranges::find_if(ranges_, [](const auto& one) { return !one->stays; });
  if (range == ranges_.end()) return;
  for (int i = 0; i < 2; ++i) {
    const auto begin = std::chrono::steady_clock::now();
    load(**range, *slots_.front());
    to_device_.wait();
    const std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - begin;
    bytes_per_second_ = static_cast<double>((*range)->at.lists) / seconds.count();
  }
}

// Copies a range into a slot, once its topics are back on the host and the slot is free.
template <class Entry>
void SparseRanges<Entry>::load(Range& range, Slot& slot) {
  range.is_back.make_wait(to_device_.get());
  slot.is_free.make_wait(to_device_.get());
  check(cudaMemcpyAsync(slot.memory.data(), range.on_host->data(), static_cast<std::size_t>(range.at.lists),
                        cudaMemcpyHostToDevice, to_device_.get()),
        "a copy to the device");
  slot.is_loaded.order(to_device_.get(), stream_);
}

template <class Entry>
SparseRange<Entry> SparseRanges<Entry>::range_in(std::byte* memory, const Range& range) const {
  using Number = typename Entry::Number;
  const RangeArraysLayout& at = range.at;
  SparseRange<Entry> here;
  here.layout = &range.layout;
  here.first_token = first_token_ + static_cast<std::uint64_t>(range.first_token);
  here.tokens = range.tokens;
  here.documents = part_at<SparseDocument>(memory, at.documents);
  here.single_tokens = part_at<std::uint32_t>(memory, at.single_tokens);
  here.single_count = range.single_count;
  here.items = part_at<SparseItem>(memory, at.items);
  here.slices = part_at<SparseItem>(memory, at.slices);
  here.document = part_at<std::int32_t>(memory, at.document);
  here.place = part_at<Number>(memory, at.place);
  here.z = part_at<Number>(memory, at.z);
  here.lists = part_at<Entry>(memory, at.lists);
  here.counts = part_at<std::int32_t>(memory, at.counts);
  return here;
}

template <class Entry>
void SparseRanges<Entry>::for_each(bool writes_topics, base::FunctionRef<void(const SparseRange<Entry>&)> queue) {
  for (const std::unique_ptr<Range>& range : ranges_) {
    const RangeArraysLayout& at = range->at;
    Slot* const slot = range->stays ? nullptr : slots_[turn_++ % slots_.size()].get();
    if (slot != nullptr) load(*range, *slot);
    std::byte* const memory = slot != nullptr ? slot->memory.data() : range->on_device.data();
    if (at.end > at.counts) {
      check(cudaMemsetAsync(memory + at.counts, 0, static_cast<std::size_t>(at.end - at.counts), stream_),
            "clearing counts");
    }
    queue(range_in(memory, *range));
    if (slot == nullptr) continue;
    if (!writes_topics) {
      slot->is_free.record(stream_);
      continue;
    }
    slot->is_drawn.order(stream_, from_device_.get());
    const auto topic_bytes = static_cast<std::size_t>(range->tokens) * sizeof(typename Entry::Number);
    check(cudaMemcpyAsync(range->on_host->data() + at.z, memory + at.z, topic_bytes, cudaMemcpyDeviceToHost,
                          from_device_.get()),
          "a copy from the device");
    range->is_back.record(from_device_.get());
    slot->is_free.record(from_device_.get());
  }
}

template <class Entry>
std::vector<std::int32_t> SparseRanges<Entry>::z() {
  using Number = typename Entry::Number;
  std::vector<std::int32_t> all;
  execution::make_zeros(all, static_cast<std::size_t>(tokens_), threads_);
  check(cudaStreamSynchronize(stream_), "draws on the device");
  from_device_.wait();
  std::vector<Number> of_range;
  for (const std::unique_ptr<Range>& range : ranges_) {
    const Number* z = nullptr;
    if (range->stays) {
      of_range.resize(static_cast<std::size_t>(range->tokens));
      execution::download_bytes(of_range.data(), range->on_device.data() + range->at.z,
                                range->tokens * static_cast<std::int64_t>(sizeof(Number)), stream_);
      z = of_range.data();
    } else {
      z = part_at<Number>(range->on_host->data(), range->at.z);
    }
    convert(z, all.data() + range->first_token, range->tokens, threads_);
  }
  return all;
}

template <class Entry>
std::int64_t SparseRanges<Entry>::bytes() const {
  std::int64_t bytes = 0;
  for (const std::unique_ptr<Range>& range : ranges_) bytes += range->on_device.bytes();
  for (const std::unique_ptr<Slot>& slot : slots_) bytes += slot->memory.bytes();
  return bytes;
}

template <class Entry>
std::int64_t SparseRanges<Entry>::streamed_bytes() const {
  std::int64_t bytes = 0;
  for (const std::unique_ptr<Range>& range : ranges_) bytes += range->stays ? 0 : range->at.lists;
  return bytes;
}

template class SparseRanges<sparse::NarrowEntry>;
template class SparseRanges<sparse::WideEntry>;

}  // namespace papilio::lda
