// Checkpoints that ranks write while the sweeps go on: the bytes of save_checkpoint, one whole checkpoint at any
// moment, and no rank waits for another one's disk.

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <filesystem>
#include <functional>
#include <map>
#include <mutex>
#include <optional>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "lda/corpora.h"
#include "lda/io/files.h"
#include "lda/io/slow_file.h"
#include "lda/ranks.h"
#include "papilio/distributed.h"

namespace papilio::lda {
namespace {

using execution::RankFault;
using testing::on_ranks;
using Sweeps = std::vector<std::int64_t>;

constexpr const char* slow_part = "a.sweep-4.rank-1-of-3";

TrainOptions options_of_run() {
  TrainOptions options = {.topics = 40, .sweeps = 8, .seed = 2, .threads = 1, .start = Start::uniform};
  options.optimize_every = 3;
  options.optimize_after = 2;
  return options;
}

class WriterOfRanks : public ::testing::Test {
 protected:
  using Change = std::function<void(TrainOptions&, int rank)>;

  // Trains from the start, and saves after every second sweep that is not the last. Returns the hash of the model.
  std::string run(const execution::ThreadRanksOptions& ranks, const Change& change = {}) {
    std::string hash;
    on_ranks(ranks, [&](Communicator& rank) {
      TrainOptions options = options_of_run();
      options.checkpoint_every = 2;
      options.ranks = &rank;
      if (change) change(options, rank.rank());
      const auto number = rank.rank();
      CheckpointWriterOptions own;
      own.saved = [this, number](std::int64_t sweep) { note([&] { saved_[number].push_back(sweep); }); };
      own.failed = [this](const IoError& error) { note([&] { failures_.push_back(error.what()); }); };
      CheckpointWriter writer(corpus_, options, folder_.path("a"), own);
      options.checkpoint_writer = &writer;
      const TrainResult result = train(corpus_, options);
      if (number == 0) hash = model_hash(result.model);
    });
    return hash;
  }

  // The hash of the model that ranks end with that go on from the checkpoint.
  std::string resumed_by(int ranks) {
    std::string hash;
    on_ranks({.ranks = ranks}, [&](Communicator& rank) {
      TrainOptions options = options_of_run();
      options.ranks = &rank;
      ChainState start = load_checkpoint(corpus_, options, folder_.path("a"));
      if (rank.rank() == 0) resumed_sweep_ = start.sweep;
      const TrainResult result = train(corpus_, options, std::move(start));
      if (rank.rank() == 0) hash = model_hash(result.model);
    });
    return hash;
  }

  template <class F>
  void note(const F& change) {
    const std::lock_guard lock(mutex_);
    change();
  }

  Sweeps saved_by(int rank) {
    const std::lock_guard lock(mutex_);
    return saved_[rank];
  }

  // Files appear by threads that nobody waits for.
  bool appears(const std::string& name) const {
    for (int i = 0; i < 2000 && !std::filesystem::exists(folder_.path(name)); ++i) {
      std::this_thread::sleep_for(std::chrono::milliseconds(5));
    }
    return std::filesystem::exists(folder_.path(name));
  }

  bool exists(const std::string& name) const { return std::filesystem::exists(folder_.path(name)); }

  const Folder folder_;
  const Corpus corpus_ = testing::awkward_corpus();
  const std::string expected_ = model_hash(train(corpus_, options_of_run()).model);
  std::mutex mutex_;
  std::map<int, Sweeps> saved_;
  std::vector<std::string> failures_;
  std::int64_t resumed_sweep_ = -1;
};

TEST_F(WriterOfRanks, WritesWhatSaveCheckpointWrites) {
  for (const int ranks : {1, 2, 3}) {
    const Folder expected;
    on_ranks({.ranks = ranks}, [&](Communicator& rank) {
      TrainOptions options = options_of_run();
      options.ranks = &rank;
      options.checkpoint_every = 2;
      options.checkpoint = [&](const ChainState& state) {
        save_checkpoint(state, corpus_, options, expected.path("a"));
      };
      train(corpus_, options);
    });
    saved_.clear();
    EXPECT_EQ(run({.ranks = ranks}), expected_);
    for (int rank = 0; rank < ranks; ++rank) EXPECT_EQ(saved_[rank], (Sweeps{2, 4, 6})) << rank;
    EXPECT_EQ(folder_.names().size(), expected.names().size());
    for (const std::string& name : expected.names()) EXPECT_EQ(folder_.read(name), expected.read(name)) << name;
    for (const int others : {1, 2, 3}) EXPECT_EQ(resumed_by(others), expected_);
    EXPECT_EQ(resumed_sweep_, 6);
    remove_checkpoint(folder_.path("a"));
  }
}

TEST_F(WriterOfRanks, SlowPartHoldsUpNoSweep) {
  const SlowFile file(folder_, slow_part);
  std::string bytes;
  std::thread reader;
  const std::string hash = run({.ranks = 3}, [&](TrainOptions& options, int rank) {
    options.checkpoint_every = 4;
    if (rank != 0) return;
    options.progress = [&](const Progress& progress) {
      EXPECT_EQ(saved_by(0), Sweeps());
      if (progress.sweep < 8) return true;
      EXPECT_TRUE(appears("a.sweep-4.rank-0-of-3"));  // the other parts are whole
      EXPECT_TRUE(appears("a.sweep-4.rank-2-of-3"));
      EXPECT_FALSE(exists("a"));  // but nothing says so
      reader = std::thread([&] { bytes = file.read(); });
      return true;
    };
  });
  reader.join();
  EXPECT_EQ(hash, expected_);
  for (int rank = 0; rank < 3; ++rank) EXPECT_EQ(saved_[rank], Sweeps{4});
  file.become(bytes);
  for (const int ranks : {1, 2, 3}) {
    EXPECT_EQ(resumed_by(ranks), expected_);
    EXPECT_EQ(resumed_sweep_, 4);
  }
}

// Writing takes far longer than any rank waits for another.
TEST_F(WriterOfRanks, SlowPartMissesNoDeadline) {
  const SlowFile file(folder_, slow_part);
  std::thread reader;
  execution::ThreadRanksOptions ranks = {.ranks = 3};
  ranks.deadline = std::chrono::seconds(6);
  const std::string hash = run(ranks, [&](TrainOptions& options, int rank) {
    options.checkpoint_every = 4;
    if (rank != 1) return;
    options.progress = [&](const Progress& progress) {
      if (progress.sweep < 8) return true;
      reader = std::thread([&] {
        std::this_thread::sleep_for(std::chrono::seconds(9));
        file.read();
      });
      return true;
    };
  });
  reader.join();
  EXPECT_EQ(hash, expected_);
  EXPECT_EQ(saved_[0], Sweeps{4});
}

// A rank fails when parts of the new checkpoint are whole, and others are not.
TEST_F(WriterOfRanks, JobThatEndsBetweenPartsAndNamesGoesOnFromTheOneBefore) {
  run({.ranks = 3}, [](TrainOptions& options, int) { options.sweeps = 3; });  // leaves the checkpoint of sweep 2
  const SlowFile file(folder_, slow_part);
  std::atomic<bool> has_ended = false;
  std::thread reader;
  const auto job = [&] {
    run({.ranks = 3}, [&](TrainOptions& options, int rank) {
      options.checkpoint_every = 4;
      if (rank != 2) return;
      options.progress = [&](const Progress& progress) -> bool {
        if (progress.sweep < 7) return true;
        EXPECT_TRUE(appears("a.sweep-4.rank-0-of-3"));
        EXPECT_TRUE(appears("a.sweep-4.rank-2-of-3"));
        EXPECT_TRUE(std::filesystem::is_fifo(folder_.path(slow_part)));
        reader = std::thread([&] { file.read(); });  // or the process would never end
        throw std::runtime_error("lost");
      };
    });
    has_ended = true;
  };
  EXPECT_THROW(job(), std::exception);
  reader.join();
  EXPECT_FALSE(has_ended);
  EXPECT_EQ(saved_[0], Sweeps{2});
  for (const int ranks : {1, 2, 3}) {
    EXPECT_EQ(resumed_by(ranks), expected_);
    EXPECT_EQ(resumed_sweep_, 2);
  }
}

// Whichever call of the engine a rank does not come back from: the newest whole checkpoint leads to the same model.
TEST_F(WriterOfRanks, RankThatFailsInAnyCall) {
  std::int64_t failed = 0, resumed = 0;
  for (std::int64_t call = 0;; call += 3) {
    const auto number = static_cast<int>(call / 3 % 3);
    execution::ThreadRanksOptions ranks = {.ranks = 3};
    ranks.faults = {{RankFault::Kind::fail, number, call}};
    remove_checkpoint(folder_.path("a"));
    try {
      EXPECT_EQ(run(ranks), expected_);
      break;  // there are no more calls
    } catch (const RankError&) {
      ++failed;
    }
    if (!exists("a") && !exists("a.previous")) continue;
    ++resumed;
    EXPECT_EQ(resumed_by(1 + number), expected_) << call;
  }
  EXPECT_GT(failed, 10);
  EXPECT_GT(resumed, 5);
}

TEST_F(WriterOfRanks, RankThatIsLostOrLate) {
  execution::ThreadRanksOptions ranks = {.ranks = 3};
  ranks.deadline = std::chrono::seconds(4);
  ranks.faults = {{RankFault::Kind::drop, 1, 60}};
  EXPECT_THROW(run(ranks), RankError);
  EXPECT_EQ(resumed_by(2), expected_);
  remove_checkpoint(folder_.path("a"));
  ranks.faults.clear();
  for (std::int64_t call = 0; call < 200; call += 5) {
    ranks.faults.push_back(
        {RankFault::Kind::delay, static_cast<int>(call / 5 % 3), call, std::chrono::milliseconds(10)});
  }
  EXPECT_EQ(run(ranks), expected_);
  EXPECT_EQ(resumed_by(2), expected_);
}

TEST_F(WriterOfRanks, OneRankThatCannotWriteIsToldToAll) {
  std::filesystem::create_directory(folder_.path(slow_part));
  EXPECT_EQ(run({.ranks = 3}), expected_);
  for (int rank = 0; rank < 3; ++rank) EXPECT_EQ(saved_[rank], (Sweeps{2, 6}));
  ASSERT_EQ(failures_.size(), 3U);
  for (const std::string& failure : failures_) {
    EXPECT_NE(failure.find(slow_part), std::string::npos) << failure;
    EXPECT_TRUE(failure.ends_with("(rank 1 of 3)")) << failure;
  }
  EXPECT_EQ(resumed_by(2), expected_);
  EXPECT_EQ(resumed_sweep_, 6);
}

TEST_F(WriterOfRanks, FileOfTheNamesThatCannotBeWrittenIsToldToAll) {
  std::filesystem::create_directory(folder_.path("a"));
  EXPECT_EQ(run({.ranks = 2}), expected_);
  EXPECT_EQ(saved_[0], Sweeps());
  ASSERT_EQ(failures_.size(), 6U);
  for (const std::string& failure : failures_) EXPECT_TRUE(failure.ends_with("(rank 0 of 2)")) << failure;
}

TEST_F(WriterOfRanks, AllHaveOneOrNone) {
  std::string message;
  on_ranks({.ranks = 2}, [&](Communicator& rank) {
    TrainOptions options = options_of_run();
    options.ranks = &rank;
    CheckpointWriter writer(corpus_, options, folder_.path("a"));
    if (rank.rank() == 1) options.checkpoint_writer = &writer;
    try {
      train(corpus_, options);
    } catch (const Error& error) {
      if (rank.rank() == 0) message = error.what();
    }
  });
  EXPECT_NE(message.find("options.checkpoint_writer of ranks"), std::string::npos) << message;
}

}  // namespace
}  // namespace papilio::lda
