#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "lda/training/memory/big_array.h"
#include "lda/training/memory/scratch_pool.h"
#include "lda/training/sparse/parallel/batch.h"
#include "papilio/corpus.h"

namespace papilio::lda::sparse {

// The tokens' topics, and every document's list of topics and counts.
template <class Entry>
class DocumentLists {
 public:
  // Keeps the view, and the tokens' places in the order of words; both must outlive it.
  DocumentLists(const CorpusView& corpus, const std::uint32_t* places, std::int32_t topics, int threads);

  void set_topics(std::span<const std::int32_t> z);
  void copy_topics(std::span<std::int32_t> z) const;

  // Makes the lists and counts the tokens of each topic.
  void build(std::span<std::int64_t> n_k);

  const Entry* entries() const { return entries_.data(); }
  const ListPlace* lists() const { return lists_.data(); }
  Spot<Entry>* spots() { return spots_.data(); }
  const Spot<Entry>* spots() const { return spots_.data(); }

  // The number of entries of all lists together.
  std::int64_t size() const { return size_; }

  // The number of documents that have tokens.
  std::int64_t documents() const { return documents_; }

 private:
  // `n_dk` and `odd` are for one document, and all 0 between documents; the rest is 0 between sweeps.
  struct Counts {
    explicit Counts(std::int32_t topics)
        : n_dk(static_cast<std::size_t>(topics)),
          odd(static_cast<std::size_t>(topics)),
          present((static_cast<std::size_t>(topics) + 63) / 64),
          n_k(static_cast<std::size_t>(topics)) {}
    std::vector<std::uint32_t> n_dk;
    std::vector<std::uint32_t> odd;
    std::vector<std::uint64_t> present;
    std::vector<std::int64_t> n_k;
    std::int64_t entries = 0;
  };
  void count_topics(std::size_t begin, std::size_t end, Counts& counts);
  void build_list(std::size_t document, std::uint32_t group, Counts& counts);

  const CorpusView corpus_;
  const std::uint32_t* const places_;
  const std::int32_t topics_;
  const int threads_;
  BigArray<ListPlace> lists_;               // D
  BigArray<Entry> entries_;                 // part after part, each at a place that does not change
  BigArray<Spot<Entry>> spots_;             // N, in the order of words
  std::vector<std::int64_t> parts_;         // first documents of parts of about equal length, and D
  std::vector<std::uint32_t> first_group_;  // of each part
  ScratchPool<Counts> counts_;
  std::int64_t size_ = 0;
  std::int64_t documents_ = 0;
};

// Whether narrow entries hold the topics and counts of a corpus.
bool fits_narrow_entries(const CorpusView& corpus, std::int32_t topics);

}  // namespace papilio::lda::sparse
