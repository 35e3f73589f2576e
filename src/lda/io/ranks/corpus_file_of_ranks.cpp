#include "lda/io/ranks/corpus_file_of_ranks.h"

#include <fmt/format.h>

#include <algorithm>
#include <span>
#include <string>

#include "execution/cpu/parallel_for.h"
#include "execution/ranks/work_in_turns.h"
#include "execution/ranks/work_of_rank.h"
#include "lda/io/model/agreed.h"
#include "lda/io/model/corpus_identity.h"

namespace papilio {
namespace lda {
namespace {

// Words that are hashed twice are in the cache the second time.
constexpr std::size_t words_at_once = std::size_t{1} << 16;

// Calls use(part) for one part after the other, until `is_over`.
template <class Use>
void for_each_part(std::span<const std::int32_t> words, const std::atomic<bool>& is_over, const Use& use) {
  while (!words.empty() && !is_over) {
    const std::span<const std::int32_t> part = words.first(std::min(words.size(), words_at_once));
    use(part);
    words = words.subspan(part.size());
  }
}

}  // namespace

CorpusFileOfRanks::CorpusFileOfRanks(const MappedCorpus& corpus, Communicator& ranks, int threads)
    : file_(corpus.mapping()),
      ranks_(ranks),
      threads_(execution::thread_count(threads)),
      word_hashes_(static_cast<std::size_t>(ranks.ranks())) {}

CorpusIdentity CorpusFileOfRanks::verify() {
  require_same_lines(claims(), ranks_, "verify_over_ranks");
  execution::work_in_turns(ranks_, is_over_, [this] { read(); });
  require_words_of_first_rank();
  ranks_.barrier();  // no rank may continue if one has failed
  return identity();
}

// What each rank's file says about itself.
std::string CorpusFileOfRanks::claims() const {
  const CorpusSizes& sizes = file_.layout.sizes;
  const auto hash = [&](CorpusPart part) { return digits_of(file_.stored_hash(part)); };
  return fmt::format(
      "corpus.documents {}\ncorpus.tokens {}\ncorpus.vocabulary_size {}\ncorpus.hash_of_document_offsets {}\n"
      "corpus.hash_of_words {}\nfile.hash_of_vocabulary_offsets {}\nfile.hash_of_vocabulary {}\n",
      sizes.documents, sizes.tokens, sizes.words, hash(CorpusPart::document_offsets), hash(CorpusPart::words),
      hash(CorpusPart::vocabulary_offsets), hash(CorpusPart::vocabulary));
}

// Reads what all ranks need, then the rank's own words: so a rank reports damage in these before rank 0 finds it.
void CorpusFileOfRanks::read() {
  file_.verify_header();
  for (const CorpusPart part : {CorpusPart::document_offsets, CorpusPart::vocabulary_offsets, CorpusPart::vocabulary}) {
    file_.verify_hash(part);
  }
  const auto offsets = file_.elements<std::int64_t>(CorpusPart::document_offsets);
  file_.verify_offsets(offsets, 0);
  file_.verify_vocabulary();
  const CorpusView corpus = {offsets, file_.elements<std::int32_t>(CorpusPart::words), {}, {}};
  for (int rank = 0; rank < ranks_.ranks(); ++rank) {
    documents_.push_back(documents_of_rank(corpus, rank, ranks_.ranks()));
  }
  file_.verify_words(words_of(ranks_.rank()), documents_[static_cast<std::size_t>(ranks_.rank())].first_token,
                     threads_);
  if (ranks_.rank() == 0) {
    read_all_words();
    file_.verify_hash(CorpusPart::name_offsets);
    file_.verify_hash(CorpusPart::names);
  } else {
    read_own_words();
  }
}

void CorpusFileOfRanks::read_own_words() {
  RunningHash hash;
  for_each_part(words_of(ranks_.rank()), is_over_, [&](auto part) { hash.update(std::as_bytes(part)); });
  word_hashes_[static_cast<std::size_t>(ranks_.rank())] = hash.digest();
}

void CorpusFileOfRanks::read_all_words() {
  RunningHash whole;
  for (int rank = 0; rank < ranks_.ranks(); ++rank) {
    RunningHash hash;
    for_each_part(words_of(rank), is_over_, [&](auto part) {
      hash.update(std::as_bytes(part));
      whole.update(std::as_bytes(part));
    });
    word_hashes_[static_cast<std::size_t>(rank)] = hash.digest();
  }
  if (!is_over_) file_.verify_hash(CorpusPart::words, whole.digest());
}

void CorpusFileOfRanks::require_words_of_first_rank() {
  const auto rank = static_cast<std::size_t>(ranks_.rank());
  const Digest own = word_hashes_[rank];
  ranks_.broadcast(std::as_writable_bytes(std::span(word_hashes_)), 0);
  if (word_hashes_[rank] == own) return;
  file_.fail(fmt::format(
      "tensor words: the words of documents {} to {}, counted from 0, are not those of rank 0, whose file matches its "
      "hashes: the file is damaged",
      documents_[rank].first_document, documents_[rank].end_document - 1));
}

std::span<const std::int32_t> CorpusFileOfRanks::words_of(int rank) const {
  const RankDocuments& own = documents_[static_cast<std::size_t>(rank)];
  return file_.elements<std::int32_t>(CorpusPart::words)
      .subspan(static_cast<std::size_t>(own.first_token), static_cast<std::size_t>(own.tokens()));
}

// Takes the hashes from the file; all of them have been verified.
CorpusIdentity CorpusFileOfRanks::identity() const {
  const CorpusSizes& sizes = file_.layout.sizes;
  return {sizes.documents,
          sizes.tokens,
          sizes.words,
          digits_of(file_.stored_hash(CorpusPart::document_offsets)),
          digits_of(file_.stored_hash(CorpusPart::words)),
          hash_of_vocabulary(file_.made_vocabulary())};
}

}  // namespace lda

CorpusIdentity verify_over_ranks(const MappedCorpus& corpus, Communicator& ranks, int threads) {
  return execution::work_of_rank(ranks, [&] { return lda::CorpusFileOfRanks(corpus, ranks, threads).verify(); });
}

}  // namespace papilio
