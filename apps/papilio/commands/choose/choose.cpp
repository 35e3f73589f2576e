#include "papilio/choose.h"

#include <fmt/format.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <charconv>
#include <csignal>
#include <filesystem>
#include <limits>
#include <memory>
#include <new>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "advice/hints.h"
#include "commands/choose/choose_output.h"
#include "commands/subcommands.h"
#include "commands/train_arguments.h"
#include "papilio/interruption.h"
#include "papilio/version.h"
#include "support/command_files.h"
#include "support/corpus_input.h"
#include "support/corpus_options.h"
#include "support/files.h"
#include "support/interrupt.h"
#include "support/job_ranks.h"
#include "support/option_types.h"
#include "support/output.h"
#include "support/progress.h"
#include "support/text.h"

namespace {

enum class ChooseFormat { text, json, csv };

struct ChooseArguments {
  TrainArguments train;  // corpus, training options, output (the page), force, quiet, verbose
  papilio::ChooseOptions choose;
  std::string state;  // empty: named after the corpus
  bool restart = false;
  ChooseFormat format = ChooseFormat::text;
  bool times = false;
  double rank_seconds = 300;  // how long a rank waits for the others
};

constexpr const char* page_title = "How many topics";

// The numbers between commas. `fault` says what is wrong with them.
std::vector<std::int32_t> numbers_of(std::string_view text, std::string& fault) {
  constexpr const char* expected = "numbers of topics between commas, as in 20,50,100";
  std::vector<std::int32_t> numbers;
  for (bool has_more = true; has_more && fault.empty();) {
    const std::size_t comma = text.find(',');
    const std::string part(text.substr(0, comma));
    fault = option_types::integer_fault(part, 1, std::numeric_limits<std::int32_t>::max(), expected);
    if (!fault.empty()) break;
    std::int32_t number = 0;
    std::from_chars(part.data(), part.data() + part.size(), number);
    if (std::find(numbers.begin(), numbers.end(), number) != numbers.end()) {
      fault = fmt::format("has {} twice, expected each number once", number);
    }
    numbers.push_back(number);
    has_more = comma != text.npos;
    text.remove_prefix(has_more ? comma + 1 : text.size());
  }
  return numbers;
}

std::int32_t topics_of_largest_model(const ChooseArguments& arguments) {
  return *std::max_element(arguments.choose.topics.begin(), arguments.choose.topics.end());
}

// ranks: null for the only process. Each rank trains models; only rank 0 reads the state file, writes and prints.
class Run {
 public:
  Run(const ChooseArguments& arguments, std::string given, std::string state, papilio::Communicator* ranks)
      : arguments_(arguments),
        ranks_(ranks),
        given_(std::move(given)),
        state_(std::move(state)),
        options_(arguments.choose) {
    options_.training = arguments.train.training;
    options_.alpha_sum = arguments.train.alpha_sum;
    options_.training.device =
        papilio::Device::parse(ranks == nullptr ? arguments.train.device : device_of_rank(arguments.train.device));
  }

  ExitCode run() {
    if (ranks_ != nullptr) require_no_standard_input({arguments_.train.corpus.path});
    const bool goes_on = is_first(ranks_) && has_state() && !arguments_.restart;
    CommandFiles files(arguments_.train.force);
    files.reads(arguments_.train.corpus);
    files.writes({.option = arguments_.state.empty() ? "the default of --state," : "--state",
                  .path = state_,
                  .may_replace = true,
                  .takes_streams = false});
    files.writes({.option = "-o", .path = arguments_.train.output});
    if (is_first(ranks_)) files.reserve();
    papilio::ReadReport report;
    const InputCorpus input = open_corpus(arguments_.train.corpus, report);
    const papilio::CorpusView corpus = input.view();
    if (!arguments_.train.quiet) {
      tell("{}; training on {}\n{}", read_summary(arguments_.train.corpus.path, report, corpus.vocabulary_size()),
           options_.training.device.name(), left_out_summary(report));
      tell_hints(arguments_.train.corpus, corpus, report, {.topics = topics_of_largest_model(arguments_)});
    }
    if (corpus.tokens() == 0) {
      throw CommandError(
          ExitCode::bad_data,
          fmt::format("{} holds no words to train on ({} documents; {} tokens before any words were left "
                      "out)",
                      arguments_.train.corpus.path, grouped(corpus.documents()), grouped(report.tokens_read)));
    }
    if (goes_on) load(corpus);
    const std::optional<papilio::ChooseResult> result = choose(corpus);
    if (!result) return stopped();
    if (!is_first(ranks_)) return ExitCode::ok;
    write_page(*result);
    if (arguments_.train.output != "-") print_result(*result);
    return ExitCode::ok;
  }

 private:
  bool has_state() const {
    std::error_code error;
    return std::filesystem::exists(state_, error);
  }

  void load(const papilio::CorpusView& corpus) {
    const char* const advice = "use --restart to train all models again, or --state for another file";
    try {
      runs_ = reading([&] { return papilio::load_choose_runs(corpus, options_, state_); });
    } catch (const papilio::FormatError& error) {
      throw CommandError(ExitCode::bad_data, fmt::format("{}; {}", without_caller(error.what()), advice));
    } catch (const papilio::InvalidArgument& error) {
      throw CommandError(ExitCode::bad_data, fmt::format("{}; {}", without_caller(error.what()), advice));
    }
    saved_ = runs_.size();
    if (!arguments_.train.quiet) tell("{} has {} models\n", state_, runs_.size());
  }

  // Nothing if a signal has arrived.
  std::optional<papilio::ChooseResult> choose(const papilio::CorpusView& corpus) {
    const InterruptWatch watch;
    std::optional<ProgressReport> report;
    papilio::ChooseOptions options = options_;
    options.progress = [&](const papilio::ChooseProgress& progress) {
      if (!report) {
        const TrainArguments& train = arguments_.train;
        // One line per model is enough if lines stay on the screen.
        const bool is_live = isatty(STDERR_FILENO) != 0 || train.verbose;
        report.emplace(ProgressStyle::detect, train.quiet || !is_live, train.verbose, corpus.tokens());
      }
      models_ = progress.models;
      show(*report, progress.training);
      return InterruptWatch::signal() == 0;
    };
    options.done = [&](const papilio::ChooseRun& run) {
      if (report) report->finish();
      report.reset();
      ++trained_;
      if (!arguments_.train.quiet) tell_run(run);
      runs_.push_back(run);
      if (is_first(ranks_)) save(corpus);
    };
    try {
      const papilio::InterruptionScope scope(InterruptWatch::flag());
      papilio::ChooseResult result = ranks_ == nullptr ? papilio::choose_topics(corpus, options, runs_)
                                                       : papilio::choose_topics(corpus, options, runs_, *ranks_);
      if (!result.stopped) return result;
    } catch (const papilio::Interrupted&) {
    }
    if (report) report->finish();
    return std::nullopt;
  }

  static void show(ProgressReport& report, const papilio::Progress& progress) {
    try {
      report.sweep(progress);
    } catch (const std::bad_alloc&) {  // too little memory for a report is no reason to fail
    }
  }

  void tell_run(const papilio::ChooseRun& run) const {
    tell("model {} of {}: {} topics, seed {}: perplexity {:.2f}, coherence {:.4f}, diversity {:.4f}, {:.1f} s\n",
         trained_, models_, run.topics, run.seed, run.perplexity, run.coherence, run.diversity, run.seconds);
  }

  // If saving fails, choosing continues: a message says so, and the previous file stays.
  void save(const papilio::CorpusView& corpus) {
    try {
      papilio::save_choose_runs(runs_, corpus, options_, state_);
      saved_ = runs_.size();
    } catch (const papilio::IoError& error) {
      tell("papilio choose: warning: {}; {} of {} models are kept\n", without_caller(error.what()), saved_,
           runs_.size());
    }
  }

  ExitCode stopped() const {
    if (saved_ > 0) {
      tell("stopped; {} models are kept in {}\n", saved_, state_);
    } else {
      tell(trained_ > 0 ? "stopped; no model could be kept\n" : "stopped; no model is done yet\n");
    }
    tell("to continue: {}\n", without_flag(given_, "--restart"));
    return static_cast<ExitCode>(128 + (InterruptWatch::signal() != 0 ? InterruptWatch::signal() : SIGTERM));
  }

  static std::string without_flag(const std::string& command, std::string_view flag) {
    const std::string with_blank = fmt::format(" {}", flag);
    const std::size_t place = (command + ' ').find(with_blank + ' ');
    return place == std::string::npos ? command : std::string(command).erase(place, with_blank.size());
  }

  // What to type, wherever papilio is installed, without options that never change the page.
  std::string page_command() const {
    const std::string command = without_options(given_, {"--threads", "--num-threads", "--device"});
    return "papilio" + command.substr(std::min(command.find(" choose"), command.size()));
  }

  void write_page(const papilio::ChooseResult& result) const {
    const std::string& path = arguments_.train.output;
    if (path.empty()) return;
    const std::string page = papilio::choose_page(
        result, {.title = fmt::format("{}: {}", page_title, corpus_name(arguments_.train.corpus.path)),
                 .command = page_command(),
                 .facts = {{"corpus", arguments_.train.corpus.path}, {"papilio", papilio::version()}},
                 .times = arguments_.times});
    writing(path, std::ssize(page), [&] {
      TextFile file(path);
      file.write(page);
      file.commit();
    });
  }

  void print_result(const papilio::ChooseResult& result) const {
    switch (arguments_.format) {
      case ChooseFormat::text:
        print_choose_table(result, arguments_.times);
        break;
      case ChooseFormat::json:
        print_choose_json(result, arguments_.train.corpus.path, arguments_.times);
        break;
      case ChooseFormat::csv:
        print_choose_csv(result, arguments_.times);
        break;
    }
  }

  const ChooseArguments& arguments_;
  papilio::Communicator* const ranks_;
  const std::string given_;  // the command line
  const std::string state_;
  papilio::ChooseOptions options_;
  std::vector<papilio::ChooseRun> runs_;  // those of the state file, and new ones
  std::size_t saved_ = 0;                 // how many of runs_ are in the file
  int trained_ = 0;                       // models trained by this command,
  int models_ = 0;                        // of this many
};

void check_choose(const ChooseArguments& arguments) {
  const TrainArguments& train = arguments.train;
  if (train.alpha_sum && *train.alpha_sum / topics_of_largest_model(arguments) < papilio::least_prior) {
    throw CommandError(ExitCode::usage, fmt::format("--alpha-sum is {}, too little to divide among {} topics",
                                                    *train.alpha_sum, topics_of_largest_model(arguments)));
  }
  const std::uint64_t seed = train.training.seed;
  if (seed + static_cast<std::uint64_t>(arguments.choose.seeds - 1) < seed) {
    throw CommandError(ExitCode::usage,
                       fmt::format("--seed is {}, too large for {} seeds in a row", seed, arguments.choose.seeds));
  }
  require_one_standard_input(train.corpus, {{"the corpus", train.corpus.path}});
}

void add_choose_options(CLI::App& app, ChooseArguments& arguments) {
  app.add_option_function<std::string>(
         "-k,--topics,--num-topics",
         [&arguments](const std::string& text) {
           std::string fault;
           arguments.choose.topics = numbers_of(text, fault);
         },
         "Numbers of topics to try, between commas (by default 20,50,100,200)")
      ->check(CLI::Validator(
          [](std::string& text) {
            std::string fault;
            numbers_of(text, fault);
            return fault;
          },
          "", ""))
      ->option_text("K,K,...")
      ->group("Choice");
  app.add_option("--seeds", arguments.choose.seeds,
                 "Models for each number of topics, with the seeds --seed, --seed + 1, ...")
      ->capture_default_str()
      ->check(between(1, 1000))
      ->group("Choice");
  app.add_option("--every", arguments.choose.held_out_every,
                 "Hold out documents N, 2N, 3N, ..., counted from 1, for perplexity")
      ->capture_default_str()
      ->check(at_least<std::int64_t>(2))
      ->group("Choice");
  add_choice(app, "--coherence", arguments.choose.coherence.measure, papilio::coherence_measures(),
             "Measure of coherence, in the documents trained on (docs/choose.md; by default npmi)")
      ->group("Choice");
  app.add_option("-n,--num-top-words", arguments.choose.coherence.top_words, "Words per topic for coherence")
      ->capture_default_str()
      ->check(between(2, 1000))
      ->group("Choice");
}

void add_choose_outputs(CLI::App& app, ChooseArguments& arguments) {
  app.add_option("-o,--output", arguments.train.output,
                 "Also write a page with charts (HTML); - for standard output, in place of the table")
      ->group("Output");
  app.add_flag("--force", arguments.train.force, "Replace an existing page")->group("Output");
  CLI::Option* json = app.add_flag_callback(
      "--json", [&arguments] { arguments.format = ChooseFormat::json; }, "Print one JSON object, with each model");
  CLI::Option* csv = app.add_flag_callback(
      "--csv", [&arguments] { arguments.format = ChooseFormat::csv; }, "Print a table with a header, for programs");
  json->excludes(csv)->group("Output");
  csv->group("Output");
  app.add_flag("--times", arguments.times, "Also show the mean seconds per model; all else is the same in every run")
      ->group("Output");
  app.add_option(
         "--state", arguments.state,
         "File with the measures of each finished model: the same command continues from it, and more topics or "
         "seeds train only what is missing; by default CORPUS.choose.safetensors in the current folder")
      ->group("Run");
  app.add_flag("--restart", arguments.restart, "Train all models again, and replace the state file")->group("Run");
  app.add_option("--rank-timeout", arguments.rank_seconds,
                 "Under mpirun: seconds that a process waits for the slowest of the others (docs/distributed.md)")
      ->capture_default_str()
      ->check(between(0.001, 1e6))
      ->group("Run");
  app.add_flag("-q,--quiet", arguments.train.quiet, "Print the result and errors only")->group("Run");
  app.add_flag("-v,--verbose", arguments.train.verbose, "Also show speed and how draws are made on the live line")
      ->group("Run");
}

}  // namespace

Subcommand add_choose(CLI::App& app) {
  const auto arguments = std::make_shared<ChooseArguments>();
  CLI::App* choose =
      app.add_subcommand("choose", "Compare numbers of topics: perplexity, coherence, diversity, stability over seeds");
  choose->footer(
      "Examples:\n"
      "  papilio choose corpus.txt --topics 20,50,100,200 -o choose.html\n"
      "  papilio choose corpus.txt -k 50,100 --seeds 5 --sweeps 500 --optimize-interval 10 --json");
  add_corpus_options(*choose, arguments->train.corpus);
  add_choose_options(*choose, *arguments);
  add_model_options(*choose, arguments->train);
  add_choose_outputs(*choose, *arguments);
  return {choose,
          [arguments](const std::string& given) {
            TrainArguments& train = arguments->train;
            train.corpus.text.threads = train.training.threads;
            std::string state = arguments->state;
            if (state.empty()) state = corpus_name(train.corpus.path) + ".choose.safetensors";
            const std::unique_ptr<papilio::Communicator> ranks = join_ranks(arguments->rank_seconds, train.device);
            return as_rank(ranks.get(), "choose",
                           [&] { return Run(*arguments, given, std::move(state), ranks.get()).run(); });
          },
          [arguments] { check_choose(*arguments); }, true};
}
