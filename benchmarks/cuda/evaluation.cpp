// What a CUDA device does between sweeps and with a trained model, beside the host: optimised priors, held-out
// documents, inference of short documents.
//
//   papilio_evaluation_cuda_bench [--topics 1024] [--docword FILE] [--json FILE]
//
// Without a file, corpora are generated of the shapes of wiki (43,556 documents, 3.07 M tokens) and arxiv-cs (165,668
// documents, 15 M tokens). Every result is compared with the host's, to the bit; a difference is an error.

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <exception>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

#include "lda/model/optimize_priors.h"
#include "lda/training/chain/chain_cuda.h"
#include "papilio/evaluation.h"
#include "papilio/lda.h"

namespace {

using Clock = std::chrono::steady_clock;

struct Options {
  std::int32_t topics = 1024;
  std::string docword;
  std::string json;
};

struct Line {
  std::string what;
  double device_ms = 0;
  double host_ms = 0;  // of the same work
};

double since(Clock::time_point start) {
  return std::chrono::duration<double, std::milli>(Clock::now() - start).count();
}

// Milliseconds of a call: the least of some.
template <class Call>
double least_time(int times, Call call) {
  double least = 1e300;
  for (int i = 0; i < times; ++i) {
    const auto start = Clock::now();
    call();
    least = std::min(least, since(start));
  }
  return least;
}

void require_same(bool same, const std::string& what) {
  if (!same) throw std::runtime_error(what + " on the device differ from those on the host");
}

papilio::Corpus generated(std::int64_t documents, std::int64_t vocabulary, double length) {
  return papilio::generate_corpus({.documents = documents, .vocabulary = vocabulary, .mean_length = length, .seed = 1})
      .corpus;
}

papilio::TrainOptions training(const Options& options) {
  return {.topics = options.topics,
          .alpha = 50.0 / options.topics,
          .beta = 0.01,
          .seed = 1,
          .device = papilio::Device::cuda(),
          .evaluate_every = 0};
}

void print(std::vector<Line>& lines, Line line) {
  fmt::print("{:<58} {:>10.3f} {:>10.1f}\n", line.what, line.device_ms, line.host_ms);
  std::fflush(stdout);
  lines.push_back(std::move(line));
}

// The time of a sweep that optimises the priors after it, less that of one that does not.
void measure_priors(const papilio::Corpus& corpus, const Options& options, const std::string& name,
                    std::vector<Line>& lines) {
  papilio::TrainOptions optimizing = training(options);
  optimizing.optimize_every = 1;
  optimizing.optimize_after = 1 << 20;  // for the sweeps that make the topics less even
  papilio::ChainState warm;
  {
    papilio::lda::CudaChain chain(corpus, optimizing, nullptr);
    for (int s = 0; s < 30; ++s) chain.sweep();
    chain.show_state([&](const papilio::ChainState& state) { warm = state; });
  }
  const auto time_of_sweep = [&](bool optimizes) {
    optimizing.optimize_after = optimizes ? 1 : 1 << 20;
    papilio::lda::CudaChain chain(corpus, optimizing, &warm);
    chain.sweep();
    return least_time(10, [&] {
      chain.sweep();
      chain.wait();
    });
  };
  const double device = time_of_sweep(true) - time_of_sweep(false);
  // The first optimisation after the same sweep on both sides.
  optimizing.optimize_after = 1;
  papilio::lda::CudaChain chain(corpus, optimizing, &warm);
  chain.sweep();
  papilio::lda::State state = chain.take_state();
  papilio::lda::Priors priors = papilio::lda::priors_of(optimizing);
  const double host = least_time(3, [&] {
    priors = papilio::lda::priors_of(optimizing);
    papilio::lda::optimize_priors(corpus, state.z, state.n_wk, state.n_k, priors, 0);
  });
  require_same(priors.alpha == state.priors.alpha && priors.beta == state.priors.beta, "priors");
  print(lines, {fmt::format("{}: optimised priors, each time", name), device, host});
}

// The time of held-out documents, each time, of a chain on the device.
void measure_held_out(const papilio::Corpus& corpus, const Options& options, const std::string& name,
                      std::vector<Line>& lines) {
  const papilio::HeldOutSplit split = papilio::hold_out_every(corpus, 10);
  papilio::lda::CudaChain chain(split.training, training(options), nullptr);
  for (int s = 0; s < 30; ++s) chain.sweep();
  papilio::Model model;
  {
    papilio::lda::CudaChain other(split.training, training(options), nullptr);
    for (int s = 0; s < 30; ++s) other.sweep();
    papilio::lda::State state = other.take_state();
    model.topics = options.topics;
    model.vocabulary = split.training.vocabulary;
    model.alpha = state.priors.alpha;
    model.beta = state.priors.beta;
    model.n_wk = std::move(state.n_wk);
    model.n_k = std::move(state.n_k);
  }
  const papilio::WordMap map = papilio::map_words(model, split.held_out);
  const papilio::CorpusView held_out = split.held_out;
  std::optional<papilio::Completion> first;
  const double setup = least_time(1, [&] { first = chain.complete(held_out, map); });
  const double device = least_time(5, [&] { first = chain.complete(held_out, map); });
  papilio::Completion expected;
  const papilio::Inference inference(model);
  const double host = least_time(1, [&] { expected = inference.complete_documents(held_out); });
  require_same(first.has_value() && first->log_likelihood == expected.log_likelihood, "held-out scores");
  print(lines, {fmt::format("{}: {} held-out documents, each time", name, held_out.documents()), device, host});
  print(lines, {fmt::format("{}: the first time", name), setup, host});
  const double whole =
      least_time(2, [&] { first = inference.complete_documents(held_out, {.device = papilio::Device::cuda()}); });
  require_same(first->log_likelihood == expected.log_likelihood, "held-out scores");
  print(lines, {fmt::format("{}: complete_documents, whole call", name), whole, host});

  // Short documents: ten tokens each, of those held out.
  papilio::Corpus few, many;
  few.vocabulary = many.vocabulary = split.training.vocabulary;
  for (std::size_t d = 0; d < 300'000; ++d) {
    const std::size_t begin = d * 10 % (split.training.words.size() - 10);
    for (papilio::Corpus* to : {&few, &many}) {
      if (to == &few && d >= 10'000) continue;
      to->words.insert(to->words.end(), split.training.words.begin() + static_cast<std::ptrdiff_t>(begin),
                       split.training.words.begin() + static_cast<std::ptrdiff_t>(begin + 10));
      to->document_offsets.push_back(static_cast<std::int64_t>(to->words.size()));
    }
  }
  for (const papilio::InferMethod method : {papilio::InferMethod::gibbs, papilio::InferMethod::em}) {
    papilio::DocumentTopics on_host, on_device;
    const double of_few = least_time(1, [&] { on_host = inference.infer(few, {.method = method}); });
    const double of_many = least_time(2, [&] {
      on_device = {};
      on_device = inference.infer(many, {.method = method, .device = papilio::Device::cuda()});
    });
    require_same(std::equal(on_host.theta.begin(), on_host.theta.end(), on_device.theta.begin()), "topics");
    const double scale = static_cast<double>(many.documents()) / static_cast<double>(few.documents());
    print(lines, {fmt::format("infer, {}: {} documents of 10 tokens", papilio::name(method), many.documents()), of_many,
                  of_few * scale});
    fmt::print("  {:.1f} million documents per minute on the device\n",
               static_cast<double>(many.documents()) / of_many * 60'000 / 1e6);
  }
}

Options parse(const std::vector<std::string>& arguments) {
  Options options;
  for (std::size_t i = 0; i + 1 < arguments.size(); i += 2) {
    const std::string& value = arguments[i + 1];
    if (arguments[i] == "--topics")
      options.topics = std::stoi(value);
    else if (arguments[i] == "--docword")
      options.docword = value;
    else if (arguments[i] == "--json")
      options.json = value;
    else
      throw std::runtime_error("unknown option " + arguments[i]);
  }
  if (arguments.size() % 2 != 0) throw std::runtime_error("no value for " + arguments.back());
  return options;
}

void run(const Options& options) {
  std::vector<Line> lines;
  fmt::print("K = {}, {} CPU threads\n{:<58} {:>10} {:>10}\n", options.topics, papilio::default_threads(), "",
             "device ms", "host ms");
  if (options.docword.empty()) measure_priors(generated(43556, 37286, 70), options, "wiki", lines);
  const papilio::Corpus large =
      options.docword.empty() ? generated(165668, 80000, 90) : papilio::read_uci_bag_of_words(options.docword, "");
  measure_priors(large, options, "arxiv", lines);
  measure_held_out(large, options, "arxiv", lines);
  if (options.json.empty()) return;
  std::FILE* const file = std::fopen(options.json.c_str(), "w");
  if (file == nullptr) throw std::runtime_error("cannot write " + options.json);
  fmt::print(file, "{{\"topics\": {}, \"threads\": {}, \"lines\": [", options.topics, papilio::default_threads());
  for (std::size_t i = 0; i < lines.size(); ++i) {
    fmt::print(file, "{}\n  {{\"what\": \"{}\", \"device_ms\": {}, \"host_ms\": {}}}", i == 0 ? "" : ",", lines[i].what,
               lines[i].device_ms, lines[i].host_ms);
  }
  fmt::print(file, "]}}\n");
  std::fclose(file);
}

}  // namespace

int main(int argc, char** argv) {
  try {
    run(parse({argv + 1, argv + argc}));
    return 0;
  } catch (const std::exception& error) {
    fmt::print(stderr, "papilio_evaluation_cuda_bench: {}\n", error.what());
    return 1;
  }
}
