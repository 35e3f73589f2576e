// Whole sweeps of one model on 1, 2, ... GPUs of a host, at several sizes of corpus.
//
//   papilio_several_gpus_bench [OPTIONS] TOPICS WORDS MEAN_LENGTH GPUS,... TOKENS [TOKENS...]
//
// A line for each run: tokens per second over the last sweeps, seconds of the whole run, what the first GPU
// holds and streams, and the model's hash, which must be the same for any number of GPUs: the program fails where it is
// not. Options: --sweeps N, and --length-spread S and --zipf E, which are length_spread and zipf_exponent of
// papilio::GenerateOptions.

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <exception>
#include <fstream>
#include <string>
#include <string_view>
#include <vector>

#include "papilio/communicator.h"
#include "papilio/corpus.h"
#include "papilio/device.h"
#include "papilio/lda.h"
#include "papilio/model.h"

namespace {

using Clock = std::chrono::steady_clock;
double seconds_since(Clock::time_point start) { return std::chrono::duration<double>(Clock::now() - start).count(); }

std::vector<int> numbers(std::string_view text) {
  std::vector<int> all;
  for (std::size_t at = 0; at < text.size(); at = std::min(text.find(',', at), text.size() - 1) + 1) {
    all.push_back(std::atoi(text.data() + at));
  }
  return all;
}

// The most memory that the process has held so far.
double gigabytes_of_host() {
  std::ifstream status("/proc/self/status");
  for (std::string name; status >> name;) {
    double kilobytes = 0;
    if (name == "VmHWM:" && status >> kilobytes) return kilobytes * 1024 / 1e9;
  }
  return 0;
}

struct Options {
  std::int64_t sweeps = 30;
  papilio::GenerateOptions generator;
};

struct Run {
  double seconds = 0;         // of the whole run, without the corpus
  double gigabytes = 0;       // that the first GPU's arrays take
  std::int64_t streamed = 0;  // of the first GPU's tokens
  double rate = 0;            // tokens per second
  double likelihood = 0;
  std::string hash;
};

Run run(const papilio::Corpus& corpus, std::int32_t topics, std::int64_t sweeps, int gpus) {
  papilio::TrainOptions options;
  options.topics = topics;
  options.sweeps = sweeps;
  options.seed = 1;
  options.evaluate_every = 0;
  options.draws = papilio::Draws::sparse;
  options.device = papilio::Device::cuda(0);
  for (int gpu = 0; gpus > 1 && gpu < gpus; ++gpu) options.devices.push_back(papilio::Device::cuda(gpu));
  options.progress_every = std::max<std::int64_t>(sweeps / 3, 1);  // the rate is that of the last of them
  Run run;
  options.progress = [&](const papilio::Progress& progress) {
    run.rate = progress.tokens_per_second;
    return true;
  };
  options.planned = [&](const papilio::DevicePlan& plan) {
    run.gigabytes = static_cast<double>(plan.bytes) / 1e9;
    run.streamed = plan.streamed_tokens;
  };
  const Clock::time_point start = Clock::now();
  const papilio::TrainResult result = papilio::train(corpus, options);
  run.seconds = seconds_since(start);
  run.likelihood = result.log_joint_per_token;
  run.hash = papilio::model_hash(result.model);
  return run;
}

int measure(Options options, int argc, char** argv) {
  const auto topics = static_cast<std::int32_t>(std::atol(argv[1]));
  papilio::GenerateOptions& generator = options.generator;
  generator.vocabulary = std::atoll(argv[2]);
  generator.mean_length = std::atof(argv[3]);
  generator.topics = 200;
  const std::vector<int> gpus = numbers(argv[4]);
  for (const std::string& line : papilio::describe_cuda_devices()) fmt::print("# {}\n", line);
  fmt::print("# sums by {}\n# topics {}, words {}, mean length {}, spread {}, Zipf exponent {}\n",
             papilio::describe_device_sums(), topics, generator.vocabulary, generator.mean_length,
             generator.length_spread, generator.zipf_exponent);
  fmt::print("{:>14} {:>5} {:>12} {:>10} {:>10} {:>8} {:>14} {:>12}  {}\n", "tokens", "GPUs", "G tokens/s", "times one",
             "all, s", "GB", "streamed", "log joint", "model");
  bool same = true;
  for (int i = 5; i < argc; ++i) {
    generator.documents = static_cast<std::int64_t>(std::atof(argv[i]) / generator.mean_length);
    const Clock::time_point start = Clock::now();
    const papilio::Corpus corpus = papilio::generate_corpus(generator).corpus;
    std::int64_t longest = 0;
    for (std::size_t d = 1; d < corpus.document_offsets.size(); ++d) {
      longest = std::max(longest, corpus.document_offsets[d] - corpus.document_offsets[d - 1]);
    }
    fmt::print("# generated in {:.1f} s: {} documents of at most {} tokens\n", seconds_since(start), corpus.documents(),
               longest);
    std::fflush(stdout);
    Run first;
    for (const int count : gpus) {
      const Run now = run(corpus, topics, options.sweeps, count);
      if (first.hash.empty()) first = now;
      same = same && now.hash == first.hash && now.likelihood == first.likelihood;
      fmt::print("{:>14} {:>5} {:>12.3f} {:>10.2f} {:>10.2f} {:>8.2f} {:>14} {:>12.6f}  {}\n", corpus.tokens(), count,
                 now.rate / 1e9, now.rate / first.rate, now.seconds, now.gigabytes, now.streamed, now.likelihood,
                 now.hash);
      std::fflush(stdout);
    }
    fmt::print("# the host's memory: at most {:.1f} GB so far\n", gigabytes_of_host());
  }
  if (!same) fmt::print("the models differ\n");
  return same ? 0 : 1;
}

}  // namespace

int main(int argc, char** argv) {
  const char* const program = argv[0];
  Options options;
  for (; argc > 2 && std::string_view(argv[1]).starts_with("--"); argc -= 2, argv += 2) {
    const std::string_view option = argv[1];
    if (option == "--sweeps") {
      options.sweeps = std::atoll(argv[2]);
    } else if (option == "--length-spread") {
      options.generator.length_spread = std::atof(argv[2]);
    } else if (option == "--zipf") {
      options.generator.zipf_exponent = std::atof(argv[2]);
    } else {
      break;
    }
  }
  if (argc < 6 || options.sweeps < 1) {
    fmt::print(stderr,
               "usage: {} [--sweeps N] [--length-spread S] [--zipf E] TOPICS WORDS MEAN_LENGTH GPUS,GPUS,... TOKENS "
               "[TOKENS...]\n",
               program);
    return 64;
  }
  try {
    return measure(options, argc, argv);
  } catch (const std::exception& error) {
    fmt::print(stderr, "{}\n", error.what());
    return 1;
  }
}
