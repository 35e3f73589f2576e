#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <csignal>
#include <memory>
#include <new>
#include <optional>
#include <utility>

#include "advice/hints.h"
#include "commands/subcommands.h"
#include "commands/train_arguments.h"
#include "commands/train_files.h"
#include "commands/train_inputs.h"
#include "commands/train_outputs.h"
#include "commands/train_ranks.h"
#include "commands/train_summary.h"
#include "papilio/distributed.h"
#include "papilio/lda.h"
#include "support/checkpoint_file.h"
#include "support/command_files.h"
#include "support/corpus_input.h"
#include "support/corpus_options.h"
#include "support/device_choice.h"
#include "support/files.h"
#include "support/interrupt.h"
#include "support/job_ranks.h"
#include "support/output.h"
#include "support/progress.h"
#include "support/text.h"
#include "support/topic_keys.h"

namespace {

std::string devices_text(const papilio::TrainOptions& training) {
  if (training.devices.size() < 2) return training.device.name();
  std::string names;
  for (const papilio::Device device : training.devices) {
    names += fmt::format("{}{}", names.empty() ? "" : ", ", device.name());
  }
  return fmt::format("{} (sums by {})", names, papilio::describe_device_sums());
}

void tell_corpus(const TrainArguments& arguments, const InputCorpus& input, const papilio::ReadReport& report) {
  if (!arguments.quiet) {
    const papilio::CorpusView corpus = input.view();
    tell("{}; training on {}\n{}", read_summary(arguments.corpus.path, report, corpus.vocabulary_size()),
         devices_text(arguments.training), left_out_summary(report));
    tell_hints(arguments.corpus, corpus, report,
               {.topics = arguments.training.topics,
                .word_counts = input.of_rank ? input.of_rank->word_counts() : std::span<const std::int64_t>()});
  }
}

// The note in the checkpoints of a chain that began with --input-state, so that the model says so even if the run was
// stopped and resumed.
constexpr const char* from_input_state = "began with --input-state";

class Run {
 public:
  Run(const TrainArguments& arguments, const std::string& given, const TrainFiles& outputs, const CommandFiles& files,
      const InputCorpus& input, const std::optional<InputCorpus>& held_out)
      : arguments_(arguments),
        given_(given),
        outputs_(outputs),
        files_(files),
        input_(input),
        corpus_(input.view()),
        held_out_(held_out),
        checkpoint_(outputs.checkpoint, corpus_, arguments.training),
        report_(arguments.progress, arguments.quiet, arguments.verbose, corpus_.tokens()) {}

  ExitCode run() {
    std::optional<papilio::ChainState> start;
    if (arguments_.resume) {
      start = load_start();
    } else if (!arguments_.input_state.empty()) {
      start = read_state(arguments_, corpus_);
      checkpoint_.set_note(from_input_state);
    }
    const InterruptWatch watch;
    papilio::TrainResult result = train(std::move(start));
    if (checkpoint_.note() == from_input_state) result.model.settings["input_state"] = "given";
    if (ranks() != nullptr) return finish_over_ranks(result);
    if (InterruptWatch::signal() != 0 && result.topics.sweep < arguments_.training.sweeps) {
      return stop(result);
    }
    keeping_chain(result.topics, [&] { save_model(result.model); });
    // What is left to write can be made again, and the reader of a pipe may take forever.
    InterruptWatch::end_at_once();
    if (InterruptWatch::signal() != 0 && files_.writes_streams()) {
      return stop(result);
    }
    keeping_chain(result.topics, [&] {
      write_topic_keys(result.model);
      write_outputs(arguments_.outputs, corpus_, result, arguments_.top_words);
      finish_checkpoint(result.topics);
    });
    tell_done(result);
    return ExitCode::ok;
  }

 private:
  papilio::Communicator* ranks() const { return arguments_.training.ranks; }

  // Every rank saves its part of a checkpoint; rank 0 alone writes all else. A failure ends the job, which can then be
  // resumed from its last checkpoint.
  ExitCode finish_over_ranks(papilio::TrainResult& result) {
    const bool is_first = ranks()->rank() == 0;
    if (result.stopped) {
      checkpoint_.save(result.topics);
      if (is_first) save_model(result.model);
      tell("stopped after sweep {} of {}; the model so far is in {}\nto continue: the same command{}\n",
           result.topics.sweep, arguments_.training.sweeps, outputs_.model, arguments_.resume ? "" : " with --resume");
      return static_cast<ExitCode>(128 + (InterruptWatch::signal() != 0 ? InterruptWatch::signal() : SIGTERM));
    }
    if (!arguments_.checkpoint.empty()) checkpoint_.save(result.topics);
    papilio::Corpus gathered;
    if (!are_empty(arguments_.outputs)) {
      result.topics = papilio::gather_topics(result.topics, *ranks());
      if (input_.of_rank && needs_words(arguments_.outputs)) gathered = input_.of_rank->gather(*ranks());
    }
    if (!is_first) return ExitCode::ok;
    save_model(result.model);
    write_topic_keys(result.model);
    write_outputs(arguments_.outputs, gathered.tokens() > 0 ? gathered.view() : corpus_, result, arguments_.top_words);
    if (arguments_.checkpoint.empty() && (checkpoint_.is_ours() || arguments_.force)) {
      papilio::remove_checkpoint(outputs_.checkpoint);
    }
    tell_done(result);
    return ExitCode::ok;
  }

  papilio::ChainState load_start() {
    papilio::ChainState start = checkpoint_.load();
    if (start.sweep > arguments_.training.sweeps) {
      throw CommandError(ExitCode::usage, fmt::format("--sweeps is {}, but {} has done {} already",
                                                      arguments_.training.sweeps, outputs_.checkpoint, start.sweep));
    }
    return start;
  }

  papilio::TrainResult train(std::optional<papilio::ChainState> start) {
    papilio::TrainOptions options = arguments_.training;
    options.progress = [this](const papilio::Progress& progress) {
      try {
        report_.sweep(progress);
      } catch (const OutputError&) {
        // The report has no reader, but the run is worth finishing. If standard output failed, main says so at the end;
        // if its pipe broke, that has been noted as a signal, and training stops below.
      } catch (const std::bad_alloc&) {  // a lack of memory to report with is no reason to fail either
      }
      return InterruptWatch::signal() == 0;
    };
    if (!arguments_.quiet) options.planned = [this](const auto& plan) { report_.finish(), tell_plan(plan, corpus_); };
    if (held_out_) {
      options.held_out = held_out_->view();
      options.held_out_identity = held_out_->known_identity();
    }
    options.checkpoint_every = arguments_.checkpoint_every;
    options.checkpoint_seconds = 60 * arguments_.checkpoint_minutes;
    options.checkpoint_writer = &checkpoint_.writer([this] { report_.finish(); });
    papilio::TrainResult result =
        start ? papilio::train(corpus_, options, std::move(*start)) : papilio::train(corpus_, options);
    report_.finish();
    return result;
  }

  void save_model(const papilio::Model& model) const {
    const std::int64_t bytes = (std::int64_t{4} * model.topics + 16) * model.vocabulary_size();
    writing(outputs_.model, bytes, [&] { papilio::save_model(model, outputs_.model); });
  }

  // Does the work that is left. If a file cannot be written, what has been computed is not lost: the chain is saved
  // wherever possible, and the message says where it is and how to continue.
  template <class Work>
  void keeping_chain(const papilio::ChainState& chain, Work&& work) {
    const auto fail = [&](ExitCode code, std::string_view what) {
      throw CommandError(code, fmt::format("{}{}{}", what, code == ExitCode::no_memory ? "; " : "\n", keep(chain)));
    };
    try {
      work();
    } catch (const CommandError& error) {
      fail(error.code, error.what());
    } catch (const papilio::InvalidArgument& error) {
      fail(ExitCode::bad_data, without_caller(error.what()));
    } catch (const papilio::Error& error) {
      fail(ExitCode::io_error, without_caller(error.what()));
    } catch (const std::bad_alloc&) {
      fail(ExitCode::no_memory, "out of memory");
    }
  }

  // Where the chain has been saved after a failure, for a message.
  std::string keep(const papilio::ChainState& chain) {
    try {
      const std::string place = checkpoint_.save_somewhere(chain, default_checkpoint(outputs_.model));
      return fmt::format("the chain is in {}; to write the model: {}", place, command_to_resume(place));
    } catch (const CommandError& error) {
      return fmt::format("the chain could not be saved either: {}", error.what());
    }
  }

  // After a signal. The model so far is written even where the checkpoint cannot be.
  ExitCode stop(const papilio::TrainResult& result) {
    keeping_chain(result.topics, [&] {
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
    });
    tell(fmt::format("to continue: {}\n", command_to_resume(outputs_.checkpoint)));
    return static_cast<ExitCode>(128 + InterruptWatch::signal());
  }

  std::string command_to_resume(const std::string& checkpoint) const {
    std::string command = without_options(given_, {"--input-state"});  // the chain in the checkpoint replaces it
    if (checkpoint != outputs_.checkpoint) {
      command = fmt::format("{} --checkpoint {}", without_options(command, {"--checkpoint"}), shell_word(checkpoint));
    }
    return command + (arguments_.resume ? "" : " --resume");
  }

  // A finished run keeps its checkpoint only where one was asked for by name.
  void finish_checkpoint(const papilio::ChainState& topics) {
    if (!arguments_.checkpoint.empty()) {
      checkpoint_.save(topics);
    } else if (checkpoint_.is_ours() || arguments_.force) {
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
      print(
          "{{\"event\":\"done\",\"documents\":{},\"words\":{},\"tokens\":{},\"topics\":{},\"sweeps\":{},"
          "\"log_joint_per_token\":{},\"held_out_perplexity\":{},\"tokens_per_second\":{:.0f},\"model\":{}}}\n",
          corpus_.documents(), corpus_.vocabulary_size(), corpus_.tokens(), result.model.topics, result.topics.sweep,
          result.log_joint_per_token,
          result.held_out.empty() ? "null" : fmt::format("{}", result.held_out.back().completion.perplexity()),
          report_.tokens_per_second(), json_string(outputs_.model));
    } else if (!arguments_.quiet) {
      const TrainOutputs& files = arguments_.outputs;
      print_summary({.corpus = corpus_,
                     .result = result,
                     .seconds = report_.seconds(),
                     .tokens_per_second = report_.tokens_per_second(),
                     .model = outputs_.model,
                     .others = {{"topic keys", arguments_.topic_keys},
                                {"doc topics", files.document_topics.path},
                                {"weights", files.topic_words},
                                {"state", files.state},
                                {"diagnostics", files.diagnostics},
                                {"checkpoint", arguments_.checkpoint}}});
    }
  }

  const TrainArguments& arguments_;
  const std::string& given_;  // the command line
  const TrainFiles& outputs_;
  const CommandFiles& files_;
  const InputCorpus& input_;
  const papilio::CorpusView corpus_;
  const std::optional<InputCorpus>& held_out_;
  CheckpointFile checkpoint_;
  ProgressReport report_;
};

void check_train(const TrainArguments& arguments) {
  if (arguments.resume && !arguments.input_state.empty()) {
    throw CommandError(ExitCode::usage,
                       "--resume and --input-state both say where to start; expected only one of them");
  }
  if (arguments.alpha_sum && *arguments.alpha_sum / arguments.training.topics < papilio::least_prior) {
    throw CommandError(ExitCode::usage, fmt::format("--alpha-sum is {}, too little to divide among {} topics",
                                                    *arguments.alpha_sum, arguments.training.topics));
  }
  require_one_standard_input(arguments.corpus, {{"the corpus", arguments.corpus.path},
                                                {"--held-out", arguments.held_out},
                                                {"--seed-words", arguments.seed_words}});
  require_writable_form(arguments.outputs.document_topics);
}

ExitCode run_train(TrainArguments arguments, const std::string& given) {
  std::vector<papilio::Device> several;
  if (is_device_list(arguments.device)) several = papilio::parse_devices(arguments.device);
  if (several.empty() && arguments.training.ranks == nullptr) {
    leave_other_gpus_alone(arguments.device);
    ask_for_few_queues();
  }
  DeviceChoice device(several.empty() ? arguments.device : several.front().name());
  const TrainFiles outputs = plan_files(arguments);
  CommandFiles files(arguments.force);
  const bool is_first = ::is_first(arguments.training.ranks);
  if (arguments.training.ranks != nullptr) require_for_ranks(arguments);
  if (is_first) reserve_files(arguments, outputs, files);
  papilio::ReadReport report;
  const InputCorpus input = open_own_documents(arguments.corpus, report, arguments.training.ranks);
  const papilio::CorpusView corpus = input.view();
  arguments.training.corpus_identity = input.known_identity();
  arguments.training.device = device.get();
  if (several.size() > 1) arguments.training.devices = several;
  tell_corpus(arguments, input, report);
  if (corpus.tokens() == 0) {
    if (!is_first) arguments.training.ranks->barrier();  // to be told: once is enough
    throw CommandError(
        ExitCode::bad_data,
        fmt::format("{} holds no words to train on ({} documents; {} tokens before any words were left out)",
                    arguments.corpus.path, grouped(corpus.documents()), grouped(report.tokens_read)));
  }
  if (is_first) require_own_model(arguments, outputs, input, report);
  require_writable(arguments.outputs, corpus);
  read_seed_words(arguments, corpus);
  const std::optional<InputCorpus> held_out = open_held_out(arguments, corpus);
  Run run(arguments, given, outputs, files, input, held_out);
  try {
    return run.run();
  } catch (const OutputError&) {
    if (InterruptWatch::signal() != SIGPIPE) {
      throw;
    }
    return static_cast<ExitCode>(128 + SIGPIPE);  // everything is written, and there is no reader left
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
      "  papilio train corpus.txt -k 100 --seed-words seeds.txt\n"
      "  papilio train corpus.txt -k 100 --resume");
  add_train_options(*train, *arguments);
  return {train,
          [arguments](const std::string& given) {
            const std::unique_ptr<papilio::Communicator> ranks = join_ranks(arguments->rank_seconds, arguments->device);
            return as_rank(ranks.get(), "train", [&] {
              if (ranks != nullptr) train_on_ranks(*arguments, *ranks);
              papilio::TrainOptions& training = arguments->training;
              arguments->corpus.text.threads = training.threads;
              if (arguments->alpha_sum) training.alpha = *arguments->alpha_sum / training.topics;
              return run_train(*arguments, given);
            });
          },
          [arguments] { check_train(*arguments); }, true};
}
