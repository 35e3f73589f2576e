#include "commands/train_options.h"

#include <limits>

#include "support/corpus_options.h"
#include "support/option_types.h"

namespace {

const std::map<std::string, ProgressStyle> progress_styles = {{"auto", ProgressStyle::detect},
                                                              {"plain", ProgressStyle::plain},
                                                              {"json", ProgressStyle::json},
                                                              {"none", ProgressStyle::none}};

template <class Enum>
std::map<std::string, Enum> by_name(std::initializer_list<Enum> values) {
  std::map<std::string, Enum> names;
  for (const Enum value : values) names[papilio::name(value)] = value;
  return names;
}

const auto samplers =
    by_name({papilio::Sampler::mean_for_mode, papilio::Sampler::uncollapsed, papilio::Sampler::theta_collapsed,
             papilio::Sampler::phi_collapsed, papilio::Sampler::collapsed});
const auto schedules = by_name({papilio::Schedule::parallel, papilio::Schedule::sequential});
const auto starts = by_name({papilio::Start::automatic, papilio::Start::uniform, papilio::Start::progressive});
const auto draws = by_name({papilio::Draws::automatic, papilio::Draws::dense, papilio::Draws::sparse});
const auto methods = [] {
  using enum papilio::PartialSums;
  return by_name({slots, prefix, transposed, transposed_through_scratch, butterfly_swap, butterfly_add_subtract,
                  butterfly_two_pass, transposed_remnant_first, butterfly_swap_remnant_first,
                  butterfly_add_subtract_remnant_first});
}();

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
  CLI::Option* alpha =
      app.add_option("--alpha", training.alpha, "Prior of documents' topics, each topic (MALLET's --alpha is the sum)")
          ->capture_default_str()
          ->check(prior())
          ->group("Model");
  app.add_option("--alpha-sum", arguments.alpha_sum, "The same, over all topics together")
      ->check(prior())
      ->excludes(alpha)
      ->group("Model");
  app.add_option("--beta", training.beta, "Prior of topics' words")
      ->capture_default_str()
      ->check(prior())
      ->group("Model");
  app.add_option("--seed,--random-seed", training.seed, "Same seed, same model")
      ->capture_default_str()
      ->check(seed())
      ->group("Model");
  add_choice(app, "--sampler", training.sampler, samplers, "How topics are drawn (docs/lda.md); collapsed by default")
      ->group("Model");
  add_choice(
      app, "--schedule", training.schedule, schedules,
      "Of collapsed and phi_collapsed: parallel, with the counts of the sweep's start, or the exact chain token by "
      "token in one thread")
      ->group("Model");
  add_choice(
      app, "--start", training.start, starts,
      "Sweeps over all documents from the first on, or 40 over a growing part of them, which takes less time to the "
      "same quality where topics are many; by default what suits the counts")
      ->group("Model");
  add_choice(app, "--draws", training.draws, draws,
             "Of collapsed, mean_for_mode and, where asked for, theta_collapsed: over all topics, or over those of the "
             "document "
             "and the word; by default what suits the counts")
      ->group("Model");
  add_choice(app, "--partial-sums", training.method, methods,
             "How sums are laid out in a draw, for study: all draw from the same distribution")
      ->group("Model");
  app.add_option("--optimize-interval", training.optimize_every,
                 "Sweeps between optimisations of the priors, alpha for each topic and beta; 0: they stay")
      ->capture_default_str()
      ->check(at_least<std::int64_t>(0))
      ->group("Model");
  app.add_option("--optimize-burn-in", training.optimize_after, "Sweeps before the first of them")
      ->capture_default_str()
      ->check(at_least<std::int64_t>(0))
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

void add_held_out_options(CLI::App& app, TrainArguments& arguments) {
  CLI::Option* held_out =
      app.add_option("--held-out", arguments.held_out,
                     "Documents that training does not see: their perplexity, as evaluate gives it, on the way")
          ->group("Run");
  app.add_option("--held-out-every", arguments.training.held_out_every, "Sweeps between these; 0: only after the last")
      ->capture_default_str()
      ->check(at_least<std::int64_t>(0))
      ->needs(held_out)
      ->group("Run");
  add_choice(app, "--held-out-format", arguments.held_out_format, corpus_formats_by_name(),
             "What they are; by default as --format")
      ->needs(held_out)
      ->group("Run");
}

void add_output_options(CLI::App& app, TrainArguments& arguments) {
  app.add_option("-o,--output", arguments.output, "The model; by default CORPUS.papilio.safetensors in this folder")
      ->group("Output");
  app.add_flag("--force", arguments.force, "Replace files that are there")->group("Output");
  app.add_option("--output-topic-keys", arguments.topic_keys, "Also write the topics' words, as MALLET does")
      ->group("Output");
  app.add_option("--num-top-words", arguments.top_words, "Words a topic there, and in diagnostics")
      ->capture_default_str()
      ->check(at_least<int>(1))
      ->group("Output");
  app.add_option("--output-doc-topics", arguments.outputs.document_topics.path,
                 "Also write the documents' topics: number, name, proportions; NumPy's form for a name in .npy")
      ->group("Output");
  app.add_option("--doc-topics-threshold", arguments.outputs.document_topics.threshold,
                 "There, only proportions of at least this")
      ->check(CLI::Range(0.0, 1.0))
      ->group("Output");
  app.add_option("--doc-topics-max", arguments.outputs.document_topics.most_topics,
                 "There, only so many topics a document; 0: all")
      ->check(at_least<int>(0))
      ->group("Output");
  app.add_option("--topic-word-weights-file", arguments.outputs.topic_words,
                 "Also write topic, word, n_wk + beta; phi as K x V in NumPy's form for a name in .npy")
      ->group("Output");
  app.add_option("--output-state", arguments.outputs.state, "Also write every token's topic, as MALLET does, gzip")
      ->group("Output");
  app.add_option("--diagnostics-file", arguments.outputs.diagnostics,
                 "Also write measures of each topic, as MALLET does")
      ->group("Output");
  app.add_option("--input-state", arguments.input_state,
                 "Begin with the topics of a state that MALLET or --output-state wrote of this corpus")
      ->group("Run");
  app.add_option("--checkpoint", arguments.checkpoint,
                 "Keep the chain here, to resume; by default beside the model, until the run is done")
      ->group("Run");
  app.add_option("--checkpoint-every", arguments.checkpoint_every, "Sweeps between checkpoints; 0: no matter how many")
      ->capture_default_str()
      ->check(at_least<std::int64_t>(0))
      ->group("Run");
  app.add_option("--checkpoint-minutes", arguments.checkpoint_minutes,
                 "Minutes between checkpoints, which never change the model; 0: no matter how many")
      ->capture_default_str()
      ->check(CLI::Range(0.0, 1e9))
      ->group("Run");
  app.add_flag("--resume", arguments.resume, "Go on from the checkpoint")->group("Run");
  add_choice(app, "--progress", arguments.progress, progress_styles,
             "auto: a live line on a terminal, else plain lines; json: one object a line on standard output")
      ->group("Run");
  app.add_flag("-q,--quiet", arguments.quiet, "Print nothing but errors")->group("Run");
}

}  // namespace

void add_train(CLI::App& app, TrainArguments& arguments) {
  CLI::App* train = app.add_subcommand("train", "Train a topic model on a corpus")->alias("train-topics");
  train->footer(
      "Examples:\n"
      "  papilio train corpus.txt -k 100 --stopwords english\n"
      "  papilio train docword.news.txt.gz -k 1000 --alpha-sum 50 --sweeps 500 --checkpoint-minutes 5\n"
      "  papilio train corpus.txt -k 100 --optimize-interval 10 --output-doc-topics topics.tsv\n"
      "  papilio train corpus.txt -k 100 --held-out held-out.txt --held-out-every 20\n"
      "  papilio train corpus.txt -k 100 --resume");
  add_corpus_options(*train, arguments.corpus);
  add_training_options(*train, arguments);
  add_held_out_options(*train, arguments);
  add_output_options(*train, arguments);
}
