#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <numeric>
#include <optional>
#include <string>
#include <vector>

#include "base/function_ref.h"
#include "lda/corpus/corpus_builder.h"
#include "lda/corpus/marked_words.h"
#include "lda/io/bytes/atomic_file.h"
#include "lda/io/corpus_file/corpus_file_writer.h"
#include "lda/io/text/text_source.h"
#include "papilio/corpus_file.h"

namespace papilio {
namespace lda {
namespace {

constexpr std::size_t buffered_words = std::size_t{1} << 16;

// Keeps the words in a file without a name, and counts them on their way.
class SpilledWords : public DocumentSink {
 public:
  // The file is on the file system of `path`.
  SpilledWords(const std::string& path, const char* caller) : origin_{caller, path + " (words on the way)"} {
    file_ = open_unnamed_beside(path);
    if (file_ < 0) origin_.io_error("create", errno);
    buffer_.reserve(buffered_words);
  }
  ~SpilledWords() override { ::close(file_); }
  SpilledWords(const SpilledWords&) = delete;
  SpilledWords& operator=(const SpilledWords&) = delete;

  void append(std::span<const std::int32_t> words) override {
    const auto document = static_cast<std::int64_t>(offsets_.size()) - 1;
    for (const std::int32_t word : words) {
      const auto w = static_cast<std::size_t>(unmarked(word));
      if (w >= tallies_.size()) tallies_.resize(w + 1);
      Tally& tally = tallies_[w];
      ++tally.count;
      tally.frequency += tally.last_document != document ? 1 : 0;
      tally.last_document = document;
      buffer_.push_back(word);
      if (buffer_.size() == buffered_words) flush();
    }
    end_ += std::ssize(words);
  }
  void end_document() override { offsets_.push_back(end_); }

  std::int64_t memory() const override {
    return static_cast<std::int64_t>(2 * (offsets_.size() * sizeof(std::int64_t) + tallies_.size() * sizeof(Tally)));
  }

  std::vector<std::int64_t>& offsets() { return offsets_; }
  std::int64_t tokens() const { return end_; }

  WordStatistics statistics() const {
    WordStatistics statistics;
    for (const Tally& tally : tallies_) {
      statistics.frequencies.push_back(tally.frequency);
      statistics.counts.push_back(tally.count);
    }
    return statistics;
  }

  // Calls use(words) for all words, block by block. After that none can be appended.
  void for_each_block(base::FunctionRef<void(std::span<const std::int32_t>)> use) {
    flush();
    buffer_.resize(buffered_words);
    for (off_t at = 0;;) {
      const std::size_t bytes = read_block(at);
      if (bytes == 0) break;
      use(std::span<const std::int32_t>(buffer_).first(bytes / sizeof(std::int32_t)));
      at += static_cast<off_t>(bytes);
    }
    buffer_.clear();
  }

 private:
  struct Tally {
    std::int64_t last_document = -1;
    std::int64_t frequency = 0;
    std::int64_t count = 0;
  };

  void flush() {
    auto bytes = std::as_bytes(std::span(buffer_));
    while (!bytes.empty()) {
      const ssize_t written = ::write(file_, bytes.data(), bytes.size());
      if (written < 0 && errno == EINTR) continue;
      if (written < 0) origin_.io_error("write to", errno);
      bytes = bytes.subspan(static_cast<std::size_t>(written));
    }
    buffer_.clear();
  }

  // Fills the buffer from byte `at` of the file on; it stays partly empty only at the file's end.
  std::size_t read_block(off_t at) {
    const auto block = std::as_writable_bytes(std::span(buffer_));
    std::size_t filled = 0;
    while (filled < block.size()) {
      const ssize_t got = ::pread(file_, block.data() + filled, block.size() - filled, at + static_cast<off_t>(filled));
      if (got < 0 && errno == EINTR) continue;
      if (got < 0) origin_.io_error("read", errno);
      if (got == 0) break;
      filled += static_cast<std::size_t>(got);
    }
    return filled;
  }

  Origin origin_;
  int file_ = -1;
  std::vector<std::int32_t> buffer_;
  std::int64_t end_ = 0;  // of the words written so far
  std::vector<std::int64_t> offsets_ = {0};
  std::vector<Tally> tallies_;
};

// Each word's new number; -1: left out.
std::vector<std::int32_t> renumber(const std::vector<std::uint8_t>& keep) {
  std::vector<std::int32_t> numbers;
  std::int32_t next = 0;
  for (const std::uint8_t kept : keep) numbers.push_back(kept != 0 ? next++ : -1);
  return numbers;
}

// Turns the documents' offsets into those of the words that stay.
void shrink(SpilledWords& spilled, const std::vector<std::int32_t>& numbers) {
  std::int64_t kept = 0;
  std::int64_t i = 0;
  auto offset = spilled.offsets().begin();
  spilled.for_each_block([&](std::span<const std::int32_t> words) {
    for (const std::int32_t word : words) {
      for (; *offset == i; ++offset) *offset = kept;
      kept += numbers[static_cast<std::size_t>(word)] >= 0 ? 1 : 0;
      ++i;
    }
  });
  std::fill(offset, spilled.offsets().end(), kept);
}

void write_words(SpilledWords& spilled, const std::vector<std::int32_t>& numbers, CorpusFileWriter& file) {
  std::vector<std::int32_t> block;
  spilled.for_each_block([&](std::span<const std::int32_t> words) {
    block.clear();
    for (const std::int32_t word : words) {
      const std::int32_t number = numbers[static_cast<std::size_t>(word)];
      if (number >= 0) block.push_back(number);
    }
    file.write_elements(std::span<const std::int32_t>(block));
  });
}

std::int64_t bytes_of(const std::vector<std::string>& strings) {
  return std::accumulate(strings.begin(), strings.end(), std::int64_t{0},
                         [](std::int64_t sum, const std::string& string) { return sum + std::ssize(string); });
}

void drop_words(const std::vector<std::uint8_t>& keep, std::vector<std::string>& vocabulary) {
  std::size_t kept = 0;
  for (std::size_t w = 0; w < keep.size(); ++w) {
    if (keep[w] != 0 && kept++ != w) vocabulary[kept - 1] = std::move(vocabulary[w]);
  }
  vocabulary.resize(kept);
}

}  // namespace
}  // namespace lda

ReadReport import_text(const TextSource& source, const std::string& path, const TextOptions& options) {
  using namespace lda;
  constexpr const char* caller = "papilio::import_text";
  require_text_options(options, caller);
  SpilledWords read(path, caller);
  TextCorpus text(options, read);
  read_text_source(source, options, caller, text);
  std::vector<std::string> vocabulary;
  std::optional<SpilledWords> joined;
  if (options.phrases.used()) {
    joined.emplace(path, caller);
    const auto words = [&](base::FunctionRef<void(std::span<const std::int32_t>)> use) { read.for_each_block(use); };
    vocabulary = join_text_phrases(text, read.offsets(), words, *joined, {caller, source.path});
  } else {
    vocabulary = text.take_words();
  }
  SpilledWords& spilled = joined ? *joined : read;
  WordStatistics statistics = spilled.statistics();
  statistics.counts.resize(vocabulary.size());
  statistics.frequencies.resize(vocabulary.size());
  std::vector<std::int64_t>& offsets = spilled.offsets();
  text.complete_report();
  ReadReport report = text.report();
  const std::vector<std::uint8_t> keep =
      choose_words(statistics, std::ssize(offsets) - 1, options, vocabulary, &report.left_out);
  const std::vector<std::int32_t> numbers = renumber(keep);
  drop_words(keep, vocabulary);
  shrink(spilled, numbers);

  const std::vector<std::string> names = text.take_names();
  CorpusFileWriter file(path, caller,
                        {.documents = std::ssize(offsets) - 1,
                         .tokens = offsets.back(),
                         .words = std::ssize(vocabulary),
                         .vocabulary_bytes = bytes_of(vocabulary),
                         .named_documents = std::ssize(names),
                         .name_bytes = bytes_of(names)});
  file.write_elements(std::span<const std::int64_t>(offsets));
  file.end_part();
  file.write_offsets(vocabulary);
  file.end_part();
  if (!names.empty()) file.write_offsets(names);
  file.end_part();
  write_words(spilled, numbers, file);
  file.end_part();
  file.write_strings(vocabulary);
  file.end_part();
  file.write_strings(names);
  file.end_part();
  file.commit();

  report.stop_words_dropped = report.tokens_read - report.tokens_joined - spilled.tokens();
  complete_report(offsets, format_name(source.form), report);
  return report;
}

}  // namespace papilio
