#include "lda/io/corpus_file/corpus_file_over_ranks.h"

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>

#include "execution/ranks/work_in_turns.h"
#include "lda/corpus/corpus_builder.h"
#include "lda/corpus/phrases.h"
#include "lda/io/bytes/memory_of_ranks.h"
#include "lda/io/corpus_file/mapping.h"
#include "papilio/corpus_file.h"
#include "papilio/distributed.h"

namespace papilio::lda {
namespace {

constexpr const char* caller = "papilio::read_corpus_file";

std::int64_t memory_of(const RankDocuments& documents) {
  return bytes_per_token * documents.tokens() + bytes_per_document * documents.documents();
}

// The documents of a rank, from a file that has been verified.
Corpus copied(const MappedCorpus& mapped, const RankDocuments& own) {
  Corpus corpus;
  const auto offsets = mapped.document_offsets().subspan(static_cast<std::size_t>(own.first_document) + 1,
                                                         static_cast<std::size_t>(own.documents()));
  for (const std::int64_t end : offsets) corpus.document_offsets.push_back(end - own.first_token);
  const auto words =
      mapped.words().subspan(static_cast<std::size_t>(own.first_token), static_cast<std::size_t>(own.tokens()));
  corpus.words.assign(words.begin(), words.end());
  corpus.vocabulary = mapped.vocabulary();
  return corpus;
}

}  // namespace

Corpus read_parts_of_corpus_file(const std::string& path, const CorpusOptions& options, ReadReport& report,
                                 Communicator& ranks) {
  const Origin origin = {caller, path};
  MemoryLimit limit(options.text.max_memory);
  MemoryShare share(limit), of_names(limit);
  std::optional<MappedCorpus> mapped;
  std::optional<BytesOfStrings> strings;
  std::atomic<bool> is_over = false;
  execution::work_on_parts(ranks, is_over, [&] {
    require_text_options(options.text, caller);
    require_no_phrases(options.text, caller, "a corpus file");
    mapped.emplace(path);
    strings.emplace(*mapped);
    if (!share.set(strings->vocabulary)) limit.refuse(origin, 0, "the vocabulary");
    if (ranks.rank() == 0 && !of_names.set(strings->names)) limit.refuse(origin, 0, "the names of documents");
  });
  verify_over_ranks(*mapped, ranks, options.text.threads);
  const RankDocuments own = documents_of_rank({mapped->document_offsets(), {}, {}, {}}, ranks.rank(), ranks.ranks());
  require_room(share, strings->vocabulary + memory_of(own), origin, "the corpus", ranks);
  Corpus corpus = copied(*mapped, own);
  if (ranks.rank() == 0) corpus.document_names = mapped->document_names();
  report.tokens_read = corpus.tokens();
  corpus = drop_stop_words(std::move(corpus), options.text, report.left_out, &ranks);
  report.stop_words_dropped = report.tokens_read - corpus.tokens();
  corpus = keep_words(std::move(corpus), options.text, &report.left_out, &ranks);
  complete_report(corpus, "corpus", report);
  return corpus;
}

}  // namespace papilio::lda
