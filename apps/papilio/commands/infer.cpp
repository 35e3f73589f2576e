#include <fmt/format.h>

#include <memory>

#include "commands/subcommands.h"
#include "papilio/device.h"
#include "papilio/distributed.h"
#include "papilio/evaluation.h"
#include "phrases/model_phrases.h"
#include "support/command_files.h"
#include "support/corpus_input.h"
#include "support/corpus_options.h"
#include "support/document_topics_file.h"
#include "support/files.h"
#include "support/job_ranks.h"
#include "support/option_types.h"
#include "support/output.h"
#include "support/text.h"

namespace {

struct InferArguments {
  std::string model;
  CorpusArguments corpus;
  DocumentTopicsOutput output;
  papilio::InferOptions options;
  std::string device = "cpu";  // as papilio::Device::parse reads it
  bool force = false;
  bool quiet = false;
  double rank_seconds = 300;  // how long a rank waits for the others
};

void write_output(const papilio::CorpusView& corpus, const papilio::DocumentTopics& inferred,
                  const DocumentTopicsOutput& output) {
  const std::int64_t values = inferred.documents * inferred.topics;
  writing(output.path, 12 * values, [&] {
    DocumentTopicsFile file(output, corpus, inferred.topics);
    for (std::int64_t d = 0; d < inferred.documents; ++d) {
      file.add(inferred.row(d));
    }
    file.commit();
  });
}

void check_infer(const InferArguments& arguments) {
  require_one_standard_input(arguments.corpus, {{"the corpus", arguments.corpus.path}});
  require_writable_form(arguments.output);
  require_no_new_phrases(arguments.corpus);
  if (arguments.options.burn_in >= arguments.options.sweeps) {
    throw CommandError(ExitCode::usage, fmt::format("--burn-in is {}, expected less than --sweeps, {}",
                                                    arguments.options.burn_in, arguments.options.sweeps));
  }
}

// ranks: null for the only process. Every rank infers its documents; rank 0 writes and prints.
ExitCode run_infer(InferArguments arguments, papilio::Communicator* ranks) {
  if (ranks != nullptr) require_no_standard_input({arguments.model, arguments.corpus.path});
  arguments.options.device =
      papilio::Device::parse(ranks == nullptr ? arguments.device : device_of_rank(arguments.device));
  CommandFiles files(arguments.force);
  files.reads("the model", arguments.model);
  files.reads(arguments.corpus);
  files.writes({.option = "-o", .path = arguments.output.path});
  if (is_first(ranks)) files.reserve();
  const papilio::Model model = reading([&] { return papilio::load_model(arguments.model); });
  arguments.corpus.text.threads = arguments.options.threads;
  use_phrases(model, arguments.model, arguments.corpus);
  papilio::ReadReport report;
  const InputCorpus input = open_own_documents(arguments.corpus, report, ranks);
  const papilio::CorpusView corpus = input.view();
  arguments.options.corpus_identity = input.known_identity();
  if (is_first(ranks)) {
    report.left_out[papilio::LeftOutReason::unknown] = input.unknown_words(model, arguments.options.threads);
  }
  const papilio::DocumentTopics inferred = ranks == nullptr ? papilio::infer(model, corpus, arguments.options)
                                                            : papilio::infer(model, corpus, arguments.options, *ranks);
  if (!is_first(ranks)) return ExitCode::ok;
  arguments.output.labels = model.labels;
  write_output(corpus, inferred, arguments.output);
  if (!arguments.quiet) {
    tell("inferred {} topics of {} documents ({}) from {} tokens\n{}", grouped(inferred.topics),
         grouped(inferred.documents), papilio::name(arguments.options.method), grouped(inferred.known_tokens),
         left_out_summary(report));
    tell(missing_phrases(model, arguments.model, arguments.corpus, corpus));
  }
  return ExitCode::ok;
}

void add_inference_options(CLI::App& infer, InferArguments& arguments) {
  papilio::InferOptions& options = arguments.options;
  add_explained_choice(infer, "--method", options.method, papilio::infer_methods(), "Method of inference")
      ->group("Inference");
  infer.add_option("--sweeps,--num-iterations", options.sweeps, "gibbs: number of sweeps, including burn-in")
      ->capture_default_str()
      ->check(at_least<int>(1))
      ->group("Inference");
  infer.add_option("--burn-in", options.burn_in, "gibbs: number of first sweeps that are not counted")
      ->capture_default_str()
      ->check(at_least<int>(0))
      ->group("Inference");
  infer.add_option("--em-steps", options.em_steps, "em: number of steps")
      ->capture_default_str()
      ->check(at_least<int>(1))
      ->group("Inference");
  infer.add_option("--seed,--random-seed", options.seed, "Same seed, same topics")
      ->capture_default_str()
      ->check(seed())
      ->group("Inference");
  infer.add_option("--threads,--num-threads", options.threads, "CPU threads, 0: all; never changes the result")
      ->capture_default_str()
      ->check(thread_count())
      ->group("Inference");
  infer.add_option("--device", arguments.device, "cpu, cuda, cuda:N or auto; never changes the result")
      ->capture_default_str()
      ->check(device_name())
      ->group("Inference");
  infer
      .add_option("--rank-timeout", arguments.rank_seconds,
                  "Under mpirun: seconds that a process waits for the slowest of the others (docs/distributed.md)")
      ->capture_default_str()
      ->check(between(0.001, 1e6))
      ->group("Inference");
}

}  // namespace

Subcommand add_infer(CLI::App& app) {
  const auto arguments = std::make_shared<InferArguments>();
  CLI::App* infer = app.add_subcommand("infer", "Infer the topics of new documents with a trained model");
  infer->add_option("model", arguments->model, "A model that train wrote")->required();
  add_corpus_options(*infer, arguments->corpus);
  infer
      ->add_option(
          "-o,--output,--output-doc-topics", arguments->output.path,
          "File for the result, tab-separated: document, name, proportions; a NumPy array if the name ends in .npy; "
          "- for standard output")
      ->required();
  infer
      ->add_option("--threshold,--doc-topics-threshold", arguments->output.threshold,
                   "Leave out proportions below this")
      ->check(between(0.0, 1.0))
      ->group("Output");
  infer
      ->add_option("--max-topics,--doc-topics-max", arguments->output.most_topics,
                   "At most this many topics per document; 0: all")
      ->check(at_least<int>(0))
      ->group("Output");
  infer->add_flag("--force", arguments->force, "Replace an existing file")->group("Output");
  infer->add_flag("-q,--quiet", arguments->quiet, "Print errors only")->group("Output");
  add_inference_options(*infer, *arguments);
  return {infer,
          [arguments](const std::string&) {
            const std::unique_ptr<papilio::Communicator> ranks = join_ranks(arguments->rank_seconds, arguments->device);
            return as_rank(ranks.get(), "infer", [&] { return run_infer(*arguments, ranks.get()); });
          },
          [arguments] { check_infer(*arguments); }, true};
}
