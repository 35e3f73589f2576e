// Checkpoints: a chain goes on from one as if it had never stopped; of two generations one is always there.

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>
#include <limits>
#include <stdexcept>

#include "lda/corpora.h"
#include "lda/io/files.h"
#include "lda/io/model/safetensors.h"
#include "papilio/lda.h"

namespace papilio::lda {
namespace {

Corpus three_tokens() { return testing::make_corpus({{0, 1}, {1}}, 2); }

const TrainOptions two_topics = {.topics = 2};

// What loading throws, without the folder.
template <class Error>
std::string refusal(const Folder& folder, const Corpus& corpus, const TrainOptions& options) {
  return folder.message<Error>([&] { load_checkpoint(corpus, options, folder.path("a")); });
}

bool holds(const std::string& text, const std::string& part) { return text.find(part) != text.npos; }

TEST(Checkpoint, ContinuesTheChain) {
  const Folder folder;
  const Corpus corpus = testing::small_generated_corpus().corpus;
  TrainOptions options = {.topics = 4, .sweeps = 6, .seed = 2};
  const TrainResult whole = train(corpus, options);
  options.sweeps = 3;
  save_checkpoint(train(corpus, options).topics, corpus, options, folder.path("a"));
  options.sweeps = 6;
  options.threads = 1;
  options.evaluate_every = 0;
  const ChainState topics = load_checkpoint(corpus, options, folder.path("a"));
  EXPECT_EQ(topics.sweep, 3);
  save_model(train(corpus, options, &topics).model, folder.path("resumed"));
  save_model(whole.model, folder.path("whole"));
  EXPECT_EQ(folder.read("resumed"), folder.read("whole"));
}

TEST(Checkpoint, ContinuesAChainWithSeedWords) {
  const Folder folder;
  const Corpus corpus = testing::small_generated_corpus().corpus;
  TrainOptions options = {.topics = 4, .sweeps = 6, .seed = 2, .seed_words = {{3, 5, 50}, {0, 8, 20}}};
  save_model(train(corpus, options).model, folder.path("whole"));
  options.sweeps = 3;
  save_checkpoint(train(corpus, options).topics, corpus, options, folder.path("a"));
  options.sweeps = 6;
  std::swap(options.seed_words[0], options.seed_words[1]);  // their order says nothing
  const ChainState topics = load_checkpoint(corpus, options, folder.path("a"));
  save_model(train(corpus, options, &topics).model, folder.path("resumed"));
  EXPECT_EQ(folder.read("resumed"), folder.read("whole"));
}

TEST(Checkpoint, OfOtherSeedWordsIsRefused) {
  const Folder folder;
  const Corpus corpus = three_tokens();
  const ChainState state = {.z = {0, 1, 0}};
  TrainOptions seeded = two_topics;
  seeded.seed_words = {{1, 0, 50}};
  TrainOptions others = seeded;
  others.seed_words[0].weight = 51;
  const std::string begin =
      "papilio::load_checkpoint: a: the checkpoint belongs to another run: options.seed_words is ";
  save_checkpoint(state, corpus, seeded, folder.path("a"));
  EXPECT_TRUE(refusal<InvalidArgument>(folder, corpus, two_topics).starts_with(begin + "\"1 words in 1 topics, "));
  EXPECT_TRUE(refusal<InvalidArgument>(folder, corpus, two_topics).ends_with(", expected none"));
  EXPECT_TRUE(refusal<InvalidArgument>(folder, corpus, others).starts_with(begin + "\"1 words in 1 topics, "));
  EXPECT_EQ(load_checkpoint(corpus, seeded, folder.path("a")).z, state.z);
  save_checkpoint(state, corpus, two_topics, folder.path("a"));
  EXPECT_TRUE(refusal<InvalidArgument>(folder, corpus, seeded).starts_with(begin + "\"none\", expected 1 words in "));
}

TEST(Checkpoint, IsShownWhileTrainingGoesOn) {
  const Corpus corpus = testing::small_generated_corpus().corpus;
  TrainOptions options = {.topics = 4, .sweeps = 7, .seed = 2};
  const TrainResult whole = train(corpus, options);
  std::vector<ChainState> shown;
  options.checkpoint = [&](const ChainState& topics) { shown.push_back(topics); };
  EXPECT_EQ(train(corpus, options).topics.z, whole.topics.z);
  EXPECT_TRUE(shown.empty());  // neither sweeps nor seconds were asked for

  options.checkpoint_every = 3;
  const TrainResult result = train(corpus, options);
  EXPECT_EQ(result.topics.z, whole.topics.z);
  EXPECT_EQ(result.model.n_wk, whole.model.n_wk);
  ASSERT_EQ(shown.size(), 2u);
  for (const ChainState& topics : shown) {
    TrainOptions part = {.topics = 4, .sweeps = topics.sweep, .seed = 2};
    EXPECT_EQ(topics.z, train(corpus, part).topics.z);
  }
  EXPECT_EQ(shown[0].sweep, 3);
  EXPECT_EQ(shown[1].sweep, 6);

  shown.clear();
  options.checkpoint_every = 0;
  options.checkpoint_seconds = 1e-9;  // shorter than any sweep: after each but the last
  EXPECT_EQ(train(corpus, options).topics.z, whole.topics.z);
  EXPECT_EQ(shown.size(), 6u);
  shown.clear();
  options.checkpoint_seconds = 1e9;
  train(corpus, options);
  EXPECT_TRUE(shown.empty());

  options.checkpoint_every = 2;
  options.checkpoint = [](const ChainState&) { throw std::logic_error("mine"); };
  EXPECT_THROW(train(corpus, options), std::logic_error);
  options.checkpoint_every = -1;
  EXPECT_THROW(train(corpus, options), InvalidArgument);
  options.checkpoint_every = 0;
  options.checkpoint_seconds = std::numeric_limits<double>::quiet_NaN();
  EXPECT_THROW(train(corpus, options), InvalidArgument);
}

TEST(Checkpoint, StoresTopicsInTheSmallestType) {
  struct Case {
    std::int32_t topics;
    const char* type;
    std::size_t bytes;
  };
  const Corpus corpus = three_tokens();
  for (const auto& [topics, type, bytes] :
       {Case{1, "U8", 3}, Case{256, "U8", 3}, Case{257, "U16", 6}, Case{65536, "U16", 6}, Case{65537, "I32", 12}}) {
    const Folder folder;
    const TrainOptions options = {.topics = topics};
    const ChainState chain = {.sweep = 1, .z = {0, topics - 1, topics / 2}};
    save_checkpoint(chain, corpus, options, folder.path("a"));
    EXPECT_EQ(load_checkpoint(corpus, options, folder.path("a")).z, chain.z);
    const std::string file = folder.read("a");
    EXPECT_TRUE(holds(file, fmt::format(R"("z":{{"data_offsets":[0,{}],"dtype":"{}","shape":[3]}})", bytes, type)))
        << file;
  }
}

// More tokens than are written at a time.
TEST(Checkpoint, StoresManyTopics) {
  const Folder folder;
  const Corpus corpus = testing::make_corpus({std::vector<std::int32_t>(100'000, 0)}, 1);
  for (const std::int32_t topics : {200, 3000}) {
    const TrainOptions options = {.topics = topics};
    ChainState chain = {.sweep = 1, .z = {}};
    for (std::int32_t i = 0; i < 100'000; ++i) chain.z.push_back(static_cast<std::int32_t>(i * 7919L % topics));
    save_checkpoint(chain, corpus, options, folder.path("a"));
    EXPECT_EQ(load_checkpoint(corpus, options, folder.path("a")).z, chain.z);
  }
}

TEST(Checkpoint, HoldsPriorsThatWereOptimised) {
  const Folder folder;
  const Corpus corpus = three_tokens();
  ChainState chain = {.sweep = 1, .z = {0, 1, 1}, .alpha = {0.1 + 0.2, 1e-300}, .beta = 1.0 / 3};
  const TrainOptions options = {.topics = 2, .optimize_every = 10};
  save_checkpoint(chain, corpus, options, folder.path("a"));
  const ChainState loaded = load_checkpoint(corpus, options, folder.path("a"));
  EXPECT_EQ(loaded.alpha, chain.alpha);
  EXPECT_EQ(loaded.beta, chain.beta);
  for (const std::vector<double>& alpha : {std::vector{0.1}, {0.1, 0.0}, {0.1, -1.0}, {0.1, std::nan("")}}) {
    chain.alpha = alpha;
    EXPECT_THROW(save_checkpoint(chain, corpus, options, folder.path("b")), InvalidArgument);
  }
  chain.alpha.clear();
  chain.beta = -1;
  EXPECT_THROW(save_checkpoint(chain, corpus, options, folder.path("b")), InvalidArgument);
  EXPECT_EQ(folder.names(), std::vector<std::string>{"a"});
}

TEST(Checkpoint, OfAnotherRunIsRefusedByName) {
  const Folder folder;
  const Corpus corpus = three_tokens();
  const ChainState topics = {.sweep = 1, .z = {0, 1, 1}};
  save_checkpoint(topics, corpus, two_topics, folder.path("a"));
  save_checkpoint(topics, corpus, two_topics, folder.path("a"));
  const auto names = [&](const Corpus& other_corpus, const TrainOptions& other_options, const std::string& what) {
    return holds(refusal<InvalidArgument>(folder, other_corpus, other_options),
                 "load_checkpoint: a: the checkpoint belongs to another run: " + what + " is");
  };
  EXPECT_TRUE(names(corpus, {.topics = 3}, "options.topics"));
  EXPECT_TRUE(names(corpus, {.topics = 2, .alpha = 0.2}, "options.alpha"));
  EXPECT_TRUE(names(corpus, {.topics = 2, .topic_alpha = {0.1, 0.2}}, "options.alpha"));
  EXPECT_TRUE(names(corpus, {.topics = 2, .beta = 0.02}, "options.beta"));
  EXPECT_TRUE(names(corpus, {.topics = 2, .seed = 1}, "options.seed"));
  EXPECT_TRUE(names(corpus, {.topics = 2, .schedule = Schedule::sequential}, "options.schedule"));
  EXPECT_TRUE(names(corpus, {.topics = 2, .optimize_every = 5}, "options.optimize"));
  const auto differs = [&](const Corpus& other, const std::string& how) {
    return holds(refusal<InvalidArgument>(folder, other, two_topics),
                 "load_checkpoint: a: the checkpoint belongs to another corpus, or to this one read with other options "
                 "(stop_words, min_df, ...): it has 2 documents, 3 tokens and 2 different words, " +
                     how);
  };
  EXPECT_TRUE(
      differs(testing::make_corpus({{0, 1}, {1}, {}}, 2), "expected 3 documents, 3 tokens and 2 different words"));
  EXPECT_TRUE(
      differs(testing::make_corpus({{0, 1}, {1, 1}}, 3), "expected 2 documents, 4 tokens and 3 different words"));
  EXPECT_TRUE(differs(testing::make_corpus({{0}, {1, 1}}, 2), "but documents of other lengths"));
  EXPECT_TRUE(differs(testing::make_corpus({{0, 1}, {0}}, 2), "but other words in its documents"));
  Corpus respelled = corpus;
  respelled.vocabulary[1] = "v1";
  EXPECT_TRUE(differs(respelled, "but not these words"));
  const TrainOptions same_priors = {.topics = 2, .alpha = 7, .topic_alpha = {0.1, 0.1}, .optimize_after = 3};
  EXPECT_EQ(load_checkpoint(corpus, same_priors, folder.path("a")).sweep, 1);
}

// Whole files whose hashes are right, one word changed. The sound previous one is not looked at.
// The corpus is then not read again: other words of as many tokens go unnoticed until the checkpoint is loaded.
TEST(Checkpoint, TakesAnIdentityThatWasMadeBefore) {
  const Folder folder;
  const Corpus corpus = three_tokens(), others = testing::make_corpus({{1, 0}, {1}}, 2);
  const ChainState state = {.z = {0, 1, 0}};
  const CorpusIdentity identity = identity_of(corpus);
  save_checkpoint(state, corpus, two_topics, folder.path("read"));
  save_checkpoint(state, others, two_topics, folder.path("a"), &identity);
  EXPECT_EQ(folder.read("a"), folder.read("read"));
  EXPECT_EQ(load_checkpoint(corpus, two_topics, folder.path("a"), nullptr, &identity).z, state.z);
  EXPECT_EQ(load_checkpoint(others, two_topics, folder.path("a"), nullptr, &identity).z, state.z);
  EXPECT_TRUE(holds(refusal<InvalidArgument>(folder, others, two_topics), "but other words in its documents"));

  CorpusIdentity longer = identity;
  longer.tokens = 4;
  const std::string sizes =
      "the identity is that of 2 documents, 4 tokens and 2 words, expected 2 documents, 3 tokens "
      "and 2 words";
  EXPECT_EQ(
      folder.message<InvalidArgument>([&] { save_checkpoint(state, corpus, two_topics, folder.path("a"), &longer); }),
      "papilio::save_checkpoint: " + sizes);
  EXPECT_EQ(
      folder.message<InvalidArgument>([&] { load_checkpoint(corpus, two_topics, folder.path("a"), nullptr, &longer); }),
      "papilio::load_checkpoint: " + sizes);
}

TEST(Checkpoint, OfAnotherKindIsRefusedByName) {
  const Folder folder;
  const Corpus corpus = three_tokens();
  const ChainState topics = {.sweep = 1, .z = {0, 1, 1}};
  save_checkpoint(topics, corpus, two_topics, folder.path("a.previous"));
  const Metadata good = SafetensorsFile(folder.path("a.previous"), "test").metadata();
  const auto refusal_with = [&](const std::string& key, const std::string& value) {
    Metadata metadata = good;
    metadata[key] = value;
    write_safetensors(folder.path("a"), metadata, {small_numbers_view("z", topics.z, 2)}, "test");
    return refusal<Error>(folder, corpus, two_topics);
  };
  EXPECT_EQ(refusal_with("format_version", "3"), "nothing thrown");
  EXPECT_EQ(refusal_with("format_version", "2"), "papilio::load_checkpoint: a: format_version is \"2\", expected 3");
  EXPECT_EQ(refusal_with("format_version", "4"), "papilio::load_checkpoint: a: format_version is \"4\", expected 3");
  EXPECT_EQ(refusal_with("format", "papilio-model"),
            "papilio::load_checkpoint: a: format is \"papilio-model\", expected papilio-checkpoint");
  EXPECT_TRUE(holds(refusal_with("corpus.documents", "2\x1b["), "): it has \"2\\x1b[\" documents, 3 tokens and "));
  EXPECT_EQ(refusal_with("options.sampler", "uncollapsed"),
            "papilio::load_checkpoint: a: the checkpoint belongs to another run: options.sampler is \"uncollapsed\", "
            "expected collapsed");
}

TEST(Checkpoint, MustFitTheCorpusToBeSaved) {
  const Folder folder;
  const Corpus corpus = three_tokens();
  EXPECT_THROW(save_checkpoint({.sweep = 1, .z = {0, 1}}, corpus, two_topics, folder.path("b")), InvalidArgument);
  EXPECT_THROW(save_checkpoint({.sweep = 1, .z = {0, 1, 2}}, corpus, two_topics, folder.path("b")), InvalidArgument);
  EXPECT_THROW(save_checkpoint({.sweep = -1, .z = {0, 1, 1}}, corpus, two_topics, folder.path("b")), InvalidArgument);
  EXPECT_THROW(
      save_checkpoint({.sweep = 1, .z = {0, 1, 1}, .start = Start::automatic}, corpus, two_topics, folder.path("b")),
      InvalidArgument);
  EXPECT_THROW(load_checkpoint(corpus, two_topics, folder.path("absent")), IoError);
  EXPECT_TRUE(folder.names().empty());
}

// Two generations, sweeps 1 and 2.
class Generations : public ::testing::Test {
 protected:
  Generations() {
    for (const std::int64_t sweep : {1, 2}) {
      save_checkpoint({.sweep = sweep, .z = {0, 1, 1}}, corpus_, two_topics, folder_.path("a"));
    }
    newest_ = folder_.read("a");
  }

  ChainState load(CheckpointReport& report) const {
    return load_checkpoint(corpus_, two_topics, folder_.path("a"), &report);
  }

  // Whether the newest is told to be damaged and the one before is loaded in its place.
  ::testing::AssertionResult falls_back(const std::string& bytes) const {
    folder_.write("a", bytes);
    CheckpointReport report;
    const std::int64_t sweep = load(report).sweep;
    if (sweep == 1 && report.path == folder_.path("a.previous") && holds(report.damage, folder_.path("a") + ": ")) {
      return ::testing::AssertionSuccess();
    }
    return ::testing::AssertionFailure() << "loaded sweep " << sweep << " of " << report.path << ": " << report.damage;
  }

  const Folder folder_;
  const Corpus corpus_ = three_tokens();
  std::string newest_;
};

TEST_F(Generations, TheNewestIsLoaded) {
  CheckpointReport report;
  EXPECT_EQ(load(report).sweep, 2);
  EXPECT_EQ(report.path, folder_.path("a"));
  EXPECT_EQ(report.damage, "");
  EXPECT_EQ(previous_checkpoint(folder_.path("a")), folder_.path("a.previous"));
}

TEST_F(Generations, ANoteComesBackAndChangesNothingElse) {
  const ChainState state = {.sweep = 2, .z = {0, 1, 1}};
  CheckpointReport report;
  report.note = "of an earlier call";
  load(report);
  EXPECT_EQ(report.note, "");
  save_checkpoint(state, corpus_, two_topics, folder_.path("a"), nullptr, "a \"note\"\n\u00e9");
  EXPECT_EQ(load(report).z, state.z);
  EXPECT_EQ(report.note, "a \"note\"\n\u00e9");
  std::filesystem::remove(folder_.path("a"));
  load(report);
  EXPECT_EQ(report.note, "");
  save_checkpoint(state, corpus_, two_topics, folder_.path("a"), nullptr, "");
  EXPECT_EQ(folder_.read("a"), newest_);
  EXPECT_EQ(folder_.message<InvalidArgument>(
                [&] { save_checkpoint(state, corpus_, two_topics, folder_.path("a"), nullptr, "\xff"); }),
            "papilio::save_checkpoint: note is \"\\xff\", expected UTF-8");
}

TEST_F(Generations, ThePreviousIsLoadedWhereTheNewestIsMissing) {
  std::filesystem::remove(folder_.path("a"));
  CheckpointReport report;
  EXPECT_EQ(load(report).sweep, 1);
  EXPECT_TRUE(holds(report.damage, "No such file")) << report.damage;
}

TEST_F(Generations, ThePreviousIsLoadedForEveryTruncation) {
  for (std::size_t size = 0; size < newest_.size(); ++size) {
    ASSERT_TRUE(falls_back(newest_.substr(0, size))) << size;
  }
  EXPECT_TRUE(falls_back(newest_ + '\0'));
}

// In every byte the bit that makes a capital or a zero byte of what text holds, and one of the others.
TEST_F(Generations, ThePreviousIsLoadedWhereABitIsFlipped) {
  for (std::size_t i = 0; i < newest_.size(); ++i) {
    for (const int bit : {5, static_cast<int>(i % 8)}) {
      std::string damaged = newest_;
      damaged[i] = static_cast<char>(damaged[i] ^ (1 << bit));
      ASSERT_TRUE(falls_back(damaged)) << "bit " << bit << " of byte " << i;
    }
  }
}

TEST_F(Generations, TwoDamagedOnesAreBothNamed) {
  folder_.write("a", newest_.substr(0, 100));
  folder_.write("a.previous", "short");
  const std::string message = refusal<FormatError>(folder_, corpus_, two_topics);
  EXPECT_TRUE(holds(message, "papilio::load_checkpoint: a: the header should be")) << message;
  EXPECT_TRUE(holds(message, "; and a.previous: the file is 5 bytes long")) << message;
  std::filesystem::remove(folder_.path("a.previous"));
  EXPECT_FALSE(holds(refusal<FormatError>(folder_, corpus_, two_topics), "previous"));
  std::filesystem::remove(folder_.path("a"));
  EXPECT_THROW(load_checkpoint(corpus_, two_topics, folder_.path("a")), IoError);
}

TEST_F(Generations, AreRemovedTogether) {
  folder_.write("a.mine", "");
  remove_checkpoint(folder_.path("a"));
  EXPECT_EQ(folder_.names(), std::vector<std::string>{"a.mine"});
  remove_checkpoint(folder_.path("no/a"));
}

}  // namespace
}  // namespace papilio::lda
