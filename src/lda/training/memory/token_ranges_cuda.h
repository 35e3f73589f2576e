#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "base/function_ref.h"
#include "execution/cuda/memory.h"
#include "lda/model/state.h"
#include "lda/training/memory/document_range_cuda.h"
#include "lda/training/memory/topic_items.h"
#include "papilio/corpus.h"

namespace papilio::lda {

// A range of documents in device memory, with what their draws need.
struct RangeOnDevice : DocumentRange {
  const TopicItem* items = nullptr;  // tokens and documents are counted from the range's first
  std::int64_t item_count = 0;
  std::int64_t long_documents = 0;        // those of more than 255 tokens
  std::int64_t very_long_documents = 0;   // those of more than 65,535 tokens
  const std::int32_t* by_word = nullptr;  // if it is wanted: for each turn of a document, the place in the document of
                                          // the token that is drawn then
  float* theta = nullptr;                 // room for documents x RangeNeeds::row
};

// What a sampler's draws need.
struct RangeNeeds {
  std::int64_t row = 0;              // floats per document
  std::int64_t tokens_per_item = 0;  // at most
  bool by_word = false;              // a document's tokens in the order of their words, those of a word in their own
};

// The tokens of a corpus and their topics, on which a device works in ranges of documents. All
// tokens stay on the device if they fit beside the theta of one range. Otherwise they stay on
// the host, and ranges go to the device and back through two slots in turn: one is copied while
// the device works on the other.
class TokenRanges {
 public:
  // Takes at most `memory` bytes of the current device. `stream` is the caller's: see for_each. Keeps a reference to
  // the corpus, which is at `place` within another one, by which documents and tokens are numbered. Throws DeviceError
  // if there is no room for the longest document.
  TokenRanges(const CorpusView& corpus, const RangeNeeds& needs, std::int64_t memory, int threads, cudaStream_t stream,
              const PlaceInCorpus& place = {});
  ~TokenRanges();

  bool is_streamed() const { return !slots_.empty(); }

  // Bytes of device memory.
  std::int64_t bytes() const;

  // The number of documents that have tokens.
  std::int64_t documents() const { return documents_; }

  // Calls queue(range) for each range, which puts work on range.stream. This work runs after what is
  // already on the caller's stream, and before what is put there later. If `writes_topics`, the
  // topics that it writes are kept.
  void for_each(bool writes_topics, base::FunctionRef<void(const RangeOnDevice&)> queue);

  // All topics, in corpus order. Reading them waits for the work queued so far.
  void set_topics(const std::vector<std::int32_t>& z);
  std::vector<std::int32_t> topics();

 private:
  struct Range;
  struct Slot;

  // Where the arrays of a range are in memory, in bytes. All but theta come from the host.
  struct Layout {
    std::int64_t words = 0;
    std::int64_t by_word = 0;
    std::int64_t offsets = 0;
    std::int64_t items = 0;
    std::int64_t z = 0;
    std::int64_t theta = 0;
    std::int64_t end = 0;
  };

  Range range_of(std::int64_t first_document, std::int64_t end_document) const;
  Layout layout_of(const Range& range, std::int64_t theta_rows) const;
  void order_by_words();
  void cut_by_documents(std::int64_t documents_per_range);
  void cut_by_bytes(std::int64_t most);
  void keep_on_device(const Range& all, std::int64_t theta_rows);
  void stream_from_host();
  void fill_items(const Range& range, TopicItem* items) const;
  RangeOnDevice range_in(const Slot& slot) const;
  void stage(const Range& range, Slot& slot) const;
  void finish(Slot& slot);

  const CorpusView corpus_;
  const std::int64_t documents_;
  const std::int64_t theta_row_;
  const std::int64_t tokens_per_item_;
  const int threads_;
  const cudaStream_t stream_;
  const PlaceInCorpus place_;
  std::vector<Range> ranges_;
  std::vector<std::int32_t> by_word_;  // on the host, if it is wanted, until it is on the device

  // If everything stays on the device: the whole corpus, and theta for one range.
  Layout layout_;
  execution::DeviceArray<std::byte> memory_;

  // If ranges are streamed.
  std::vector<std::int32_t> z_;
  std::vector<std::unique_ptr<Slot>> slots_;
};

}  // namespace papilio::lda
