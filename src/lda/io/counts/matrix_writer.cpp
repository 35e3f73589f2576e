#include "lda/io/counts/matrix_writer.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <optional>
#include <vector>

#include "base/check.h"
#include "lda/io/counts/vocabulary_file.h"

namespace papilio::lda {

void for_each_document(const CorpusView& corpus, base::FunctionRef<void(std::span<const WordCount>)> use) {
  std::vector<std::int32_t> words;
  std::vector<WordCount> counts;
  for (std::int64_t d = 0; d < corpus.documents(); ++d) {
    const auto first = corpus.words.begin() + corpus.document_offsets[static_cast<std::size_t>(d)];
    const auto last = corpus.words.begin() + corpus.document_offsets[static_cast<std::size_t>(d + 1)];
    words.assign(first, last);
    std::sort(words.begin(), words.end());
    counts.clear();
    for (auto word = words.begin(); word != words.end();) {
      const auto next = std::upper_bound(word, words.end(), *word);
      counts.push_back({*word, next - word});
      word = next;
    }
    use(counts);
  }
}

std::int64_t count_entries(const CorpusView& corpus) {
  std::int64_t entries = 0;
  for_each_document(corpus, [&](std::span<const WordCount> counts) { entries += std::ssize(counts); });
  return entries;
}

void write_entries(const CorpusView& corpus, AtomicFile& file) {
  std::int64_t document = 0;
  fmt::memory_buffer lines;
  for_each_document(corpus, [&](std::span<const WordCount> counts) {
    ++document;
    lines.clear();
    for (const auto& [word, count] : counts) {
      fmt::format_to(std::back_inserter(lines), "{} {} {}\n", document, word + 1, count);
    }
    file.write(lines.data(), lines.size());
  });
}

void write_matrix(const CorpusView& corpus, const std::string& path, const std::string& vocabulary,
                  base::FunctionRef<void(AtomicFile&)> write_body, const char* caller) {
  corpus.verify();
  base::require(path != "-" || vocabulary != "-", "{}: corpus and vocabulary cannot both be standard output", caller);
  if (!vocabulary.empty()) require_writable(corpus.vocabulary, caller);
  AtomicFile body(path, caller);
  write_body(body);
  std::optional<AtomicFile> words;
  if (!vocabulary.empty()) {
    words.emplace(vocabulary, caller);
    for (const std::string& word : corpus.vocabulary) {
      words->write(word);
      words->write("\n");
    }
  }
  body.commit();
  if (words) words->commit();
}

}  // namespace papilio::lda
