#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <map>
#include <memory>
#include <numeric>
#include <string>

#include "commands/subcommands.h"
#include "papilio/model.h"
#include "support/files.h"
#include "support/output.h"
#include "support/text.h"
#include "support/topic_keys.h"

namespace {

// Prints "seed words  12 in 3 topics", and a line per such topic: the topic, then its seed words with their weights.
void print_seed_words(const papilio::Model& model) {
  print("seed words  {}\n", seeds_summary(model.seed_words));
  std::map<std::int32_t, std::string> words_of;
  for (const papilio::SeedWord& seed : model.seed_words) {
    words_of[seed.topic] +=
        fmt::format(" {} ({})", printable(model.vocabulary[static_cast<std::size_t>(seed.word)]), seed.weight);
  }
  for (const auto& [topic, words] : words_of) print("  topic {}:{}\n", topic, words);
}

// load_model has already checked hashes and counts.
ExitCode run_inspect(const std::string& path) {
  const papilio::Model model = reading([&] { return papilio::load_model(path); });
  const auto [least, most] = std::minmax_element(model.alpha.begin(), model.alpha.end());
  print("model       {}\n", printable(path));
  print("topics      {}\n", grouped(model.topics));
  print("words       {}\n", grouped(model.vocabulary_size()));
  print("counted     {} tokens\n", grouped(std::accumulate(model.n_k.begin(), model.n_k.end(), std::int64_t{0})));
  const std::map<std::string, std::string> priors = {
      {"alpha", *least == *most ? fmt::format("{}", *least) : fmt::format("{} to {}", *least, *most)},
      {"beta", fmt::format("{}", model.beta)}};
  for (const auto& [key, value] : priors) print("{:<11} {}\n", key, value);
  for (const auto& [key, value] : model.settings) {
    if (const auto now = priors.find(key); now == priors.end()) {
      print("{:<11} {}\n", printable(key), printable(value));
    } else if (now->second != value && value != "one per topic") {  // the number that training began with
      print("{:<11} {}\n", "first " + key, printable(value));
    }
  }
  if (!model.seed_words.empty()) print_seed_words(model);
  const auto labels =
      std::count_if(model.labels.begin(), model.labels.end(), [](const std::string& label) { return !label.empty(); });
  if (labels > 0) print("labels      {} of {} topics\n", grouped(labels), grouped(model.topics));
  for (std::size_t i = 0; i < model.edits.size(); ++i) {
    std::string change;
    for (const std::string& word : model.edits[i].change) change += shell_word(word) + ' ';
    print("{:<11} {}of model {}\n", fmt::format("edit {}", i + 1), printable(change), model.edits[i].parent);
  }
  print("hash        {}\n", papilio::model_hash(model));
  print("verified    hashes and counts\n");
  return ExitCode::ok;
}

}  // namespace

Subcommand add_inspect(CLI::App& app) {
  const auto model = std::make_shared<std::string>();
  CLI::App* inspect = app.add_subcommand("inspect", "Check a model and print its sizes and settings");
  inspect->add_option("model", *model, "A model that train wrote")->required();
  return {inspect, [model](const std::string&) { return run_inspect(*model); }};
}
