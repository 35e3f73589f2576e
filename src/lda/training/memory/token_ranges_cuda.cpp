#include "lda/training/memory/token_ranges_cuda.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <limits>
#include <numeric>

#include "base/math.h"
#include "execution/cpu/parallel_for.h"
#include "execution/cuda/event.h"
#include "execution/cuda/pinned_bytes.h"
#include "papilio/error.h"

namespace papilio::lda {
namespace {

using execution::check;

constexpr std::int64_t alignment = 256;  // in bytes, for the arrays of a range
// Fewer rows of theta than this would leave a large device partly idle; then streaming is better.
constexpr std::int64_t least_theta_rows = 8192;
constexpr std::int64_t most_documents = std::int64_t{1} << 30;  // in a range, because TopicItem counts in 32 bits
// For a streamed range: keeps page-locked memory small, while a copy still takes milliseconds.
constexpr std::int64_t most_slot_bytes = std::int64_t{1} << 30;

template <class T>
T* part(std::byte* memory, std::int64_t at) {
  return reinterpret_cast<T*>(memory + at);
}

void copy_on_host(void* to, const void* from, std::int64_t bytes, int threads) {
  execution::parallel_for(bytes, std::int64_t{1} << 22, threads, [&](std::int64_t begin, std::int64_t end) {
    std::memcpy(static_cast<std::byte*>(to) + begin, static_cast<const std::byte*>(from) + begin,
                static_cast<std::size_t>(end - begin));
  });
}

std::int64_t documents_with_tokens(const CorpusView& corpus) {
  std::int64_t count = 0;
  for (std::size_t d = 1; d < corpus.document_offsets.size(); ++d) {
    count += corpus.document_offsets[d] > corpus.document_offsets[d - 1] ? 1 : 0;
  }
  return count;
}

std::size_t bytes_of_topics(std::int64_t tokens) { return static_cast<std::size_t>(tokens) * sizeof(std::int32_t); }

}  // namespace

struct TokenRanges::Range {
  std::int64_t first_document = 0;
  std::int64_t documents = 0;
  std::int64_t first_token = 0;
  std::int64_t tokens = 0;
  std::int64_t first_item = 0;  // number, counted from the first range
  std::int64_t items = 0;
  std::int64_t long_documents = 0;
  std::int64_t very_long_documents = 0;
};

// Memory that holds one range at a time.
struct TokenRanges::Slot {
  Slot(std::int64_t device_bytes, std::int64_t host_bytes)
      : memory(device_bytes, "a range of documents"), staging(host_bytes) {}
  execution::Stream stream;
  execution::DeviceArray<std::byte> memory;
  execution::PinnedBytes staging;
  execution::Event may_start;
  Range range;
  Layout layout;
  bool has_new_topics = false;  // new topics of its range are in `staging` once the stream has done its work
};

TokenRanges::TokenRanges(const CorpusView& corpus, const RangeNeeds& needs, std::int64_t memory, int threads,
                         cudaStream_t stream, const PlaceInCorpus& place)
    : corpus_(corpus),
      documents_(documents_with_tokens(corpus)),
      theta_row_(needs.row),
      tokens_per_item_(needs.tokens_per_item),
      threads_(threads),
      stream_(stream),
      place_(place) {
  if (corpus.documents() == 0) return;
  if (needs.by_word) order_by_words();
  const Range all = range_of(0, corpus.documents());
  const std::int64_t row = std::max<std::int64_t>(theta_row_ * static_cast<std::int64_t>(sizeof(float)), 1);
  const std::int64_t rows = std::min((memory - layout_of(all, 0).end) / row, most_documents);
  if (rows >= std::min(corpus.documents(), least_theta_rows)) {
    cut_by_documents(std::min(rows, corpus.documents()));
    keep_on_device(all, ranges_.front().documents);
  } else {
    cut_by_bytes(std::min(memory / 2, most_slot_bytes));
    stream_from_host();
  }
}

TokenRanges::~TokenRanges() = default;

std::int64_t TokenRanges::bytes() const {
  std::int64_t bytes = memory_.bytes();
  for (const std::unique_ptr<Slot>& slot : slots_) bytes += slot->memory.bytes();
  return bytes;
}

TokenRanges::Range TokenRanges::range_of(std::int64_t first_document, std::int64_t end_document) const {
  const auto& offsets = corpus_.document_offsets;
  Range range = {.first_document = first_document, .documents = end_document - first_document};
  range.first_token = offsets[static_cast<std::size_t>(first_document)];
  range.tokens = offsets[static_cast<std::size_t>(end_document)] - range.first_token;
  for (auto d = static_cast<std::size_t>(first_document); d < static_cast<std::size_t>(end_document); ++d) {
    const std::int64_t tokens = offsets[d + 1] - offsets[d];
    range.items += base::ceil_div(tokens, tokens_per_item_);
    range.long_documents += tokens > std::numeric_limits<std::uint8_t>::max() ? 1 : 0;
    range.very_long_documents += tokens > std::numeric_limits<std::uint16_t>::max() ? 1 : 0;
  }
  return range;
}

TokenRanges::Layout TokenRanges::layout_of(const Range& range, std::int64_t theta_rows) const {
  Layout layout;
  const auto after = [](std::int64_t at, std::int64_t count, std::size_t size) {
    return base::round_up(at + count * static_cast<std::int64_t>(size), alignment);
  };
  layout.by_word = after(layout.words, range.tokens, sizeof(std::int32_t));
  layout.offsets = after(layout.by_word, by_word_.empty() ? 0 : range.tokens, sizeof(std::int32_t));
  layout.items = after(layout.offsets, range.documents + 1, sizeof(std::int64_t));
  layout.z = after(layout.items, range.items, sizeof(TopicItem));
  layout.theta = after(layout.z, range.tokens, sizeof(std::int32_t));
  layout.end = after(layout.theta, theta_rows * theta_row_, sizeof(float));
  return layout;
}

void TokenRanges::order_by_words() {
  by_word_.resize(corpus_.words.size());
  execution::parallel_for(corpus_.documents(), 256, threads_, [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t d = begin; d < end; ++d) {
      const auto first = corpus_.document_offsets[static_cast<std::size_t>(d)];
      const auto behind = corpus_.document_offsets[static_cast<std::size_t>(d) + 1];
      const auto words = corpus_.words.begin() + first;
      std::iota(by_word_.begin() + first, by_word_.begin() + behind, 0);
      std::stable_sort(by_word_.begin() + first, by_word_.begin() + behind,
                       [&](std::int32_t a, std::int32_t b) { return words[a] < words[b]; });
    }
  });
}

// Ranges with nearly equal numbers of documents, at most `documents_per_range`.
void TokenRanges::cut_by_documents(std::int64_t documents_per_range) {
  const std::int64_t documents = corpus_.documents();
  const std::int64_t parts = base::ceil_div(documents, documents_per_range);
  std::int64_t first_item = 0;
  for (std::int64_t p = 0; p < parts; ++p) {
    const std::int64_t step = base::ceil_div(documents, parts);
    ranges_.push_back(range_of(std::min(p * step, documents), std::min((p + 1) * step, documents)));
    ranges_.back().first_item = first_item;
    first_item += ranges_.back().items;
  }
}

// Ranges of as many documents as fit in `most` bytes.
void TokenRanges::cut_by_bytes(std::int64_t most) {
  Range range;
  for (std::int64_t d = 0; d < corpus_.documents(); ++d) {
    const Range document = range_of(d, d + 1);
    Range longer = range;
    longer.documents += 1;
    longer.tokens += document.tokens;
    longer.items += document.items;
    longer.long_documents += document.long_documents;
    longer.very_long_documents += document.very_long_documents;
    if (range.documents > 0 && layout_of(longer, longer.documents).end > most) {
      ranges_.push_back(range);
      longer = document;
    }
    range = longer;
    const std::int64_t needed = layout_of(range, range.documents).end;
    if (needed > most) {
      throw DeviceError(
          fmt::format("papilio::train: document {} ({} tokens) and its topics need {} bytes of device memory, {} are "
                      "free beside the tables and another such range",
                      d, document.tokens, needed, std::max<std::int64_t>(most, 0)));
    }
  }
  ranges_.push_back(range);
}

void TokenRanges::keep_on_device(const Range& all, std::int64_t theta_rows) {
  layout_ = layout_of(all, theta_rows);
  memory_ = execution::DeviceArray<std::byte>(layout_.end, "a corpus");
  std::vector<TopicItem> items(static_cast<std::size_t>(all.items));
  for (const Range& range : ranges_) {
    fill_items(range, items.data() + range.first_item);
  }
  const auto upload = [&](std::int64_t at, const auto& values) {
    const std::size_t bytes = values.size() * sizeof(values[0]);
    check(cudaMemcpyAsync(memory_.data() + at, values.data(), bytes, cudaMemcpyHostToDevice, stream_),
          "a copy to the device");
  };
  upload(layout_.words, corpus_.words);
  if (!by_word_.empty()) upload(layout_.by_word, by_word_);
  std::vector<std::int64_t> offsets(corpus_.document_offsets.begin(), corpus_.document_offsets.end());
  for (std::int64_t& offset : offsets) offset += place_.token;
  upload(layout_.offsets, offsets);
  upload(layout_.items, items);
  check(cudaStreamSynchronize(stream_), "a copy to the device");  // the copy reads `items`, which ends here
  by_word_ = {};
}

void TokenRanges::stream_from_host() {
  z_.resize(corpus_.words.size());
  Layout largest;
  for (const Range& range : ranges_) {
    const Layout layout = layout_of(range, range.documents);
    largest.end = std::max(largest.end, layout.end);
    largest.theta = std::max(largest.theta, layout.theta);
  }
  for (int i = 0; i < 2; ++i) {
    slots_.push_back(std::make_unique<Slot>(largest.end, largest.theta));
  }
}

// The items of a document are of nearly equal size.
void TokenRanges::fill_items(const Range& range, TopicItem* items) const {
  TopicItem* const first = items;
  const std::int64_t* offsets = corpus_.document_offsets.data() + range.first_document;
  for (std::int64_t d = 0; d < range.documents; ++d) {
    const std::int64_t tokens = offsets[d + 1] - offsets[d];
    const std::int64_t parts = base::ceil_div(tokens, tokens_per_item_);
    for (std::int64_t p = 0; p < parts; ++p) {
      const std::int64_t begin = tokens * p / parts, end = tokens * (p + 1) / parts;
      *items++ = {.first = offsets[d] - range.first_token + begin,
                  .document = static_cast<std::int32_t>(d),
                  .count = static_cast<std::int32_t>(end - begin)};
    }
  }
  order_items(first, items - first);
}

RangeOnDevice TokenRanges::range_in(const Slot& slot) const {
  std::byte* memory = const_cast<std::byte*>(slot.memory.data());
  RangeOnDevice range;
  range.offsets = part<std::int64_t>(memory, slot.layout.offsets);
  range.documents = slot.range.documents;
  range.first_document = place_.document + slot.range.first_document;
  range.first_token = place_.token + slot.range.first_token;
  range.tokens = slot.range.tokens;
  range.words = part<std::int32_t>(memory, slot.layout.words);
  range.z = part<std::int32_t>(memory, slot.layout.z);
  range.stream = slot.stream.get();
  range.items = part<TopicItem>(memory, slot.layout.items);
  range.item_count = slot.range.items;
  range.long_documents = slot.range.long_documents;
  range.very_long_documents = slot.range.very_long_documents;
  range.by_word = part<std::int32_t>(memory, slot.layout.by_word);
  range.theta = part<float>(memory, slot.layout.theta);
  return range;
}

// Copies a range to the slot's memory on the device.
void TokenRanges::stage(const Range& range, Slot& slot) const {
  slot.range = range;
  slot.layout = layout_of(range, range.documents);
  std::byte* staging = slot.staging.data();
  const auto bytes = static_cast<std::int64_t>(bytes_of_topics(range.tokens));
  copy_on_host(staging + slot.layout.words, corpus_.words.data() + range.first_token, bytes, threads_);
  if (!by_word_.empty())
    copy_on_host(staging + slot.layout.by_word, by_word_.data() + range.first_token, bytes, threads_);
  copy_on_host(staging + slot.layout.z, z_.data() + range.first_token, bytes, threads_);
  std::transform(corpus_.document_offsets.data() + range.first_document,
                 corpus_.document_offsets.data() + range.first_document + range.documents + 1,
                 part<std::int64_t>(staging, slot.layout.offsets),
                 [this](std::int64_t at) { return at + place_.token; });
  fill_items(range, part<TopicItem>(staging, slot.layout.items));
  check(cudaMemcpyAsync(slot.memory.data(), staging, static_cast<std::size_t>(slot.layout.theta),
                        cudaMemcpyHostToDevice, slot.stream.get()),
        "a copy to the device");
}

// Waits for the slot's work and takes its new topics.
void TokenRanges::finish(Slot& slot) {
  slot.stream.wait();
  if (std::exchange(slot.has_new_topics, false)) {
    copy_on_host(z_.data() + slot.range.first_token, slot.staging.data() + slot.layout.z,
                 static_cast<std::int64_t>(bytes_of_topics(slot.range.tokens)), threads_);
  }
}

void TokenRanges::for_each(bool writes_topics, base::FunctionRef<void(const RangeOnDevice&)> queue) {
  if (!is_streamed()) {
    std::byte* memory = memory_.data();
    for (const Range& range : ranges_) {
      RangeOnDevice here;
      here.offsets = part<std::int64_t>(memory, layout_.offsets) + range.first_document;
      here.documents = range.documents;
      here.first_document = place_.document + range.first_document;
      here.first_token = place_.token + range.first_token;
      here.tokens = range.tokens;
      here.words = part<std::int32_t>(memory, layout_.words) + range.first_token;
      here.z = part<std::int32_t>(memory, layout_.z) + range.first_token;
      here.stream = stream_;
      here.items = part<TopicItem>(memory, layout_.items) + range.first_item;
      here.item_count = range.items;
      here.long_documents = range.long_documents;
      here.very_long_documents = range.very_long_documents;
      here.by_word = part<std::int32_t>(memory, layout_.by_word) + range.first_token;
      here.theta = part<float>(memory, layout_.theta);
      queue(here);
    }
    return;
  }
  for (const std::unique_ptr<Slot>& slot : slots_) {
    slot->may_start.order(stream_, slot->stream.get());
  }
  for (std::size_t r = 0; r < ranges_.size(); ++r) {
    Slot& slot = *slots_[r % slots_.size()];
    finish(slot);
    stage(ranges_[r], slot);
    const RangeOnDevice range = range_in(slot);
    queue(range);
    if (writes_topics) {
      check(cudaMemcpyAsync(slot.staging.data() + slot.layout.z, range.z, bytes_of_topics(range.tokens),
                            cudaMemcpyDeviceToHost, range.stream),
            "a copy from the device");
      slot.has_new_topics = true;
    }
  }
  for (const std::unique_ptr<Slot>& slot : slots_) finish(*slot);
}

void TokenRanges::set_topics(const std::vector<std::int32_t>& z) {
  if (is_streamed()) {
    z_ = z;
    return;
  }
  if (z.empty()) return;
  check(cudaMemcpyAsync(memory_.data() + layout_.z, z.data(), bytes_of_topics(corpus_.tokens()), cudaMemcpyHostToDevice,
                        stream_),
        "a copy to the device");
  check(cudaStreamSynchronize(stream_), "a copy to the device");
}

std::vector<std::int32_t> TokenRanges::topics() {
  if (is_streamed() || corpus_.words.empty()) return z_;
  std::vector<std::int32_t> z(corpus_.words.size());
  check(cudaMemcpyAsync(z.data(), memory_.data() + layout_.z, bytes_of_topics(corpus_.tokens()), cudaMemcpyDeviceToHost,
                        stream_),
        "a copy from the device");
  check(cudaStreamSynchronize(stream_), "a copy from the device");
  return z;
}

}  // namespace papilio::lda
