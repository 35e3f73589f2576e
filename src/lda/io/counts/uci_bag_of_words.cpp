#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <numeric>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/check.h"
#include "execution/ranks/collectives.h"
#include "execution/ranks/work_in_turns.h"
#include "lda/corpus/corpus_builder.h"
#include "lda/corpus/phrases.h"
#include "lda/io/bytes/fields.h"
#include "lda/io/bytes/line_reader.h"
#include "lda/io/bytes/number.h"
#include "lda/io/counts/bag_of_words.h"
#include "lda/io/counts/entry_lines.h"
#include "lda/io/counts/vocabulary_file.h"
#include "lda/io/format/format.h"
#include "lda/io/parts/lines_of_rank.h"
#include "papilio/corpus.h"

namespace papilio {
namespace lda {
namespace {

constexpr const char* caller = "papilio::read_uci_bag_of_words";

struct UciHeader {
  std::int64_t documents = 0;
  std::int64_t words = 0;
  std::int64_t entries = 0;
};

std::int64_t read_header_number(LineReader& reader, const char* what, std::int64_t most) {
  const std::string expected = fmt::format("expected the number of {}", what);
  std::string_view line;
  if (!reader.next_line(line)) {
    reader.origin().format_error(reader.line_number() + 1, 0, expected + ", got the end of the file");
  }
  const Fields<1> fields(line);
  std::int64_t number = 0;
  if (fields.count != 1 || parse_whole(fields.text[0], number) != NumberForm::whole || number < 0 || number > most) {
    const std::string_view place = fields.count == 0 ? line : fields.text[fields.count == 1 ? 0 : 1];
    reader.format_error(place.data() - line.data() + 1,
                        fmt::format("{} (0 to {}), got {}", expected, most, lda::quoted(line)));
  }
  return number;
}

UciHeader read_header(LineReader& reader) {
  UciHeader header;
  header.documents = read_header_number(reader, "documents, D", largest_whole);
  header.words = read_header_number(reader, "words, W", most_words);
  header.entries = read_header_number(reader, "entries, NNZ", largest_whole);
  return header;
}

void read_entry(const LineReader& reader, std::string_view text, const UciHeader& header, BagOfWords& bag) {
  const FieldLine line = {reader, text, "document word count"};
  const Fields<3> fields(text);
  line.require_all(fields);
  const std::int64_t document = line.number(fields.text[0], "document", 1, header.documents) - 1;
  const std::int64_t word = line.number(fields.text[1], "word", 1, header.words) - 1;
  bag.add(document, word, line.number(fields.text[2], "count", 1, most_count));
}

// `before`: the number of entries that other ranks read. require_all_entries checks the total.
void read_body(LineReader& reader, const UciHeader& header, std::int64_t before, const TextOptions& options,
               const MemoryLimit& limit, BagOfWords& bag) {
  const std::int64_t most = header.entries - before;
  EntryLines plain(reader, {.largest_first = header.documents, .largest_second = header.words}, limit, options.threads);
  std::string_view line;
  const auto next_line = [&] {
    while (plain.add_to(bag, most - bag.entries()) > 0) continue;
    return reader.next_line(line);
  };
  while (next_line()) {
    if (bag.entries() == most) {
      if (Fields<0>(line).count == 0) continue;  // empty lines at the end hold nothing
      reader.format_error(1, fmt::format("expected the end of the file after {} entries (line 3: NNZ), got {}",
                                         header.entries, lda::quoted(line)));
    }
    read_entry(reader, line, header, bag);
    bag.require_room(reader, 0);
  }
}

// `last_line`: the number of the file's last line.
void require_all_entries(const Origin& origin, std::int64_t last_line, const UciHeader& header, std::int64_t entries) {
  if (entries == header.entries) return;
  origin.format_error(
      last_line, 0,
      fmt::format("expected {} entries (line 3: NNZ), got {} before the end of the file", header.entries, entries));
}

std::vector<std::string> read_words(const Origin& origin, const std::string& vocabulary, const UciHeader& header,
                                    const TextOptions& options, MemoryShare& memory) {
  if (vocabulary.empty()) return {};
  return read_vocabulary({caller, vocabulary}, options, memory, header.words,
                         fmt::format("line 2 of {}: W", origin.name()));
}

// Rank 0 reads the header and the vocabulary, and sends them to the others.
class UciParts {
 public:
  UciParts(const std::string& path, const std::string& vocabulary, const TextOptions& options, Communicator& ranks)
      : origin_{caller, path},
        options_(options),
        ranks_(ranks),
        is_named_(!vocabulary.empty()),
        memory_limit_(options.max_memory),
        vocabulary_memory_(memory_limit_),
        part_(lines_of_rank(origin_, lines_of_header, ranks)),
        reader_(origin_, memory_limit_, options.max_line_bytes, entry_block_bytes(memory_limit_), options.threads,
                &part_),
        bag_(options, memory_limit_) {
    std::atomic<bool> is_over = false;
    execution::work_in_turns(ranks, is_over, [&] {
      if (ranks.rank() != 0) return;
      header_ = read_header(reader_);
      words_ = read_words(origin_, vocabulary, header_, options, vocabulary_memory_);
    });
    ranks.broadcast(std::as_writable_bytes(std::span(&header_, 1)), 0);
    std::int64_t bytes = execution::memory_of_sent(words_);
    ranks.broadcast(std::as_writable_bytes(std::span(&bytes, 1)), 0);
    execution::work_on_parts(ranks, is_over, [&] {  // rank 0 has counted its own
      if (ranks.rank() == 0 || vocabulary_memory_.set(bytes)) return;
      memory_limit_.refuse({caller, vocabulary}, 0, fmt::format("the vocabulary of {} words", header_.words));
    });
    words_ = execution::broadcast_texts(ranks, std::move(words_));
  }

  Corpus read(ReadReport& report) {
    std::atomic<bool> is_over = false;
    execution::work_on_parts(ranks_, is_over, [&] {
      const std::int64_t lines = std::max<std::int64_t>(part_.lines_before - lines_of_header, 0);
      read_body(reader_, header_, std::min(lines, header_.entries), options_, memory_limit_, bag_);
    });
    require_claims();
    const BagOfWords::Documents own = bag_.deal_out(origin_, header_.documents, ranks_);
    execution::work_on_parts(ranks_, is_over, [&] {  // including the words that are made then
      if (!bag_.fits(own.count, bytes_of_numbers())) bag_.refuse(origin_, 0, own.count);
    });
    if (!is_named_) words_ = numbers_as_words(1, header_.words);
    return std::move(bag_).make_corpus(origin_, own.count, std::move(words_), 0, "uci", report, {&ranks_, own.first});
  }

 private:
  static constexpr int lines_of_header = 3;

  // One rank throws; the others wait to be told.
  void require_claims() {
    const std::vector<std::int64_t> of_ranks = execution::gather_numbers(ranks_, bag_.entries());
    const std::int64_t entries = std::accumulate(of_ranks.begin(), of_ranks.end(), std::int64_t{0});
    if (entries != header_.entries) {
      // Not the last rank's own line: if the file's last line has no end, that rank may have no line and not count it.
      const std::vector<std::int64_t> lines = execution::gather_numbers(ranks_, reader_.line_number());
      if (ranks_.rank() == ranks_.ranks() - 1) {
        require_all_entries(origin_, std::ranges::max(lines), header_, entries);
      }
      ranks_.barrier();
    }
    std::atomic<bool> is_over = false;
    execution::work_on_parts(ranks_, is_over, [&] {
      require_believable(origin_, {header_.documents, 1, header_.words, 2}, is_named_, bag_, entries);
    });
  }

  // The memory of words without names.
  std::int64_t bytes_of_numbers() const { return is_named_ ? 0 : header_.words * bytes_per_number; }

  const Origin origin_;
  const TextOptions& options_;
  Communicator& ranks_;
  const bool is_named_;
  MemoryLimit memory_limit_;
  MemoryShare vocabulary_memory_;
  const FilePart part_;
  LineReader reader_;
  BagOfWords bag_;
  UciHeader header_;
  std::vector<std::string> words_;
};

Corpus read_uci(const std::string& path, const CorpusOptions& options, ReadReport& report) {
  return read_uci_bag_of_words(path, options.vocabulary, options.text, &report);
}

Corpus read_parts_of_uci(const std::string& path, const CorpusOptions& options, ReadReport& report,
                         Communicator& ranks) {
  return UciParts(path, options.vocabulary, options.text, ranks).read(report);
}

}  // namespace

extern const Format uci_format = {.format = CorpusFormat::uci,
                                  .name = "uci",
                                  .help = "UCI bag of words",
                                  .endings = {".uci"},
                                  .has_vocabulary_file = true,
                                  .read = read_uci,
                                  .read_parts = read_parts_of_uci,
                                  .write = write_uci_bag_of_words};

}  // namespace lda

Corpus read_uci_bag_of_words(const std::string& docword, const std::string& vocabulary, const TextOptions& options,
                             ReadReport* report) {
  using namespace lda;
  require_text_options(options, caller);
  require_no_phrases(options, caller, "a bag of words");
  base::require(docword != "-" || vocabulary != "-", "{}: docword and vocabulary cannot both be standard input",
                caller);
  MemoryLimit memory_limit(options.max_memory);
  MemoryShare vocabulary_memory(memory_limit);
  LineReader reader({caller, docword}, memory_limit, options.max_line_bytes, entry_block_bytes(memory_limit),
                    options.threads);
  const UciHeader header = read_header(reader);
  const bool named = !vocabulary.empty();
  std::vector<std::string> words = read_words(reader.origin(), vocabulary, header, options, vocabulary_memory);
  BagOfWords bag(options, memory_limit);
  read_body(reader, header, 0, options, memory_limit, bag);
  require_all_entries(reader.origin(), reader.line_number(), header, bag.entries());
  require_believable(reader.origin(), {header.documents, 1, header.words, 2}, named, bag);
  if (!named) words = numbers_as_words(1, header.words);
  ReadReport counts;
  Corpus corpus = std::move(bag).make_corpus(reader.origin(), header.documents, std::move(words), 0, "uci", counts);
  if (report != nullptr) *report = counts;
  return corpus;
}

}  // namespace papilio
