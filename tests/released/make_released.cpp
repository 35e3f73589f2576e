// make_released FOLDER: writes a model, a checkpoint and a corpus file of each kind, and the list of what they hold.
// Run once for each release, with the library of that release: tests/data/released/README.md.

#include <filesystem>
#include <fstream>
#include <iostream>

#include "papilio/corpus_file.h"
#include "papilio/lda.h"
#include "papilio/mallet.h"
#include "released/released.h"

namespace papilio::testing {
namespace {

constexpr std::int64_t saved_after = 6;  // sweeps; a chain goes on from there to options.sweeps

struct Chain {
  std::string name;
  TrainOptions options;
  bool keeps_model = true;
};

std::vector<Chain> chains() {
  std::vector<Chain> all;
  for (const SamplerChoice& sampler : samplers()) {
    for (const Choice<Schedule>& schedule : schedules()) {
      if (schedule.value == Schedule::sequential && sampler.phi != Parameter::integrated_out) continue;
      all.push_back({fmt::format("{}_{}", sampler.name, schedule.name),
                     {.topics = 3, .sweeps = 10, .seed = 5, .sampler = sampler.value, .schedule = schedule.value}});
    }
    if (sampler.sparse_draws) {
      all.push_back({fmt::format("{}_sparse", sampler.name),
                     {.topics = 40, .sweeps = 10, .seed = 6, .sampler = sampler.value, .draws = Draws::sparse},
                     false});
    }
  }
  all.push_back({"many_topics", {.topics = 300, .sweeps = 10, .seed = 7}, false});
  all.push_back({"optimized", {.topics = 3, .sweeps = 10, .seed = 8, .optimize_every = 2, .optimize_after = 2}});
  all.push_back({"progressive", {.topics = 3, .sweeps = 43, .seed = 9, .start = Start::progressive}});
  return all;
}

Corpus small_corpus() {
  Corpus corpus =
      generate_corpus({.documents = 24, .vocabulary = 40, .topics = 3, .mean_length = 16, .seed = 11}).corpus;
  corpus.vocabulary[0] = "caf\u00e9";
  corpus.vocabulary[1] = "\"quoted\\";
  for (std::int64_t d = 0; d < corpus.documents(); ++d) corpus.document_names.push_back(fmt::format("document {}", d));
  return corpus;
}

void make(const std::filesystem::path& folder) {
  std::filesystem::create_directories(folder);
  std::ofstream list(folder / list_name);
  const auto path = [&](const std::string& name) { return (folder / name).string(); };
  const Corpus corpus = small_corpus();
  write_corpus_file(corpus, path("corpus.papilio-corpus"));
  list << "corpus corpus.papilio-corpus " << facts_of(corpus) << '\n';
  for (const Chain& chain : chains()) {
    TrainOptions options = chain.options;
    options.sweeps = saved_after;
    const TrainResult begun = train(corpus, options);
    const TrainResult whole = train(corpus, chain.options);
    save_checkpoint(begun.topics, corpus, options, path(chain.name + ".checkpoint"));
    list << "chain " << chain.name << ' ' << text_of(chain.options) << ' ' << facts_of(begun.topics)
         << " end_z=" << hash_of(whole.topics.z) << " end_n_wk=" << hash_of(whole.model.n_wk) << '\n';
    if (!chain.keeps_model) continue;
    save_model(whole.model, path(chain.name + ".model"));
    list << "model " << chain.name << ".model " << facts_of(whole.model) << '\n';
    if (chain.name != "optimized") continue;
    write_mallet_state(corpus, whole.topics.z, whole.model.alpha, whole.model.beta, path("state.gz"));
    list << fmt::format("state state.gz z={} alpha={} beta={}\n", hash_of(whole.topics.z), hash_of(whole.model.alpha),
                        whole.model.beta);
  }
}

}  // namespace
}  // namespace papilio::testing

int main(int argc, char** argv) {
  if (argc != 2) {
    std::cerr << "usage: make_released FOLDER\n";
    return 64;
  }
  papilio::testing::make(argv[1]);
}
