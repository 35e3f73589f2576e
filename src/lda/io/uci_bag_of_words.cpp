#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <limits>
#include <numeric>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/check.h"
#include "execution/cpu/parallel_for.h"
#include "lda/corpus_builder.h"
#include "lda/io/line_reader.h"
#include "lda/io/memory_limit.h"
#include "lda/io/number.h"
#include "lda/io/tokenizer.h"
#include "lda/word_index.h"
#include "papilio/corpus.h"
#include "papilio/primitives.h"

namespace papilio {
namespace lda {
namespace {

constexpr const char* reader_name = "papilio::read_uci_bag_of_words";
constexpr std::int64_t most_words = std::numeric_limits<std::int32_t>::max();
constexpr std::int64_t most_count = std::numeric_limits<std::int32_t>::max();

// Rows and names that the header alone calls for: so many, and so many more an entry.
constexpr std::int64_t free_claims = std::int64_t{1} << 20;
constexpr std::int64_t claims_an_entry = 16;

constexpr std::int64_t bytes_a_number = 2 * sizeof(std::string);  // as the name of a word

struct Header {
  std::int64_t documents = 0;
  std::int64_t words = 0;
  std::int64_t entries = 0;
};

struct Entry {
  std::int32_t word;  // from 0
  std::int32_t count;
};

// Consecutive entries of one document. A document whose entries are scattered has several runs.
struct Run {
  std::int64_t document;  // from 0
  std::int64_t begin;     // in entries; the end is the next run's beginning
};

struct Body {
  std::vector<Entry> entries;
  std::vector<Run> runs;
  std::int64_t tokens = 0;
};

// The fields between blanks; a fifth field and later ones are not kept.
struct Fields {
  std::array<std::string_view, 4> text;
  std::size_t count = 0;
};

Fields split(std::string_view line) {
  constexpr const char* blanks = " \t";
  Fields fields;
  std::size_t begin = line.find_first_not_of(blanks);
  while (begin != std::string_view::npos && fields.count < fields.text.size()) {
    const std::size_t end = std::min(line.find_first_of(blanks, begin), line.size());
    fields.text[fields.count++] = line.substr(begin, end - begin);
    begin = line.find_first_not_of(blanks, end);
  }
  return fields;
}

std::int64_t column(std::string_view line, std::string_view field) { return field.data() - line.data() + 1; }

std::int64_t read_header_number(LineReader& reader, const char* what, std::int64_t most) {
  const std::string expected = fmt::format("expected the number of {}", what);
  std::string_view line;
  if (!reader.next_line(line)) {
    reader.origin().format_error(reader.line_number() + 1, 0, expected + ", got the end of the file");
  }
  const Fields fields = split(line);
  std::int64_t number = 0;
  if (fields.count != 1 || parse_whole(fields.text[0], number) != NumberForm::whole || number < 0 || number > most) {
    const std::string_view place = fields.count == 0 ? line : fields.text[fields.count == 1 ? 0 : 1];
    reader.format_error(column(line, place), fmt::format("{} (0 to {}), got {}", expected, most, quoted(line)));
  }
  return number;
}

Header read_header(LineReader& reader) {
  Header header;
  header.documents = read_header_number(reader, "documents, D", largest_whole);
  header.words = read_header_number(reader, "words, W", most_words);
  header.entries = read_header_number(reader, "entries, NNZ", largest_whole);
  return header;
}

[[noreturn]] void refuse_entry(const LineReader& reader, std::string_view line, std::int64_t column,
                               std::string_view reason) {
  reader.format_error(column, fmt::format("expected \"document word count\", got {} ({})", quoted(line), reason));
}

std::int64_t parse_field(const LineReader& reader, std::string_view line, std::string_view field, const char* name,
                         std::int64_t most) {
  std::int64_t number = 0;
  const NumberForm form = parse_whole(field, number);
  if (form == NumberForm::whole && number >= 1 && number <= most) [[likely]] {
    return number;
  }
  refuse_entry(reader, line, column(line, field),
               form == NumberForm::none       ? fmt::format("{} is not a number", name)
               : form == NumberForm::fraction ? fmt::format("{} is not a whole number", name)
                                              : fmt::format("{} must be from 1 to {}", name, most));
}

void read_entry(const LineReader& reader, std::string_view line, const Header& header, Body& body) {
  const Fields fields = split(line);
  if (fields.count != 3) {
    const std::string_view place = fields.count == 4 ? fields.text[3] : line.substr(line.size());
    refuse_entry(reader, line, column(line, place),
                 fields.count == 4 ? "more than 3 fields" : fmt::format("{} of 3 fields", fields.count));
  }
  const std::int64_t document = parse_field(reader, line, fields.text[0], "document", header.documents) - 1;
  const std::int64_t word = parse_field(reader, line, fields.text[1], "word", header.words) - 1;
  const std::int64_t count = parse_field(reader, line, fields.text[2], "count", most_count);
  if (body.runs.empty() || body.runs.back().document != document) {
    body.runs.push_back({document, std::ssize(body.entries)});
  }
  body.entries.push_back({static_cast<std::int32_t>(word), static_cast<std::int32_t>(count)});
  body.tokens += count;
}

Body read_body(LineReader& reader, const Header& header, const MemoryLimit& memory_limit) {
  constexpr std::int64_t bytes_an_entry = 2 * sizeof(Entry);
  constexpr std::int64_t bytes_a_run = 2 * sizeof(Run) + bytes_a_document;
  Body body;
  std::string_view line;
  while (reader.next_line(line)) {
    if (std::ssize(body.entries) == header.entries) {
      if (split(line).count == 0) continue;  // empty lines at the end hold nothing
      reader.format_error(1, fmt::format("expected the end of the file after {} entries (line 3: NNZ), got {}",
                                         header.entries, quoted(line)));
    }
    read_entry(reader, line, header, body);
    if (!memory_limit.holds(bytes_a_token * body.tokens + bytes_an_entry * std::ssize(body.entries) +
                            bytes_a_run * std::ssize(body.runs))) {
      memory_limit.refuse(reader, body.tokens, std::ssize(body.runs));
    }
  }
  if (std::ssize(body.entries) < header.entries) {
    reader.format_error(0, fmt::format("expected {} entries (line 3: NNZ), got {} before the end of the file",
                                       header.entries, body.entries.size()));
  }
  return body;
}

// Rows without entries and, without a vocabulary, words without entries are real
// only if the header is: their number must be in proportion to what was read.
void require_plausible(const LineReader& reader, std::int64_t claimed, const char* what, std::int64_t line,
                       std::int64_t entries) {
  const std::int64_t most = free_claims + claims_an_entry * entries;
  if (claimed <= most) return;
  reader.origin().format_error(line, 1,
                               fmt::format("the header claims {} {}, but {} entries follow; at most {} + {} an entry "
                                           "are believed",
                                           claimed, what, entries, free_claims, claims_an_entry));
}

std::vector<std::string> read_vocabulary(const std::string& path, const TextOptions& options) {
  LineReader reader({reader_name, path}, options.max_line_bytes);
  const MemoryLimit memory_limit(options.max_memory);
  WordIndex words;
  std::string_view line;
  while (reader.next_line(line)) {
    if (line.empty()) reader.format_error(1, "expected a word, got an empty line");
    reader.require_utf8(line);
    const std::int32_t number = words.number(line);
    if (number + 1 != reader.line_number()) {
      reader.format_error(1, fmt::format("word {} is in line {} already", quoted(line), number + 1));
    }
    if (!memory_limit.holds(2 * words.memory())) memory_limit.refuse(reader, 0, 0);
  }
  return words.take_words();
}

std::vector<std::string> numbers_as_words(std::int64_t count) {
  std::vector<std::string> words;
  words.reserve(static_cast<std::size_t>(count));
  for (std::int64_t w = 1; w <= count; ++w) words.push_back(std::to_string(w));
  return words;
}

// Takes the stop words out; returns each word's new number, -1 for stop words.
std::vector<std::int32_t> drop_stop_words(std::vector<std::string>& vocabulary, const TextOptions& options) {
  std::vector<std::int32_t> numbers(vocabulary.size());
  std::iota(numbers.begin(), numbers.end(), 0);
  if (options.stop_words.empty()) return numbers;
  const WordIndex stop_words = index_stop_words(options.stop_words);
  Tokenizer tokenizer(1);
  std::vector<std::string> kept;
  for (std::size_t w = 0; w < vocabulary.size(); ++w) {
    const bool stop = stop_words.find(tokenizer.fold(vocabulary[w])) >= 0;
    numbers[w] = stop ? -1 : static_cast<std::int32_t>(kept.size());
    if (!stop) kept.push_back(std::move(vocabulary[w]));
  }
  vocabulary = std::move(kept);
  return numbers;
}

// Brings the runs into the order of their documents, one run a document.
void sort_by_document(Body& body) {
  const auto before = [](const Run& a, const Run& b) { return a.document < b.document; };
  if (std::is_sorted(body.runs.begin(), body.runs.end(), before)) return;
  std::vector<std::int64_t> ends;
  for (std::size_t r = 1; r < body.runs.size(); ++r) ends.push_back(body.runs[r].begin);
  ends.push_back(std::ssize(body.entries));
  std::vector<std::size_t> order(body.runs.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(), [&](auto a, auto b) { return before(body.runs[a], body.runs[b]); });
  Body sorted;
  sorted.tokens = body.tokens;
  sorted.entries.reserve(body.entries.size());
  for (const std::size_t r : order) {
    const Run& run = body.runs[r];
    if (sorted.runs.empty() || sorted.runs.back().document != run.document) {
      sorted.runs.push_back({run.document, std::ssize(sorted.entries)});
    }
    sorted.entries.insert(sorted.entries.end(), body.entries.begin() + run.begin, body.entries.begin() + ends[r]);
  }
  body = std::move(sorted);
}

// Writes every entry's word as often as its count says, by word within a document.
void expand(Body body, const std::vector<std::int32_t>& numbers, int threads, Corpus& corpus) {
  const auto number = [&](const Entry& entry) { return numbers[static_cast<std::size_t>(entry.word)]; };
  const std::int64_t runs = std::ssize(body.runs);
  const auto entries_of = [&](std::int64_t r) {
    const std::int64_t end = r + 1 < runs ? body.runs[static_cast<std::size_t>(r + 1)].begin : std::ssize(body.entries);
    return std::pair(body.entries.begin() + body.runs[static_cast<std::size_t>(r)].begin, body.entries.begin() + end);
  };
  std::vector<std::int64_t> lengths(corpus.document_offsets.size() - 1);
  execution::parallel_for(runs, 256, threads, [&](std::int64_t first, std::int64_t last) {
    for (std::int64_t r = first; r < last; ++r) {
      const auto [begin, end] = entries_of(r);
      std::sort(begin, end, [](const Entry& a, const Entry& b) { return a.word < b.word; });
      std::int64_t& length = lengths[static_cast<std::size_t>(body.runs[static_cast<std::size_t>(r)].document)];
      for (auto entry = begin; entry != end; ++entry) length += number(*entry) >= 0 ? entry->count : 0;
    }
  });
  const std::int64_t tokens = exclusive_scan(lengths, corpus.document_offsets, threads);
  corpus.words.resize(static_cast<std::size_t>(tokens));
  execution::parallel_for(runs, 256, threads, [&](std::int64_t first, std::int64_t last) {
    for (std::int64_t r = first; r < last; ++r) {
      const auto document = static_cast<std::size_t>(body.runs[static_cast<std::size_t>(r)].document);
      auto word = corpus.words.begin() + corpus.document_offsets[document];
      const auto [begin, end] = entries_of(r);
      for (auto entry = begin; entry != end; ++entry) {
        if (number(*entry) >= 0) word = std::fill_n(word, entry->count, number(*entry));
      }
    }
  });
}

}  // namespace
}  // namespace lda

Corpus read_uci_bag_of_words(const std::string& docword, const std::string& vocabulary, const TextOptions& options,
                             ReadReport* report) {
  using namespace lda;
  require_text_options(options, reader_name);
  base::require(docword != "-" || vocabulary != "-", "{}: docword and vocabulary cannot both be standard input",
                reader_name);
  LineReader reader({reader_name, docword}, options.max_line_bytes);
  const MemoryLimit memory_limit(options.max_memory);
  const Header header = read_header(reader);
  Corpus corpus;
  if (!vocabulary.empty()) {
    corpus.vocabulary = read_vocabulary(vocabulary, options);
    if (corpus.vocabulary_size() != header.words) {
      Origin{reader_name, vocabulary}.format_error(
          0, 0,
          fmt::format("expected {} words (line 2 of {}: W), got {}", header.words, reader.origin().name(),
                      corpus.vocabulary_size()));
    }
  }
  Body body = read_body(reader, header, memory_limit);
  require_plausible(reader, header.documents, "documents", 1, std::ssize(body.entries));
  if (vocabulary.empty()) require_plausible(reader, header.words, "words", 2, std::ssize(body.entries));
  const std::int64_t names = vocabulary.empty() ? header.words * bytes_a_number : 0;
  if (!memory_limit.holds(bytes_a_token * body.tokens + bytes_a_document * header.documents + names)) {
    memory_limit.refuse(reader, body.tokens, header.documents);
  }
  if (vocabulary.empty()) corpus.vocabulary = numbers_as_words(header.words);
  ReadReport counts;
  counts.tokens_read = body.tokens;
  sort_by_document(body);
  corpus.document_offsets.resize(static_cast<std::size_t>(header.documents + 1));
  expand(std::move(body), drop_stop_words(corpus.vocabulary, options), options.threads, corpus);
  counts.stop_words_dropped = counts.tokens_read - corpus.tokens();
  corpus = keep_words(std::move(corpus), options);
  complete_report(corpus, "uci", counts);
  if (report != nullptr) *report = counts;
  return corpus;
}

}  // namespace papilio
