#include "lda/corpus/phrases/phrase_finder.h"

#include <algorithm>
#include <cstddef>

#include "execution/cpu/interruption.h"
#include "lda/corpus/phrases.h"
#include "lda/corpus/phrases/phrase_matcher.h"
#include "lda/corpus/word_index.h"
#include "random/elementary.h"

namespace papilio::lda {
namespace {

std::size_t index(std::int64_t i) { return static_cast<std::size_t>(i); }

// One pass: counts the units of the text, in which the phrases found so far are joined, and the pairs of neighbours.
class PairCounter {
 public:
  PairCounter(const PhraseText& text, const PhraseMatcher& matcher, const PhraseOptions& options)
      : text_(text), matcher_(matcher), options_(options) {
    const auto units = index(matcher.units());
    counts_.resize(units);
    parts_.resize(units);
    followed_by_.resize(units);
    next_.resize(units);
    count_units();
  }

  // Calls use(a, b, n_ab) for each pair that is frequent enough and not too long: by ascending a, then by the position
  // in the text at which b first follows a.
  template <class Use>
  void for_each_pair(Use&& use) {
    const std::int32_t units = matcher_.units();
    for (std::int32_t a = 0; a < units;) {
      const std::int32_t first = a;
      std::int64_t followers = 0;
      while (a < units && (a == first || followers + followers_of(a) <= text_.most_followers)) {
        followers += followers_of(a++);
      }
      if (followers > 0) count_pairs(first, a, followers, use);
    }
  }

  std::string_view spelling(std::int32_t unit) const {
    const auto words = static_cast<std::int32_t>(text_.vocabulary.size());
    return unit < words ? text_.vocabulary[index(unit)] : matcher_.phrases()[index(unit - words)];
  }
  std::int64_t count(std::int32_t unit) const { return counts_[index(unit)]; }
  std::int64_t tokens() const { return tokens_; }

 private:
  template <class Use>
  void for_each_unit(Use use) const {
    PhraseJoiner joiner(matcher_, use);
    text_.words([&](std::span<const std::int32_t> block) {
      execution::stop_point();
      for (const std::int32_t word : block) joiner.add(word);
    });
    joiner.flush();
  }

  void count_units() {
    for_each_unit([this](const PhraseUnit& unit) { ++counts_[index(unit.number)]; });
    for (std::size_t w = 0; w < text_.left_out.size(); ++w) {
      if (text_.left_out[w] != 0) counts_[w] = 0;
    }
    for (std::int32_t unit = 0; unit < matcher_.units(); ++unit) {
      tokens_ += counts_[index(unit)];
      const bool is_frequent = counts_[index(unit)] >= options_.min_count;
      const int parts = is_frequent ? count_parts(spelling(unit), options_.delimiter) : 0;
      parts_[index(unit)] = static_cast<std::uint8_t>(parts < options_.length ? parts : 0);
    }
  }

  // The largest number of followers that a unit can have in pairs that count.
  std::int64_t followers_of(std::int32_t unit) const { return parts_[index(unit)] > 0 ? counts_[index(unit)] : 0; }

  // The pairs whose first unit is in [first, last). If a single unit
  // has too many followers to keep them, they are counted directly.
  template <class Use>
  void count_pairs(std::int32_t first, std::int32_t last, std::int64_t followers, Use& use) {
    const bool at_once = followers > text_.most_followers;
    if (!at_once) {
      followers_.resize(index(followers));
      std::int64_t end = 0;
      for (std::int32_t a = first; a < last; ++a) {
        next_[index(a)] = end;
        end += followers_of(a);
      }
    }
    std::int32_t before = -1;
    for_each_unit([&](const PhraseUnit& unit) {
      if (unit.is_marked) before = -1;
      const int parts = parts_[index(unit.number)];
      if (before >= first && before < last && parts > 0 && parts + parts_[index(before)] <= options_.length) {
        if (at_once) {
          count_follower(unit.number);
        } else {
          followers_[index(next_[index(before)]++)] = unit.number;
        }
      }
      before = parts > 0 ? unit.number : -1;
    });
    if (at_once) {
      use_pairs(first, use);
      return;
    }
    std::int64_t begin = 0;
    for (std::int32_t a = first; a < last; ++a) {
      for (std::int64_t i = begin; i < next_[index(a)]; ++i) count_follower(followers_[index(i)]);
      use_pairs(a, use);
      begin += followers_of(a);
    }
  }

  void count_follower(std::int32_t b) {
    if (followed_by_[index(b)]++ == 0) distinct_.push_back(b);
  }

  // Passes the pairs of `a` with the counted followers to `use`, and forgets the followers.
  template <class Use>
  void use_pairs(std::int32_t a, Use& use) {
    for (const std::int32_t b : distinct_) {
      if (followed_by_[index(b)] >= options_.min_count) use(a, b, followed_by_[index(b)]);
      followed_by_[index(b)] = 0;
    }
    distinct_.clear();
  }

  const PhraseText& text_;
  const PhraseMatcher& matcher_;
  const PhraseOptions& options_;
  std::vector<std::int64_t> counts_;       // of each unit; 0 if it is left out
  std::vector<std::uint8_t> parts_;        // of each unit; 0 if it is in no pair that counts
  std::int64_t tokens_ = 0;                // the sum of the counts
  std::vector<std::int32_t> followers_;    // of the units in a range, one after the other
  std::vector<std::int64_t> next_;         // where each unit's next follower goes
  std::vector<std::int64_t> followed_by_;  // how often each unit follows the current one
  std::vector<std::int32_t> distinct_;     // the units that follow it
};

constexpr std::int64_t bytes_per_unit = 64;

}  // namespace

double npmi(std::int64_t n_ab, std::int64_t n_a, std::int64_t n_b, std::int64_t n) {
  const auto log = [](std::int64_t count) { return random::natural_log(static_cast<double>(count)); };
  return ((log(n_ab) - log(n_a)) + (log(n) - log(n_b))) / (log(n) - log(n_ab));
}

std::vector<Phrase> find_phrases(const PhraseText& text, const PhraseOptions& options,
                                 base::FunctionRef<void(std::int64_t)> hold) {
  WordIndex spellings;
  std::vector<Phrase> found;
  for (int pass = 1; pass < options.length; ++pass) {
    const auto bytes = [&] {
      return bytes_per_unit * std::ssize(text.vocabulary) + bytes_per_phrase * std::ssize(found);
    };
    hold(bytes());
    const std::size_t known = found.size();
    const PhraseMatcher matcher(text.vocabulary, spellings.words(), options.delimiter);
    PairCounter counter(text, matcher, options);
    counter.for_each_pair([&](std::int32_t a, std::int32_t b, std::int64_t count) {
      const double score = npmi(count, counter.count(a), counter.count(b), counter.tokens());
      if (score < options.threshold) return;
      std::string words(counter.spelling(a));
      words.append(options.delimiter).append(counter.spelling(b));
      if (spellings.find(words) >= 0) return;  // the same words, divided into other parts
      spellings.number(words);
      found.push_back({std::move(words), count, score});
      if (found.size() % 1024 == 0) hold(bytes());
    });
    if (found.size() == known) break;
  }
  return found;
}

}  // namespace papilio::lda
