#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <numeric>

#include "commands.h"
#include "papilio/corpus.h"
#include "support/files.h"
#include "support/text.h"

namespace {

namespace fs = std::filesystem;

// Every word of every topic with a probability above 0, most probable first.
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

}  // namespace

ExitCode run_generate(const GenerateArguments& arguments) {
  const papilio::GenerateOptions& options = arguments.options;
  if (options.topics > options.vocabulary) {
    throw CommandError(ExitCode::usage,
                       fmt::format("--topics is {}, expected at most --words, {}", options.topics, options.vocabulary));
  }
  const fs::path prefix = arguments.prefix;
  const std::string name = prefix.filename().string();
  if (name.empty()) {
    throw CommandError(ExitCode::usage, fmt::format("-o {} names no corpus, expected FOLDER/NAME", arguments.prefix));
  }
  const std::string docword = (prefix.parent_path() / ("docword." + name + ".txt")).string();
  const std::string vocab = (prefix.parent_path() / ("vocab." + name + ".txt")).string();
  const std::string topics = (prefix.parent_path() / ("topics." + name + ".tsv")).string();
  for (const std::string& path : {docword, vocab, topics}) {
    require_creatable(path);
    if (would_replace(path) && !arguments.force) {
      throw CommandError(ExitCode::cannot_create, fmt::format("{} is there already; --force replaces it", path));
    }
  }
  const papilio::GeneratedCorpus generated = papilio::generate_corpus(options);
  const papilio::Corpus& corpus = generated.corpus;
  writing(docword, corpus.tokens() * 12, [&] { papilio::write_uci_bag_of_words(corpus, docword, vocab); });
  writing(topics, options.topics * corpus.vocabulary_size() * 20,
          [&] { write_topics(generated, options.topics, topics); });
  fmt::print("documents   {}\nwords       {}\ntokens      {}\ncorpus      {}\nvocabulary  {}\ntopics      {}\n",
             grouped(corpus.documents()), grouped(corpus.vocabulary_size()), grouped(corpus.tokens()), docword, vocab,
             topics);
  return ExitCode::ok;
}
