#include "command_line.h"

#include <fmt/format.h>

#include <limits>

#include "commands.h"
#include "option_types.h"
#include "papilio/version.h"
#include "reference.h"
#include "text.h"

namespace {

const std::map<std::string, CorpusFormat> corpus_formats = {
    {"auto", CorpusFormat::detect}, {"text", CorpusFormat::text}, {"uci", CorpusFormat::uci}};
const std::map<std::string, ProgressStyle> progress_styles = {{"auto", ProgressStyle::detect},
                                                              {"plain", ProgressStyle::plain},
                                                              {"json", ProgressStyle::json},
                                                              {"none", ProgressStyle::none}};
const std::map<std::string, TopicsFormat> topics_formats = {
    {"text", TopicsFormat::text}, {"json", TopicsFormat::json}, {"tsv", TopicsFormat::topic_keys}};

void add_corpus_options(CLI::App& app, TrainArguments& arguments) {
  papilio::TextOptions& text = arguments.text;
  app.add_option("corpus", arguments.corpus,
                 "Text, a document a line, or UCI bag of words (docword.*); plain, .gz or .zst; - for standard input")
      ->required();
  add_choice(app, "--format", arguments.format, corpus_formats, "What the corpus is; auto by default")->group("Corpus");
  app.add_option("--vocabulary", arguments.vocabulary, "Words of a UCI corpus; by default vocab.* beside docword.*")
      ->group("Corpus");
  app.add_option("--stopwords", arguments.stop_words, "Words to leave out: a file, one word a line, or english")
      ->group("Corpus");
  app.add_option("--min-df", text.min_df, "Leave out words of fewer documents")
      ->capture_default_str()
      ->check(at_least<std::int64_t>(1))
      ->group("Corpus");
  app.add_option("--max-df", text.max_df, "Leave out words of more than this share of the documents")
      ->capture_default_str()
      ->check(CLI::Range(0.0, 1.0))
      ->group("Corpus");
  app.add_option("--max-vocabulary", text.max_vocabulary, "Keep only the most frequent words; 0: all")
      ->capture_default_str()
      ->check(at_least<std::int64_t>(0))
      ->group("Corpus");
}

void add_training_options(CLI::App& app, TrainArguments& arguments) {
  papilio::TrainOptions& training = arguments.training;
  app.add_option("-k,--topics,--num-topics", training.topics, "Topics")
      ->capture_default_str()
      ->check(at_least<std::int32_t>(1))
      ->group("Model");
  app.add_option("--sweeps,--num-iterations", training.sweeps,
                 "Sweeps over all tokens, a resumed run's earlier ones included")
      ->capture_default_str()
      ->check(CLI::Range(std::int64_t{1}, std::int64_t{std::numeric_limits<std::uint32_t>::max()}))
      ->group("Model");
  app.add_option("--alpha", training.alpha, "Prior of documents' topics, each topic (MALLET's --alpha is the sum)")
      ->capture_default_str()
      ->check(prior())
      ->group("Model");
  app.add_option("--beta", training.beta, "Prior of topics' words")
      ->capture_default_str()
      ->check(prior())
      ->group("Model");
  app.add_option("--seed,--random-seed", training.seed, "Same seed, same model")
      ->capture_default_str()
      ->check(seed())
      ->group("Model");
  app.add_option("--device", arguments.device,
                 "Where to train, which never changes the model; by default PAPILIO_DEVICE, else a GPU that is there")
      ->check(device_name())
      ->group("Run");
  app.add_option("--threads,--num-threads", training.threads, "Of the CPU, 0: all; never changes the model")
      ->capture_default_str()
      ->check(at_least<int>(0))
      ->group("Run");
  app.add_option("--evaluate-every", training.evaluate_every, "Sweeps between likelihoods; 0: only after the last")
      ->capture_default_str()
      ->check(at_least<std::int64_t>(0))
      ->group("Run");
}

void add_output_options(CLI::App& app, TrainArguments& arguments) {
  app.add_option("-o,--output", arguments.output, "The model; by default CORPUS.papilio.safetensors in this folder")
      ->group("Output");
  app.add_flag("--force", arguments.force, "Replace files that are there")->group("Output");
  app.add_option("--output-topic-keys", arguments.topic_keys, "Also write the topics' words, as MALLET does")
      ->group("Output");
  app.add_option("--num-top-words", arguments.top_words, "Words a topic there")
      ->capture_default_str()
      ->check(at_least<int>(1))
      ->group("Output");
  app.add_option("--checkpoint", arguments.checkpoint,
                 "Keep the chain here, to resume; by default beside the model, when the run is interrupted")
      ->group("Run");
  app.add_option("--checkpoint-every", arguments.checkpoint_every, "Sweeps between checkpoints; 0: at the end only")
      ->capture_default_str()
      ->check(at_least<std::int64_t>(0))
      ->group("Run");
  app.add_flag("--resume", arguments.resume, "Go on from the checkpoint")->group("Run");
  add_choice(app, "--progress", arguments.progress, progress_styles,
             "auto: a live line on a terminal, else plain lines; json: one object a line on standard output")
      ->group("Run");
  app.add_flag("-q,--quiet", arguments.quiet, "Print nothing but errors")->group("Run");
}

void add_train(CLI::App& app, TrainArguments& arguments) {
  CLI::App* train = app.add_subcommand("train", "Train a topic model on a corpus");
  add_corpus_options(*train, arguments);
  add_training_options(*train, arguments);
  add_output_options(*train, arguments);
}

void add_topics(CLI::App& app, TopicsArguments& arguments) {
  CLI::App* topics = app.add_subcommand("topics", "Print a model's topics with their words");
  topics->add_option("model", arguments.model, "A model that train wrote")->required();
  topics->add_option("-n,--num-top-words", arguments.top_words, "Words a topic")
      ->capture_default_str()
      ->check(at_least<int>(1));
  topics->add_option("--topic", arguments.topic, "One topic only")->check(at_least<std::int32_t>(0));
  add_choice(*topics, "--format", arguments.format, topics_formats, "tsv: MALLET's topic keys (number, alpha, words)");
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
  const std::map<std::string, RunCommand> others = {{"completion", add_completion(app)}, {"man", add_man(app)}};
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
    train.command = shell_command(argc, argv);
    train.training.device = device_called(train.device);
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
