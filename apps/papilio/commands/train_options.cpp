
#include <limits>

#include "commands/train_arguments.h"
#include "support/corpus_options.h"
#include "support/option_types.h"

namespace {

constexpr papilio::Choice<ProgressStyle> progress_styles[] = {
    {ProgressStyle::detect, "auto", "a live line on a terminal, else plain lines"},
    {ProgressStyle::plain, "plain", "lines on standard error"},
    {ProgressStyle::json, "json", "one JSON object per line on standard output"},
    {ProgressStyle::none, "none", "nothing"},
};

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
  add_explained_choice(app, "--sampler", training.sampler, papilio::samplers(), "How topics are drawn (docs/lda.md)")
      ->group("Model");
  add_explained_choice(app, "--schedule", training.schedule, papilio::schedules(),
                       "Which counts a token sees, for the samplers collapsed and phi_collapsed")
      ->group("Model");
  add_explained_choice(app, "--start", training.start, papilio::starts(), "How a new run begins (docs/lda/start.md)")
      ->group("Model");
  add_explained_choice(app, "--draws", training.draws, papilio::draw_kinds(),
                       "How draws are made, for the samplers collapsed, mean_for_mode and theta_collapsed "
                       "(docs/lda/sparse.md)")
      ->group("Model");
  add_explained_choice(app, "--partial-sums", training.method, papilio::partial_sums(),
                       "How a dense draw adds up its weights, for study: all methods draw from the same distribution")
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
  add_choice(app, "--held-out-format", arguments.held_out_format, papilio::corpus_formats(),
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
  add_explained_choice(app, "--progress", arguments.progress, progress_styles, "How progress is reported")
      ->group("Run");
  app.add_flag("-q,--quiet", arguments.quiet, "Print nothing but errors")->group("Run");
}

}  // namespace

void add_train_options(CLI::App& app, TrainArguments& arguments) {
  add_corpus_options(app, arguments.corpus);
  add_training_options(app, arguments);
  add_held_out_options(app, arguments);
  add_output_options(app, arguments);
}
