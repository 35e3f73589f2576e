#include <gtest/gtest.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <filesystem>
#include <string>
#include <vector>

#include "commands/subcommands.h"
#include "papilio/corpus.h"
#include "papilio/lda.h"
#include "papilio/model.h"

namespace {

// What inspect prints of a model that was trained with these options.
std::string inspected(const papilio::TrainOptions& options) {
  const papilio::Corpus corpus = papilio::generate_corpus({.documents = 30, .vocabulary = 40, .topics = 2}).corpus;
  const std::string path =
      (std::filesystem::temp_directory_path() / ("papilio-inspect-" + std::to_string(::getpid()))).string();
  papilio::save_model(papilio::train(corpus, options).model, path);
  CLI::App app;
  const Subcommand inspect = add_inspect(app);
  app.parse(std::vector<std::string>{path, "inspect"});
  testing::internal::CaptureStdout();
  EXPECT_EQ(inspect.run(""), ExitCode::ok);
  std::filesystem::remove(path);
  return testing::internal::GetCapturedStdout();
}

// The command trains with one alpha, but other programs' models may have one per topic.
TEST(Inspect, SaysWhereAlphaBeganOnlyIfItWasOneNumberAndHasChanged) {
  papilio::TrainOptions options = {.topics = 2, .sweeps = 4};
  EXPECT_EQ(inspected(options).find("first alpha"), std::string::npos);
  options.topic_alpha = {0.1, 0.3};
  const std::string per_topic = inspected(options);
  EXPECT_NE(per_topic.find("\nalpha       0.1 to 0.3\n"), std::string::npos) << per_topic;
  EXPECT_EQ(per_topic.find("first"), std::string::npos) << per_topic;
  options.topic_alpha = {};
  options.optimize_every = 1;
  options.optimize_after = 1;
  EXPECT_NE(inspected(options).find("\nfirst alpha 0.1\n"), std::string::npos);
}

}  // namespace
