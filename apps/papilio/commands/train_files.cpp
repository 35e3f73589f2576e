#include "commands/train_files.h"

#include <fmt/format.h>

#include <optional>
#include <string_view>
#include <vector>

#include "advice/made_from.h"
#include "papilio/lda.h"
#include "support/checkpoint_file.h"
#include "support/corpus_options.h"
#include "support/files.h"

namespace {

void require_file_name(const std::string& path) {
  if (path == "-") {
    throw CommandError(ExitCode::usage, "train writes only to files, not to standard output (-); expected a file name");
  }
}

// An existing file is replaced only with --force, or with --resume if it belongs to the run. A model replaces a papilio
// model, never another file, with --resume, and also without it if it has its default name and require_own_model
// agrees.
void declare_outputs(const TrainArguments& arguments, const TrainFiles& outputs, CommandFiles& files) {
  const bool may_replace_model = (arguments.output.empty() || arguments.resume) && is_model(outputs.model);
  files.writes({.option = arguments.output.empty() ? "the default of -o," : "-o",
                .path = outputs.model,
                .advice = "use --force to replace it, or -o for another name",
                .may_replace = may_replace_model,
                .takes_streams = false});
  const std::string checkpoint = arguments.checkpoint.empty() ? "the default of --checkpoint," : "--checkpoint";
  files.writes({.option = checkpoint,
                .path = outputs.checkpoint,
                .advice = "use --resume to continue its run, or --force to start again",
                .may_replace = arguments.resume,
                .takes_streams = false});
  files.writes({.option = "the previous checkpoint,",
                .path = papilio::previous_checkpoint(outputs.checkpoint),
                .takes_streams = false,
                .goes_with_last = true});
  std::vector<NamedOutput> beside = named_outputs(arguments.outputs);
  beside.push_back({"--output-topic-keys", arguments.topic_keys});
  for (const NamedOutput& output : beside) {
    files.writes({.option = output.option, .path = output.path, .may_replace = arguments.resume});
  }
  for (const std::string& path : {outputs.model, arguments.checkpoint}) require_file_name(path);
  for (const NamedOutput& output : beside) require_file_name(output.path);
}

}  // namespace

std::string default_checkpoint(const std::string& model) {
  constexpr std::string_view ending = ".papilio.safetensors";
  const std::string_view stem =
      model.ends_with(ending) ? std::string_view(model).substr(0, model.size() - ending.size()) : model;
  return fmt::format("{}.checkpoint.safetensors", stem);
}

TrainFiles plan_files(const TrainArguments& arguments) {
  TrainFiles outputs;
  outputs.model =
      arguments.output.empty() ? corpus_name(arguments.corpus.path) + ".papilio.safetensors" : arguments.output;
  outputs.checkpoint = arguments.checkpoint.empty() ? default_checkpoint(outputs.model) : arguments.checkpoint;
  return outputs;
}

void reserve_files(const TrainArguments& arguments, const TrainFiles& outputs, CommandFiles& files) {
  files.reads(arguments.corpus);
  if (!arguments.held_out.empty()) {
    CorpusArguments held_out = arguments.corpus;
    held_out.path = arguments.held_out;
    held_out.format = arguments.held_out_format;
    files.reads(held_out, "--held-out");
  }
  files.reads("--input-state", arguments.input_state);
  files.reads("--seed-words", arguments.seed_words);
  declare_outputs(arguments, outputs, files);
  const bool is_begun = CheckpointFile::exists(outputs.checkpoint);
  if (arguments.resume && !is_begun) {
    std::string why;
    if (arguments.checkpoint.empty() && is_model(outputs.model)) {
      why = fmt::format(
          "; a run that is done removes it, and {} is there. To be able to continue after the last sweep, train with "
          "--checkpoint FILE, which is kept",
          outputs.model);
    }
    throw CommandError(ExitCode::no_input,
                       fmt::format("cannot resume: checkpoint {} does not exist{}", outputs.checkpoint, why));
  }
  files.reserve();
  if (is_begun && !arguments.resume && !arguments.force) {  // if there is only the previous checkpoint
    throw CommandError(ExitCode::cannot_create,
                       fmt::format("{} exists; use --resume to continue its run, or --force to start again",
                                   papilio::previous_checkpoint(outputs.checkpoint)));
  }
}

void require_own_model(const TrainArguments& arguments, const TrainFiles& outputs, const InputCorpus& corpus,
                       const papilio::ReadReport& report) {
  if (!arguments.output.empty() || arguments.force || arguments.resume) return;
  std::optional<papilio::Model> model;
  try {
    model = papilio::load_model(outputs.model);
  } catch (const papilio::Error&) {
    return;  // there is no model to replace
  }
  const papilio::TextOptions usual;
  const bool words_left_out = report.format == papilio::name(CorpusFormat::corpus_file) ||  // when it was imported
                              report.stop_words_dropped + report.rare_or_common_dropped > 0 ||
                              arguments.corpus.text.min_token_length > usual.min_token_length;
  const std::vector<std::int64_t> counts = corpus.word_counts(arguments.corpus.text.threads);
  const CountedWords counted = {corpus.view().vocabulary, counts};
  if (is_made_from(*model, counted, words_left_out)) return;
  throw CommandError(
      ExitCode::cannot_create,
      fmt::format(
          "{} was made from another corpus ({}) than {} ({}); use --force to replace it, or -o for another name",
          outputs.model, corpus_description(*model), arguments.corpus.path, corpus_description(counted)));
}
