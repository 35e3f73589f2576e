#include "commands/train_inputs.h"

#include <fmt/format.h>

#include <cstdint>
#include <filesystem>
#include <iterator>
#include <string>
#include <system_error>

#include "papilio/mallet.h"
#include "phrases/model_phrases.h"
#include "support/corpus_options.h"
#include "support/exit_code.h"
#include "support/files.h"
#include "support/job_ranks.h"
#include "support/output.h"
#include "support/text.h"
#include "support/topic_keys.h"

void read_seed_words(TrainArguments& arguments, const papilio::CorpusView& corpus) {
  if (arguments.seed_words.empty()) return;
  papilio::SeedWordsReport report;
  papilio::TrainOptions& training = arguments.training;
  training.seed_words = reading([&] {
    return papilio::read_seed_words(
        arguments.seed_words, corpus.vocabulary,
        {.topics = training.topics, .weight = arguments.seed_weight, .max_memory = arguments.corpus.text.max_memory},
        &report);
  });
  if (training.seed_words.empty()) {
    throw CommandError(ExitCode::bad_data,
                       fmt::format("--seed-words {}: no words, expected a line per topic", arguments.seed_words));
  }
  if (report.unknown > 0) {
    std::string names;
    for (const std::string& word : report.examples) names += fmt::format("{} {}", names.empty() ? "" : ",", word);
    const bool more = report.unknown > std::ssize(report.examples);
    tell(fmt::format("papilio train: warning: {} seed word{} not in the vocabulary, left out:{}{}\n",
                     grouped(report.unknown), report.unknown == 1 ? " is" : "s are", printable(names),
                     more ? ", ..." : ""));
  }
  if (!arguments.quiet) tell(fmt::format("seed words: {}\n", seeds_summary(training.seed_words)));
}

std::optional<InputCorpus> open_held_out(const TrainArguments& arguments, const papilio::CorpusView& corpus) {
  if (arguments.held_out.empty()) {
    return std::nullopt;
  }
  papilio::Communicator* const ranks = arguments.training.ranks;
  std::error_code error;  // other ranks may lack the file: rank 0 alone reads most formats
  if (is_first(ranks) && arguments.held_out != "-" && !std::filesystem::exists(arguments.held_out, error) && !error) {
    throw CommandError(ExitCode::no_input,
                       fmt::format("cannot open {}: No such file or directory", printable(arguments.held_out)));
  }
  CorpusArguments from = held_out_arguments(arguments.corpus, arguments.held_out, arguments.held_out_format, ranks);
  ask_phrases_of_text_alone(from, ranks);
  use_phrases(corpus, from);
  papilio::ReadReport report;
  InputCorpus held_out = open_own_documents(from, report, ranks);
  if (!arguments.quiet) {
    tell("held out: {}\n{}", read_summary(from.path, report, held_out.view().vocabulary_size()),
         left_out_summary(report));
  }
  return held_out;
}

papilio::ChainState read_state(const TrainArguments& arguments, const papilio::CorpusView& corpus) {
  const papilio::MalletState state =
      reading([&] { return papilio::read_mallet_state(arguments.input_state, arguments.corpus.text.max_memory); });
  const std::int32_t topics = arguments.training.topics;
  if (state.topic_count > topics) {
    throw CommandError(ExitCode::usage,
                       fmt::format("-k is {}, but {} has {} topics", topics, arguments.input_state, state.topic_count));
  }
  papilio::ChainState start = papilio::match_topics(state, corpus);
  start.alpha.clear();  // the priors are those of this command line
  start.beta = 0;
  return start;
}
