#include <atomic>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "execution/ranks/collectives.h"
#include "execution/ranks/work_in_turns.h"
#include "lda/corpus/corpus_builder.h"
#include "lda/corpus/word_index.h"
#include "lda/io/bytes/memory_of_ranks.h"
#include "lda/io/parts/lines_of_rank.h"
#include "lda/io/text/text_source.h"

namespace papilio::lda {
namespace {

// A word in a WordIndex, including its slot, and its number.
constexpr auto bytes_per_indexed = static_cast<std::int64_t>(sizeof(std::string) + 40);

// Numbers the words of all ranks by first occurrence in the whole text. Every rank gets the vocabulary, and the new
// numbers of its own words. Collective.
std::vector<std::int32_t> join_words(std::vector<std::string>& words, MemoryLimit& limit, const Origin& origin,
                                     Communicator& ranks) {
  MemoryShare share(limit);
  const std::vector<std::int64_t> bytes_of_ranks =
      execution::gather_numbers(ranks, execution::memory_of_sent(words) + bytes_per_indexed * std::ssize(words));
  const std::int64_t of_all = std::accumulate(bytes_of_ranks.begin(), bytes_of_ranks.end(), std::int64_t{0});
  require_room(share, ranks.rank() == 0 ? of_all : 0, origin, "numbering the words of all ranks", ranks);
  const std::vector<std::vector<std::string>> lists = execution::gather_text_lists(ranks, words);
  WordIndex index;
  std::vector<std::vector<std::byte>> numbers_of_ranks(static_cast<std::size_t>(ranks.ranks()));
  std::atomic<bool> is_over = false;
  execution::work_in_turns(ranks, is_over, [&] {
    std::size_t rank = 0;
    for (const std::vector<std::string>& of_rank : lists) {
      std::vector<std::int32_t> numbers;
      for (const std::string& word : of_rank) numbers.push_back(index.number(word));
      const auto bytes = std::as_bytes(std::span(numbers));
      numbers_of_ranks[rank++].assign(bytes.begin(), bytes.end());
    }
  });
  const std::vector<std::byte> own = execution::exchange(ranks, std::move(numbers_of_ranks)).front();
  std::int64_t bytes_of_vocabulary = execution::memory_of_sent(index.words());
  ranks.broadcast(std::as_writable_bytes(std::span(&bytes_of_vocabulary, 1)), 0);
  require_room(share, ranks.rank() == 0 ? of_all : bytes_of_vocabulary, origin, "the vocabulary of all ranks", ranks);
  words = execution::broadcast_texts(ranks, index.take_words());
  const auto* const numbers = reinterpret_cast<const std::int32_t*>(own.data());
  return {numbers, numbers + own.size() / sizeof(std::int32_t)};
}

}  // namespace

Corpus read_parts_of_documents(const TextSource& source, const TextOptions& options, const char* caller,
                               ReadReport& report, Communicator& ranks) {
  const Origin origin = {caller, source.path};
  const FilePart part = lines_of_rank(origin, 0, ranks);
  CorpusSink sink;
  TextCorpus text(options, sink);
  text.begin_part(part.lines_before);
  std::atomic<bool> is_over = false;
  execution::work_on_parts(ranks, is_over, [&] { read_text_source(source, options, caller, text, &part); });
  Corpus corpus = sink.take();
  corpus.vocabulary = text.take_words();
  corpus.document_names = text.take_names();
  const std::vector<std::int32_t> numbers = join_words(corpus.vocabulary, text.memory_limit(), origin, ranks);
  for (std::int32_t& word : corpus.words) word = numbers[static_cast<std::size_t>(word)];
  text.complete_report(&ranks);
  report = text.report();
  report.stop_words_dropped = report.tokens_read - corpus.tokens();
  corpus = keep_words(std::move(corpus), options, &report.left_out, &ranks);
  complete_report(corpus, format_name(source.form), report);
  return corpus;
}

}  // namespace papilio::lda
