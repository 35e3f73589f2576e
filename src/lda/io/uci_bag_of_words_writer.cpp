#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <span>
#include <string>
#include <vector>

#include "base/check.h"
#include "base/function_ref.h"
#include "lda/io/atomic_file.h"
#include "lda/io/utf8.h"
#include "lda/word_index.h"
#include "papilio/corpus.h"

namespace papilio {
namespace lda {
namespace {

constexpr const char* writer_name = "papilio::write_uci_bag_of_words";

// Calls use(document, word, count), numbers from 0, in the order of the file.
void for_each_entry(const CorpusView& corpus, base::FunctionRef<void(std::int64_t, std::int32_t, std::int64_t)> use) {
  std::vector<std::int32_t> words;
  for (std::int64_t d = 0; d < corpus.documents(); ++d) {
    const auto first = corpus.words.begin() + corpus.document_offsets[static_cast<std::size_t>(d)];
    const auto last = corpus.words.begin() + corpus.document_offsets[static_cast<std::size_t>(d + 1)];
    words.assign(first, last);
    std::sort(words.begin(), words.end());
    for (auto word = words.begin(); word != words.end();) {
      const auto next = std::upper_bound(word, words.end(), *word);
      use(d, *word, next - word);
      word = next;
    }
  }
}

// The words must come back as they are, one a line.
void require_writable(std::span<const std::string> vocabulary) {
  WordIndex index;
  for (std::size_t w = 0; w < vocabulary.size(); ++w) {
    const std::string& word = vocabulary[w];
    base::require(!word.empty() && word.find_first_of("\r\n") == std::string::npos,
                  "{}: word {} is {}, expected one line that is not empty", writer_name, w, quoted(word));
    base::require(find_ill_formed(word) == std::string::npos, "{}: word {} is {}, expected UTF-8", writer_name, w,
                  quoted(word));
    const std::int32_t number = index.number(word);
    base::require(number == static_cast<std::int32_t>(w), "{}: words {} and {} are both {}", writer_name, number, w,
                  quoted(word));
  }
}

}  // namespace
}  // namespace lda

void write_uci_bag_of_words(const CorpusView& corpus, const std::string& docword, const std::string& vocabulary) {
  using namespace lda;
  corpus.verify();
  require_writable(corpus.vocabulary);
  base::require(docword != "-" || vocabulary != "-", "{}: docword and vocabulary cannot both be standard output",
                writer_name);
  std::int64_t entries = 0;
  for_each_entry(corpus, [&](std::int64_t, std::int32_t, std::int64_t) { ++entries; });
  AtomicFile body(docword, writer_name);
  body.write(fmt::format("{}\n{}\n{}\n", corpus.documents(), corpus.vocabulary_size(), entries));
  fmt::memory_buffer line;
  for_each_entry(corpus, [&](std::int64_t document, std::int32_t word, std::int64_t count) {
    line.clear();
    fmt::format_to(std::back_inserter(line), "{} {} {}\n", document + 1, word + 1, count);
    body.write(line.data(), line.size());
  });
  AtomicFile words(vocabulary, writer_name);
  for (const std::string& word : corpus.vocabulary) {
    words.write(word);
    words.write("\n");
  }
  body.commit();
  words.commit();
}

}  // namespace papilio
