#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "base/function_ref.h"
#include "execution/cuda/event.h"
#include "execution/cuda/memory.h"
#include "lda/training/sparse/parallel/layout_cuda.h"
#include "lda/training/sparse/parallel/ranges/range_plan.h"

namespace papilio::lda {

// A range of documents on a device: pointers into its memory, and the layout by which it is drawn.
template <class Entry>
struct SparseRange {
  const SparseLayout* layout = nullptr;
  std::uint64_t first_token = 0;  // number of its first token in the whole corpus
  std::int64_t tokens = 0;
  SparseDocument* documents = nullptr;
  const std::uint32_t* single_tokens = nullptr;
  std::int64_t single_count = 0;
  const SparseItem* items = nullptr;
  const SparseItem* slices = nullptr;
  const std::int32_t* document = nullptr;
  const typename Entry::Number* place = nullptr;
  typename Entry::Number* z = nullptr;
  Entry* lists = nullptr;
  std::int32_t* counts = nullptr;
};

// The tokens of a corpus and their topics for sparse sweeps over ranges of documents; within a range, 32 bits number
// them. Some ranges stay on the device. The others are kept in page-locked host memory and copied to the device and
// back while earlier ranges are drawn.
template <class Entry>
class SparseRanges {
 public:
  // Takes at most plan.bytes of the current device. Copies what it needs of the corpus. `first_token`: the number of
  // the corpus's first token, so that tests can have the numbers of large corpora.
  SparseRanges(const CorpusView& corpus, std::int32_t topics, const SparseCut& cut, const RangePlan& plan,
               const std::vector<std::int32_t>& z, int threads, std::uint64_t first_token, cudaStream_t stream);
  ~SparseRanges();

  // Calls queue(range) for each range, which puts work on the stream. If `writes_topics`, the
  // topics that it writes are kept.
  void for_each(bool writes_topics, base::FunctionRef<void(const SparseRange<Entry>&)> queue);

  // All topics, in the order of the corpus. Waits for the work queued so far.
  std::vector<std::int32_t> z();

  std::int64_t bytes() const;                                             // of device memory
  std::int64_t documents() const { return documents_; }                   // those that have tokens
  std::int64_t streamed_bytes() const;                                    // to the device, per sweep
  double measured_bytes_per_second() const { return bytes_per_second_; }  // of copies to the device; 0: none

 private:
  struct Range;
  struct Slot;

  void fill(Range& range, std::int32_t topics, const std::vector<std::int32_t>& z);
  void measure_copies();
  void load(Range& range, Slot& slot);
  SparseRange<Entry> range_in(std::byte* memory, const Range& range) const;

  const int threads_;
  const std::uint64_t first_token_;
  const cudaStream_t stream_;
  std::int64_t tokens_ = 0;
  std::int64_t documents_ = 0;
  double bytes_per_second_ = 0;
  std::size_t turn_ = 0;  // index of the next slot
  std::vector<std::unique_ptr<Range>> ranges_;
  std::vector<std::unique_ptr<Slot>> slots_;
  execution::Stream to_device_, from_device_;
};

}  // namespace papilio::lda
