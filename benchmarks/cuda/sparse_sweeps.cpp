// The time of whole sparse sweeps on a CUDA device, and what they consist of:
//
//   papilio_sparse_cuda_bench --docword FILE --topics 1024,16384 [--warm-up 20] [--sweeps 20] [--variants]
//   papilio_sparse_cuda_bench --generate 1000000,200,100000 --topics 16384 --warm-up 3 --sweeps 3
//   papilio_sparse_cuda_bench --like 165668,30864,90 --topics 1024
//   papilio_sparse_cuda_bench --generate 10000000,200,100000 --topics 1024 --warm-up 3 --sweeps 3 --memory 8000,4000
//   papilio_sparse_cuda_bench --sampler theta_collapsed --docword FILE --topics 1024,4096
//
// --memory MB,MB,...: in so many megabytes of the device (0: all that is free), streamed where the corpus does not fit.
// --repeat N: the generated documents N times, for corpora that would take long to generate.
// Of theta_collapsed, whose phi is drawn, sweeps of dense draws beside those of sparse ones, from the same topics.
// alpha is 50 / K, beta 0.01. --variants also tries other ways of spreading the same draws over threads.
// --generate DOCUMENTS,LENGTH,VOCABULARY is for memory: documents of this many words, 30 words of each from a
// theme, the others by Zipf's law. --like DOCUMENTS,VOCABULARY,LENGTH is papilio::generate_corpus.

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdint>
#include <exception>
#include <memory>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "lda/training/chain/chain_cuda.h"
#include "papilio/lda.h"

namespace {

using papilio::lda::ByDocumentTuning, papilio::lda::CudaChain, papilio::lda::SparseParallelTuning;

struct Options {
  std::string docword;
  std::vector<std::int32_t> generate;                   // documents, length, vocabulary
  std::vector<std::int32_t> like = {43556, 37286, 70};  // documents, vocabulary, mean length
  std::vector<std::int32_t> topics = {256, 1024, 4096, 16384};
  int warm_up = 20;
  int sweeps = 20;
  bool variants = false;
  std::vector<std::int32_t> memory;  // megabytes
  int repeat = 1;
  papilio::Sampler sampler = papilio::Sampler::collapsed;
};

std::vector<std::int32_t> numbers(const std::string& text) {
  std::vector<std::int32_t> list;
  for (std::size_t at = 0; at < text.size(); ++at) {
    std::size_t used = 0;
    list.push_back(std::stoi(text.substr(at), &used));
    at += used;
  }
  return list;
}

Options parse(const std::vector<std::string>& arguments) {
  Options options;
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    const std::string& name = arguments[i];
    if (name == "--variants") {
      options.variants = true;
      continue;
    }
    if (i + 1 == arguments.size()) throw std::runtime_error("no value for " + name);
    const std::string& value = arguments[++i];
    if (name == "--docword")
      options.docword = value;
    else if (name == "--generate")
      options.generate = numbers(value);
    else if (name == "--like")
      options.like = numbers(value);
    else if (name == "--topics")
      options.topics = numbers(value);
    else if (name == "--warm-up")
      options.warm_up = std::stoi(value);
    else if (name == "--sweeps")
      options.sweeps = std::stoi(value);
    else if (name == "--repeat")
      options.repeat = std::stoi(value);
    else if (name == "--memory")
      options.memory = numbers(value);
    else if (name == "--sampler" && value == "mean_for_mode")
      options.sampler = papilio::Sampler::mean_for_mode;
    else if (name == "--sampler" && value == "theta_collapsed")
      options.sampler = papilio::Sampler::theta_collapsed;
    else if (name != "--sampler" || value != "collapsed")
      throw std::runtime_error("unknown option " + name + " " + value);
  }
  return options;
}

// A generator of 64 bits (splitmix64).
struct Numbers {
  std::uint64_t state = 1;
  std::uint64_t next() {
    std::uint64_t x = state += 0x9E3779B97F4A7C15u;
    x = (x ^ x >> 30) * 0xBF58476D1CE4E5B9u;
    x = (x ^ x >> 27) * 0x94D049BB133111EBu;
    return x ^ x >> 31;
  }
  double uniform() { return static_cast<double>(next() >> 11) * 0x1p-53; }
};

papilio::Corpus generated(std::int32_t documents, std::int32_t length, std::int32_t vocabulary) {
  constexpr std::int32_t of_theme = 30, themes = 5000;
  papilio::Corpus corpus;
  corpus.words.reserve(static_cast<std::size_t>(documents) * static_cast<std::size_t>(length));
  for (std::int32_t w = 0; w < vocabulary; ++w) corpus.vocabulary.push_back(fmt::format("w{}", w));
  Numbers numbers;
  for (std::int32_t d = 0; d < documents; ++d) {
    const std::uint64_t theme = numbers.next() % themes;
    for (std::int32_t i = 0; i < length; ++i) {
      // Of 1 / rank: the logarithm of the rank is uniform.
      auto rank = static_cast<std::int64_t>(std::exp(numbers.uniform() * std::log(static_cast<double>(vocabulary))));
      if (i < of_theme) rank = static_cast<std::int64_t>((theme * 7919 + numbers.next() % 200 * 31) % 0x7FFFFFFF);
      corpus.words.push_back(static_cast<std::int32_t>(rank % vocabulary));
    }
    corpus.document_offsets.push_back(static_cast<std::int64_t>(corpus.words.size()));
  }
  return corpus;
}

papilio::Corpus repeated(papilio::Corpus corpus, int times) {
  const auto tokens = corpus.tokens();
  const auto documents = static_cast<std::size_t>(corpus.documents());
  corpus.words.resize(corpus.words.size() * static_cast<std::size_t>(times));
  corpus.document_offsets.reserve(documents * static_cast<std::size_t>(times) + 1);
  for (int i = 1; i < times; ++i) {
    std::copy_n(corpus.words.begin(), tokens, corpus.words.begin() + i * tokens);
    for (std::size_t d = 1; d <= documents; ++d) {
      corpus.document_offsets.push_back(corpus.document_offsets[d] + i * tokens);
    }
  }
  return corpus;
}

papilio::Corpus corpus_of(const Options& options) {
  if (!options.docword.empty()) return papilio::read_uci_bag_of_words(options.docword, "");
  if (options.generate.size() == 3) {
    return repeated(generated(options.generate[0], options.generate[1], options.generate[2]), options.repeat);
  }
  return papilio::generate_corpus({.documents = options.like.at(0),
                                   .vocabulary = options.like.at(1),
                                   .mean_length = static_cast<double>(options.like.at(2)),
                                   .seed = 1})
      .corpus;
}

papilio::TrainOptions training(const Options& options, std::int32_t topics) {
  return {.topics = topics,
          .alpha = 50.0 / topics,
          .beta = 0.01,
          .seed = 1,
          .device = papilio::Device::cuda(),
          .sampler = options.sampler};
}

papilio::TrainOptions sparse_training(const Options& options, std::int32_t topics) {
  papilio::TrainOptions with_sparse_draws = training(options, topics);
  with_sparse_draws.draws = papilio::Draws::sparse;
  return with_sparse_draws;
}

std::uint64_t hash_of(const std::vector<std::int32_t>& topics) {
  std::uint64_t hash = 0xCBF29CE484222325u;  // FNV-1a
  for (const std::int32_t topic : topics) hash = (hash ^ static_cast<std::uint32_t>(topic)) * 0x100000001B3u;
  return hash;
}

// Milliseconds per sweep, over the sweeps asked for.
double time_of_sweeps(papilio::lda::Chain& chain, int sweeps) {
  chain.wait();
  const auto start = std::chrono::steady_clock::now();
  for (int s = 0; s < sweeps; ++s) chain.sweep();
  chain.wait();
  return std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start).count() / sweeps;
}

void print_time(const papilio::Corpus& corpus, std::int32_t topics, double ms, const std::string& label) {
  fmt::print("{:>7} {:>10.4f} {:>9.3f}  {}\n", topics, ms, static_cast<double>(corpus.tokens()) / ms / 1e6, label);
  std::fflush(stdout);
}

void measure(const papilio::Corpus& corpus, const Options& options, std::int32_t topics,
             const papilio::ChainState& warm, const SparseParallelTuning& tuning, const std::string& label) {
  CudaChain chain(corpus, sparse_training(options, topics), &warm, {.sparse_parallel = tuning});
  chain.sweep();
  print_time(corpus, topics, time_of_sweeps(chain, options.sweeps), label);
}

void measure_in(std::int64_t memory, const papilio::Corpus& corpus, const Options& options, std::int32_t topics,
                const papilio::ChainState& warm) {
  CudaChain chain(corpus, sparse_training(options, topics), &warm, {.memory = memory});
  const papilio::DevicePlan plan = chain.device_plan();
  chain.sweep();
  const double ms = time_of_sweeps(chain, options.sweeps);
  papilio::ChainState now;
  chain.show_state([&](const papilio::ChainState& shown) { now = shown; });
  print_time(
      corpus, topics, ms,
      fmt::format("in {} MB: {:.0f} MB taken, {:.3f} of the tokens streamed, {:.2f} bytes each to the device, "
                  "copies alone {:.3f} G tokens/s; hash {:016x}",
                  memory / 1'000'000, static_cast<double>(plan.bytes) / 1e6,
                  static_cast<double>(plan.streamed_tokens) / static_cast<double>(corpus.tokens()),
                  static_cast<double>(plan.streamed_bytes) / std::max(1.0, static_cast<double>(plan.streamed_tokens)),
                  plan.tokens_per_second / 1e9, hash_of(now.z)));
}

papilio::ChainState warm_up(const papilio::Corpus& corpus, const Options& options, std::int32_t topics) {
  CudaChain chain(corpus, sparse_training(options, topics), nullptr, {.sparse_parallel = {.counts_parts = true}});
  const auto bytes = static_cast<double>(chain.bytes());
  fmt::print("{:>7} device memory: {:.3f} GB, {:.2f} bytes per token\n", topics, bytes / 1e9,
             bytes / static_cast<double>(corpus.tokens()));
  fmt::print("{:>7} first sweeps:", topics);
  for (int s = 0; s < options.warm_up; ++s) {
    const double ms = time_of_sweeps(chain, 1);
    if ((s & (s + 1)) == 0) fmt::print(" {}: {:.3f} ms", s + 1, ms);
  }
  papilio::ChainState now;
  chain.show_state([&](const papilio::ChainState& shown) { now = shown; });
  fmt::print("\n{:>7} sweep {}: hash of all topics {:016x}", topics, options.warm_up, hash_of(now.z));
  const papilio::SweepDraws draws = chain.draws();
  fmt::print(
      "\n{:>7} sweep {}: {:.1f} topics per document; draws: own {:.3f} document {:.3f} word {:.3f} "
      "prior {:.3f}\n",
      topics, options.warm_up, draws.topics_per_document, draws.from_own, draws.from_document, draws.from_word,
      draws.from_prior);
  return now;
}

// Ways to spread the work: tokens of an item, those of one for a small block, threads of a large one, tokens of a word
// for which no row is made.
std::vector<SparseParallelTuning> variants(std::int32_t topics) {
  std::vector<SparseParallelTuning> list = {{.draws_beside = false},
                                            {.cut = {.by_range = false}},
                                            {.cut = {.short_entries = false}},
                                            {.least_words_in_tables = 1 << 30},
                                            {.gathers_changes = false}};
  for (const int threads : {128, 512}) {
    for (const int few : {0, 128}) list.push_back({.cut = {.few_tokens = few}, .threads = threads});
  }
  for (const int tokens : {0, topics / 128, topics / 64, topics / 16, topics / 8}) {
    list.push_back({.cut = {.without_row = tokens}});
  }
  for (const int tokens : {512, 2048, 4096}) list.push_back({.cut = {.tokens_of_part = tokens}});
  for (const int tokens : {1024, 4096, 16384}) list.push_back({.cut = {.tokens_per_item = tokens}});
  return list;
}

std::string label_of(const SparseParallelTuning& tuning) {
  const papilio::lda::SparseCut& cut = tuning.cut;
  return fmt::format(
      "an item {} a part {} few {} without row {} threads {}{}{}{}{}{}", cut.tokens_per_item, cut.tokens_of_part,
      cut.few_tokens, cut.without_row, tuning.threads, cut.by_range ? "" : ", in the order of words",
      cut.short_entries ? "" : ", no short entries", tuning.least_words_in_tables <= 0 ? "" : ", no tables of counts",
      tuning.gathers_changes ? "" : ", changes at once", tuning.draws_beside ? "" : ", one after the other");
}

// theta_collapsed: dense draws and sparse ones, in turns.
void compare_in_order(const papilio::Corpus& corpus, const Options& options, std::int32_t topics) {
  const auto start = [&](papilio::Draws draws, const papilio::ChainState* from, const ByDocumentTuning& tuning) {
    papilio::TrainOptions training_options = training(options, topics);
    training_options.draws = draws;
    return std::make_unique<CudaChain>(corpus, training_options, from, papilio::lda::CudaTuning{.by_document = tuning});
  };
  papilio::ChainState warm;
  {
    const auto chain = start(papilio::Draws::sparse, nullptr, {});
    time_of_sweeps(*chain, options.warm_up);
    const papilio::SweepDraws draws = chain->draws();
    fmt::print("{:>7} sweep {}: {:.1f} topics per document; draws: document {:.3f} prior {:.3f}\n", topics,
               options.warm_up, draws.topics_per_document, draws.from_document, draws.from_prior);
    chain->show_state([&](const papilio::ChainState& shown) { warm = shown; });
  }
  const auto measure_draws = [&](papilio::Draws draws, const ByDocumentTuning& tuning, const std::string& label) {
    const auto chain = start(draws, &warm, tuning);
    chain->sweep();
    print_time(corpus, topics, time_of_sweeps(*chain, options.sweeps), label);
  };
  for (const char* time : {"", ", again"}) {
    measure_draws(papilio::Draws::dense, {}, fmt::format("dense{}", time));
    measure_draws(papilio::Draws::sparse, {}, fmt::format("sparse{}", time));
  }
  if (!options.variants) return;
  measure_draws(papilio::Draws::sparse, {.documents_to_ask_ahead = 1 << 20}, "sparse, phi asked for ahead");
  measure_draws(papilio::Draws::sparse, {.most_topics_in_shared = 0}, "sparse, counts in global memory");
  measure_draws(papilio::Draws::sparse, {.most_topics_in_shared = 0, .documents_to_ask_ahead = 1 << 20},
                "sparse, counts in global memory, phi asked for ahead");
}

void run(const Options& options) {
  const papilio::Corpus corpus = corpus_of(options);
  fmt::print("{} documents, {} words, {} tokens; sweeps {} to {}\n", corpus.documents(), corpus.vocabulary_size(),
             corpus.tokens(), options.warm_up + 2, options.warm_up + options.sweeps + 1);
  fmt::print("{:>7} {:>10} {:>9}\n", "topics", "ms", "Gtokens/s");
  for (const std::int32_t topics : options.topics) {
    if (options.sampler == papilio::Sampler::theta_collapsed) {
      compare_in_order(corpus, options, topics);
      continue;
    }
    const papilio::ChainState warm = warm_up(corpus, options, topics);
    if (options.memory.empty()) measure(corpus, options, topics, warm, {}, "");
    if (options.generate.empty() && options.memory.empty()) measure(corpus, options, topics, warm, {}, "again");
    for (const std::int64_t megabytes : options.memory)
      measure_in(megabytes * 1'000'000, corpus, options, topics, warm);
    if (!options.variants) continue;
    for (const SparseParallelTuning& tuning : variants(topics)) {
      measure(corpus, options, topics, warm, tuning, label_of(tuning));
    }
  }
}

}  // namespace

int main(int argc, char** argv) {
  try {
    run(parse({argv + 1, argv + argc}));
    return 0;
  } catch (const std::exception& error) {
    fmt::print(stderr, "papilio_sparse_cuda_bench: {}\n", error.what());
    return 1;
  }
}
