// Checkpoints that are written while training goes on: the bytes of save_checkpoint, and no sweep waits for a disk.

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <filesystem>
#include <string>
#include <thread>
#include <vector>

#include "lda/corpora.h"
#include "lda/io/files.h"
#include "lda/io/slow_file.h"
#include "papilio/distributed.h"

namespace papilio::lda {
namespace {

using Sweeps = std::vector<std::int64_t>;

TrainOptions options_of_run(std::int32_t topics = 40) {
  TrainOptions options = {.topics = topics, .sweeps = 8, .seed = 2, .threads = 1, .start = Start::uniform};
  options.optimize_every = 3;
  options.optimize_after = 2;
  return options;
}

// Training in one process, whose checkpoint is "a".
class WriterOfCheckpoints : public ::testing::Test {
 protected:
  TrainResult run(TrainOptions options) {
    CheckpointWriterOptions own;
    own.saved = [this](std::int64_t sweep) { saved_.push_back(sweep); };
    own.failed = [this](const IoError& error) { failures_.push_back(error.what()); };
    own.note = note_;
    CheckpointWriter writer(corpus_, options, folder_.path("a"), own);
    options.checkpoint_writer = &writer;
    return train(corpus_, options);
  }

  // What save_checkpoint writes for the state after a sweep.
  std::string expected_bytes(TrainOptions options, std::int64_t sweep) const {
    options.checkpoint = [&](const ChainState& state) {
      if (state.sweep != sweep) return;
      save_checkpoint(state, corpus_, options, folder_.path("expected"), nullptr, note_);
    };
    options.checkpoint_every = sweep;
    options.progress = {};
    train(corpus_, options);
    return folder_.read("expected");
  }

  const Folder folder_;
  const Corpus corpus_ = testing::awkward_corpus();
  const std::string note_ = "of the run";
  Sweeps saved_;
  std::vector<std::string> failures_;
};

TEST_F(WriterOfCheckpoints, WritesWhatSaveCheckpointWrites) {
  for (const std::int32_t topics : {40, 300, 70'000}) {
    TrainOptions options = options_of_run(topics);
    options.threads = 2;
    options.checkpoint_every = 3;
    const std::string whole = model_hash(train(corpus_, options).model);
    saved_.clear();
    EXPECT_EQ(model_hash(run(options).model), whole);
    EXPECT_EQ(saved_, (Sweeps{3, 6}));
    EXPECT_EQ(folder_.read("a"), expected_bytes(options, 6)) << topics;
    EXPECT_EQ(folder_.read("a.previous"), expected_bytes(options, 3)) << topics;
    std::filesystem::remove(folder_.path("a.previous"));
  }
}

TEST_F(WriterOfCheckpoints, NoteThatIsNotUtf8IsRefusedAtOnce) {
  CheckpointWriterOptions own;
  own.note = "caf\xe9";
  EXPECT_EQ(
      folder_.message<InvalidArgument>([&] { CheckpointWriter(corpus_, options_of_run(), folder_.path("a"), own); }),
      "papilio::CheckpointWriter: note is \"caf\\xe9\", expected UTF-8");
}

TEST_F(WriterOfCheckpoints, SlowFileHoldsUpNoSweep) {
  const SlowFile file(folder_, "a");
  std::string bytes;
  std::thread reader;
  TrainOptions options = options_of_run();
  options.checkpoint_every = 4;
  options.progress = [&](const Progress& progress) {
    EXPECT_EQ(saved_, Sweeps());
    if (progress.sweep == 8) reader = std::thread([&] { bytes = file.read(); });  // four sweeps after it was begun
    return true;
  };
  const TrainResult result = run(options);
  reader.join();
  EXPECT_EQ(saved_, Sweeps{4});
  EXPECT_EQ(bytes, expected_bytes(options, 4));
  EXPECT_EQ(model_hash(result.model), model_hash(train(corpus_, options_of_run()).model));
}

TEST_F(WriterOfCheckpoints, ByTimeNoneIsDueWhileOneIsWritten) {
  const SlowFile file(folder_, "a");
  std::thread reader;
  TrainOptions options = options_of_run();
  options.checkpoint_seconds = 1e-9;
  options.progress = [&](const Progress& progress) {
    if (progress.sweep == 5) reader = std::thread([&] { file.become_read(); });
    return true;
  };
  run(options);
  reader.join();
  ASSERT_FALSE(saved_.empty());
  EXPECT_EQ(saved_.front(), 1);
  EXPECT_TRUE(saved_.size() == 1 || saved_[1] >= 5);
}

TEST_F(WriterOfCheckpoints, BySweepsTheNextOneWaits) {
  const SlowFile file(folder_, "a");
  std::atomic<bool> is_over = false;
  std::thread reader([&] { file.drain(is_over); });
  TrainOptions options = options_of_run();
  options.checkpoint_every = 2;
  options.progress = [&](const Progress& progress) {
    EXPECT_TRUE(progress.sweep < 5 || saved_.at(0) == 2);
    EXPECT_TRUE(progress.sweep < 7 || saved_.at(1) == 4);
    return true;
  };
  run(options);
  is_over = true;
  reader.join();
  EXPECT_EQ(saved_, (Sweeps{2, 4, 6}));
}

TEST_F(WriterOfCheckpoints, StoppedTrainingWaitsForTheFile) {
  TrainOptions options = options_of_run();
  options.checkpoint_every = 2;
  options.progress = [&](const Progress& progress) { return progress.sweep < 3; };
  EXPECT_TRUE(run(options).stopped);
  EXPECT_EQ(saved_, Sweeps{2});
  EXPECT_EQ(load_checkpoint(corpus_, options, folder_.path("a")).sweep, 2);
}

TEST_F(WriterOfCheckpoints, OneThatFailsLeavesTheOneBefore) {
  TrainOptions options = options_of_run();
  options.checkpoint_every = 2;
  options.sweeps = 5;
  run(options);
  EXPECT_EQ(saved_, (Sweeps{2, 4}));
  const std::string before = folder_.read("a");
  std::filesystem::remove(folder_.path("a.previous"));
  std::filesystem::create_directory(folder_.path("a.previous"));  // no second name for the old file
  const TrainResult result = run(options);
  EXPECT_EQ(saved_, (Sweeps{2, 4}));
  EXPECT_EQ(failures_.size(), 2U);
  EXPECT_TRUE(failures_[0].starts_with("papilio::save_checkpoint: ")) << failures_[0];
  EXPECT_EQ(folder_.read("a"), before);
  EXPECT_EQ(result.topics.sweep, 5);
}

TEST_F(WriterOfCheckpoints, FailureThatNobodyHearsEndsTraining) {
  TrainOptions options = options_of_run();
  options.checkpoint_every = 2;
  CheckpointWriter writer(corpus_, options, folder_.path("nowhere/a"));
  options.checkpoint_writer = &writer;
  EXPECT_THROW(train(corpus_, options), IoError);
}

TEST_F(WriterOfCheckpoints, KnowsTheCorpusOnceItHasWritten) {
  TrainOptions options = options_of_run();
  CheckpointWriter writer(corpus_, options, folder_.path("a"));
  EXPECT_FALSE(writer.identity().has_value());
  const ChainState state = {.sweep = 1, .z = std::vector<std::int32_t>(corpus_.words.size())};
  writer.begin(state);
  EXPECT_TRUE(writer.is_under_way());
  writer.finish();
  EXPECT_FALSE(writer.is_under_way());
  ASSERT_TRUE(writer.identity().has_value());
  EXPECT_EQ(writer.identity()->hash_of_words, identity_of(corpus_).hash_of_words);
}

// Several devices of one process: the file of one process, which the others do not wait for either.
TEST_F(WriterOfCheckpoints, SeveralDevicesWriteTheFileOfOneProcess) {
  const SlowFile file(folder_, "a");
  std::string bytes;
  std::thread reader;
  TrainOptions options = options_of_run();
  const std::string expected = expected_bytes(options, 4);
  options.devices = {Device::cpu(), Device::cpu(), Device::cpu()};
  options.checkpoint_every = 4;
  options.progress = [&](const Progress& progress) {
    EXPECT_EQ(saved_, Sweeps());
    if (progress.sweep == 8) reader = std::thread([&] { bytes = file.read(); });
    return true;
  };
  const TrainResult result = run(options);
  reader.join();
  EXPECT_EQ(saved_, Sweeps{4});
  EXPECT_EQ(bytes, expected);
  EXPECT_EQ(model_hash(result.model), model_hash(train(corpus_, options_of_run()).model));
}

}  // namespace
}  // namespace papilio::lda
