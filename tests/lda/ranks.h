#pragma once

#include <gtest/gtest.h>

#include <chrono>
#include <cstddef>
#include <exception>
#include <functional>
#include <memory>
#include <optional>
#include <thread>
#include <utility>
#include <vector>

#include "execution/ranks/thread_ranks.h"
#include "papilio/distributed.h"

namespace papilio::testing {

// body(rank's communicator) in a thread per rank, each of which leaves when its body ends. Throws what the lowest rank
// threw.
inline void on_ranks(const execution::ThreadRanksOptions& options, const std::function<void(Communicator&)>& body) {
  std::vector<std::unique_ptr<Communicator>> ranks = execution::thread_ranks(options);
  std::vector<std::exception_ptr> thrown(ranks.size());
  std::vector<std::thread> threads;
  for (std::size_t r = 0; r < ranks.size(); ++r) {
    threads.emplace_back([&, r] {
      try {
        body(*ranks[r]);
      } catch (...) {
        thrown[r] = std::current_exception();
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  for (const std::exception_ptr& error : thrown) {
    if (error) std::rethrow_exception(error);
  }
}

inline void expect_identity(const CorpusIdentity& found, const CorpusIdentity& expected) {
  EXPECT_EQ(found.documents, expected.documents);
  EXPECT_EQ(found.tokens, expected.tokens);
  EXPECT_EQ(found.vocabulary_size, expected.vocabulary_size);
  EXPECT_EQ(found.hash_of_document_offsets, expected.hash_of_document_offsets);
  EXPECT_EQ(found.hash_of_words, expected.hash_of_words);
  EXPECT_EQ(found.hash_of_vocabulary, expected.hash_of_vocabulary);
}

// What train gives rank 0 of this many, with the topics of the whole corpus.
inline TrainResult train_on_ranks(int ranks, const CorpusView& corpus, const TrainOptions& options,
                                  const ChainState* resume = nullptr) {
  TrainResult result;
  on_ranks({.ranks = ranks}, [&](Communicator& rank) {
    TrainOptions own = options;
    own.ranks = &rank;
    if (rank.rank() != 0) own.progress = {};
    std::optional<ChainState> part;
    if (resume != nullptr) {
      const RankDocuments place = documents_of_rank(corpus, rank.rank(), ranks);
      part = *resume;
      part->z.assign(resume->z.begin() + place.first_token, resume->z.begin() + place.end_token);
    }
    TrainResult here = train(corpus, own, part ? &*part : nullptr);
    ChainState whole = gather_topics(here.topics, rank);
    if (rank.rank() == 0) {
      result = std::move(here);
      result.topics = std::move(whole);
    }
  });
  return result;
}

}  // namespace papilio::testing
