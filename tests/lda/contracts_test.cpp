// What training and models refuse: views that cannot be arrays, offsets and topics out of range, numbers
// that are no enumerators, objects that were moved from.

#include "lda/contracts.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <cstdio>
#include <fstream>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "execution/ranks/single_rank.h"
#include "papilio/distributed.h"
#include "papilio/lda.h"
#include "papilio/model_edits.h"

namespace papilio {
namespace {

using testing::Doubles;
using testing::huge;
using testing::LdaContract;
using testing::make_corpus;
using testing::nan;
using testing::no_enumerator;
using testing::no_such_folder;
using testing::refused;
using testing::sound_model;
using testing::Topics;

TEST_F(LdaContract, CorpusAndCorpusView) {
  refuses_bad_corpora([](const CorpusView& corpus) { corpus.verify(); });
  EXPECT_TRUE(make_corpus({{0, 0, 2}, {}, {1}}, 3).is_bag_of_words());
  EXPECT_FALSE(make_corpus({{0, 1}, {2, 1}}, 3).is_bag_of_words());
  const std::vector<std::int64_t> offsets = {0, 4};
  const std::vector<std::int32_t> words = {0, 1, 2};
  EXPECT_TRUE(refused("document_offsets ends with 4, but there are 3 words", [&] {
    CorpusView{offsets, words, {}, {}}.is_bag_of_words();
  }));
  EXPECT_EQ(CorpusView().documents(), 0);
  EXPECT_EQ(CorpusView().tokens(), 0);
  EXPECT_EQ(moved_from_.documents(), 0);
  EXPECT_EQ(moved_from_.vocabulary_size(), 0);
  EXPECT_NO_THROW(Corpus().verify());
  for (const int threads : {-1, 4097}) {
    EXPECT_TRUE(refused("papilio: threads must be 0 (all) or a number up to 4096", [&] { Corpus().verify(threads); }));
  }
}

TEST_F(LdaContract, Ranks) {
  const Corpus corpus = make_corpus({{0, 1}, {2}}, 3);
  EXPECT_TRUE(
      refused("documents_of_rank: rank is -1, expected 0 <= rank < 2", [&] { documents_of_rank(corpus, -1, 2); }));
  EXPECT_TRUE(
      refused("documents_of_rank: rank is 2, expected 0 <= rank < 2", [&] { documents_of_rank(corpus, 2, 2); }));
  EXPECT_TRUE(
      refused("documents_of_rank: rank is 0, expected 0 <= rank < 0", [&] { documents_of_rank(corpus, 0, 0); }));
  EXPECT_EQ(documents_of_rank(CorpusView(), 1, 2).documents(), 0);
  const RankDocuments all = documents_of_rank(corpus, 0, 1);
  EXPECT_EQ(all.documents(), 2);
  EXPECT_EQ(all.tokens(), 3);
  execution::SingleRank rank;
  EXPECT_EQ(gather_topics({.sweep = 4, .z = {1, 0, 1}}, rank).z, (Topics{1, 0, 1}));
  EXPECT_TRUE(gather_topics({}, rank).z.empty());
}

TEST_F(LdaContract, RankCorpus) {
  const std::string path = ::testing::TempDir() + "rank_corpus_contract.txt";
  std::ofstream(path) << "some words\nand more\n";
  execution::SingleRank rank;
  const auto read = [&] { return read_corpus(path, {}, rank); };
  RankCorpus corpus = read();
  EXPECT_EQ(corpus.word_counts().size(), 4u);
  RankCorpus moved_to = std::move(corpus);
  const auto refuses = [&] {
    EXPECT_TRUE(refused("RankCorpus: this object was moved from", [&] { corpus.view(); }));
    EXPECT_TRUE(refused("RankCorpus: this object was moved from", [&] { corpus.identity(); }));
    EXPECT_TRUE(refused("RankCorpus: this object was moved from", [&] { corpus.word_counts(); }));
    EXPECT_TRUE(refused("RankCorpus: this object was moved from", [&] { corpus.gather(rank); }));
  };
  refuses();
  EXPECT_EQ(moved_to.gather(rank).tokens(), 4);
  moved_to = read();
  corpus = std::move(moved_to);
  EXPECT_EQ(corpus.view().documents(), 2);
  EXPECT_THROW(read_corpus(no_such_folder, {}, rank), IoError);
  EXPECT_TRUE(refused("min_df is -1", [&] { read_corpus(no_such_folder, {.text = {.min_df = -1}}, rank); }));
  EXPECT_TRUE(is_read_in_parts(path, {}));
  EXPECT_FALSE(is_read_in_parts(no_such_folder, {}));
  EXPECT_THROW(is_read_in_parts("/proc/self/mem", {}), IoError);  // opens, but its first byte cannot be read
  EXPECT_TRUE(refused("min_df is -1", [&] { is_read_in_parts(path, {.text = {.min_df = -1}}); }));
  std::remove(path.c_str());
}

TEST_F(LdaContract, Model) {
  refuses_bad_models([](const Model& model) { model.verify(); });
  EXPECT_TRUE(refused("Model::phi: word 3, expected 0 <= word < 3", [&] { model_.phi(3, 0); }));
  EXPECT_TRUE(refused("Model::phi: word -1", [&] { model_.phi(-1, 0); }));
  EXPECT_TRUE(refused("Model::phi: topic 2, expected 0 <= topic < 2", [&] { model_.phi(0, 2); }));
  EXPECT_TRUE(refused("Model::phi: topic -1", [&] { model_.phi(0, -1); }));
  EXPECT_TRUE(refused("Model::seed_weight: word 3, expected 0 <= word < 3", [&] { model_.seed_weight(3, 0); }));
  EXPECT_TRUE(refused("Model::seed_weight: word -1", [&] { model_.seed_weight(-1, 0); }));
  EXPECT_TRUE(refused("Model::seed_weight: topic 2, expected 0 <= topic < 2", [&] { model_.seed_weight(0, 2); }));
  EXPECT_TRUE(refused("Model::seed_weight: topic -1", [&] { model_.seed_weight(0, -1); }));
  Model seeded = model_;
  seeded.seed_words = {SeedWord{.topic = 7, .word = 1, .weight = 3}};
  EXPECT_TRUE(refused("Model::verify: a seed word is of topic 7, expected 0 <= topic < 2", [&] { seeded.verify(); }));
  Model bare;
  bare.topics = 2;
  bare.vocabulary = {"x"};
  EXPECT_TRUE(
      refused("Model::phi: n_wk has 0 entries and n_k 0, expected 1 words x 2 topics", [&] { bare.phi(0, 0); }));
  for (const auto top : {top_words, counted_top_words}) {
    EXPECT_TRUE(refused("top_words: topic 2, expected 0 <= topic < 2", [&] { top(model_, 2, 1); }));
    EXPECT_TRUE(refused("top_words: topic -1", [&] { top(model_, -1, 1); }));
    EXPECT_TRUE(refused("top_words: count is -1, expected 0 or more", [&] { top(model_, 0, -1); }));
    EXPECT_TRUE(refused("top_words: n_wk has 0 entries, expected 1 words x 2 topics", [&] { top(bare, 0, 1); }));
    EXPECT_TRUE(refused("top_words: topic 0", [&] { top({}, 0, 1); }));
    EXPECT_LE(top(model_, 0, 2147483647).size(), 3u);
  }
  const TopWord word = top_words(model_, 0, 1)[0];
  EXPECT_EQ(word.word, 0);
  refuses_bad_models([](const Model& model) { save_model(model, no_such_folder); });
  EXPECT_THROW(save_model(model_, no_such_folder), IoError);
  EXPECT_THROW(load_model(no_such_folder), IoError);
}

TEST_F(LdaContract, ModelEditsAndLabels) {
  refuses_bad_models([](const Model& model) { label_topics(model, {{0, "a"}}); });
  refuses_bad_models([](const Model& model) { merge_topics(model, {{0, 1}}); });
  refuses_bad_models([](const Model& model) { drop_topics(model, Topics{0}); });
  refuses_bad_models([](const Model& model) { model_hash(model); });
  for (const std::int32_t bad : {-1, 2, 2147483647}) {
    const std::string says = "topic " + std::to_string(bad) + ", expected 0 <= topic < 2";
    EXPECT_TRUE(refused("label_topics: " + says, [&] { label_topics(model_, {{bad, "a"}}); }));
    EXPECT_TRUE(refused("merge_topics: " + says, [&] { merge_topics(model_, {{0, bad}}); }));
    EXPECT_TRUE(refused("drop_topics: " + says, [&] { drop_topics(model_, Topics{bad}); }));
    EXPECT_TRUE(refused("Model::label: " + says, [&] { model_.label(bad); }));
  }
  EXPECT_TRUE(refused("label_topics: no labels", [&] { label_topics(model_, {}); }));
  EXPECT_TRUE(refused("merge_topics: no topics", [&] { merge_topics(model_, {}); }));
  EXPECT_TRUE(refused("a group has 0 topics, expected two", [&] { merge_topics(model_, {{}}); }));
  EXPECT_TRUE(refused("a group has 1 topics, expected two", [&] { merge_topics(model_, {{1}}); }));
  EXPECT_TRUE(refused("topic 1 is given twice", [&] { merge_topics(model_, {{1, 1}}); }));
  EXPECT_TRUE(refused("drop_topics: no topics", [&] { drop_topics(model_, {}); }));
  EXPECT_TRUE(refused("topic 1 is given twice", [&] { drop_topics(model_, Topics{1, 1}); }));
  EXPECT_TRUE(refused("all 2 topics are given", [&] { drop_topics(model_, Topics{1, 0}); }));
  EXPECT_TRUE(refused("topics is null", [&] { drop_topics(model_, {static_cast<const std::int32_t*>(nullptr), 1}); }));
  Model full = sound_model();
  full.n_wk[2] = full.n_wk[3] = 2147483647;
  full.n_k = {2147483649, 2147483648};
  EXPECT_TRUE(refused("word 1 would have 4294967294 tokens with topic 0", [&] { merge_topics(full, {{0, 1}}); }));
  Model labels = sound_model(), edits = sound_model();
  labels.labels = {"a"};
  EXPECT_TRUE(refused("there are 1 labels, expected none or one per topic, 2", [&] { labels.verify(); }));
  EXPECT_EQ(labels.label(1), "");
  edits.edits = {ModelEdit{{"merge"}, "no hash"}};
  EXPECT_TRUE(refused("an edit is not a change and the hash of a model", [&] { edits.verify(); }));
}

TEST_F(LdaContract, TrainAndTrainOptions) {
  const auto call = [&](TrainOptions options) { return [=, this] { train(corpus_, options); }; };
  const TrainOptions few = {.topics = 2, .sweeps = 1};
  const auto with = [&](auto change) {
    TrainOptions options = few;
    change(options);
    return call(options);
  };
  refuses_bad_corpora([&](const CorpusView& corpus) { train(corpus, few); });
  refuses_bad_corpora([&](const CorpusView& corpus) { with([&](auto& o) { o.held_out = corpus; })(); });
  EXPECT_TRUE(refused("the corpus has no tokens", [&] { train(Corpus(), few); }));
  EXPECT_TRUE(refused("topics is 0, expected at least 1", call({.topics = 0})));
  EXPECT_TRUE(refused("topics is -7, expected at least 1", call({.topics = -7})));
  EXPECT_TRUE(refused("sweeps is -1", call({.sweeps = -1})));
  EXPECT_TRUE(refused("sweeps is 9223372036854775807", call({.sweeps = huge})));
  for (const double bad : {0.0, -1.0, nan, HUGE_VAL}) {
    EXPECT_TRUE(refused("train: alpha is ", with([=](auto& o) { o.alpha = bad; })));
    EXPECT_TRUE(refused("train: beta is ", with([=](auto& o) { o.beta = bad; })));
    EXPECT_TRUE(refused("topic_alpha[1] is", with([=](auto& o) { o.topic_alpha = {1, bad}; })));
  }
  EXPECT_TRUE(refused("topic_alpha has 3 entries", with([](auto& o) { o.topic_alpha = {1, 1, 1}; })));
  EXPECT_TRUE(refused("threads is -1", with([](auto& o) { o.threads = -1; })));
  EXPECT_TRUE(refused("threads must be 0 (all) or a number up to 4096", with([](auto& o) { o.threads = 5000; })));
  EXPECT_TRUE(refused("unknown sampler 99", with([](auto& o) { o.sampler = no_enumerator<Sampler>(); })));
  EXPECT_TRUE(refused("unknown schedule 99", with([](auto& o) { o.schedule = no_enumerator<Schedule>(); })));
  EXPECT_TRUE(refused("unknown start 99", with([](auto& o) { o.start = no_enumerator<Start>(); })));
  EXPECT_TRUE(refused("unknown kind of draws 99", with([](auto& o) { o.draws = no_enumerator<Draws>(); })));
  EXPECT_TRUE(refused("unknown method 99", with([](auto& o) { o.method = no_enumerator<PartialSums>(); })));
  EXPECT_TRUE(refused("evaluate_every is -1", with([](auto& o) { o.evaluate_every = -1; })));
  EXPECT_TRUE(refused("held_out_every is -1", with([](auto& o) { o.held_out_every = -1; })));
  EXPECT_TRUE(refused("max_device_memory is -1", with([](auto& o) { o.max_device_memory = -1; })));
  EXPECT_TRUE(refused("progress_every is 0", with([](auto& o) { o.progress_every = 0; })));
  EXPECT_TRUE(refused("optimize_every is -1", with([](auto& o) { o.optimize_every = -1; })));
  EXPECT_TRUE(refused("optimize_after is -1", with([](auto& o) { o.optimize_after = -1; })));
  EXPECT_TRUE(refused("checkpoint_every is -1", with([](auto& o) { o.checkpoint_every = -1; })));
  EXPECT_TRUE(refused("checkpoint_seconds nan", with([](auto& o) { o.checkpoint_seconds = nan; })));
  // A CPU takes nothing of a GPU, however little is allowed.
  EXPECT_NO_THROW(with([](auto& o) {
    o.max_device_memory = 1;
    o.planned = [](const DevicePlan&) { ADD_FAILURE() << "planned a device"; };
  })());
  const Corpus one_word = make_corpus({{0}}, 1);
  EXPECT_TRUE(refused("held-out", with([&](auto& o) { o.held_out = one_word; })));

  TrainResult result = train(corpus_, few);
  const TrainResult taken = std::move(result);
  EXPECT_TRUE(refused("the vocabulary is empty", [&] { result.model.verify(); }));  // NOLINT: moved from, not undefined
  EXPECT_TRUE(refused("z has 0 topics", [&] { train(corpus_, few, &result.topics); }));
  EXPECT_EQ(train(corpus_, {.topics = 1, .sweeps = 0}).model.topics, 1);
}

TEST_F(LdaContract, ChainState) {
  const TrainOptions options = {.topics = 2, .sweeps = 5};
  const auto resume = [&](ChainState state) { return [=, this] { train(corpus_, options, &state); }; };
  EXPECT_TRUE(refused("z has 4 topics, expected one per token: 5", resume({.z = {0, 0, 0, 0}})));
  EXPECT_TRUE(refused("the topic of token 4 is 2, expected 0 <= topic < 2", resume({.z = {0, 0, 0, 0, 2}})));
  EXPECT_TRUE(refused("the topic of token 0 is -1", resume({.z = {-1, 0, 0, 0, 0}})));
  EXPECT_TRUE(refused("are of sweep 6", resume({.sweep = 6, .z = z_})));
  EXPECT_TRUE(refused("are of sweep -1", resume({.sweep = -1, .z = z_})));
  EXPECT_TRUE(refused("have 1 priors", resume({.z = z_, .alpha = {1}})));
  EXPECT_TRUE(refused("alpha of topic 1 to resume from is nan", resume({.z = z_, .alpha = {1, nan}})));
  EXPECT_TRUE(refused("beta to resume from is -1", resume({.z = z_, .beta = -1})));
  EXPECT_TRUE(refused("started as unknown", resume({.z = z_, .start = no_enumerator<Start>()})));
  EXPECT_TRUE(refused("z has 1 topics", [&] { train(corpus_, options, ChainState{.z = {0}}); }));
  const auto save = [&](ChainState state, TrainOptions o = {.topics = 2}) {
    return [=, this] { save_checkpoint(state, corpus_, o, no_such_folder); };
  };
  EXPECT_TRUE(refused("z has 1 topics", save({.z = {0}})));
  EXPECT_TRUE(refused("sweep is -1", save({.sweep = -1, .z = z_})));
  EXPECT_TRUE(refused("topics is 0", save({.z = z_}, {.topics = 0})));
  EXPECT_THROW(save({.z = z_})(), IoError);
  CorpusIdentity identity = identity_of(CorpusView());  // that of no corpus, but still one
  EXPECT_EQ(identity.tokens, 0);
  EXPECT_EQ(identity.hash_of_words.size(), 32);
  EXPECT_TRUE(refused("the identity is that of 0 documents, 0 tokens and 0 words, expected",
                      [&] { save_checkpoint({.z = z_}, corpus_, {.topics = 2}, no_such_folder, &identity); }));
  CheckpointReport report;
  EXPECT_TRUE(refused("topics is 0", [&] { load_checkpoint(corpus_, {.topics = 0}, no_such_folder, &report); }));
  EXPECT_THROW(load_checkpoint(corpus_, {.topics = 2}, no_such_folder, &report), IoError);
  EXPECT_EQ(previous_checkpoint(""), ".previous");
  remove_checkpoint(no_such_folder);
  remove_checkpoint("");
}

TEST_F(LdaContract, CheckpointWriter) {
  const TrainOptions two = {.topics = 2};
  const auto begin = [&](const ChainState& state, const TrainOptions& options) {
    return [&, state, options] { CheckpointWriter(corpus_, options, no_such_folder).begin(state); };
  };
  EXPECT_TRUE(refused("z has 1 topics", begin({.z = {0}}, two)));
  EXPECT_TRUE(refused("sweep is -1", begin({.sweep = -1, .z = z_}, two)));
  EXPECT_TRUE(refused("topics is 0", begin({.z = z_}, {.topics = 0})));
  CheckpointWriterOptions of_another = {.identity = identity_of(CorpusView())};
  EXPECT_TRUE(refused("the identity is that of 0 documents",
                      [&] { CheckpointWriter(corpus_, two, no_such_folder, of_another); }));
  CheckpointWriter writer(corpus_, two, no_such_folder);
  EXPECT_FALSE(writer.is_under_way() || writer.is_over_ranks() || writer.identity());
  writer.finish();  // nothing to wait for
  EXPECT_EQ(writer.progress(), 0);
  writer.advance(huge);  // a number for a checkpoint that is not under way
  EXPECT_FALSE(writer.is_under_way());
  writer.begin({.z = z_});
  EXPECT_THROW(writer.finish(), IoError);
  writer.finish();
  TrainOptions both = {.topics = 2, .sweeps = 1};
  both.checkpoint_writer = &writer;
  both.checkpoint = [](const ChainState&) {};
  EXPECT_TRUE(refused("checkpoint and checkpoint_writer are both given", [&] { train(corpus_, both); }));
}

TEST_F(LdaContract, LogJoint) {
  const auto call = [&](std::span<const std::int32_t> z, std::int32_t topics, double alpha, double beta,
                        int threads = 0) { return [=, this] { log_joint(corpus_, z, topics, alpha, beta, threads); }; };
  refuses_bad_corpora([&](const CorpusView& corpus) { log_joint(corpus, z_, 2, 0.1, 0.1); });
  EXPECT_TRUE(refused("topics is 0, expected at least 1", call(z_, 0, 0.1, 0.1)));
  EXPECT_TRUE(refused("the topic of token 1 is 1, expected 0 <= topic < 1", call(z_, 1, 0.1, 0.1)));
  EXPECT_TRUE(refused("alpha is nan", call(z_, 2, nan, 0.1)));
  EXPECT_TRUE(refused("beta is 0", call(z_, 2, 0.1, 0)));
  EXPECT_TRUE(refused("z has 0 topics", call({}, 2, 0.1, 0.1)));
  EXPECT_TRUE(refused("z is null", call({static_cast<const std::int32_t*>(nullptr), 5}, 2, 0.1, 0.1)));
  EXPECT_TRUE(refused("threads", call(z_, 2, 0.1, 0.1, -1)));
  EXPECT_TRUE(refused("topic_alpha is empty", [&] { log_joint(corpus_, z_, std::span<const double>(), 0.1); }));
  EXPECT_TRUE(refused("alpha of topic 1 is -1", [&] { log_joint(corpus_, z_, Doubles{1, -1}, 0.1); }));
  const std::span<const double> null(static_cast<const double*>(nullptr), 2);
  EXPECT_TRUE(refused("topic_alpha is null", [&] { log_joint(corpus_, z_, null, 0.1); }));
}

TEST_F(LdaContract, TopicCounts) {
  const std::vector<std::int64_t> offsets = {0, 2}, n_k = {3, 1}, falling = {0, 2, 1}, extreme = {huge, huge};
  const Topics topics = {0, 1}, counts = {3, 1}, twice = {0, 0}, beyond = {0, 2}, negative = {3, -1}, three = {3, 1, 0};
  const Doubles alpha = {0.5, 0.5};
  const auto call = [&](TopicCounts of) { return [=] { log_joint(of, alpha, 0.1); }; };
  EXPECT_NO_THROW(call({offsets, topics, counts, counts, n_k})());
  EXPECT_TRUE(refused("n_k is empty", call({})));
  EXPECT_TRUE(refused("document_offsets must begin with 0", call({{}, topics, counts, counts, n_k})));
  EXPECT_TRUE(refused("expected not to decrease", call({falling, topics, counts, counts, n_k})));
  EXPECT_TRUE(refused("document 0 has topic 0 twice", call({offsets, twice, counts, counts, n_k})));
  EXPECT_TRUE(refused("a topic of document 0 is 2", call({offsets, beyond, counts, counts, n_k})));
  EXPECT_TRUE(refused("n_dk of document 0, topic 1 is -1", call({offsets, topics, negative, counts, n_k})));
  EXPECT_TRUE(refused("n_wk of word 0, topic 1 is -1", call({offsets, topics, counts, negative, n_k})));
  EXPECT_TRUE(refused("n_wk has 3 entries, expected a multiple of K = 2", call({offsets, topics, counts, three, n_k})));
  EXPECT_TRUE(refused("document_topics has 2 entries and n_dk 3", call({offsets, topics, three, counts, n_k})));
  EXPECT_TRUE(refused("n_k of topic 0 is 9223372036854775807", call({offsets, topics, counts, counts, extreme})));
  TopicCounts null = {offsets, topics, counts, counts, n_k};
  null.n_dk = {static_cast<const std::int32_t*>(nullptr), 2};
  EXPECT_TRUE(refused("n_dk is null", call(null)));
  EXPECT_TRUE(refused("topic_alpha has 1 priors", [&] {
    log_joint({offsets, topics, counts, counts, n_k}, Doubles{1}, 0.1);
  }));
  EXPECT_EQ(TopicCounts().documents(), 0);
  EXPECT_EQ(TopicCounts().vocabulary_size(), 0);
  EXPECT_EQ((TopicCounts{{}, {}, {}, {}, extreme}).tokens(), -2);  // modulo 2^64
}

}  // namespace
}  // namespace papilio
