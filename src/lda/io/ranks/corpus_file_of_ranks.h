#pragma once

#include <atomic>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "lda/io/bytes/hash.h"
#include "lda/io/corpus_file/mapping.h"
#include "papilio/communicator.h"
#include "papilio/distributed.h"

namespace papilio::lda {

// A corpus file that the ranks verify together, once. First they compare the hashes that are stored in their files;
// then each rank reads what it needs, and rank 0 reads all. Only rank 0 can tell whether the hash of the words matches,
// since XXH3 reads the tokens in order. On the way it hashes the words of each rank's documents, so that a rank knows
// that its own words are the same.
class CorpusFileOfRanks {
 public:
  CorpusFileOfRanks(const MappedCorpus& corpus, Communicator& ranks, int threads);

  // Collective.
  CorpusIdentity verify();

 private:
  using Mapping = MappedCorpus::Mapping;

  std::string claims() const;
  void read();
  void read_own_words();
  void read_all_words();
  void require_words_of_first_rank();
  std::span<const std::int32_t> words_of(int rank) const;
  CorpusIdentity identity() const;

  Mapping& file_;
  Communicator& ranks_;
  const int threads_;
  std::vector<RankDocuments> documents_;  // of each rank
  std::vector<Digest> word_hashes_;       // of each rank; a rank makes its own hash, rank 0 all of them
  std::atomic<bool> is_over_ = false;     // nobody waits any longer for what is being read
};

}  // namespace papilio::lda
