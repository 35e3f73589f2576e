#include "lda/training/sparse/parallel/lists_cpu.h"

#include <algorithm>
#include <utility>

#include "execution/cpu/parallel_for.h"

namespace papilio::lda::sparse {
namespace {

constexpr std::int64_t tokens_per_part = std::int64_t{1} << 13;
constexpr std::size_t tokens_ahead = look_ahead;  // at which spots are prefetched
constexpr std::size_t tokens_per_mark = 4;        // topics can be read in the time that marking one token takes

std::int64_t length_of(const CorpusView& corpus, std::size_t document) {
  return corpus.document_offsets[document + 1] - corpus.document_offsets[document];
}

// The number of groups of `lanes` entries to which a document's list can grow.
std::int64_t most_groups(const CorpusView& corpus, std::size_t document, std::int32_t topics) {
  return (std::min<std::int64_t>(length_of(corpus, document), topics) + lanes - 1) / lanes;
}

// Plus the groups of the longest list, because kernels may read a list as far as another one.
std::size_t entries_of_all(const CorpusView& corpus, std::int32_t topics) {
  std::int64_t groups = 0, longest = 0;
  for (std::size_t d = 0; d + 1 < corpus.document_offsets.size(); ++d) {
    const std::int64_t most = most_groups(corpus, d, topics);
    groups += most;
    longest = std::max(longest, most);
  }
  return static_cast<std::size_t>((groups + longest) * lanes);
}

}  // namespace

bool fits_narrow_entries(const CorpusView& corpus, std::int32_t topics) {
  constexpr std::int64_t most = 0xffff;
  if (topics > most + 1) return false;
  for (std::size_t d = 0; d + 1 < corpus.document_offsets.size(); ++d) {
    if (length_of(corpus, d) > most) return false;
  }
  return true;
}

template <class Entry>
DocumentLists<Entry>::DocumentLists(const CorpusView& corpus, const std::uint32_t* places, std::int32_t topics,
                                    int threads)
    : corpus_(corpus),
      places_(places),
      topics_(topics),
      threads_(threads),
      lists_(static_cast<std::size_t>(corpus.documents()), threads),
      entries_(entries_of_all(corpus, topics), threads),
      spots_(static_cast<std::size_t>(corpus.tokens()), threads),
      counts_(threads, [topics] { return std::make_unique<Counts>(topics); }) {
  parts_.push_back(0);
  first_group_.push_back(0);
  std::int64_t groups = 0;
  for (std::size_t d = 0; d < lists_.size(); ++d) {
    groups += most_groups(corpus, d, topics);
    if (length_of(corpus, d) > 0) ++documents_;
    const auto begin = corpus.document_offsets[static_cast<std::size_t>(parts_.back())];
    if (d + 1 == lists_.size() || corpus.document_offsets[d + 1] - begin >= tokens_per_part) {
      parts_.push_back(static_cast<std::int64_t>(d) + 1);
      first_group_.push_back(static_cast<std::uint32_t>(groups));
    }
  }
}

template <class Entry>
void DocumentLists<Entry>::set_topics(std::span<const std::int32_t> z) {
  execution::parallel_for(std::ssize(z), tokens_per_part, threads_, [&](std::int64_t begin, std::int64_t end) {
    for (auto i = static_cast<std::size_t>(begin); i < static_cast<std::size_t>(end); ++i) {
      spots_[places_[i]].topic = static_cast<typename Entry::Number>(z[i]);
    }
  });
}

template <class Entry>
void DocumentLists<Entry>::copy_topics(std::span<std::int32_t> z) const {
  execution::parallel_for(std::ssize(z), tokens_per_part, threads_, [&](std::int64_t begin, std::int64_t end) {
    for (auto i = static_cast<std::size_t>(begin); i < static_cast<std::size_t>(end); ++i) {
      z[i] = static_cast<std::int32_t>(spots_[places_[i]].topic);
    }
  });
}

template <class Entry>
void DocumentLists<Entry>::build(std::span<std::int64_t> n_k) {
  execution::parallel_for(std::ssize(parts_) - 1, 1, threads_, [&](std::int64_t begin, std::int64_t end) {
    typename ScratchPool<Counts>::Loan loan(counts_);
    Counts& counts = *loan;
    for (auto part = static_cast<std::size_t>(begin); part < static_cast<std::size_t>(end); ++part) {
      std::uint32_t group = first_group_[part];
      for (auto d = static_cast<std::size_t>(parts_[part]); d < static_cast<std::size_t>(parts_[part + 1]); ++d) {
        build_list(d, group, counts);
        group += (lists_[d].size + lanes - 1) / lanes;
      }
    }
  });
  size_ = 0;
  std::fill(n_k.begin(), n_k.end(), 0);
  counts_.for_each([&](Counts& counts) {
    size_ += std::exchange(counts.entries, 0);
    for (std::size_t k = 0; k < n_k.size(); ++k) n_k[k] += std::exchange(counts.n_k[k], 0);
  });
}

// Neighbouring tokens often have the same topic, so one would wait for the count of the previous one. If there are
// enough of them, they are counted alternately in two tables; topics are marked afterwards.
template <class Entry>
void DocumentLists<Entry>::count_topics(std::size_t begin, std::size_t end, Counts& counts) {
  const auto topic_of = [&](std::size_t i) {
    __builtin_prefetch(spots_.data() + places_[i + tokens_ahead], 1);
    return std::size_t{spots_[places_[i]].topic};
  };
  const std::size_t topics = counts.n_dk.size();
  if (tokens_per_mark * (end - begin) < topics) {
    for (std::size_t i = begin; i < end; ++i) {
      const std::size_t k = topic_of(i);
      ++counts.n_dk[k];
      counts.present[k / 64] |= std::uint64_t{1} << (k % 64);
    }
    return;
  }
  std::uint32_t* const even = counts.n_dk.data();
  std::uint32_t* const odd = counts.odd.data();
  std::size_t i = begin;
  for (; i + 1 < end; i += 2) {
    ++even[topic_of(i)];
    ++odd[topic_of(i + 1)];
  }
  if (i < end) ++even[topic_of(i)];
  for (std::size_t first = 0; first < topics; first += 64) {
    const std::size_t here = std::min<std::size_t>(topics - first, 64);
    std::uint64_t bits = 0;
    for (std::size_t j = 0; j < here; ++j) {
      const std::uint32_t n = even[first + j] += std::exchange(odd[first + j], 0);
      bits |= std::uint64_t{n != 0} << j;
    }
    counts.present[first / 64] = bits;
  }
}

template <class Entry>
void DocumentLists<Entry>::build_list(std::size_t document, std::uint32_t group, Counts& counts) {
  const auto begin = static_cast<std::size_t>(corpus_.document_offsets[document]);
  const auto end = static_cast<std::size_t>(corpus_.document_offsets[document + 1]);
  count_topics(begin, end, counts);
  Entry* const list = entries_.data() + std::size_t{lanes} * group;
  std::uint32_t size = 0;
  for (std::size_t word = 0; word < counts.present.size(); ++word) {
    std::uint64_t bits = counts.present[word];
    counts.present[word] = 0;
    for (; bits != 0; bits &= bits - 1) {
      const std::size_t k = word * 64 + static_cast<std::size_t>(__builtin_ctzll(bits));
      const std::uint32_t n = counts.n_dk[k];
      counts.n_k[k] += n;
      counts.n_dk[k] = size;
      list[size++] = Entry::of(static_cast<std::uint32_t>(k), n);
    }
  }
  for (std::size_t i = begin; i < end; ++i) {
    Spot<Entry>& spot = spots_[places_[i]];
    spot.place = static_cast<typename Entry::Number>(counts.n_dk[spot.topic]);
  }
  for (std::uint32_t i = 0; i < size; ++i) counts.n_dk[list[i].topic()] = 0;
  for (std::uint32_t i = size; i % lanes != 0; ++i) list[i] = Entry::of(0, 0);
  lists_[document] = {group, size};
  counts.entries += size;
}

template class DocumentLists<NarrowEntry>;
template class DocumentLists<WideEntry>;

}  // namespace papilio::lda::sparse
