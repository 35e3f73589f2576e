#include <fmt/format.h>

#include <cmath>
#include <memory>
#include <optional>

#include "commands/subcommands.h"
#include "papilio/device.h"
#include "papilio/distributed.h"
#include "papilio/evaluation.h"
#include "phrases/model_phrases.h"
#include "support/corpus_input.h"
#include "support/corpus_options.h"
#include "support/files.h"
#include "support/job_ranks.h"
#include "support/option_types.h"
#include "support/output.h"
#include "support/text.h"

namespace {

enum class EvaluateFormat { text, json };
constexpr papilio::Choice<EvaluateFormat> formats[] = {
    {EvaluateFormat::text, "text", "a table to read"},
    {EvaluateFormat::json, "json", "one JSON object, with the coherence of each topic"},
};

constexpr int diversity_words = 25;

struct EvaluateArguments {
  std::string model;
  std::string held_out;
  std::string training;
  std::string reference;
  CorpusArguments reading;  // how to read each of these corpora
  int top_words = 10;
  int particles = 0;  // 0: no left-to-right estimate
  std::uint64_t seed = 0;
  int threads = 0;
  std::string device = "cpu";  // as papilio::Device::parse reads it
  EvaluateFormat format = EvaluateFormat::text;
  double rank_seconds = 300;  // how long a rank waits for the others
};

struct Evaluation {
  std::int32_t topics = 0;
  double diversity = 0;
  std::optional<papilio::Completion> completion;
  std::optional<papilio::LeftToRight> left_to_right;
  std::optional<papilio::Coherence> umass;
  std::optional<papilio::Coherence> npmi;
  std::optional<papilio::Coherence> c_v;
};

// Prints what was left out, how many words the model does not know, and where phrases are missing. ranks: those that
// each score their own documents of the corpus; null: none.
InputCorpus read_named(const std::string& path, const papilio::Model& model, const EvaluateArguments& arguments,
                       papilio::Communicator* ranks = nullptr) {
  CorpusArguments reading = arguments.reading;
  reading.path = path;
  reading.text.threads = arguments.threads;
  ask_phrases_of_text_alone(reading, ranks);
  use_phrases(model, arguments.model, reading);
  papilio::ReadReport report;
  InputCorpus corpus = open_own_documents(reading, report, ranks);
  if (!is_first(ranks)) return corpus;
  report.left_out[papilio::LeftOutReason::unknown] = corpus.unknown_words(model, arguments.threads);
  if (const std::string summary = left_out_summary(report); !summary.empty()) {
    tell("{}: {}", printable(path), summary);
  }
  tell(missing_phrases(model, arguments.model, reading, corpus.view()));
  return corpus;
}

// Computes the scores of held-out documents; each rank scores its own.
void score_held_out(const papilio::Model& model, const EvaluateArguments& arguments, const papilio::Device& device,
                    papilio::Communicator* ranks, Evaluation& result) {
  const InputCorpus input = read_named(arguments.held_out, model, arguments, ranks);
  const papilio::CorpusView corpus = input.view();
  const papilio::CorpusIdentity* const identity = input.known_identity();
  const papilio::CompletionOptions completion = {
      .seed = arguments.seed, .threads = arguments.threads, .device = device, .corpus_identity = identity};
  result.completion = ranks == nullptr ? papilio::complete_documents(model, corpus, completion)
                                       : papilio::complete_documents(model, corpus, completion, *ranks);
  if (result.completion->tokens == 0) {
    throw CommandError(ExitCode::bad_data,
                       fmt::format("{} has no document with two words that the model knows", arguments.held_out));
  }
  if (arguments.particles == 0) return;
  const papilio::LeftToRightOptions particles = {.particles = arguments.particles,
                                                 .seed = arguments.seed,
                                                 .threads = arguments.threads,
                                                 .corpus_identity = identity};
  result.left_to_right = ranks == nullptr ? papilio::left_to_right(model, corpus, particles)
                                          : papilio::left_to_right(model, corpus, particles, *ranks);
}

// ranks: null for the only process. Only rank 0 computes coherence and knows all results.
Evaluation evaluate(const EvaluateArguments& arguments, papilio::Communicator* ranks) {
  const papilio::Device device =
      papilio::Device::parse(ranks == nullptr ? arguments.device : device_of_rank(arguments.device));
  const papilio::Model model = reading([&] { return papilio::load_model(arguments.model); });
  Evaluation result;
  result.topics = model.topics;
  if (!arguments.held_out.empty()) score_held_out(model, arguments, device, ranks, result);
  if (!is_first(ranks)) return result;
  result.diversity = papilio::diversity(model, diversity_words);
  const auto coherence = [&](const papilio::CorpusView& corpus, papilio::CoherenceMeasure measure) {
    return papilio::coherence(model, corpus,
                              {.measure = measure, .top_words = arguments.top_words, .threads = arguments.threads});
  };
  if (!arguments.training.empty()) {
    result.umass = coherence(read_named(arguments.training, model, arguments).view(), papilio::CoherenceMeasure::umass);
  }
  if (!arguments.reference.empty()) {
    const InputCorpus input = read_named(arguments.reference, model, arguments);
    const papilio::CorpusView corpus = input.view();
    if (corpus.is_bag_of_words()) {
      tell("warning: {} is a bag of words, without the order of the text: npmi and c_v mean little\n",
           arguments.reference);
    }
    result.npmi = coherence(corpus, papilio::CoherenceMeasure::npmi);
    result.c_v = coherence(corpus, papilio::CoherenceMeasure::c_v);
  }
  return result;
}

void print_coherence(const char* label, const papilio::Coherence& coherence, const std::string& corpus) {
  const std::string counted =
      coherence.window == 0 ? fmt::format("{} documents", grouped(coherence.windows))
                            : fmt::format("{} windows of {} tokens", grouped(coherence.windows), coherence.window);
  print("{:<11} {:.4f}, mean over topics; top {} words, {} of {}", label, coherence.mean, coherence.top_words, counted,
        printable(corpus));
  if (coherence.missing_words > 0) {
    print("; {} of the words do not occur", grouped(coherence.missing_words));
  }
  print("\n");
}

void print_text(const Evaluation& result, const EvaluateArguments& arguments) {
  print("model       {}, {} topics\n", printable(arguments.model), grouped(result.topics));
  print("diversity   {:.4f}, share of distinct words among the topics' top {}\n", result.diversity, diversity_words);
  if (result.completion) {
    const papilio::Completion& completion = *result.completion;
    print(
        "perplexity  {:.2f}, {:.6f} nats per token; {} of {}, document completion: {} tokens scored, {} seen, "
        "split by seed {}\n",
        completion.perplexity(), completion.nats_per_token(),
        fmt::format("{} documents", grouped(completion.documents)), printable(arguments.held_out),
        grouped(completion.tokens), grouped(completion.tokens_seen), arguments.seed);
    print("left out    {} tokens of unknown words, {} documents of fewer than two known tokens\n",
          grouped(completion.unknown_tokens), grouped(completion.left_out));
  }
  if (result.left_to_right) {
    print("left-right  {:.2f}, {:.6f} nats per token; whole documents of {}: {} tokens, {} particles, seed {}\n",
          result.left_to_right->perplexity(), result.left_to_right->nats_per_token(), printable(arguments.held_out),
          grouped(result.left_to_right->tokens), arguments.particles, arguments.seed);
  }
  if (result.umass) {
    print_coherence("umass", *result.umass, arguments.training);
  }
  if (result.npmi) {
    print_coherence("npmi", *result.npmi, arguments.reference);
    print_coherence("c_v", *result.c_v, arguments.reference);
  }
}

std::string json_number(double value) { return std::isfinite(value) ? fmt::format("{}", value) : "null"; }

void print_coherence_json(const char* name, const papilio::Coherence& coherence, const std::string& corpus) {
  print(
      ",\n\"{}\":{{\"mean\":{},\"top_words\":{},\"window\":{},\"windows\":{},\"missing_words\":{},\"corpus\":{},"
      "\"topics\":[",
      name, json_number(coherence.mean), coherence.top_words,
      coherence.window == 0 ? "null" : fmt::format("{}", coherence.window), coherence.windows, coherence.missing_words,
      json_string(corpus));
  const char* separator = "";
  for (const double topic : coherence.topics) {
    print("{}{}", separator, json_number(topic));
    separator = ",";
  }
  print("]}}");
}

void print_json(const Evaluation& result, const EvaluateArguments& arguments) {
  print("{{\"model\":{},\"topics\":{},\n\"diversity\":{{\"value\":{},\"top_words\":{}}}", json_string(arguments.model),
        result.topics, json_number(result.diversity), diversity_words);
  if (result.completion) {
    const papilio::Completion& completion = *result.completion;
    print(
        ",\n\"document_completion\":{{\"perplexity\":{},\"nats_per_token\":{},\"documents\":{},\"left_out\":{},"
        "\"tokens\":{},\"tokens_seen\":{},\"unknown_tokens\":{},\"seed\":{},\"corpus\":{}}}",
        json_number(completion.perplexity()), json_number(completion.nats_per_token()), completion.documents,
        completion.left_out, completion.tokens, completion.tokens_seen, completion.unknown_tokens, arguments.seed,
        json_string(arguments.held_out));
  }
  if (result.left_to_right) {
    print(
        ",\n\"left_to_right\":{{\"perplexity\":{},\"nats_per_token\":{},\"tokens\":{},\"particles\":{},\"seed\":{},"
        "\"corpus\":{}}}",
        json_number(result.left_to_right->perplexity()), json_number(result.left_to_right->nats_per_token()),
        result.left_to_right->tokens, arguments.particles, arguments.seed, json_string(arguments.held_out));
  }
  if (result.umass) {
    print_coherence_json("umass", *result.umass, arguments.training);
  }
  if (result.npmi) {
    print_coherence_json("npmi", *result.npmi, arguments.reference);
    print_coherence_json("c_v", *result.c_v, arguments.reference);
  }
  print("}}\n");
}

void check_evaluate(const EvaluateArguments& arguments) {
  if (arguments.particles > 0 && arguments.held_out.empty()) {
    throw CommandError(ExitCode::usage, "--left-to-right is given without --held-out; it scores held-out documents");
  }
  require_no_new_phrases(arguments.reading);
  require_one_standard_input(
      arguments.reading,
      {{"--held-out", arguments.held_out}, {"--corpus", arguments.training}, {"--reference", arguments.reference}});
}

ExitCode run_evaluate(const EvaluateArguments& arguments, papilio::Communicator* ranks) {
  if (ranks != nullptr) {
    require_no_standard_input({arguments.model, arguments.held_out, arguments.training, arguments.reference});
  }
  const Evaluation result = evaluate(arguments, ranks);
  if (!is_first(ranks)) return ExitCode::ok;
  if (arguments.format == EvaluateFormat::json) {
    print_json(result, arguments);
  } else {
    print_text(result, arguments);
  }
  return ExitCode::ok;
}

}  // namespace

Subcommand add_evaluate(CLI::App& app) {
  const auto arguments = std::make_shared<EvaluateArguments>();
  CLI::App* evaluate = app.add_subcommand("evaluate", "Evaluate a model: perplexity, coherence, diversity");
  evaluate->add_option("model", arguments->model, "A model that train wrote")->required();
  evaluate->add_option("--held-out", arguments->held_out, "Documents that training did not see, for perplexity");
  evaluate->add_option("--corpus", arguments->training, "The training corpus, for UMass coherence");
  evaluate->add_option("--reference", arguments->reference,
                       "A reference corpus with words in the order of the text, for NPMI and C_v coherence");
  evaluate
      ->add_option("--left-to-right", arguments->particles,
                   "Particles of the left-to-right estimate of the likelihood of whole held-out documents (slow); 0: "
                   "no estimate")
      ->check(between(0, 1'000'000));
  evaluate->add_option("-n,--num-top-words", arguments->top_words, "Words per topic for coherence")
      ->capture_default_str()
      ->check(between(2, 1000));
  evaluate->add_option("--seed,--random-seed", arguments->seed, "Seed of the held-out split and of the particles")
      ->capture_default_str()
      ->check(seed());
  evaluate->add_option("--threads,--num-threads", arguments->threads, "CPU threads, 0: all; never changes the result")
      ->capture_default_str()
      ->check(thread_count());
  evaluate
      ->add_option("--device", arguments->device,
                   "Where to complete documents: cpu, cuda, cuda:N or auto; never changes the result. The other "
                   "measures run on the CPU")
      ->capture_default_str()
      ->check(device_name());
  add_explained_choice(*evaluate, "--format", arguments->format, formats, "What to print");
  add_reading_options(*evaluate, arguments->reading, "--corpus-format");
  evaluate
      ->add_option("--rank-timeout", arguments->rank_seconds,
                   "Under mpirun: seconds that a process waits for the slowest of the others (docs/distributed.md)")
      ->capture_default_str()
      ->check(between(0.001, 1e6));
  return {evaluate,
          [arguments](const std::string&) {
            const std::unique_ptr<papilio::Communicator> ranks = join_ranks(arguments->rank_seconds, arguments->device);
            return as_rank(ranks.get(), "evaluate", [&] { return run_evaluate(*arguments, ranks.get()); });
          },
          [arguments] { check_evaluate(*arguments); }, true};
}
