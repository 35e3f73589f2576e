#include <fmt/format.h>

#include <csignal>
#include <filesystem>
#include <optional>

#include "commands.h"
#include "corpus_input.h"
#include "files.h"
#include "interrupt.h"
#include "papilio/lda.h"
#include "progress.h"
#include "text.h"
#include "topic_keys.h"

namespace {

namespace fs = std::filesystem;

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
  throw CommandError(ExitCode::cannot_create, fmt::format("{} is there already; {}", path, advice));
}

// Finds out before the work, not after it, what cannot be read or written. A file that
// is there is replaced only where --force is given, or where it is a papilio
// model and either nobody named it or its run is being resumed.
Outputs plan_outputs(const TrainArguments& arguments) {
  Outputs outputs;
  outputs.model = arguments.output.empty() ? corpus_name(arguments.corpus) + ".papilio.safetensors" : arguments.output;
  outputs.checkpoint = arguments.checkpoint.empty() ? default_checkpoint(outputs.model) : arguments.checkpoint;
  for (const std::string& path : {outputs.model, outputs.checkpoint, arguments.topic_keys}) {
    if (path == "-") {
      throw CommandError(ExitCode::usage, "a model, checkpoint or topic keys cannot go to standard output (-)");
    }
    if (!path.empty()) {
      require_creatable(path);
    }
  }
  if (arguments.resume && !fs::exists(outputs.checkpoint)) {
    throw CommandError(ExitCode::no_input, fmt::format("cannot resume: there is no checkpoint {}", outputs.checkpoint));
  }
  if (arguments.force) {
    return outputs;
  }
  const bool may_replace = (arguments.output.empty() || arguments.resume) && is_model(outputs.model);
  if (would_replace(outputs.model) && !may_replace) {
    refuse_to_replace(outputs.model, "--force replaces it, -o names another");
  }
  if (would_replace(outputs.checkpoint) && !arguments.resume) {
    refuse_to_replace(outputs.checkpoint, "--resume continues its run, --force starts anew");
  }
  if (would_replace(arguments.topic_keys) && !arguments.resume) {
    refuse_to_replace(arguments.topic_keys, "--force replaces it");
  }
  return outputs;
}

void tell_corpus(const TrainArguments& arguments, const papilio::Corpus& corpus, const papilio::ReadReport& report) {
  if (arguments.quiet) {
    return;
  }
  fmt::print(stderr, "read {} ({}): {} documents, {} words, {} tokens", arguments.corpus, report.format,
             grouped(corpus.documents()), grouped(corpus.vocabulary_size()), grouped(corpus.tokens()));
  const auto add = [](std::int64_t number, const char* what) {
    if (number > 0) {
      fmt::print(stderr, "; {} {}", grouped(number), what);
    }
  };
  add(report.empty_documents, "empty documents");
  add(report.stop_words_dropped, "stop words left out");
  add(report.rare_or_common_dropped, "rare or common tokens left out");
  add(report.invalid_utf8, "ill-formed UTF-8 sequences");
  fmt::print(stderr, "; training on {}\n", arguments.training.device.name());
}

class Run {
 public:
  Run(const TrainArguments& arguments, const Outputs& outputs, const papilio::Corpus& corpus)
      : arguments_(arguments),
        outputs_(outputs),
        corpus_(corpus),
        report_(arguments.progress, arguments.quiet, corpus.tokens()) {}

  ExitCode run() {
    std::optional<papilio::Topics> start;
    if (arguments_.resume) {
      start = load_start();
    }
    const InterruptWatch watch;
    papilio::TrainResult result = train(start ? &*start : nullptr);
    report_.finish();
    if (InterruptWatch::signal() != 0 && result.topics.sweep < arguments_.training.sweeps) {
      save_checkpoint(result.topics);
      save_model(result.model);
      return tell_interrupted(result);
    }
    save_model(result.model);
    finish_checkpoint(result.topics);
    write_topic_keys(result.model);
    tell_done(result);
    return ExitCode::ok;
  }

 private:
  papilio::Topics load_start() const {
    papilio::Topics start =
        reading([&] { return papilio::load_checkpoint(corpus_, arguments_.training, outputs_.checkpoint); });
    if (start.sweep > arguments_.training.sweeps) {
      throw CommandError(ExitCode::usage, fmt::format("--sweeps is {}, but {} has done {} already",
                                                      arguments_.training.sweeps, outputs_.checkpoint, start.sweep));
    }
    return start;
  }

  // Training stops for each checkpoint and goes on from its topics, which
  // changes nothing in the result.
  papilio::TrainResult train(const papilio::Topics* start) {
    papilio::TrainOptions options = arguments_.training;
    options.progress = [this](const papilio::Progress& progress) {
      report_.sweep(progress);
      const std::int64_t every = arguments_.checkpoint_every;
      return InterruptWatch::signal() == 0 && (every == 0 || progress.sweep % every != 0);
    };
    papilio::TrainResult result = papilio::train(corpus_, options, start);
    while (result.stopped && InterruptWatch::signal() == 0) {
      save_checkpoint(result.topics);
      const papilio::Topics topics = std::move(result.topics);
      result = papilio::train(corpus_, options, &topics);
    }
    return result;
  }

  void save_model(const papilio::Model& model) const {
    const std::int64_t bytes = (std::int64_t{4} * model.topics + 16) * model.vocabulary_size();
    writing(outputs_.model, bytes, [&] { papilio::save_model(model, outputs_.model); });
  }

  void save_checkpoint(const papilio::Topics& topics) const {
    writing(outputs_.checkpoint, 4 * corpus_.tokens(),
            [&] { papilio::save_checkpoint(topics, corpus_, arguments_.training, outputs_.checkpoint); });
  }

  // A finished run keeps its checkpoint only where one was asked for by name.
  void finish_checkpoint(const papilio::Topics& topics) const {
    if (!arguments_.checkpoint.empty()) {
      save_checkpoint(topics);
    } else if (arguments_.resume || arguments_.checkpoint_every > 0) {
      std::error_code error;
      fs::remove(outputs_.checkpoint, error);
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

  ExitCode tell_interrupted(const papilio::TrainResult& result) const {
    const bool again = arguments_.command.find(" --resume") != std::string::npos;
    fmt::print(stderr, "stopped after sweep {} of {}; the model so far is {}\nto go on: {}{}\n", result.topics.sweep,
               arguments_.training.sweeps, outputs_.model, arguments_.command, again ? "" : " --resume");
    return InterruptWatch::signal() == SIGTERM ? ExitCode::terminated : ExitCode::interrupted;
  }

  void tell_done(const papilio::TrainResult& result) const {
    if (report_.is_json()) {
      fmt::print(
          "{{\"event\":\"done\",\"documents\":{},\"words\":{},\"tokens\":{},\"topics\":{},\"sweeps\":{},"
          "\"log_joint_per_token\":{},\"tokens_per_second\":{:.0f},\"model\":{}}}\n",
          corpus_.documents(), corpus_.vocabulary_size(), corpus_.tokens(), result.model.topics, result.topics.sweep,
          result.log_joint_per_token, report_.tokens_per_second(), json_string(outputs_.model));
    } else if (!arguments_.quiet) {
      fmt::print("documents   {}\n", grouped(corpus_.documents()));
      fmt::print("words       {}\n", grouped(corpus_.vocabulary_size()));
      fmt::print("tokens      {}\n", grouped(corpus_.tokens()));
      fmt::print("topics      {}\n", grouped(result.model.topics));
      fmt::print("sweeps      {}\n", grouped(result.topics.sweep));
      fmt::print("likelihood  {:.4f} nats a token (log p(w, z))\n", result.log_joint_per_token);
      fmt::print("speed       {:.2f} million tokens a second\n", report_.tokens_per_second() / 1e6);
      fmt::print("model       {}\n", outputs_.model);
    }
  }

  const TrainArguments& arguments_;
  const Outputs& outputs_;
  const papilio::Corpus& corpus_;
  ProgressReport report_;
};

}  // namespace

ExitCode run_train(const TrainArguments& arguments) {
  const Outputs outputs = plan_outputs(arguments);
  papilio::ReadReport report;
  const papilio::Corpus corpus = read_corpus(arguments, report);
  tell_corpus(arguments, corpus, report);
  if (corpus.tokens() == 0) {
    throw CommandError(ExitCode::bad_data,
                       fmt::format("{} holds no words to train on ({} documents, {} tokens before words were left out)",
                                   arguments.corpus, grouped(corpus.documents()), grouped(report.tokens_read)));
  }
  return Run(arguments, outputs, corpus).run();
}
