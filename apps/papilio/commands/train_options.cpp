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

void add_number_of_topics(CLI::App& app, TrainArguments& arguments) {
  app.add_option("-k,--topics,--num-topics", arguments.training.topics, "Number of topics")
      ->capture_default_str()
      ->check(at_least<std::int32_t>(1))
      ->group("Model");
}

void add_seed_word_options(CLI::App& app, TrainArguments& arguments) {
  CLI::Option* seed_words =
      app.add_option("--seed-words", arguments.seed_words,
                     "File of words that belong to topics: a line per topic, as in '0: bank money loan' "
                     "(docs/lda/seed_words.md)")
          ->group("Model");
  app.add_option("--seed-weight", arguments.seed_weight,
                 "Weight of a seed word, in tokens of its topic, if its line gives none")
      ->capture_default_str()
      ->check(between<std::int32_t>(1, papilio::largest_seed_weight))
      ->needs(seed_words)
      ->group("Model");
}

void add_evaluation_options(CLI::App& app, TrainArguments& arguments) {
  app.add_option("--evaluate-every", arguments.training.evaluate_every,
                 "Sweeps between evaluations of the likelihood; 0: only after the last sweep")
      ->capture_default_str()
      ->check(at_least<std::int64_t>(0))
      ->group("Run");
  CLI::Option* held_out =
      app.add_option("--held-out", arguments.held_out,
                     "Documents that training does not see; reports their perplexity, as evaluate does")
          ->group("Run");
  app.add_option("--held-out-every", arguments.training.held_out_every,
                 "Sweeps between evaluations of the held-out documents; 0: only after the last sweep")
      ->capture_default_str()
      ->check(at_least<std::int64_t>(0))
      ->needs(held_out)
      ->group("Run");
  add_choice(app, "--held-out-format", arguments.held_out_format, papilio::corpus_formats(),
             "Format of the held-out documents; by default that of --format")
      ->needs(held_out)
      ->group("Run");
}

void add_output_options(CLI::App& app, TrainArguments& arguments) {
  app.add_option("-o,--output", arguments.output,
                 "File for the model; by default CORPUS.papilio.safetensors in the current folder")
      ->group("Output");
  app.add_flag("--force", arguments.force, "Replace existing files")->group("Output");
  app.add_option("--output-topic-keys", arguments.topic_keys,
                 "Also write the top words of each topic, in MALLET's format")
      ->group("Output");
  app.add_option("--num-top-words", arguments.top_words, "Words per topic in topic keys and diagnostics")
      ->capture_default_str()
      ->check(at_least<int>(1))
      ->group("Output");
  app.add_option(
         "--output-doc-topics", arguments.outputs.document_topics.path,
         "Also write the topics of each document: number, name, proportions; a NumPy array if the name ends in .npy")
      ->group("Output");
  app.add_option("--doc-topics-threshold", arguments.outputs.document_topics.threshold,
                 "With --output-doc-topics: leave out proportions below this")
      ->check(between(0.0, 1.0))
      ->group("Output");
  app.add_option("--doc-topics-max", arguments.outputs.document_topics.most_topics,
                 "With --output-doc-topics: at most this many topics per document; 0: all")
      ->check(at_least<int>(0))
      ->group("Output");
  app.add_option("--topic-word-weights-file", arguments.outputs.topic_words,
                 "Also write topic, word, n_wk + beta; phi as a K x V NumPy array if the name ends in .npy")
      ->group("Output");
  app.add_option("--output-state", arguments.outputs.state,
                 "Also write the topic of each token, in MALLET's format (gzip)")
      ->group("Output");
  app.add_option("--diagnostics-file", arguments.outputs.diagnostics,
                 "Also write diagnostics of each topic, in MALLET's format")
      ->group("Output");
}

void add_run_options(CLI::App& app, TrainArguments& arguments) {
  app.add_option("--input-state", arguments.input_state,
                 "Start from a state of this corpus that MALLET or --output-state wrote")
      ->group("Run");
  app.add_option("--checkpoint", arguments.checkpoint,
                 "File for checkpoints; by default beside the model, and removed when the run is done")
      ->group("Run");
  app.add_option("--checkpoint-every", arguments.checkpoint_every, "Sweeps between checkpoints; 0: by time only")
      ->capture_default_str()
      ->check(at_least<std::int64_t>(0))
      ->group("Run");
  app.add_option("--checkpoint-minutes", arguments.checkpoint_minutes,
                 "Minutes between checkpoints; 0: by sweeps only. Checkpoints never change the model")
      ->capture_default_str()
      ->check(between(0.0, 1e9))
      ->group("Run");
  app.add_option("--rank-timeout", arguments.rank_seconds,
                 "Under mpirun: seconds that a process waits for the slowest of the others (docs/distributed.md)")
      ->capture_default_str()
      ->check(between(0.001, 1e6))
      ->group("Run");
  app.add_flag("--resume", arguments.resume, "Continue from the checkpoint")->group("Run");
  add_explained_choice(app, "--progress", arguments.progress, progress_styles, "How progress is reported")
      ->group("Run");
  app.add_flag("-q,--quiet", arguments.quiet, "Print errors only")->group("Run");
  app.add_flag("-v,--verbose", arguments.verbose, "Also show speed and how draws are made on the live line")
      ->group("Run");
}

void add_priors(CLI::App& app, TrainArguments& arguments) {
  papilio::TrainOptions& training = arguments.training;
  CLI::Option* alpha =
      app.add_option("--alpha", training.alpha,
                     "Prior of the topics of a document, for each topic (MALLET's --alpha is the sum over topics)")
          ->capture_default_str()
          ->check(prior())
          ->group("Model");
  app.add_option("--alpha-sum", arguments.alpha_sum, "Sum of alpha over all topics, in place of --alpha")
      ->check(prior())
      ->excludes(alpha)
      ->group("Model");
  app.add_option("--beta", training.beta, "Prior of the words of a topic, for each word")
      ->capture_default_str()
      ->check(prior())
      ->group("Model");
}

void add_sampling_options(CLI::App& app, papilio::TrainOptions& training) {
  add_explained_choice(app, "--sampler", training.sampler, papilio::samplers(), "How topics are drawn (docs/lda.md)")
      ->group("Model");
  add_explained_choice(app, "--schedule", training.schedule, papilio::schedules(),
                       "Which counts a draw uses, for the samplers collapsed and phi_collapsed")
      ->group("Model");
  add_explained_choice(app, "--start", training.start, papilio::starts(), "How a new run begins (docs/lda/start.md)")
      ->group("Model");
  add_explained_choice(app, "--draws", training.draws, papilio::draw_kinds(),
                       "How draws are made, for the samplers collapsed, mean_for_mode and theta_collapsed "
                       "(docs/lda/sparse.md, docs/lda/alias.md)")
      ->group("Model");
  app.add_option("--mh-steps", training.mh_steps,
                 "Proposals per token and sweep of alias draws, by word and by document in turn")
      ->capture_default_str()
      ->check(between(1, 64))
      ->group("Model");
  add_explained_choice(app, "--partial-sums", training.method, papilio::partial_sums(),
                       "How a dense draw adds up its weights, for study: all methods draw from the same distribution")
      ->group("Model");
}

void add_optimization_options(CLI::App& app, papilio::TrainOptions& training) {
  app.add_option("--optimize-interval", training.optimize_every,
                 "Sweeps between optimisations of the priors (alpha of each topic, and beta); 0: never")
      ->capture_default_str()
      ->check(at_least<std::int64_t>(0))
      ->group("Model");
  app.add_option("--optimize-burn-in", training.optimize_after, "Sweeps before the first optimisation of the priors")
      ->capture_default_str()
      ->check(at_least<std::int64_t>(0))
      ->group("Model");
}

void add_processor_options(CLI::App& app, TrainArguments& arguments) {
  papilio::TrainOptions& training = arguments.training;
  app.add_option(
         "--device", arguments.device,
         "Device to train on, or several GPUs; never changes the model. By default PAPILIO_DEVICE, else the first GPU, "
         "else the CPU")
      ->check(device_names())
      ->option_text("auto|cpu|cuda|cuda:N|cuda:all|cuda:N,N")
      ->group("Run");
  app.add_option("--max-device-memory", training.max_device_memory,
                 "Memory of the GPU that training may take, in bytes; 0: nearly all that is free. What does not fit is "
                 "streamed from the host's memory, which never changes the model")
      ->capture_default_str()
      ->check(at_least<std::int64_t>(0))
      ->group("Run");
  app.add_option("--threads,--num-threads", training.threads, "CPU threads, 0: all; never changes the model")
      ->capture_default_str()
      ->check(thread_count())
      ->group("Run");
}

}  // namespace

void add_model_options(CLI::App& app, TrainArguments& arguments) {
  papilio::TrainOptions& training = arguments.training;
  app.add_option("--sweeps,--num-iterations", training.sweeps,
                 "Number of sweeps over the tokens, in all (a resumed run counts those before)")
      ->capture_default_str()
      ->check(between(std::int64_t{1}, std::int64_t{std::numeric_limits<std::uint32_t>::max()}))
      ->group("Model");
  add_priors(app, arguments);
  app.add_option("--seed,--random-seed", training.seed, "Same seed, same model")
      ->capture_default_str()
      ->check(seed())
      ->group("Model");
  add_sampling_options(app, training);
  add_optimization_options(app, training);
  add_processor_options(app, arguments);
}

void add_train_options(CLI::App& app, TrainArguments& arguments) {
  add_corpus_options(app, arguments.corpus);
  add_number_of_topics(app, arguments);
  add_model_options(app, arguments);
  add_seed_word_options(app, arguments);
  add_evaluation_options(app, arguments);
  add_output_options(app, arguments);
  add_run_options(app, arguments);
}
