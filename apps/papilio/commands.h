#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "papilio/corpus.h"
#include "papilio/corpus_formats.h"
#include "papilio/lda.h"
#include "support/document_topics_file.h"
#include "support/exit_code.h"

// The subcommands, and what the command line says to each.

using papilio::CorpusFormat;
enum class ProgressStyle { detect, plain, json, none };
enum class TopicsFormat { text, json, topic_keys };

// A corpus to read, and how.
struct CorpusArguments {
  std::string path;
  CorpusFormat format = CorpusFormat::detect;
  std::string vocabulary;        // empty: look beside the corpus
  std::string stop_words;        // empty: none; "english"; a file
  std::string extra_stop_words;  // a file of more of them; empty: none
  bool preserve_case = false;    // words of text keep upper and lower case
  std::optional<int> first_id;   // of the first word in an LDA-C or SVMlight file
  bool transposed = false;       // rows of a matrix are words
  std::string text_column;       // of csv, tsv; a field of jsonl; empty: "text", or the only column
  std::string id_column;         // likewise, of the documents' names; empty: none
  bool no_header = false;        // the first record of a table is a document
  bool no_quotes = false;        // '"' is a character like any other
  papilio::TextOptions text;
};

// What train writes beside the model and the topic keys; empty paths: not.
struct TrainOutputs {
  DocumentTopicsOutput document_topics;
  std::string topic_words;
  std::string state;
  std::string diagnostics;
};

struct TrainArguments {
  CorpusArguments corpus;
  papilio::TrainOptions training;
  std::string held_out;  // a corpus that training does not see; empty: none
  CorpusFormat held_out_format = CorpusFormat::detect;
  std::string device;      // empty: the best there is; "cpu", "cuda", "cuda:N"
  std::string output;      // empty: named after the corpus
  std::string checkpoint;  // empty: named after the model, and only while a run is unfinished
  std::int64_t checkpoint_every = 0;
  double checkpoint_minutes = 10;
  bool resume = false;
  bool force = false;
  bool quiet = false;
  ProgressStyle progress = ProgressStyle::detect;
  std::string topic_keys;  // empty: none
  int top_words = 20;      // of topic_keys and diagnostics
  TrainOutputs outputs;
  std::string input_state;          // empty: uniform topics
  std::optional<double> alpha_sum;  // in place of training.alpha
  std::string command;              // as given, quoted for a shell
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
RunCommand add_evaluate(CLI::App& app);
RunCommand add_infer(CLI::App& app);
RunCommand add_ldavis(CLI::App& app);
RunCommand add_split(CLI::App& app);
RunCommand add_convert(CLI::App& app);
RunCommand add_import(CLI::App& app);
RunCommand add_import_file(CLI::App& app);
RunCommand add_import_dir(CLI::App& app);
