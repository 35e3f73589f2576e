#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <csignal>
#include <memory>
#include <optional>
#include <system_error>
#include <utility>

#include "commands/subcommands.h"
#include "commands/train_arguments.h"
#include "commands/train_outputs.h"
#include "papilio/lda.h"
#include "papilio/mallet.h"
#include "support/checkpoint_file.h"
#include "support/corpus_input.h"
#include "support/files.h"
#include "support/interrupt.h"
#include "support/progress.h"
#include "support/text.h"
#include "support/topic_keys.h"

namespace {

// Where a run writes.
struct Outputs {
  std::string model;
  std::string checkpoint;
};

std::string default_checkpoint(const std::string& model) {
  constexpr std::string_view ending = ".papilio.safetensors";
  const std::string_view stem =
      model.ends_with(ending) ? std::string_view(model).substr(0, model.size() - ending.size()) : model;
  return fmt::format("{}.checkpoint.safetensors", stem);
}

void refuse_to_replace(const std::string& path, const char* advice) {
  throw CommandError(ExitCode::cannot_create, fmt::format("{} exists; {}", path, advice));
}

// Finds out before the work, not after it, what cannot be read or written. A file that
// is there is replaced only where --force is given, or where it is a papilio
// model and either nobody named it or its run is being resumed.
Outputs plan_outputs(const TrainArguments& arguments) {
  Outputs outputs;
  outputs.model =
      arguments.output.empty() ? corpus_name(arguments.corpus.path) + ".papilio.safetensors" : arguments.output;
  outputs.checkpoint = arguments.checkpoint.empty() ? default_checkpoint(outputs.model) : arguments.checkpoint;
  std::vector<std::string> beside = paths_of(arguments.outputs);
  beside.push_back(arguments.topic_keys);
  std::vector<std::string> all = beside;
  all.insert(all.end(), {outputs.model, outputs.checkpoint});
  for (const std::string& path : all) {
    if (path == "-") {
      throw CommandError(ExitCode::usage, "train writes to files only; standard output (-) is not one of them");
    }
    if (!path.empty()) {
      require_creatable(path);
    }
  }
  if (arguments.resume && !CheckpointFile::exists(outputs.checkpoint)) {
    throw CommandError(ExitCode::no_input,
                       fmt::format("cannot resume: checkpoint {} does not exist", outputs.checkpoint));
  }
  if (arguments.force) {
    return outputs;
  }
  const bool may_replace = (arguments.output.empty() || arguments.resume) && is_model(outputs.model);
  if (would_replace(outputs.model) && !may_replace) {
    refuse_to_replace(outputs.model, "use --force to replace it, or -o for another name");
  }
  if (CheckpointFile::exists(outputs.checkpoint) && !arguments.resume) {
    refuse_to_replace(outputs.checkpoint, "use --resume to continue its run, or --force to start again");
  }
  for (const std::string& path : beside) {
    if (would_replace(path) && !arguments.resume) {
      refuse_to_replace(path, "use --force to replace it");
    }
  }
  return outputs;
}

void tell_corpus(const TrainArguments& arguments, const papilio::CorpusView& corpus,
                 const papilio::ReadReport& report) {
  if (!arguments.quiet) {
    fmt::print(stderr, "{}; training on {}\n", read_summary(arguments.corpus.path, report, corpus.vocabulary_size()),
               arguments.training.device.name());
  }
}

// The held-out documents, if any.
std::optional<InputCorpus> open_held_out(const TrainArguments& arguments) {
  if (arguments.held_out.empty()) {
    return std::nullopt;
  }
  const CorpusArguments from = held_out_arguments(arguments.corpus, arguments.held_out, arguments.held_out_format);
  papilio::ReadReport report;
  InputCorpus held_out = open_corpus(from, report);
  if (!arguments.quiet) {
    fmt::print(stderr, "held out: {}\n", read_summary(from.path, report, held_out.view().vocabulary_size()));
  }
  return held_out;
}

class Run {
 public:
  Run(const TrainArguments& arguments, const std::string& given, const Outputs& outputs,
      const papilio::CorpusView& corpus, const std::optional<InputCorpus>& held_out)
      : arguments_(arguments),
        given_(given),
        outputs_(outputs),
        corpus_(corpus),
        held_out_(held_out),
        checkpoint_(outputs.checkpoint, corpus, arguments.training),
        report_(arguments.progress, arguments.quiet, corpus.tokens()) {}

  ExitCode run() {
    std::optional<papilio::ChainState> start;
    if (arguments_.resume) {
      start = load_start();
    } else if (!arguments_.input_state.empty()) {
      start = load_state();
    }
    const InterruptWatch watch;
    const papilio::TrainResult result = train(std::move(start));
    if (InterruptWatch::signal() != 0 && result.topics.sweep < arguments_.training.sweeps) {
      return stop(result);
    }
    save_model_or_chain(result);
    write_topic_keys(result.model);
    write_outputs(arguments_.outputs, corpus_, result, arguments_.top_words);
    finish_checkpoint(result.topics);
    tell_done(result);
    return ExitCode::ok;
  }

 private:
  papilio::ChainState load_start() {
    papilio::ChainState start = checkpoint_.load();
    if (start.sweep > arguments_.training.sweeps) {
      throw CommandError(ExitCode::usage, fmt::format("--sweeps is {}, but {} has done {} already",
                                                      arguments_.training.sweeps, outputs_.checkpoint, start.sweep));
    }
    return start;
  }

  papilio::ChainState load_state() const {
    const papilio::MalletState state =
        reading([&] { return papilio::read_mallet_state(arguments_.input_state, arguments_.corpus.text.max_memory); });
    const std::int32_t topics = arguments_.training.topics;
    if (state.topic_count > topics) {
      throw CommandError(ExitCode::usage, fmt::format("-k is {}, but {} has {} topics", topics, arguments_.input_state,
                                                      state.topic_count));
    }
    papilio::ChainState start = papilio::match_topics(state, corpus_);
    start.alpha.clear();  // the priors are those of this command line
    start.beta = 0;
    return start;
  }

  papilio::TrainResult train(std::optional<papilio::ChainState> start) {
    papilio::TrainOptions options = arguments_.training;
    options.progress = [this](const papilio::Progress& progress) {
      try {
        report_.sweep(progress);
      } catch (const std::system_error&) {
        // Nobody can read it. The run is worth more than its report; main reports a
        // standard output that failed, and a pipe that broke has left its note.
      }
      return InterruptWatch::signal() == 0;
    };
    if (held_out_) {
      options.held_out = held_out_->view();
    }
    options.checkpoint_every = arguments_.checkpoint_every;
    options.checkpoint_seconds = 60 * arguments_.checkpoint_minutes;
    options.checkpoint = [this](const papilio::ChainState& topics) {
      report_.finish();
      checkpoint_.try_to_save(topics);
    };
    papilio::TrainResult result =
        start ? papilio::train(corpus_, options, std::move(*start)) : papilio::train(corpus_, options);
    report_.finish();
    return result;
  }

  void save_model(const papilio::Model& model) const {
    const std::int64_t bytes = (std::int64_t{4} * model.topics + 16) * model.vocabulary_size();
    writing(outputs_.model, bytes, [&] { papilio::save_model(model, outputs_.model); });
  }

  // What has been computed is not lost with a model that cannot be written: the chain may
  // still find its place.
  void save_model_or_chain(const papilio::TrainResult& result) {
    try {
      save_model(result.model);
    } catch (const CommandError& error) {
      if (!checkpoint_.try_to_save(result.topics)) {
        throw;
      }
      throw CommandError(error.code, fmt::format("{}\nthe chain is in {}; to write the model: {}", error.what(),
                                                 outputs_.checkpoint, command_to_resume()));
    }
  }

  // After a signal. The model so far is written even where the checkpoint cannot be.
  ExitCode stop(const papilio::TrainResult& result) {
    std::optional<CommandError> failure;
    try {
      checkpoint_.save(result.topics);
    } catch (const CommandError& error) {
      failure = error;
    }
    save_model(result.model);
    tell(fmt::format("stopped after sweep {} of {}; the model so far is in {}\n", result.topics.sweep,
                     arguments_.training.sweeps, outputs_.model));
    if (failure) {
      throw CommandError(*failure);
    }
    tell(fmt::format("to continue: {}\n", command_to_resume()));
    return static_cast<ExitCode>(128 + InterruptWatch::signal());
  }

  std::string command_to_resume() const {
    const bool again = given_.find(" --resume") != std::string::npos;
    return given_ + (again ? "" : " --resume");
  }

  // A finished run keeps its checkpoint only where one was asked for by name.
  void finish_checkpoint(const papilio::ChainState& topics) {
    if (!arguments_.checkpoint.empty()) {
      checkpoint_.save(topics);
    } else {
      papilio::remove_checkpoint(outputs_.checkpoint);
    }
  }

  void write_topic_keys(const papilio::Model& model) const {
    if (arguments_.topic_keys.empty()) {
      return;
    }
    writing(arguments_.topic_keys, std::int64_t{16} * model.topics * arguments_.top_words, [&] {
      TextFile file(arguments_.topic_keys);
      for (std::int32_t topic = 0; topic < model.topics; ++topic) {
        file.write(topic_key(model, topic, arguments_.top_words));
      }
      file.commit();
    });
  }

  void tell_done(const papilio::TrainResult& result) const {
    if (report_.is_json()) {
      fmt::print(
          "{{\"event\":\"done\",\"documents\":{},\"words\":{},\"tokens\":{},\"topics\":{},\"sweeps\":{},"
          "\"log_joint_per_token\":{},\"held_out_perplexity\":{},\"tokens_per_second\":{:.0f},\"model\":{}}}\n",
          corpus_.documents(), corpus_.vocabulary_size(), corpus_.tokens(), result.model.topics, result.topics.sweep,
          result.log_joint_per_token,
          result.held_out.empty() ? "null" : fmt::format("{}", result.held_out.back().completion.perplexity()),
          report_.tokens_per_second(), json_string(outputs_.model));
    } else if (!arguments_.quiet) {
      fmt::print("documents   {}\n", grouped(corpus_.documents()));
      fmt::print("words       {}\n", grouped(corpus_.vocabulary_size()));
      fmt::print("tokens      {}\n", grouped(corpus_.tokens()));
      fmt::print("topics      {}\n", grouped(result.model.topics));
      fmt::print("sweeps      {}\n", grouped(result.topics.sweep));
      fmt::print("likelihood  {:.4f} nats per token (log p(w, z))\n", result.log_joint_per_token);
      if (!result.held_out.empty()) {
        const papilio::Completion& completion = result.held_out.back().completion;
        fmt::print("held out    perplexity {:.2f}, {:.6f} nats per token; {} documents, {} tokens scored\n",
                   completion.perplexity(), completion.nats_per_token(), grouped(completion.documents),
                   grouped(completion.tokens));
      }
      fmt::print("speed       {:.2f} million tokens per second\n", report_.tokens_per_second() / 1e6);
      fmt::print("model       {}\n", outputs_.model);
    }
  }

  const TrainArguments& arguments_;
  const std::string& given_;  // the command line
  const Outputs& outputs_;
  const papilio::CorpusView corpus_;
  const std::optional<InputCorpus>& held_out_;
  CheckpointFile checkpoint_;
  ProgressReport report_;
};

ExitCode run_train(const TrainArguments& arguments, const std::string& given) {
  if (arguments.resume && !arguments.input_state.empty()) {
    throw CommandError(ExitCode::usage,
                       "--resume and --input-state both say where to start; expected only one of them");
  }
  if (arguments.corpus.path == "-" && arguments.held_out == "-") {
    throw CommandError(ExitCode::usage, "the corpus and --held-out cannot both be standard input (-)");
  }
  require_writable_form(arguments.outputs.document_topics);
  const Outputs outputs = plan_outputs(arguments);
  papilio::ReadReport report;
  const InputCorpus input = open_corpus(arguments.corpus, report);
  const papilio::CorpusView corpus = input.view();
  tell_corpus(arguments, corpus, report);
  if (corpus.tokens() == 0) {
    throw CommandError(
        ExitCode::bad_data,
        fmt::format("{} holds no words to train on ({} documents; {} tokens before any words were left out)",
                    arguments.corpus.path, grouped(corpus.documents()), grouped(report.tokens_read)));
  }
  const std::optional<InputCorpus> held_out = open_held_out(arguments);
  Run run(arguments, given, outputs, corpus, held_out);
  try {
    return run.run();
  } catch (const std::system_error&) {
    if (InterruptWatch::signal() != SIGPIPE) {
      throw;
    }
    return static_cast<ExitCode>(128 + SIGPIPE);  // all is written, and nobody is left to tell
  }
}

}  // namespace

Subcommand add_train(CLI::App& app) {
  const auto arguments = std::make_shared<TrainArguments>();
  CLI::App* train = app.add_subcommand("train", "Train a topic model on a corpus")->alias("train-topics");
  train->footer(
      "Examples:\n"
      "  papilio train corpus.txt -k 100 --stopwords english\n"
      "  papilio train docword.news.txt.gz -k 1000 --alpha-sum 50 --sweeps 500 --checkpoint-minutes 5\n"
      "  papilio train corpus.txt -k 100 --optimize-interval 10 --output-doc-topics topics.tsv\n"
      "  papilio train corpus.txt -k 100 --held-out held-out.txt --held-out-every 20\n"
      "  papilio train corpus.txt -k 100 --resume");
  add_train_options(*train, *arguments);
  return {train, [arguments](const std::string& given) {
            papilio::TrainOptions& training = arguments->training;
            arguments->corpus.text.threads = training.threads;
            training.device = papilio::Device::parse(arguments->device);
            if (arguments->alpha_sum) training.alpha = *arguments->alpha_sum / training.topics;
            return run_train(*arguments, given);
          }};
}
