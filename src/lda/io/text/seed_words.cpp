#include "papilio/seed_words.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <string_view>
#include <unordered_map>
#include <utility>

#include "base/check.h"
#include "execution/check_view.h"
#include "lda/corpus/word_hash.h"
#include "lda/io/bytes/line_reader.h"
#include "lda/io/bytes/memory_limit.h"

namespace papilio {
namespace lda {
namespace {

constexpr const char* seed_words_caller = "papilio::read_seed_words";
constexpr std::string_view blanks = " \t";
constexpr std::size_t most_examples = 10;

// A seed word, its entry in the set of those met, and the vocabulary's entry.
constexpr std::int64_t bytes_per_seed = 128;

// The line up to a '#' that begins the line or a word.
std::string_view without_comment(std::string_view line) {
  for (std::size_t at = line.find('#'); at != line.npos; at = line.find('#', at + 1)) {
    if (at == 0 || blanks.find(line[at - 1]) != blanks.npos) return line.substr(0, at);
  }
  return line;
}

std::vector<std::string_view> fields_of(std::string_view text) {
  std::vector<std::string_view> fields;
  while (true) {
    text.remove_prefix(std::min(text.find_first_not_of(blanks), text.size()));
    if (text.empty()) return fields;
    fields.push_back(text.substr(0, text.find_first_of(blanks)));
    text.remove_prefix(fields.back().size());
  }
}

// A line is cut at the first colon before a blank or the line's end; words may contain other colons.
std::size_t end_of_head(std::string_view line) {
  for (std::size_t at = line.find(':'); at != line.npos; at = line.find(':', at + 1)) {
    if (at + 1 == line.size() || blanks.find(line[at + 1]) != blanks.npos) return at;
  }
  return line.npos;
}

bool is_number(std::string_view text) {
  return !text.empty() && std::ranges::all_of(text, [](char c) { return '0' <= c && c <= '9'; });
}

// A whole number in digits from `least` to `most`.
std::int32_t number_in(std::string_view text, std::int32_t least, std::int32_t most, const char* what,
                       const LineReader& reader) {
  std::int64_t number = -1;
  if (is_number(text) && text.size() <= 10) {
    number = 0;
    for (const char c : text) number = 10 * number + (c - '0');
  }
  if (number < least || number > most) {
    reader.format_error(0, fmt::format("{} is {}, expected {} to {}", what, lda::quoted(text), least, most));
  }
  return static_cast<std::int32_t>(number);
}

class SeedWordsReader {
 public:
  SeedWordsReader(const std::string& path, std::span<const std::string> vocabulary, const SeedWordsOptions& options)
      : options_(options),
        memory_limit_(options.max_memory),
        memory_(memory_limit_),
        reader_({seed_words_caller, path}, memory_limit_, std::int64_t{1} << 20) {
    numbers_.reserve(vocabulary.size());
    for (std::size_t w = 0; w < vocabulary.size(); ++w) {
      numbers_.emplace(vocabulary[w], static_cast<std::int32_t>(w));
    }
  }

  std::vector<SeedWord> read(SeedWordsReport& report) {
    std::string_view line;
    while (reader_.next_line(line)) {
      reader_.require_utf8(line);
      line = without_comment(line);
      if (line.find_first_not_of(blanks) != line.npos) read_line(line, report);
    }
    report.words = std::ssize(seeds_);
    return std::move(seeds_);
  }

 private:
  struct Head {
    std::int32_t topic;
    std::int32_t weight;
  };

  void read_line(std::string_view line, SeedWordsReport& report) {
    const std::size_t end = end_of_head(line);
    const std::string_view head = end == line.npos ? "" : line.substr(0, end);
    const std::vector<std::string_view> words = fields_of(end == line.npos ? line : line.substr(end + 1));
    const Head of = read_head(fields_of(head));
    if (words.empty()) reader_.format_error(0, fmt::format("no words for topic {}, expected some", of.topic));
    const std::size_t before = seeds_.size();
    for (const std::string_view word : words) add(of, word, report);
    if (seeds_.size() == before) {
      reader_.format_error(0, fmt::format("none of the words for topic {} is in the vocabulary, the first of them {}",
                                          of.topic, lda::quoted(words.front())));
    }
    next_topic_ = std::int64_t{of.topic} + 1;
  }

  Head read_head(std::vector<std::string_view> fields) {
    std::int32_t weight = options_.weight;
    if (fields.size() >= 2 && fields[fields.size() - 2] == "weight") {
      weight = number_in(fields.back(), 1, largest_seed_weight, "the weight", reader_);
      fields.resize(fields.size() - 2);
    }
    if (fields.size() == 1 && is_number(fields.front())) {
      return {number_in(fields.front(), 0, options_.topics - 1, "the topic", reader_), weight};
    }
    return {number_in(fmt::format("{}", next_topic_), 0, options_.topics - 1, "the topic of a line without a number",
                      reader_),
            weight};
  }

  void add(const Head& of, std::string_view word, SeedWordsReport& report) {
    const auto found = numbers_.find(word);
    if (found == numbers_.end()) {
      ++report.unknown;
      if (report.examples.size() < most_examples) report.examples.emplace_back(word);
      return;
    }
    if (!met_.emplace(found->second, of.topic).second) {
      reader_.format_error(
          0, fmt::format("topic {} has the word {} twice, expected it once", of.topic, lda::quoted(word)));
    }
    seeds_.push_back({.topic = of.topic, .word = found->second, .weight = of.weight});
    if (seeds_.size() % 256 == 0 && !memory_.set(std::ssize(seeds_) * bytes_per_seed)) {
      memory_limit_.refuse(reader_.origin(), reader_.line_number(),
                           fmt::format("the {} seed words up to here", seeds_.size()));
    }
  }

  const SeedWordsOptions options_;
  MemoryLimit memory_limit_;
  MemoryShare memory_;
  LineReader reader_;
  std::unordered_map<std::string_view, std::int32_t, WordHash> numbers_;  // of the vocabulary's words
  std::set<std::pair<std::int32_t, std::int32_t>> met_;                   // words and topics
  std::vector<SeedWord> seeds_;
  std::int64_t next_topic_ = 0;
};

}  // namespace
}  // namespace lda

std::vector<SeedWord> read_seed_words(const std::string& path, std::span<const std::string> vocabulary,
                                      const SeedWordsOptions& options, SeedWordsReport* report) {
  base::require(options.topics >= 1, "{}: topics is {}, expected at least 1", lda::seed_words_caller, options.topics);
  base::require(1 <= options.weight && options.weight <= largest_seed_weight, "{}: weight is {}, expected 1 to {}",
                lda::seed_words_caller, options.weight, largest_seed_weight);
  base::require(options.max_memory >= 0, "{}: max_memory is {}, expected at least 0", lda::seed_words_caller,
                options.max_memory);
  execution::require_span("read_seed_words", "vocabulary", vocabulary);
  SeedWordsReport unused;
  SeedWordsReport& filled = report != nullptr ? *report : unused;
  filled = {};
  return lda::SeedWordsReader(path, vocabulary, options).read(filled);
}

}  // namespace papilio
