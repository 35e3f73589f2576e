// Checkpoints of several ranks: resumed by any number of them with the same bytes; of two generations one is whole.

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <optional>
#include <string>
#include <vector>

#include "lda/corpora.h"
#include "lda/io/files.h"
#include "lda/ranks.h"
#include "papilio/lda.h"

namespace papilio::lda {
namespace {

using testing::on_ranks;

constexpr const char* name_of_part = "a.sweep-4.rank-1-of-3";

TrainOptions options_of_run() {
  TrainOptions options = {.topics = 40, .sweeps = 8, .seed = 2, .threads = 1, .start = Start::uniform};
  options.optimize_every = 3;
  options.optimize_after = 2;
  return options;
}

class CheckpointOfRanks : public ::testing::Test {
 protected:
  // Trains from the checkpoint, or from the start, and saves after every second sweep that is not the last.
  TrainResult run(int ranks, std::int64_t sweeps, bool resumes, std::optional<CheckpointReport>* report = nullptr) {
    TrainResult result;
    on_ranks({.ranks = ranks}, [&](Communicator& rank) {
      TrainOptions options = options_of_run();
      options.sweeps = sweeps;
      options.ranks = &rank;
      options.checkpoint_every = 2;
      options.checkpoint = [&](const ChainState& state) {
        save_checkpoint(state, corpus_, options, folder_.path("a"), rank.rank() == 1 ? &identity_ : nullptr,
                        "of ranks");
      };
      CheckpointReport here;
      std::optional<ChainState> start;
      if (resumes) start = load_checkpoint(corpus_, options, folder_.path("a"), &here);
      if (start && rank.rank() == 0) resumed_sweep_ = start->sweep;
      TrainResult own = start ? train(corpus_, options, std::move(*start)) : train(corpus_, options);
      if (rank.rank() != 0) return;
      if (report != nullptr) *report = here;
      result = std::move(own);
    });
    return result;
  }

  std::vector<std::string> files() const {
    std::vector<std::string> names;
    for (const auto& entry : std::filesystem::directory_iterator(folder_.path("."))) {
      names.push_back(entry.path().filename().string());
    }
    std::sort(names.begin(), names.end());
    return names;
  }

  void cut(const std::string& name) const {
    std::filesystem::resize_file(folder_.path(name), std::filesystem::file_size(folder_.path(name)) / 2);
  }

  const Folder folder_;
  const Corpus corpus_ = testing::awkward_corpus();
  const CorpusIdentity identity_ = identity_of(corpus_);
  const std::string expected_ = model_hash(train(corpus_, options_of_run()).model);
  std::int64_t resumed_sweep_ = -1;
};

TEST_F(CheckpointOfRanks, AnyNumberOfRanksGoesOn) {
  for (const int first : {1, 2, 3}) {
    for (const int second : {1, 2, 3}) {
      run(first, 5, false);
      EXPECT_EQ(model_hash(run(second, 8, true).model), expected_) << first << " " << second;
      EXPECT_EQ(resumed_sweep_, 4);
    }
  }
}

TEST_F(CheckpointOfRanks, LeavesTheFilesOfTwoGenerations) {
  run(3, 8, false);
  EXPECT_EQ(files(), (std::vector<std::string>{"a", "a.previous", "a.sweep-4.rank-0-of-3", "a.sweep-4.rank-1-of-3",
                                               "a.sweep-4.rank-2-of-3", "a.sweep-6.rank-0-of-3",
                                               "a.sweep-6.rank-1-of-3", "a.sweep-6.rank-2-of-3"}));
  std::ofstream(folder_.path("a.sweep-6.rank")) << "not ours";
  std::ofstream(folder_.path("ab.sweep-6.rank-0-of-3")) << "not ours";
  remove_checkpoint(folder_.path("a"));
  EXPECT_EQ(files(), (std::vector<std::string>{"a.sweep-6.rank", "ab.sweep-6.rank-0-of-3"}));
}

// The parts go with the last checkpoint that names them, which is first the newest, then the previous one.
TEST_F(CheckpointOfRanks, OneProcessThatGoesOnLeavesNoParts) {
  for (const bool by_writer : {false, true}) {
    run(3, 5, false);
    TrainOptions options = options_of_run();
    ChainState state = load_checkpoint(corpus_, options, folder_.path("a"));
    const auto save = [&](std::int64_t sweep) {
      state.sweep = sweep;
      if (!by_writer) return save_checkpoint(state, corpus_, options, folder_.path("a"));
      CheckpointWriter writer(corpus_, options, folder_.path("a"));
      writer.begin(state);
      writer.finish();
    };
    std::ofstream(folder_.path("ab.sweep-6.rank-0-of-3")) << "not ours";
    save(6);
    EXPECT_EQ(files(), (std::vector<std::string>{"a", "a.previous", "a.sweep-4.rank-0-of-3", "a.sweep-4.rank-1-of-3",
                                                 "a.sweep-4.rank-2-of-3", "ab.sweep-6.rank-0-of-3"}));
    EXPECT_EQ(load_checkpoint(corpus_, options, previous_checkpoint(folder_.path("a"))).sweep, 4);
    save(8);
    EXPECT_EQ(files(), (std::vector<std::string>{"a", "a.previous", "ab.sweep-6.rank-0-of-3"}));
    remove_checkpoint(folder_.path("a"));
    std::filesystem::remove(folder_.path("ab.sweep-6.rank-0-of-3"));
  }
}

TEST_F(CheckpointOfRanks, DamageToOnePartIsDamageForAll) {
  for (const int ranks : {1, 2, 3}) {
    run(3, 5, false);
    cut(name_of_part);
    std::optional<CheckpointReport> report;
    EXPECT_EQ(model_hash(run(ranks, 8, true, &report).model), expected_);
    EXPECT_EQ(resumed_sweep_, 2);
    EXPECT_NE(report->damage.find(name_of_part), std::string::npos) << report->damage;
    EXPECT_EQ(report->note, "of ranks");
  }
}

TEST_F(CheckpointOfRanks, MissingPartIsNamed) {
  run(3, 5, false);
  std::filesystem::remove(folder_.path(name_of_part));
  std::filesystem::remove(folder_.path("a.previous"));
  try {
    run(2, 8, true);
    FAIL();
  } catch (const FormatError& error) {
    EXPECT_NE(std::string(error.what()).find("a part is missing"), std::string::npos) << error.what();
    EXPECT_NE(std::string(error.what()).find(name_of_part), std::string::npos) << error.what();
    EXPECT_NE(std::string(error.what()).find("(rank "), std::string::npos) << error.what();
  }
}

TEST_F(CheckpointOfRanks, PartOfAnotherRunIsRefused) {
  run(3, 5, false);
  const std::string other = folder_.read(name_of_part);
  std::filesystem::remove(folder_.path("a.previous"));
  TrainOptions options = options_of_run();
  on_ranks({.ranks = 3}, [&](Communicator& rank) {
    TrainOptions own = options;
    own.seed = 3;
    own.ranks = &rank;
    const RankDocuments documents = documents_of_rank(corpus_, rank.rank(), 3);
    const ChainState state = {.sweep = 4, .z = std::vector<std::int32_t>(static_cast<std::size_t>(documents.tokens()))};
    save_checkpoint(state, corpus_, own, folder_.path("a"));
  });
  std::ofstream(folder_.path(name_of_part), std::ios::binary) << other;
  std::filesystem::remove(folder_.path("a.previous"));
  options.seed = 3;
  EXPECT_THROW(load_checkpoint(corpus_, options, folder_.path("a")), FormatError);
}

TEST_F(CheckpointOfRanks, OneRankThatCannotWriteFailsAll) {
  run(2, 5, false);
  const std::vector<std::string> before = files();
  std::filesystem::create_directory(folder_.path("a.sweep-6.rank-1-of-2"));
  int failures = 0;
  on_ranks({.ranks = 2}, [&](Communicator& rank) {
    TrainOptions options = options_of_run();
    options.ranks = &rank;
    ChainState state = load_checkpoint(corpus_, options, folder_.path("a"));
    state.sweep = 6;
    bool has_failed = false;
    try {
      save_checkpoint(state, corpus_, options, folder_.path("a"));
    } catch (const IoError& error) {
      has_failed = std::string(error.what()).find("(rank 1 of 2)") != std::string::npos;
    }
    std::int64_t all = has_failed ? 1 : 0;
    rank.add_up(std::span(&all, 1));
    if (rank.rank() == 0) failures = static_cast<int>(all);
  });
  EXPECT_EQ(failures, 2);
  EXPECT_EQ(model_hash(run(1, 8, true).model), expected_);  // the checkpoint before is whole
}

TEST_F(CheckpointOfRanks, NoteOfOneRankThatIsNotUtf8FailsAll) {
  run(2, 5, false);
  const std::vector<std::string> before = files();
  std::vector<std::string> messages(2);
  on_ranks({.ranks = 2}, [&](Communicator& rank) {
    TrainOptions options = options_of_run();
    options.ranks = &rank;
    const ChainState state = load_checkpoint(corpus_, options, folder_.path("a"));
    const bool is_bad = rank.rank() == 1;
    messages[static_cast<std::size_t>(rank.rank())] = folder_.message<InvalidArgument>(
        [&] { save_checkpoint(state, corpus_, options, folder_.path("a"), nullptr, is_bad ? "\xff" : "of ranks"); });
  });
  for (const std::string& message : messages) {
    EXPECT_EQ(message, "papilio::save_checkpoint: note is \"\\xff\", expected UTF-8 (rank 1 of 2)");
  }
  EXPECT_EQ(files(), before);
}

}  // namespace
}  // namespace papilio::lda
