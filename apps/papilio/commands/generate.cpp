#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <limits>
#include <memory>
#include <numeric>

#include "commands/subcommands.h"
#include "papilio/corpus.h"
#include "support/command_files.h"
#include "support/files.h"
#include "support/option_types.h"
#include "support/output.h"
#include "support/text.h"

namespace {

namespace fs = std::filesystem;

struct GenerateArguments {
  std::string prefix;
  papilio::GenerateOptions options;
  bool force = false;
};

// Writes every word of every topic with a probability above 0, the most probable first.
void write_topics(const papilio::GeneratedCorpus& generated, int topics, const std::string& path) {
  const std::vector<std::string>& vocabulary = generated.corpus.vocabulary;
  TextFile file(path);
  file.write("topic\tword\tprobability\n");
  std::vector<std::size_t> order(vocabulary.size());
  for (int k = 0; k < topics; ++k) {
    const float* phi = generated.phi.data() + static_cast<std::size_t>(k) * vocabulary.size();
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::stable_sort(order.begin(), order.end(), [phi](std::size_t a, std::size_t b) { return phi[a] > phi[b]; });
    for (const std::size_t w : order) {
      if (phi[w] > 0) {
        file.write(fmt::format("{}\t{}\t{}\n", k, vocabulary[w], phi[w]));
      }
    }
  }
  file.commit();
}

void check_generate(const GenerateArguments& arguments) {
  const papilio::GenerateOptions& options = arguments.options;
  if (options.topics > options.vocabulary) {
    throw CommandError(ExitCode::usage,
                       fmt::format("--topics is {}, expected at most --words, {}", options.topics, options.vocabulary));
  }
  if (fs::path(arguments.prefix).filename().empty()) {
    throw CommandError(ExitCode::usage, fmt::format("-o {} has no name, expected FOLDER/NAME", arguments.prefix));
  }
}

ExitCode run_generate(const GenerateArguments& arguments) {
  const papilio::GenerateOptions& options = arguments.options;
  const fs::path prefix = arguments.prefix;
  const std::string name = prefix.filename().string();
  const std::string docword = (prefix.parent_path() / ("docword." + name + ".txt")).string();
  const std::string vocab = (prefix.parent_path() / ("vocab." + name + ".txt")).string();
  const std::string topics = (prefix.parent_path() / ("topics." + name + ".tsv")).string();
  CommandFiles files(arguments.force);
  for (const std::string& path : {docword, vocab, topics}) files.writes({.option = "-o", .path = path});
  files.reserve();
  const papilio::GeneratedCorpus generated = papilio::generate_corpus(options);
  const papilio::Corpus& corpus = generated.corpus;
  writing(docword, corpus.tokens() * 12, [&] { papilio::write_uci_bag_of_words(corpus, docword, vocab); });
  writing(topics, options.topics * corpus.vocabulary_size() * 20,
          [&] { write_topics(generated, options.topics, topics); });
  print("documents   {}\nwords       {}\ntokens      {}\ncorpus      {}\nvocabulary  {}\ntopics      {}\n",
        grouped(corpus.documents()), grouped(corpus.vocabulary_size()), grouped(corpus.tokens()), printable(docword),
        printable(vocab), printable(topics));
  return ExitCode::ok;
}

}  // namespace

Subcommand add_generate(CLI::App& app) {
  const auto arguments = std::make_shared<GenerateArguments>();
  papilio::GenerateOptions& options = arguments->options;
  constexpr std::int64_t most = std::numeric_limits<std::int32_t>::max();
  CLI::App* generate = app.add_subcommand("generate", "Draw a corpus from a known model, for tests and benchmarks");
  generate
      ->add_option("-o,--output", arguments->prefix,
                   "FOLDER/NAME: writes docword.NAME.txt, vocab.NAME.txt and topics.NAME.tsv")
      ->required();
  generate->add_option("--documents", options.documents, "Number of documents")
      ->capture_default_str()
      ->check(between(std::int64_t{1}, most));
  generate->add_option("--words", options.vocabulary, "Number of distinct words")
      ->capture_default_str()
      ->check(between(std::int64_t{1}, most));
  generate->add_option("-k,--topics,--num-topics", options.topics, "Number of topics")
      ->capture_default_str()
      ->check(at_least<int>(1));
  generate->add_option("--mean-length", options.mean_length, "Mean number of tokens per document")
      ->capture_default_str()
      ->check(prior());
  generate
      ->add_option(
          "--length-spread", options.length_spread,
          "Standard deviation of the logarithm of a document's expected length, which is 1e6 at most; 0: all are as "
          "long as the mean")
      ->capture_default_str()
      ->check(between(0.0, 5.0));
  generate->add_option("--alpha", options.alpha, "Prior of the topics of a document, for each topic")
      ->capture_default_str()
      ->check(between(1e-6, 1e6));
  generate->add_option("--zipf-exponent", options.zipf_exponent, "Word frequencies fall as rank^-EXPONENT")
      ->capture_default_str()
      ->check(between(0.0, 10.0));
  generate
      ->add_option("--overlap", options.overlap,
                   "Share of the mass of a topic that is spread over the whole vocabulary")
      ->capture_default_str()
      ->check(between(0.0, 1.0));
  generate->add_option("--seed,--random-seed", options.seed, "Same seed, same corpus")
      ->capture_default_str()
      ->check(seed());
  generate->add_option("--threads,--num-threads", options.threads, "CPU threads, 0: all; never changes the corpus")
      ->capture_default_str()
      ->check(thread_count());
  generate->add_flag("--force", arguments->force, "Replace existing files");
  return {generate, [arguments](const std::string&) { return run_generate(*arguments); },
          [arguments] { check_generate(*arguments); }};
}
