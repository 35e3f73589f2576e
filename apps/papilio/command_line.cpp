#include "command_line.h"

#include <fmt/format.h>

#include <limits>

#include "commands.h"
#include "commands/train_options.h"
#include "papilio/version.h"
#include "reference.h"
#include "support/corpus_options.h"
#include "support/option_types.h"
#include "support/text.h"

namespace {

constexpr papilio::Choice<TopicsFormat> topics_formats[] = {
    {TopicsFormat::text, "text", "a table to read"},
    {TopicsFormat::json, "json", "one JSON document"},
    {TopicsFormat::topic_keys, "tsv", "MALLET's topic keys: number, alpha, words"},
};

void add_topics(CLI::App& app, TopicsArguments& arguments) {
  CLI::App* topics = app.add_subcommand("topics", "Print a model's topics with their words");
  topics->add_option("model", arguments.model, "A model that train wrote")->required();
  topics->add_option("-n,--num-top-words", arguments.top_words, "Words a topic")
      ->capture_default_str()
      ->check(at_least<int>(1));
  topics->add_option("--topic", arguments.topic, "One topic only")->check(at_least<std::int32_t>(0));
  add_explained_choice(*topics, "--format", arguments.format, topics_formats, "What is printed");
}

void add_generate(CLI::App& app, GenerateArguments& arguments) {
  CLI::App* generate = app.add_subcommand("generate", "Draw a corpus from a known model, for tests and benchmarks");
  papilio::GenerateOptions& options = arguments.options;
  generate
      ->add_option("-o,--output", arguments.prefix,
                   "FOLDER/NAME: writes docword.NAME.txt, vocab.NAME.txt, topics.NAME.tsv")
      ->required();
  generate->add_option("--documents", options.documents)->capture_default_str()->check(at_least<std::int64_t>(1));
  generate->add_option("--words", options.vocabulary)->capture_default_str()->check(at_least<std::int64_t>(1));
  generate->add_option("-k,--topics,--num-topics", options.topics)->capture_default_str()->check(at_least<int>(1));
  generate->add_option("--mean-length", options.mean_length)->capture_default_str()->check(prior());
  generate->add_option("--alpha", options.alpha)->capture_default_str()->check(CLI::Range(1e-6, 1e6));
  generate->add_option("--zipf-exponent", options.zipf_exponent)->capture_default_str()->check(CLI::Range(0.0, 10.0));
  generate->add_option("--overlap", options.overlap)->capture_default_str()->check(CLI::Range(0.0, 1.0));
  generate->add_option("--seed,--random-seed", options.seed)->capture_default_str()->check(seed());
  generate->add_option("--threads,--num-threads", options.threads)->capture_default_str()->check(at_least<int>(0));
  generate->add_flag("--force", arguments.force, "Replace files that are there");
}

}  // namespace

ExitCode run_command_line(int argc, char** argv, std::string& subcommand) {
  CLI::App app("papilio: topic models, the same bits for the same seed on every machine", "papilio");
  app.set_version_flag("--version", fmt::format("papilio {}", papilio::version()));
  app.require_subcommand(1);
  TrainArguments train;
  TopicsArguments topics;
  GenerateArguments generate;
  std::string model;
  add_train(app, train);
  add_topics(app, topics);
  add_generate(app, generate);
  CLI::App* inspect = app.add_subcommand("inspect", "Check a model and print its sizes and settings");
  inspect->add_option("model", model, "A model that train wrote")->required();
  // Subcommands of their own files, by name.
  const std::map<std::string, RunCommand> others = {{"completion", add_completion(app)},
                                                    {"convert", add_convert(app)},
                                                    {"evaluate", add_evaluate(app)},
                                                    {"import", add_import(app)},
                                                    {"import-dir", add_import_dir(app)},
                                                    {"import-file", add_import_file(app)},
                                                    {"infer", add_infer(app)},
                                                    {"ldavis", add_ldavis(app)},
                                                    {"man", add_man(app)},
                                                    {"split", add_split(app)}};
  app.add_subcommand("devices", "Print where work runs: device, CPU target, threads");

  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    return app.exit(error) == 0 ? ExitCode::ok : ExitCode::usage;
  }
  subcommand = app.get_subcommands().front()->get_name();
  if (const auto other = others.find(subcommand); other != others.end()) {
    return other->second();
  }
  if (subcommand == "train") {
    train.corpus.text.threads = train.training.threads;
    train.command = shell_command(argc, argv);
    train.training.device = papilio::Device::parse(train.device);
    if (train.alpha_sum) train.training.alpha = *train.alpha_sum / train.training.topics;
    return run_train(train);
  }
  if (subcommand == "topics") {
    return run_topics(topics);
  }
  if (subcommand == "generate") {
    return run_generate(generate);
  }
  return subcommand == "inspect" ? run_inspect(model) : run_devices();
}
