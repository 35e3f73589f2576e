// The file that keeps runs: what is written is read, and nothing else is.

#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>
#include <fstream>
#include <functional>
#include <iterator>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "lda/choose/choose_runs.h"
#include "lda/io/files.h"
#include "papilio/choose.h"
#include "papilio/error.h"
#include "papilio/evaluation.h"

namespace papilio {
namespace {

using testing::quick_choice;
using testing::without_seconds;

class ChooseFile : public ::testing::Test {
 protected:
  std::vector<ChooseRun> runs() const {
    constexpr double nan = std::numeric_limits<double>::quiet_NaN();
    return {{.topics = 2,
             .seed = 9,
             .perplexity = 3.5,
             .coherence = -0.25,
             .diversity = 0.5,
             .seconds = 1.25,
             .top_words = {0, 1, -1, 2, -1, -1}},
            {.topics = 1,
             .seed = ~std::uint64_t{0},
             .perplexity = 2,
             .coherence = nan,
             .diversity = nan,
             .seconds = 0,
             .top_words = {-1, -1, -1}}};
  }
  ChooseOptions options() const {
    ChooseOptions made = quick_choice();
    made.top_words = 3;
    return made;
  }
  std::vector<ChooseRun> load(const ChooseOptions& of) const { return load_choose_runs(corpus_, of, path_); }
  std::string bytes() const {
    std::ifstream file(path_, std::ios::binary);
    return {std::istreambuf_iterator<char>(file), {}};
  }
  void write(const std::string& bytes) const { std::ofstream(path_, std::ios::binary) << bytes; }

  // The message of InvalidArgument, or "".
  std::string refusal(const std::function<void()>& call) const {
    try {
      call();
    } catch (const InvalidArgument& error) {
      return error.what();
    }
    return "";
  }

  const Corpus corpus_ = testing::make_corpus({{0, 1, 2}, {2, 1}}, 3);
  const lda::Folder folder_;
  const std::string path_ = folder_.path("runs");
};

TEST_F(ChooseFile, KeepsEveryNumber) {
  save_choose_runs(runs(), corpus_, options(), path_);
  const std::vector<ChooseRun> read = load(options());
  EXPECT_EQ(without_seconds(read), without_seconds(runs()));
  EXPECT_EQ(read[0].seconds, 1.25);
  const std::string first = bytes();
  save_choose_runs(read, corpus_, options(), path_);
  EXPECT_EQ(bytes(), first);
}

TEST_F(ChooseFile, BelongsToACorpusAndOptions) {
  save_choose_runs(runs(), corpus_, options(), path_);
  const auto with = [&](const std::function<void(ChooseOptions&)>& change) {
    ChooseOptions changed = options();
    change(changed);
    return refusal([&] { load(changed); });
  };
  // Which runs are wanted, and how they are computed, is not the file's business.
  EXPECT_EQ(with([](auto& o) { o.topics = {7, 8}; }), "");
  EXPECT_EQ(with([](auto& o) { o.seeds = 5; }), "");
  EXPECT_EQ(with([](auto& o) { o.training.seed = 1; }), "");
  EXPECT_EQ(with([](auto& o) { o.training.threads = 3; }), "");
  for (const auto& [says, change] : std::vector<std::pair<std::string, std::function<void(ChooseOptions&)>>>{
           {"settings.sweeps is \"12\", expected 13", [](auto& o) { o.training.sweeps = 13; }},
           {"settings.alpha is \"0.1\", expected 0.2", [](auto& o) { o.training.alpha = 0.2; }},
           {"expected a sum of 5 over topics", [](auto& o) { o.alpha_sum = 5; }},
           {"settings.beta", [](auto& o) { o.training.beta = 0.2; }},
           {"settings.optimize is \"never\", expected every 10 after 50",
            [](auto& o) { o.training.optimize_every = 10; }},
           {"settings.sampler", [](auto& o) { o.training.sampler = Sampler::uncollapsed; }},
           {"settings.schedule", [](auto& o) { o.training.schedule = Schedule::sequential; }},
           {"settings.start", [](auto& o) { o.training.start = Start::progressive; }},
           {"settings.draws", [](auto& o) { o.training.draws = Draws::dense; }},
           {"settings.draws", [](auto& o) { o.training.draws = Draws::alias; }},
           {"settings.method", [](auto& o) { o.training.method = PartialSums::prefix; }},
           {"settings.held_out_every is \"4\", expected 5", [](auto& o) { o.held_out_every = 5; }},
           {"settings.coherence", [](auto& o) { o.coherence.window = 4; }},
           {"settings.coherence", [](auto& o) { o.coherence.measure = CoherenceMeasure::umass; }},
           {"settings.top_words is \"3\", expected 4", [](auto& o) { o.top_words = 4; }}}) {
    const std::string message = with(change);
    EXPECT_NE(message.find(says), std::string::npos) << says << ": " << message;
    EXPECT_NE(message.find("holds results of another run"), std::string::npos) << message;
  }
  for (const Corpus& other :
       {testing::make_corpus({{0, 1, 2}, {2, 2}}, 3), testing::make_corpus({{0, 1}, {2, 2, 1}}, 3),
        testing::make_corpus({{0, 1, 2}, {2, 1}}, 4), testing::make_corpus({{0, 1, 2}, {2, 1}, {}}, 3)}) {
    const std::string message = refusal([&] { load_choose_runs(other, options(), path_); });
    EXPECT_NE(message.find("the results belong to another corpus, or to this one read with other options"),
              std::string::npos)
        << message;
  }
}

TEST_F(ChooseFile, BelongsToSeedWords) {
  ChooseOptions seeded = options();
  seeded.training.seed_words = {{.topic = 0, .word = 1, .weight = 5}, {.topic = 1, .word = 0, .weight = 7}};
  ChooseOptions turned = seeded;
  std::swap(turned.training.seed_words[0], turned.training.seed_words[1]);
  ChooseOptions heavier = seeded;
  heavier.training.seed_words[0].weight = 6;
  ChooseOptions fewer = seeded;
  fewer.training.seed_words.pop_back();
  const std::string differ = "the file holds results of another run: settings.seed_words is ";
  save_choose_runs(runs(), corpus_, seeded, path_);
  EXPECT_EQ(load(turned).size(), 2U);
  for (const ChooseOptions& other : {options(), heavier, fewer}) {
    EXPECT_NE(refusal([&] { load(other); }).find(differ + "\"2 words, "), std::string::npos);
  }
  save_choose_runs(runs(), corpus_, options(), path_);
  EXPECT_NE(refusal([&] { load(seeded); }).find(differ + "\"none\", expected 2 words, "), std::string::npos);
}

TEST_F(ChooseFile, NoByteCanBeChangedOrLost) {
  save_choose_runs(runs(), corpus_, options(), path_);
  const std::string whole = bytes();
  for (std::size_t i = 0; i < whole.size(); ++i) {
    std::string damaged = whole;
    damaged[i] = static_cast<char>(damaged[i] ^ 0x15);
    write(damaged);
    // A changed word of the metadata may read as another run's, but never as this one's.
    EXPECT_THROW(load(options()), Error) << "byte " << i;
  }
  for (std::size_t length = 0; length < whole.size(); length += 1 + length / 7) {
    write(whole.substr(0, length));
    EXPECT_THROW(load(options()), FormatError) << "length " << length;
  }
  write(whole + "x");
  EXPECT_THROW(load(options()), FormatError);
  EXPECT_THROW(load_choose_runs(corpus_, options(), "/nonexistent/file"), IoError);
}

// Sound files with wrong contents, written by the library for options that allow them.
TEST_F(ChooseFile, ContentsAreChecked) {
  const Corpus larger = testing::make_corpus({{0, 1, 2}, {2, 1}}, 3);
  std::vector<ChooseRun> bad = runs();
  bad[0].top_words[0] = 3;
  EXPECT_NE(
      refusal([&] { save_choose_runs(bad, larger, options(), path_); }).find("has the top word 3, expected -1 to 2"),
      std::string::npos);
  bad = runs();
  bad[0].perplexity = std::nan("");
  EXPECT_NE(refusal([&] { save_choose_runs(bad, larger, options(), path_); }).find("impossible measures"),
            std::string::npos);
  bad = runs();
  bad[1] = bad[0];
  EXPECT_NE(refusal([&] { save_choose_runs(bad, larger, options(), path_); }).find("two runs of 2 topics, seed 9"),
            std::string::npos);
  bad = runs();
  bad[0].top_words.pop_back();
  EXPECT_NE(
      refusal([&] { save_choose_runs(bad, larger, options(), path_); }).find("has 5 top words, expected 3 for each"),
      std::string::npos);
  EXPECT_NE(refusal([&] { save_choose_runs({}, larger, options(), path_); }).find("nothing to write"),
            std::string::npos);
  EXPECT_FALSE(std::filesystem::exists(path_));
}

}  // namespace
}  // namespace papilio
