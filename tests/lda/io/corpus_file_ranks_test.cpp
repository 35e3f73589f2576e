// Ranks that verify a corpus file together: each reads its own documents, and what differs or is damaged is found.

#include <gtest/gtest.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cerrno>
#include <cstdint>
#include <cstring>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "lda/corpora.h"
#include "lda/io/corpus_file/corpus_layout.h"
#include "lda/io/files.h"
#include "lda/ranks.h"
#include "papilio/corpus_file.h"
#include "papilio/distributed.h"
#include "papilio/evaluation.h"
#include "papilio/lda.h"

namespace papilio::lda {
namespace {

using testing::expect_identity;
using testing::on_ranks;

constexpr int number = 3;  // of ranks

TrainOptions short_run() {
  TrainOptions options = {.topics = 12, .sweeps = 4, .seed = 3, .threads = 1};
  options.optimize_every = 2;
  options.optimize_after = 1;
  return options;
}

// Ranks of which each has a file of its own, as hosts have that copy a corpus to their disks.
class VerifyOverRanks : public ::testing::Test {
 protected:
  std::string path_of(int rank) const { return folder_.path("c" + std::to_string(rank)); }

  // The corpus for every rank, but for one rank another.
  void write(const Corpus& corpus, int other_rank, const Corpus& other) const {
    for (int rank = 0; rank < number; ++rank) write_corpus_file(rank == other_rank ? other : corpus, path_of(rank));
  }

  // Changes the bytes of a rank's file from those of a tensor's element on.
  template <class T>
  void put(int rank, CorpusPart part, std::int64_t element, T value) const {
    std::string bytes = folder_.read("c" + std::to_string(rank));
    const auto at = static_cast<std::size_t>(parse_corpus_header(bytes)->begin[static_cast<std::size_t>(part)]) +
                    static_cast<std::size_t>(element) * sizeof value;
    ASSERT_NE(std::memcmp(bytes.data() + at, &value, sizeof value), 0) << "nothing is changed";
    std::memcpy(bytes.data() + at, &value, sizeof value);
    folder_.write("c" + std::to_string(rank), bytes);
  }

  // What each rank throws, without the folder's name.
  std::vector<std::string> thrown() const {
    std::vector<std::string> messages(number);
    on_ranks({.ranks = number}, [&](Communicator& rank) {
      messages[static_cast<std::size_t>(rank.rank())] = folder_.message<Error>([&] {
        const MappedCorpus mapped(path_of(rank.rank()));
        verify_over_ranks(mapped, rank);
      });
    });
    return messages;
  }

  // One rank says so, and the others which rank it is.
  void expect_damage(int rank, const std::string& says) const {
    const std::vector<std::string> messages = thrown();
    for (int r = 0; r < number; ++r) {
      const std::string& message = messages[static_cast<std::size_t>(r)];
      if (r == rank) {
        EXPECT_EQ(message, "papilio::MappedCorpus: c" + std::to_string(rank) + ": " + says);
      } else {
        EXPECT_NE(message.find("rank " + std::to_string(rank) + " of 3 has failed"), message.npos) << message;
      }
    }
  }

  void expect_own_words_alone(TrainOptions of_run) const;

  RankDocuments documents(int rank) const { return documents_of_rank(corpus_, rank, number); }

  const Folder folder_;
  const Corpus corpus_ = testing::small_generated_corpus().corpus;
};

TEST_F(VerifyOverRanks, GiveTheIdentityOfOneProcess) {
  for (const Corpus& corpus : {corpus_, testing::awkward_corpus(), Corpus{}, testing::make_corpus({{}, {0}}, 2)}) {
    write_corpus_file(corpus, path_of(0));
    for (const int ranks : {1, 2, 3, 7}) {
      on_ranks({.ranks = ranks}, [&](Communicator& rank) {
        expect_identity(verify_over_ranks(MappedCorpus(path_of(0)), rank), identity_of(corpus));
      });
    }
  }
}

// Wherever the files differ, also in documents that this rank does not read.
TEST_F(VerifyOverRanks, OneThatHasAnotherCorpusIsNamed) {
  const auto change = [&](const auto& what) {
    Corpus other = corpus_;
    what(other);
    return other;
  };
  const std::int64_t own = documents(2).first_token;
  const std::pair<std::string, Corpus> cases[] = {
      {"corpus.documents 301", change([](Corpus& c) { c.document_offsets.push_back(c.tokens()); })},
      {"corpus.tokens ", change([](Corpus& c) { c.words.push_back(0), ++c.document_offsets.back(); })},
      {"corpus.vocabulary_size 401", change([](Corpus& c) { c.vocabulary.emplace_back("another"); })},
      {"corpus.hash_of_document_offsets ", change([](Corpus& c) { ++c.document_offsets[7]; })},
      {"corpus.hash_of_words ", change([&](Corpus& c) { c.words[static_cast<std::size_t>(own)] ^= 1; })},
      {"corpus.hash_of_words ", change([](Corpus& c) { c.words[5] ^= 1; })},  // of rank 0
      {"file.hash_of_vocabulary_offsets ", change([](Corpus& c) { c.vocabulary[3] += "_"; })},
      {"file.hash_of_vocabulary ", change([](Corpus& c) { c.vocabulary[3][0] = '_'; })}};
  for (const auto& [key, other] : cases) {
    write(corpus_, 2, other);
    for (const std::string& message : thrown()) {
      EXPECT_EQ(message.find("papilio::verify_over_ranks: ranks differ: rank 2 has \"" + key), 0u) << message;
    }
  }
}

TEST_F(VerifyOverRanks, DamageIsNamedByTheRankThatReadsIt) {
  const RankDocuments own = documents(2);
  const auto heal = [&] { write(corpus_, 0, corpus_); };
  const auto word = [&](std::int64_t token) { return corpus_.words[static_cast<std::size_t>(token)]; };
  heal();
  put<std::int32_t>(2, CorpusPart::words, own.end_token - 1, word(own.end_token - 1) ^ 1);
  expect_damage(2, "tensor words: the words of documents " + std::to_string(own.first_document) +
                       " to 299, counted from 0, are not those of rank 0, whose file matches its hashes: the file is "
                       "damaged");
  for (const std::int32_t bad : {400, -1}) {
    heal();
    put<std::int32_t>(2, CorpusPart::words, own.first_token, bad);
    expect_damage(2, "tensor words: expected words from 0 to 399, got " + std::to_string(bad) + " as token " +
                         std::to_string(own.first_token));
  }
  heal();
  put<std::int32_t>(0, CorpusPart::words, own.first_token, word(own.first_token) ^ 1);
  expect_damage(0, "the hash of tensor words does not match: the file is damaged");
  heal();
  put<std::int64_t>(1, CorpusPart::document_offsets, 299, corpus_.document_offsets[299] + 1);
  expect_damage(1, "the hash of tensor document_offsets does not match: the file is damaged");
  heal();
  put<char>(1, CorpusPart::vocabulary, 0, '#');
  expect_damage(1, "the hash of tensor vocabulary does not match: the file is damaged");
}

// The model is that of the corpus all the same.
TEST_F(VerifyOverRanks, DamageThatARankDoesNotReadChangesNothing) {
  write(corpus_, 0, corpus_);
  put<std::int32_t>(2, CorpusPart::words, 0, 1 << 30);
  put<std::int32_t>(1, CorpusPart::words, documents(2).first_token, -1);
  for (const Start start : {Start::uniform, Start::progressive}) {
    TrainOptions of_run = short_run();
    of_run.start = start;
    const std::string expected = model_hash(train(corpus_, of_run).model);
    on_ranks({.ranks = number}, [&](Communicator& rank) {
      const MappedCorpus mapped(path_of(rank.rank()));
      const CorpusIdentity identity = verify_over_ranks(mapped, rank);
      TrainOptions options = of_run;
      options.ranks = &rank;
      options.corpus_identity = &identity;
      EXPECT_EQ(model_hash(train(mapped.view(), options).model), expected);
    });
  }
}

// Documents of a rank other than 0: its words can be read, those of others cannot. To touch them ends the process.
class OwnWords {
 public:
  OwnWords(const MappedCorpus& mapped, const RankDocuments& own) : words_(mapped.words()) {
    const auto page = static_cast<std::uintptr_t>(::sysconf(_SC_PAGESIZE));
    const auto address = [&](std::int64_t token) { return reinterpret_cast<std::uintptr_t>(words_.data() + token); };
    const auto up = [&](std::uintptr_t a) { return (a + page - 1) / page * page; };
    const auto down = [&](std::uintptr_t a) { return a / page * page; };
    forbid(up(address(0)), down(address(own.first_token)));
    forbid(up(address(own.end_token)), down(address(std::ssize(words_))));
  }

  std::size_t forbidden_bytes() const { return forbidden_bytes_; }

  // Whether the system reads the word for us.
  bool can_read(std::int64_t token) const {
    int ends[2];
    if (::pipe(ends) != 0) return false;
    const bool can = ::write(ends[1], words_.data() + token, sizeof(std::int32_t)) > 0;
    EXPECT_TRUE(can || errno == EFAULT);
    ::close(ends[0]);
    ::close(ends[1]);
    return can;
  }

 private:
  void forbid(std::uintptr_t begin, std::uintptr_t end) {
    if (begin >= end) return;
    ASSERT_EQ(::mprotect(reinterpret_cast<void*>(begin), end - begin, PROT_NONE),
              0);  // NOLINT(performance-no-int-to-ptr)
    forbidden_bytes_ += end - begin;
  }

  const std::span<const std::int32_t> words_;
  std::size_t forbidden_bytes_ = 0;
};

// From the file to the model, with held-out documents, checkpoints and a resume.
void VerifyOverRanks::expect_own_words_alone(TrainOptions of_run) const {
  const Corpus corpus =
      generate_corpus({.documents = 4000, .vocabulary = 300, .topics = 7, .mean_length = 40, .seed = 6}).corpus;
  write_corpus_file(corpus, path_of(0));
  of_run.held_out = corpus_.view();
  of_run.held_out_every = 2;
  const TrainResult expected = train(corpus, of_run);
  const CorpusIdentity expected_identity = identity_of(corpus);
  for (const std::int64_t sweeps : {std::int64_t{2}, of_run.sweeps}) {
    on_ranks({.ranks = number}, [&](Communicator& rank) {
      const MappedCorpus mapped(path_of(0));
      const RankDocuments own = documents_of_rank(corpus, rank.rank(), number);
      std::optional<OwnWords> words;
      if (rank.rank() != 0) {
        words.emplace(mapped, own);
        EXPECT_GT(words->forbidden_bytes(), mapped.words().size_bytes() / 2);
        EXPECT_EQ(words->can_read(rank.rank() == 1 ? mapped.tokens() / 6 : mapped.tokens() / 2), false);
        EXPECT_TRUE(words->can_read((own.first_token + own.end_token) / 2));
      }
      const CorpusIdentity identity = verify_over_ranks(mapped, rank);
      expect_identity(identity, expected_identity);
      if (!words) words.emplace(mapped, own);  // rank 0 as well, from here on
      TrainOptions options = of_run;
      options.ranks = &rank;
      options.corpus_identity = &identity;
      options.sweeps = sweeps;
      options.checkpoint_every = 1;
      CheckpointWriter writer(mapped.view(), options, folder_.path("a"));
      options.checkpoint_writer = &writer;
      std::optional<ChainState> start;
      if (sweeps > 2) start = load_checkpoint(mapped.view(), options, folder_.path("a"));
      const TrainResult result = train(mapped.view(), options, start ? &*start : nullptr);
      save_checkpoint(result.topics, mapped.view(), options, folder_.path("a"));
      if (sweeps != of_run.sweeps) return;
      EXPECT_EQ(model_hash(result.model), model_hash(expected.model));
      EXPECT_EQ(result.held_out.back().completion.log_likelihood, expected.held_out.back().completion.log_likelihood);
    });
  }
  // It says the same of the corpus as one process would.
  TrainOptions alone = of_run;
  EXPECT_EQ(load_checkpoint(corpus, alone, folder_.path("a")).z, expected.topics.z);
}

TEST_F(VerifyOverRanks, ARankReadsNoWordsButItsOwn) { expect_own_words_alone(short_run()); }

// Stopped in a stage, and in the chain of all documents. The seed word and the likelihoods go by words too.
TEST_F(VerifyOverRanks, ARankReadsNoWordsButItsOwnInAProgressiveStart) {
  TrainOptions options = short_run();
  options.start = Start::progressive;
  options.seed_words = {{.topic = 3, .word = 7, .weight = 5}};
  options.evaluate_every = 1;
  for (const std::int64_t sweeps : {4, 42}) {
    options.sweeps = sweeps;
    expect_own_words_alone(options);
  }
}

TEST_F(VerifyOverRanks, ARankInfersAndScoresWithoutTheWordsOfOthers) {
  const Corpus corpus =
      generate_corpus({.documents = 4000, .vocabulary = 300, .topics = 7, .mean_length = 40, .seed = 6}).corpus;
  write_corpus_file(corpus, path_of(0));
  const Model model = train(corpus_, short_run()).model;
  const InferOptions gibbs = {.sweeps = 3, .burn_in = 1, .seed = 4, .threads = 1};
  const CompletionOptions completion = {.em_steps = 3, .seed = 5, .threads = 1};
  const LeftToRightOptions particles = {.particles = 1, .seed = 6, .threads = 1};
  const DocumentTopics topics = infer(model, corpus, gibbs);
  const Completion completed = complete_documents(model, corpus, completion);
  const LeftToRight scored = left_to_right(model, corpus, particles);
  const Inference inference(model);
  on_ranks({.ranks = number}, [&](Communicator& rank) {
    const MappedCorpus mapped(path_of(0));
    const CorpusIdentity identity = verify_over_ranks(mapped, rank);
    const OwnWords words(mapped, documents_of_rank(corpus, rank.rank(), number));
    EXPECT_GT(words.forbidden_bytes(), mapped.words().size_bytes() / 2);
    const auto known = [&](auto options) {
      options.corpus_identity = &identity;
      return options;
    };
    for (const bool is_ready : {false, true}) {
      const DocumentTopics found = is_ready ? inference.infer(mapped.view(), known(gibbs), rank)
                                            : infer(model, mapped.view(), known(gibbs), rank);
      if (rank.rank() == 0) {
        EXPECT_EQ(found.theta, topics.theta);
      }
      EXPECT_EQ(found.known_tokens, topics.known_tokens);
      EXPECT_EQ(found.unknown_tokens, topics.unknown_tokens);
      const Completion of_all = is_ready ? inference.complete_documents(mapped.view(), known(completion), rank)
                                         : complete_documents(model, mapped.view(), known(completion), rank);
      EXPECT_EQ(of_all.log_likelihood, completed.log_likelihood);
      EXPECT_EQ(of_all.tokens, completed.tokens);
    }
    EXPECT_EQ(left_to_right(model, mapped.view(), known(particles), rank).log_likelihoods, scored.log_likelihoods);
  });
}

// An identity that is not the corpus's is refused, and by all ranks.
TEST_F(VerifyOverRanks, AnIdentityOfAnotherCorpusIsRefused) {
  const Model model = train(corpus_, short_run()).model;
  CorpusIdentity other = identity_of(corpus_);
  ++other.tokens;
  CorpusIdentity changed = identity_of(corpus_);
  changed.hash_of_words[0] = changed.hash_of_words[0] == '0' ? '1' : '0';
  on_ranks({.ranks = 2}, [&](Communicator& rank) {
    InferOptions options = {.sweeps = 3, .burn_in = 1, .threads = 1, .corpus_identity = &other};
    EXPECT_THROW(infer(model, corpus_.view(), options, rank), InvalidArgument);
  });
  on_ranks({.ranks = 2}, [&](Communicator& rank) {  // rank 1 has another corpus than rank 0
    const CompletionOptions options = {.threads = 1, .corpus_identity = rank.rank() == 1 ? &changed : nullptr};
    EXPECT_THROW(complete_documents(model, corpus_.view(), options, rank), InvalidArgument);
  });
}

TEST_F(VerifyOverRanks, AnIdentityIsThatOfTheCorpus) {
  const CorpusIdentity sound = identity_of(corpus_);
  CorpusIdentity longer = sound;
  ++longer.tokens;
  TrainOptions options = short_run();
  options.corpus_identity = &longer;
  EXPECT_EQ(folder_.message<InvalidArgument>([&] { train(corpus_, options); })
                .find("papilio::train: the identity is that of 300 documents, "),
            0u);
  CorpusIdentity other = sound;
  other.hash_of_words[0] = other.hash_of_words[0] == 'a' ? 'b' : 'a';
  const std::string message = folder_.message<InvalidArgument>([&] {
    on_ranks({.ranks = number}, [&](Communicator& rank) {
      TrainOptions own = short_run();
      own.ranks = &rank;
      own.corpus_identity = rank.rank() == 1 ? &other : &sound;
      train(corpus_, own);
    });
  });
  EXPECT_EQ(message.find("papilio::train: ranks differ: rank 1 has \"corpus.hash_of_words "), 0u) << message;
}

}  // namespace
}  // namespace papilio::lda
