#include <fmt/format.h>

#include <memory>

#include "commands/subcommands.h"
#include "papilio/evaluation.h"
#include "papilio/report.h"
#include "papilio/visualization.h"
#include "support/command_files.h"
#include "support/corpus_input.h"
#include "support/corpus_options.h"
#include "support/files.h"
#include "support/option_types.h"
#include "support/output.h"

namespace {

struct LdavisArguments {
  std::string model;
  std::string output;
  CorpusArguments corpus;  // empty path: the training tokens
  papilio::LdavisOptions options;
  std::uint64_t seed = 0;
  bool force = false;
};

papilio::LdavisData prepare(const LdavisArguments& arguments, const papilio::Model& model) {
  if (arguments.corpus.path.empty()) {
    return papilio::prepare_ldavis(model, arguments.options);
  }
  CorpusArguments reading = arguments.corpus;
  reading.text.threads = arguments.options.threads;
  papilio::ReadReport report;
  const InputCorpus corpus = open_corpus(reading, report);
  report.left_out[papilio::LeftOutReason::unknown] = corpus.unknown_words(model, reading.text.threads);
  if (report.left_out[papilio::LeftOutReason::unknown].tokens == corpus.view().tokens()) {
    throw CommandError(ExitCode::bad_data, fmt::format("{} has no word that the model knows", reading.path));
  }
  tell("{}", left_out_summary(report));
  return papilio::prepare_ldavis(
      model, papilio::expected_topic_tokens(model, corpus.view(), arguments.seed, arguments.options.threads),
      arguments.options);
}

// The page of `papilio report`, which needs no pyLDAvis.
std::string page_of_topics(const LdavisArguments& arguments, const papilio::Model& model) {
  papilio::ReportOptions options = {.title = corpus_name(arguments.model),
                                    .words = arguments.options.terms,
                                    .seed = arguments.seed,
                                    .threads = arguments.options.threads};
  if (arguments.corpus.path.empty()) return papilio::report_page(model, options);
  CorpusArguments reading = arguments.corpus;
  reading.text.threads = options.threads;
  papilio::ReadReport report;
  const InputCorpus corpus = open_corpus(reading, report);
  const papilio::ReportDocuments documents = {.corpus = corpus.view()};
  return papilio::report_page(model, options, &documents);
}

ExitCode run_ldavis(const LdavisArguments& arguments) {
  const bool to_output = arguments.output == "-";
  CommandFiles files(arguments.force);
  files.reads("the model", arguments.model);
  files.reads(arguments.corpus, "--corpus");
  files.writes({.option = "-o", .path = arguments.output});
  files.reserve();
  const papilio::Model model = reading([&] { return papilio::load_model(arguments.model); });
  const std::string json = arguments.output.ends_with(".html") ? page_of_topics(arguments, model)
                                                               : prepare(arguments, model).to_json() + "\n";
  if (to_output) {
    print("{}", json);
    return ExitCode::ok;
  }
  writing(arguments.output, std::ssize(json), [&] {
    TextFile file(arguments.output);
    file.write(json);
    file.commit();
  });
  return ExitCode::ok;
}

}  // namespace

Subcommand add_ldavis(CLI::App& app) {
  const auto arguments = std::make_shared<LdavisArguments>();
  CLI::App* ldavis =
      app.add_subcommand("ldavis", "Write the data that pyLDAvis displays for a model (PreparedData as JSON)");
  ldavis->add_option("model", arguments->model, "A model that train wrote")->required();
  ldavis
      ->add_option("-o,--output", arguments->output,
                   "The file to write; - for standard output; NAME.html: the page of papilio report")
      ->required();
  ldavis->add_option("--corpus", arguments->corpus.path,
                     "Documents whose tokens determine the size of each topic; by default the training documents");
  ldavis->add_option("-n,--num-top-words", arguments->options.terms, "Words per bar chart")
      ->capture_default_str()
      ->check(at_least<int>(1));
  ldavis->add_option("--lambda-step", arguments->options.lambda_step, "Step of the slider between probability and lift")
      ->capture_default_str()
      ->check(between(0.001, 1.0));
  ldavis->add_flag_callback(
      "--model-order", [arguments] { arguments->options.sort_topics = false; },
      "Keep the model's order of topics instead of sorting by tokens");
  ldavis->add_option("--seed,--random-seed", arguments->seed, "Seed of the inference on --corpus")
      ->capture_default_str()
      ->check(seed());
  ldavis
      ->add_option("--threads,--num-threads", arguments->options.threads,
                   "CPU threads, 0: all; never changes the result")
      ->capture_default_str()
      ->check(thread_count());
  ldavis->add_flag("--force", arguments->force, "Replace an existing file");
  add_reading_options(*ldavis, arguments->corpus, "--corpus-format");
  return {ldavis, [arguments](const std::string&) { return run_ldavis(*arguments); },
          [arguments] {
            require_one_standard_input(arguments->corpus, {{"--corpus", arguments->corpus.path}});
          }};
}
