#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "exit_code.h"
#include "papilio/corpus.h"
#include "papilio/lda.h"

// The subcommands, and what the command line says to each.

enum class CorpusFormat { detect, text, uci };
enum class ProgressStyle { detect, plain, json, none };
enum class TopicsFormat { text, json, topic_keys };

struct TrainArguments {
  std::string corpus;
  CorpusFormat format = CorpusFormat::detect;
  std::string vocabulary;  // empty: look beside the corpus
  std::string stop_words;  // empty: none; "english"; a file
  papilio::TextOptions text;
  papilio::TrainOptions training;
  std::string device;      // empty: the best there is; "cpu", "cuda", "cuda:N"
  std::string output;      // empty: named after the corpus
  std::string checkpoint;  // empty: named after the model, and only while a run is unfinished
  std::int64_t checkpoint_every = 0;
  bool resume = false;
  bool force = false;
  bool quiet = false;
  ProgressStyle progress = ProgressStyle::detect;
  std::string topic_keys;  // empty: none
  int top_words = 20;      // of topic_keys
  std::string command;     // as given, quoted for a shell
};

struct TopicsArguments {
  std::string model;
  int top_words = 10;
  std::optional<std::int32_t> topic;  // none: all
  TopicsFormat format = TopicsFormat::text;
};

struct GenerateArguments {
  std::string prefix;
  papilio::GenerateOptions options;
  bool force = false;
};

ExitCode run_train(const TrainArguments& arguments);
ExitCode run_topics(const TopicsArguments& arguments);
ExitCode run_generate(const GenerateArguments& arguments);
ExitCode run_inspect(const std::string& model);
ExitCode run_devices();

// A subcommand that lives in a file of its own adds itself to the command line;
// what this returns runs it with the arguments that were parsed.
namespace CLI {
class App;
}
using RunCommand = std::function<ExitCode()>;
