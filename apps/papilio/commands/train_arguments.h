#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "commands/train_outputs.h"
#include "papilio/lda.h"
#include "papilio/seed_words.h"
#include "support/corpus_arguments.h"
#include "support/progress.h"

namespace CLI {
class App;
}

// What the command line says to `papilio train`.
struct TrainArguments {
  CorpusArguments corpus;
  papilio::TrainOptions training;
  std::string held_out;  // a corpus that training does not see; empty: none
  CorpusFormat held_out_format = CorpusFormat::detect;
  std::string device;      // as papilio::Device::parse reads it
  std::string output;      // empty: named after the corpus
  std::string checkpoint;  // empty: named after the model, and only while a run is unfinished
  std::int64_t checkpoint_every = 0;
  double checkpoint_minutes = 10;
  bool resume = false;
  bool force = false;
  bool quiet = false;
  bool verbose = false;
  ProgressStyle progress = ProgressStyle::detect;
  double rank_seconds = 300;  // that a rank waits for the others
  std::string topic_keys;     // empty: none
  int top_words = 20;         // of topic_keys and diagnostics
  TrainOutputs outputs;
  std::string input_state;          // empty: uniform topics
  std::optional<double> alpha_sum;  // in place of training.alpha
  std::string seed_words;           // a file; empty: none
  std::int32_t seed_weight = papilio::default_seed_weight;
};

// Adds the options of `papilio train`.
void add_train_options(CLI::App& app, TrainArguments& arguments);

// Adds those of them that decide how a model of a given number of topics is trained: `training` but its `topics`, and
// `alpha_sum`, `device`.
void add_model_options(CLI::App& app, TrainArguments& arguments);
