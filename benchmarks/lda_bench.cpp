// The time of a sweep of training, whole (draws, counts, theta, phi), on any device:
//
//   papilio_lda_bench --docword FILE [--vocab FILE] --topics 16,64,256,1024 --device cuda
//
// Two sweeps come first, untimed. A GPU is waited for once, after the last sweep.

#include <fmt/format.h>

#include <charconv>
#include <chrono>
#include <cstdio>
#include <map>
#include <memory>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "papilio/device.h"
#include "papilio/lda.h"
#include "papilio/version.h"

namespace {

constexpr std::string_view usage = R"(usage: papilio_lda_bench [OPTION VALUE]...
  --docword FILE    a corpus in UCI bag-of-words format; without it one is generated
  --vocab FILE      its words
  --generate D,V,L  a corpus of D documents of about L of V words (43556,37286,70)
  --topics LIST     numbers of topics (16,64,256,1024)
  --sweeps N        timed sweeps (20)
  --seed N          (1)
  --sampler NAME    mean_for_mode, uncollapsed, theta_collapsed, phi_collapsed or collapsed (collapsed)
  --schedule NAME   parallel or sequential (parallel)
  --method NAME     how weights are added up (slots)
  --draws NAME      dense, as in the papers, sparse or automatic (dense)
  --threads N       of the CPU (0: all)
  --device NAME     cpu, cuda or cuda:N; by default the best there is
  --json FILE       also writes what it prints as JSON
)";
constexpr std::int64_t warm_up = 2;

struct Options {
  std::string docword;
  std::string vocab;
  std::vector<std::int64_t> generate = {43556, 37286, 70};
  std::vector<std::int64_t> topics = {16, 64, 256, 1024};
  std::int64_t sweeps = 20;
  std::int64_t seed = 1;
  std::int64_t threads = 0;
  papilio::Sampler sampler = papilio::Sampler::collapsed;
  papilio::Schedule schedule = papilio::Schedule::parallel;
  papilio::PartialSums method = papilio::PartialSums::slots;
  papilio::Draws draws = papilio::Draws::dense;
  papilio::Device device = papilio::Device::best();
  std::string json;
};

struct Result {
  std::int64_t topics = 0;
  double seconds_per_sweep = 0;
  double tokens_per_second = 0;
  double log_joint_per_token = 0;
};

std::int64_t number(std::string_view text) {
  std::int64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size() || value < 0) {
    throw std::runtime_error(fmt::format("\"{}\" is no number\n{}", text, usage));
  }
  return value;
}

std::vector<std::int64_t> numbers(std::string_view text) {
  std::vector<std::int64_t> list;
  while (true) {
    const std::size_t comma = text.find(',');
    list.push_back(number(text.substr(0, comma)));
    if (comma == std::string_view::npos) return list;
    text.remove_prefix(comma + 1);
  }
}

Options parse(const std::vector<std::string_view>& arguments) {
  Options options;
  for (std::size_t i = 0; i < arguments.size(); i += 2) {
    const std::string_view name = arguments[i];
    if (i + 1 == arguments.size()) throw std::runtime_error(std::string(usage));
    const std::string_view value = arguments[i + 1];
    if (name == "--docword") {
      options.docword = value;
    } else if (name == "--vocab") {
      options.vocab = value;
    } else if (name == "--generate") {
      options.generate = numbers(value);
    } else if (name == "--topics") {
      options.topics = numbers(value);
    } else if (name == "--sweeps") {
      options.sweeps = number(value);
    } else if (name == "--seed") {
      options.seed = number(value);
    } else if (name == "--threads") {
      options.threads = number(value);
    } else if (name == "--sampler") {
      options.sampler = papilio::parse_sampler(value);
    } else if (name == "--schedule") {
      options.schedule = papilio::parse_schedule(value);
    } else if (name == "--method") {
      options.method = papilio::parse_partial_sums(value);
    } else if (name == "--draws") {
      options.draws = papilio::parse_draws(value);
    } else if (name == "--device") {
      options.device = papilio::Device::parse(value);
    } else if (name == "--json") {
      options.json = value;
    } else {
      throw std::runtime_error(fmt::format("unknown option {}\n{}", name, usage));
    }
  }
  if (options.sweeps < 1 || options.generate.size() != 3) throw std::runtime_error(std::string(usage));
  return options;
}

papilio::Corpus corpus_of(const Options& options) {
  if (!options.docword.empty()) return papilio::read_uci_bag_of_words(options.docword, options.vocab);
  return papilio::generate_corpus({.documents = options.generate[0],
                                   .vocabulary = options.generate[1],
                                   .mean_length = static_cast<double>(options.generate[2]),
                                   .seed = 1})
      .corpus;
}

// The chain stops after the warm-up and goes on from there, timed.
Result measure(const papilio::Corpus& corpus, const Options& options, std::int64_t topics) {
  papilio::TrainOptions training = {.topics = static_cast<std::int32_t>(topics),
                                    .sweeps = warm_up,
                                    .seed = static_cast<std::uint64_t>(options.seed),
                                    .threads = static_cast<int>(options.threads),
                                    .device = options.device,
                                    .sampler = options.sampler,
                                    .evaluate_every = 0,
                                    .schedule = options.schedule,
                                    .start = papilio::Start::uniform,
                                    .draws = options.draws,
                                    .method = options.method};
  const papilio::ChainState warm = papilio::train(corpus, training).topics;
  Result result = {.topics = topics};
  training.sweeps = warm_up + options.sweeps;
  training.progress_every = training.sweeps;
  training.progress = [&](const papilio::Progress& progress) {
    result.tokens_per_second = progress.tokens_per_second;
    return true;
  };
  result.log_joint_per_token = papilio::train(corpus, training, &warm).log_joint_per_token;
  result.seconds_per_sweep = static_cast<double>(corpus.tokens()) / result.tokens_per_second;
  return result;
}

void write_json(const Options& options, const papilio::Corpus& corpus, const std::vector<Result>& results) {
  const std::unique_ptr<std::FILE, int (*)(std::FILE*)> file(std::fopen(options.json.c_str(), "w"), std::fclose);
  if (!file) throw std::runtime_error(fmt::format("cannot write {}", options.json));
  fmt::print(file.get(),
             "{{\n  \"version\": \"{}\",\n  \"device\": \"{}\",\n  \"device_description\": \"{}\",\n"
             "  \"cpu_target\": \"{}\",\n  \"threads\": {},\n  \"corpus\": \"{}\",\n  \"documents\": {},\n"
             "  \"words\": {},\n  \"tokens\": {},\n  \"sweeps\": {},\n  \"warm_up\": {},\n  \"seed\": {},\n"
             "  \"sampler\": \"{}\",\n  \"schedule\": \"{}\",\n  \"method\": \"{}\",\n  \"draws\": \"{}\",\n"
             "  \"results\": [\n",
             papilio::version(), options.device.name(),
             options.device.is_cpu()
                 ? ""
                 : papilio::describe_cuda_devices().at(static_cast<std::size_t>(options.device.ordinal())),
             papilio::cpu_target(), options.threads == 0 ? papilio::default_threads() : options.threads,
             options.docword.empty() ? "generated" : "docword", corpus.documents(), corpus.vocabulary_size(),
             corpus.tokens(), options.sweeps, warm_up, options.seed, papilio::name(options.sampler),
             papilio::name(options.schedule), papilio::name(options.method), papilio::name(options.draws));
  for (std::size_t i = 0; i < results.size(); ++i) {
    fmt::print(file.get(),
               "    {{\"topics\": {}, \"seconds_per_sweep\": {}, \"tokens_per_second\": {}, "
               "\"log_joint_per_token\": {}}}{}\n",
               results[i].topics, results[i].seconds_per_sweep, results[i].tokens_per_second,
               results[i].log_joint_per_token, i + 1 < results.size() ? "," : "");
  }
  fmt::print(file.get(), "  ]\n}}\n");
}

void run(const Options& options) {
  const papilio::Corpus corpus = corpus_of(options);
  fmt::print("{}, {}, {}, {}: {} documents, {} words, {} tokens; {} sweeps after {}\n", options.device.name(),
             papilio::name(options.sampler), papilio::name(options.schedule), papilio::name(options.method),
             corpus.documents(), corpus.vocabulary_size(), corpus.tokens(), options.sweeps, warm_up);
  fmt::print("{:>8} {:>12} {:>14} {:>12}\n", "topics", "ms per sweep", "Mtokens/s", "likelihood");
  std::vector<Result> results;
  for (const std::int64_t topics : options.topics) {
    const Result result = measure(corpus, options, topics);
    fmt::print("{:>8} {:>12.4f} {:>14.2f} {:>12.6f}\n", result.topics, result.seconds_per_sweep * 1e3,
               result.tokens_per_second / 1e6, result.log_joint_per_token);
    std::fflush(stdout);
    results.push_back(result);
  }
  if (!options.json.empty()) write_json(options, corpus, results);
}

}  // namespace

int main(int argc, char** argv) {
  try {
    run(parse({argv + 1, argv + argc}));
    return 0;
  } catch (const std::exception& error) {
    fmt::print(stderr, "papilio_lda_bench: {}\n", error.what());
    return 1;
  }
}
