#include "lda/evaluation/occurrences.h"

#include <algorithm>
#include <atomic>
#include <utility>

#include "execution/cpu/interruption.h"
#include "execution/cpu/parallel_for.h"

namespace papilio::lda {
namespace {

// Windows, by the positions at which they begin: first <= begin < last.
struct Interval {
  std::int64_t first;
  std::int64_t last;
};

// The number of windows that are in both of two ascending lists of disjoint intervals.
std::int64_t common_windows(std::span<const Interval> a, std::span<const Interval> b) {
  std::int64_t windows = 0;
  for (std::size_t i = 0, j = 0; i < a.size() && j < b.size();) {
    const std::int64_t first = std::max(a[i].first, b[j].first);
    const std::int64_t last = std::min(a[i].last, b[j].last);
    windows += std::max<std::int64_t>(last - first, 0);
    ++(a[i].last < b[j].last ? i : j);
  }
  return windows;
}

// The places of words among the topics' words: entries of a table of topics x words_per_topic, by word.
struct Places {
  std::vector<std::int64_t> offsets;  // V + 1
  std::vector<std::size_t> entries;   // of word w: entries[offsets[w]] ... entries[offsets[w + 1] - 1], ascending

  Places(std::span<const std::int32_t> words, std::int64_t vocabulary_size)
      : offsets(static_cast<std::size_t>(vocabulary_size) + 1) {
    for (const std::int32_t w : words) {
      if (w >= 0) ++offsets[static_cast<std::size_t>(w) + 1];
    }
    for (std::size_t w = 1; w < offsets.size(); ++w) offsets[w] += offsets[w - 1];
    entries.resize(static_cast<std::size_t>(offsets.back()));
    std::vector<std::int64_t> next(offsets.begin(), offsets.end() - 1);
    for (std::size_t entry = 0; entry < words.size(); ++entry) {
      if (words[entry] >= 0) entries[static_cast<std::size_t>(next[static_cast<std::size_t>(words[entry])]++)] = entry;
    }
  }

  std::span<const std::size_t> of(std::int32_t word) const {
    const auto w = static_cast<std::size_t>(word);
    return std::span(entries).subspan(static_cast<std::size_t>(offsets[w]),
                                      static_cast<std::size_t>(offsets[w + 1] - offsets[w]));
  }
};

// The windows of one document that contain the topics' words.
class DocumentWindows {
 public:
  explicit DocumentWindows(const Places& places) : places_(places) {}

  // Finds these windows; returns how many windows the document has.
  std::int64_t find(std::span<const std::int32_t> document, int window) {
    const auto tokens = static_cast<std::int64_t>(document.size());
    const std::int64_t length = window == 0 ? tokens : std::min<std::int64_t>(window, tokens);
    const std::int64_t begins = tokens == 0 ? 0 : tokens - length + 1;
    occurrences_.clear();
    for (std::int64_t i = 0; i < tokens; ++i) {
      const std::int32_t word = document[static_cast<std::size_t>(i)];
      if (!places_.of(word).empty()) occurrences_.emplace_back(word, i);
    }
    std::sort(occurrences_.begin(), occurrences_.end());
    intervals_.clear();
    present_.clear();
    for (std::size_t i = 0; i < occurrences_.size();) {
      const std::int32_t word = occurrences_[i].first;
      const std::size_t first = intervals_.size();
      for (; i < occurrences_.size() && occurrences_[i].first == word; ++i) {
        const std::int64_t position = occurrences_[i].second;
        add({std::max<std::int64_t>(position - length + 1, 0), std::min(position + 1, begins)}, first);
      }
      for (const std::size_t entry : places_.of(word)) present_.push_back({entry, first, intervals_.size()});
    }
    std::sort(present_.begin(), present_.end(), [](const Present& a, const Present& b) { return a.entry < b.entry; });
    return begins;
  }

  // Adds the counts to `pairs`; other threads may do so at the same time.
  void add_to(std::vector<std::int64_t>& pairs, std::size_t words_per_topic) const {
    for (std::size_t i = 0; i < present_.size(); ++i) {
      execution::stop_point();
      const std::size_t topic = present_[i].entry / words_per_topic;
      for (std::size_t j = i; j < present_.size() && present_[j].entry / words_per_topic == topic; ++j) {
        const std::int64_t windows = common_windows(intervals(present_[i]), intervals(present_[j]));
        const std::size_t pair = present_[i].entry * words_per_topic + present_[j].entry % words_per_topic;
        std::atomic_ref<std::int64_t>(pairs[pair]).fetch_add(windows, std::memory_order_relaxed);
      }
    }
  }

 private:
  struct Present {
    std::size_t entry;  // topic * words_per_topic + number of the word in the topic
    std::size_t first;  // of its intervals
    std::size_t last;
  };

  // Joins the interval to the word's last one if they touch.
  void add(const Interval& interval, std::size_t first_of_word) {
    if (intervals_.size() > first_of_word && intervals_.back().last >= interval.first) {
      intervals_.back().last = interval.last;
    } else {
      intervals_.push_back(interval);
    }
  }

  std::span<const Interval> intervals(const Present& present) const {
    return std::span(intervals_).subspan(present.first, present.last - present.first);
  }

  const Places& places_;
  std::vector<std::pair<std::int32_t, std::int64_t>> occurrences_;  // word, position
  std::vector<Interval> intervals_;
  std::vector<Present> present_;
};

}  // namespace

Occurrences::Occurrences(const CorpusView& corpus, std::span<const std::int32_t> words, std::size_t words_per_topic,
                         int window, int threads)
    : words_per_topic_(words_per_topic), pairs_(words.size() * words_per_topic) {
  const Places places(words, corpus.vocabulary_size());
  std::atomic<std::int64_t> windows = 0;
  execution::parallel_for(corpus.documents(), 64, threads, [&](std::int64_t begin, std::int64_t end) {
    DocumentWindows document(places);
    std::int64_t sum = 0;
    for (std::int64_t d = begin; d < end; ++d) {
      execution::stop_point();
      const auto first = static_cast<std::size_t>(corpus.document_offsets[static_cast<std::size_t>(d)]);
      const auto last = static_cast<std::size_t>(corpus.document_offsets[static_cast<std::size_t>(d) + 1]);
      sum += document.find(corpus.words.subspan(first, last - first), window);
      document.add_to(pairs_, words_per_topic);
    }
    windows += sum;
  });
  windows_ = windows;
}

}  // namespace papilio::lda
