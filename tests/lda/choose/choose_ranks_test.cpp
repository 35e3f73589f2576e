// Choosing over ranks is choosing by one process.

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "lda/choose/choose_runs.h"
#include "lda/ranks.h"
#include "papilio/choose.h"
#include "papilio/error.h"
#include "papilio/interruption.h"

namespace papilio {
namespace {

using testing::on_ranks;
using testing::quick_choice;
using testing::without_seconds;

const Corpus& corpus() {
  static const Corpus made = testing::small_generated_corpus().corpus;
  return made;
}

// What a call on so many ranks throws on any of them: rank 0's, if it throws too.
template <class Work>
std::string thrown_by(int ranks, const Work& work) {
  try {
    on_ranks({.ranks = ranks}, work);
  } catch (const Error& error) {
    return error.what();
  }
  return "nothing";
}

TEST(ChooseRanks, IsWhatOneProcessChooses) {
  ChooseOptions options = quick_choice();
  options.alpha_sum = 3;
  for (const Schedule schedule : {Schedule::parallel, Schedule::sequential}) {
    options.training.schedule = schedule;
    const ChooseResult expected = choose_topics(corpus(), options);
    // Models are dealt out alike whatever the schedule. There are 6.
    const bool parallel = schedule == Schedule::parallel;
    for (const int ranks : parallel ? std::vector{1, 2, 3, 4, 7} : std::vector{1, 4}) {
      on_ranks({.ranks = ranks}, [&](Communicator& rank) {
        const ChooseResult found = choose_topics(corpus(), options, {}, rank);
        EXPECT_EQ(without_seconds(found.runs), without_seconds(expected.runs));
        EXPECT_EQ(choose_page(found), choose_page(expected));
        EXPECT_EQ(choose_summary(found), choose_summary(expected));
        EXPECT_FALSE(found.stopped);
        for (const ChooseRun& run : found.runs) EXPECT_GT(run.seconds, 0);
      });
    }
  }
}

TEST(ChooseRanks, DealsOutTheLargestFirst) {
  using Models = std::vector<std::pair<std::int32_t, std::uint64_t>>;
  const Models expected = {{5, 9}, {5, 10}, {3, 9}, {3, 10}, {2, 9}, {2, 10}};
  on_ranks({.ranks = 4}, [&](Communicator& rank) {
    Models trained;
    std::vector<int> own;
    ChooseOptions options = quick_choice();
    options.progress = [&](const ChooseProgress& progress) {
      if (progress.training.sweep == 1) own.push_back(progress.model);
      EXPECT_EQ(progress.models, 6);
      return true;
    };
    options.done = [&](const ChooseRun& run) { trained.emplace_back(run.topics, run.seed); };
    choose_topics(corpus(), options, {}, rank);
    EXPECT_EQ(trained, expected);
    const std::vector<int> dealt = {rank.rank() + 1, rank.rank() + 5};
    EXPECT_EQ(own, std::vector<int>(dealt.begin(), dealt.begin() + (rank.rank() < 2 ? 2 : 1)));
  });
}

TEST(ChooseRanks, GoesOnFromTheRunsOfRankZero) {
  ChooseOptions options = quick_choice();
  const std::vector<ChooseRun> all = choose_topics(corpus(), options).runs;
  for (std::ptrdiff_t there = 0; there <= 6; ++there) {
    on_ranks({.ranks = 3}, [&](Communicator& rank) {
      std::ptrdiff_t trained = 0;
      ChooseOptions own = options;
      own.done = [&](const ChooseRun&) { ++trained; };
      const std::vector<ChooseRun> runs(all.rbegin(), all.rbegin() + (rank.rank() == 0 ? there : rank.rank()));
      EXPECT_EQ(without_seconds(choose_topics(corpus(), own, runs, rank).runs), without_seconds(all));
      EXPECT_EQ(trained, 6 - there);
    });
  }
}

// Of 6 models on 4 ranks the second round has none for ranks 2 and 3, which stop with the others.
TEST(ChooseRanks, AllStopInTheSweepThatOneStops) {
  for (const int stopped_model : {1, 4, 5, 6}) {
    on_ranks({.ranks = 4}, [&](Communicator& rank) {
      int last = 0;
      ChooseOptions options = quick_choice();
      options.progress = [&](const ChooseProgress& progress) {
        last = static_cast<int>(progress.training.sweep);
        return progress.model != stopped_model || progress.training.sweep < 5;
      };
      const ChooseResult result = choose_topics(corpus(), options, {}, rank);
      EXPECT_TRUE(result.stopped);
      EXPECT_EQ(result.runs.size(), stopped_model <= 4 ? 0u : 4u);
      EXPECT_EQ(last, stopped_model <= 4 || rank.rank() < 2 ? 5 : 12);
    });
  }
}

// As in one process, the last sweep of a model stops nothing; the next model stops in its first.
TEST(ChooseRanks, TheLastSweepStopsNothing) {
  on_ranks({.ranks = 4}, [&](Communicator& rank) {
    ChooseOptions options = quick_choice();
    options.progress = [&](const ChooseProgress& progress) {
      return progress.model != 6 || progress.training.sweep < 12;
    };
    const ChooseResult result = choose_topics(corpus(), options, {}, rank);
    EXPECT_FALSE(result.stopped);
    EXPECT_EQ(result.runs.size(), 6u);
  });
}

TEST(ChooseRanks, CanBeInterrupted) {
  std::atomic<int> interrupted = 0;
  std::atomic<int> stopped = 0;
  on_ranks({.ranks = 3}, [&](Communicator& rank) {
    std::atomic<bool> stop = false;
    ChooseOptions options = quick_choice();
    options.progress = [&](const ChooseProgress& progress) {
      if (rank.rank() == 1 && progress.training.sweep == 3) stop = true;
      return true;
    };
    const InterruptionScope scope(stop);
    try {
      stopped += choose_topics(corpus(), options, {}, rank).stopped ? 1 : 0;
    } catch (const Interrupted&) {
      ++interrupted;
    }
  });
  EXPECT_EQ(interrupted, 1);
  EXPECT_EQ(stopped, 2);
}

TEST(ChooseRanks, NamesDifferencesAndRefusesWhatOneProcessRefuses) {
  const auto choose = [](const auto& change) {
    return thrown_by(2, [&](Communicator& rank) {
      ChooseOptions options = quick_choice();
      change(options, rank);
      choose_topics(corpus(), options, {}, rank);
    });
  };
  const std::string differ = "papilio::choose_topics: ranks differ: rank 1 has \"";
  EXPECT_EQ(choose([](auto& o, auto& rank) { o.training.seed = static_cast<std::uint64_t>(rank.rank()); }),
            differ + "options.seed 1\", rank 0 \"options.seed 0\"; expected the same on every rank");
  EXPECT_TRUE(choose([](auto& o, auto& rank) {
                if (rank.rank() == 1) o.topics = {2, 3};
              }).starts_with(differ + "options.topics 2,3\""));
  EXPECT_TRUE(choose([](auto& o, auto& rank) { o.seeds = 1 + rank.rank(); }).starts_with(differ + "options.seeds 2"));
  EXPECT_TRUE(choose([](auto& o, auto& rank) {
                o.training.beta = 0.1 + rank.rank();
              }).starts_with(differ + "settings.beta 1.1"));
  EXPECT_TRUE(choose([](auto& o, auto& rank) {
                if (rank.rank() == 1) o.training.seed_words = {{.topic = 0, .word = 1, .weight = 5}};
              }).starts_with(differ + "options.seed_words "));
  EXPECT_EQ(choose([](auto& o, auto& rank) {
              if (rank.rank() == 1) std::reverse(o.topics.begin(), o.topics.end());
            }),
            "nothing");
  EXPECT_TRUE(choose([](auto& o, auto&) { o.seeds = 0; }).starts_with("papilio::choose_topics: seeds is 0"));
  EXPECT_TRUE(choose([](auto& o, auto& rank) {
                o.training.ranks = &rank;
              }).starts_with("papilio::choose_topics: training has ranks, expected none"));
  EXPECT_TRUE(choose([](auto& o, auto&) { o.topics = {226}; }).find("226 topics are more than the 225") !=
              std::string::npos);
  const Corpus other = testing::make_corpus({{0, 1}, {1, 0}, {0, 0}, {1, 1}}, 2);
  EXPECT_TRUE(thrown_by(2, [&](Communicator& rank) {
                choose_topics(rank.rank() == 0 ? corpus() : other, quick_choice(), {}, rank);
              }).starts_with(differ + "corpus."));
}

// Wherever a rank fails, it says why, and the others end.
TEST(ChooseRanks, OneThatThrowsIsNamed) {
  for (const bool in_done : {false, true}) {
    std::mutex mutex;
    std::vector<std::string> thrown(3);
    on_ranks({.ranks = 3, .deadline = std::chrono::seconds(100)}, [&](Communicator& rank) {
      ChooseOptions options = quick_choice();
      const auto fail = [&] {
        if (rank.rank() == 1) throw IoError("disk full", 28);
      };
      options.progress = [&](const ChooseProgress& progress) {
        if (!in_done && progress.training.sweep == 4) fail();
        return true;
      };
      options.done = [&](const ChooseRun&) {
        if (in_done) fail();
      };
      try {
        choose_topics(corpus(), options, {}, rank);
      } catch (const Error& error) {
        const std::lock_guard lock(mutex);
        thrown[static_cast<std::size_t>(rank.rank())] = error.what();
      }
    });
    EXPECT_EQ(thrown[1], "disk full");
    for (const int other : {0, 2}) {
      EXPECT_EQ(thrown[static_cast<std::size_t>(other)], "papilio::Communicator: rank 1 of 3 has failed: disk full");
    }
  }
}

}  // namespace
}  // namespace papilio
