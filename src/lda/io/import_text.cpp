#include <fcntl.h>
#include <fmt/format.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <numeric>
#include <string>
#include <vector>

#include "lda/corpus/corpus_builder.h"
#include "lda/io/corpus_file/corpus_file_writer.h"
#include "lda/io/text/text_source.h"
#include "papilio/corpus_file.h"

namespace papilio {
namespace lda {
namespace {

constexpr std::size_t buffered_words = std::size_t{1} << 16;

// Keeps the words in a file without a name, and counts them as they pass.
class SpilledWords : public DocumentSink {
 public:
  // The file is in the folder of `path`.
  SpilledWords(const std::string& path, const char* caller) : origin_{caller, path + " (words on the way)"} {
    std::string name = path + ".XXXXXX.tmp";
    file_ = ::mkostemps(name.data(), 4, O_CLOEXEC);
    if (file_ < 0) origin_.io_error("create", errno);
    ::unlink(name.c_str());
    buffer_.reserve(buffered_words);
  }
  ~SpilledWords() override {
    if (words_ != nullptr) ::munmap(words_, tokens() * sizeof(std::int32_t));
    ::close(file_);
  }
  SpilledWords(const SpilledWords&) = delete;
  SpilledWords& operator=(const SpilledWords&) = delete;

  void append(std::span<const std::int32_t> words) override {
    const auto document = static_cast<std::int64_t>(offsets_.size()) - 1;
    for (const std::int32_t word : words) {
      const auto w = static_cast<std::size_t>(word);
      if (w >= tallies_.size()) tallies_.resize(w + 1);
      Tally& tally = tallies_[w];
      ++tally.count;
      tally.frequency += tally.last_document != document ? 1 : 0;
      tally.last_document = document;
      buffer_.push_back(word);
      if (buffer_.size() == buffered_words) flush();
    }
    offsets_.push_back(offsets_.back() + std::ssize(words));
  }

  std::int64_t memory() const override {
    return static_cast<std::int64_t>(2 * (offsets_.size() * sizeof(std::int64_t) + tallies_.size() * sizeof(Tally)));
  }

  std::vector<std::int64_t>& offsets() { return offsets_; }
  std::size_t tokens() const { return tokens_; }

  WordStatistics statistics() const {
    WordStatistics statistics;
    for (const Tally& tally : tallies_) {
      statistics.frequencies.push_back(tally.frequency);
      statistics.counts.push_back(tally.count);
    }
    return statistics;
  }

  // All words; none can be appended any more.
  std::span<const std::int32_t> words() {
    flush();
    if (words_ == nullptr && tokens_ > 0) {
      void* const mapped = ::mmap(nullptr, tokens_ * sizeof(std::int32_t), PROT_READ, MAP_SHARED, file_, 0);
      if (mapped == MAP_FAILED) origin_.io_error("map", errno);
      words_ = static_cast<std::int32_t*>(mapped);
    }
    return {words_, tokens_};
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
    tokens_ += buffer_.size();
    buffer_.clear();
  }

  Origin origin_;
  int file_ = -1;
  std::size_t tokens_ = 0;  // in the file
  std::vector<std::int32_t> buffer_;
  std::int32_t* words_ = nullptr;
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

// Makes the documents' offsets those of the words that stay.
void shrink(std::span<const std::int32_t> words, const std::vector<std::int32_t>& numbers,
            std::vector<std::int64_t>& offsets) {
  std::int64_t kept = 0;
  std::int64_t i = 0;
  for (std::int64_t& offset : offsets) {
    for (; i < offset; ++i) kept += numbers[static_cast<std::size_t>(words[static_cast<std::size_t>(i)])] >= 0 ? 1 : 0;
    offset = kept;
  }
}

void write_words(std::span<const std::int32_t> words, const std::vector<std::int32_t>& numbers,
                 CorpusFileWriter& file) {
  std::vector<std::int32_t> block;
  for (std::size_t begin = 0; begin < words.size(); begin += buffered_words) {
    block.clear();
    for (const std::int32_t word : words.subspan(begin, std::min(buffered_words, words.size() - begin))) {
      const std::int32_t number = numbers[static_cast<std::size_t>(word)];
      if (number >= 0) block.push_back(number);
    }
    file.write_elements(std::span<const std::int32_t>(block));
  }
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
  SpilledWords spilled(path, caller);
  TextCorpus text(options, spilled);
  read_text_source(source, options, caller, text);
  const std::span<const std::int32_t> words = spilled.words();
  std::vector<std::string> vocabulary = text.take_words();
  WordStatistics statistics = spilled.statistics();
  statistics.counts.resize(vocabulary.size());
  statistics.frequencies.resize(vocabulary.size());
  std::vector<std::int64_t>& offsets = spilled.offsets();
  const std::vector<std::uint8_t> keep = choose_words(statistics, std::ssize(offsets) - 1, options);
  const std::vector<std::int32_t> numbers = renumber(keep);
  drop_words(keep, vocabulary);
  shrink(words, numbers, offsets);

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
  write_words(words, numbers, file);
  file.end_part();
  file.write_strings(vocabulary);
  file.end_part();
  file.write_strings(names);
  file.end_part();
  file.commit();

  ReadReport report = text.report();
  report.stop_words_dropped = report.tokens_read - std::ssize(words);
  complete_report(offsets, format_name(source.form), report);
  return report;
}

}  // namespace papilio
