#pragma once

#include <fmt/format.h>
#include <xxhash.h>

#include <cstdint>
#include <filesystem>
#include <fstream>
#include <map>
#include <sstream>
#include <stdexcept>
#include <string>
#include <vector>

#include "papilio/lda.h"

// The files of a version in tests/data/released, and the list of what they hold, `expected.txt`: a line
// "KIND NAME key=value key=value ..." per file. tests/data/released/README.md.
namespace papilio::testing {

inline constexpr const char* list_name = "expected.txt";

// A line of the list.
struct Expected {
  std::string kind;  // "corpus", "model", "chain" or "state"
  std::string name;  // of the file; of a chain: NAME.checkpoint
  std::map<std::string, std::string> values;

  const std::string& at(const std::string& key) const {
    const auto found = values.find(key);
    if (found == values.end()) throw std::runtime_error(fmt::format("{} {} has no {}", kind, name, key));
    return found->second;
  }
  std::int64_t number(const std::string& key) const { return std::stoll(at(key)); }
};

inline std::vector<Expected> read_list(const std::filesystem::path& folder) {
  std::ifstream file(folder / list_name);
  std::vector<Expected> list;
  for (std::string line; std::getline(file, line);) {
    std::istringstream fields(line);
    Expected expected;
    fields >> expected.kind >> expected.name;
    for (std::string field; fields >> field;) {
      const std::size_t equals = field.find('=');
      if (equals == std::string::npos) throw std::runtime_error("not key=value: " + line);
      expected.values[field.substr(0, equals)] = field.substr(equals + 1);
    }
    list.push_back(std::move(expected));
  }
  return list;
}

template <class Numbers>
std::string hash_of(const Numbers& numbers) {
  return fmt::format("{:016x}", XXH3_64bits(numbers.data(), numbers.size() * sizeof numbers[0]));
}

inline std::string hash_of_words(const std::vector<std::string>& words) {
  std::string text;
  for (const std::string& word : words) text += word + '\n';
  return hash_of(text);
}

// What a line says of a corpus, a model or a chain, as it must be read back.
inline std::string facts_of(const CorpusView& corpus) {
  return fmt::format("documents={} tokens={} document_offsets={} words={} vocabulary={} names={}", corpus.documents(),
                     corpus.tokens(), hash_of(corpus.document_offsets), hash_of(corpus.words),
                     hash_of_words({corpus.vocabulary.begin(), corpus.vocabulary.end()}),
                     hash_of_words({corpus.document_names.begin(), corpus.document_names.end()}));
}

inline std::string facts_of(const Model& model) {
  std::string settings;
  for (const auto& [key, value] : model.settings) settings += fmt::format("{}={}\n", key, value);
  return fmt::format("topics={} n_wk={} n_k={} alpha={} beta={} vocabulary={} settings={}", model.topics,
                     hash_of(model.n_wk), hash_of(model.n_k), hash_of(model.alpha), model.beta,
                     hash_of_words(model.vocabulary), hash_of(settings));
}

inline std::string facts_of(const ChainState& chain) {
  return fmt::format("sweep={} z={} alpha={} beta={} start={}", chain.sweep, hash_of(chain.z), hash_of(chain.alpha),
                     chain.beta, name(chain.start));
}

// The options of a chain, as the list has them.
inline TrainOptions options_of(const Expected& chain) {
  TrainOptions options;
  options.topics = static_cast<std::int32_t>(chain.number("options.topics"));
  options.sweeps = chain.number("options.sweeps");
  options.seed = std::stoull(chain.at("options.seed"));
  options.sampler = parse_sampler(chain.at("options.sampler"));
  options.schedule = parse_schedule(chain.at("options.schedule"));
  options.draws = parse_draws(chain.at("options.draws"));
  options.start = parse_start(chain.at("options.start"));
  options.optimize_every = chain.number("options.optimize_every");
  options.optimize_after = chain.number("options.optimize_after");
  return options;
}

inline std::string text_of(const TrainOptions& options) {
  return fmt::format(
      "options.topics={} options.sweeps={} options.seed={} options.sampler={} options.schedule={} options.draws={} "
      "options.start={} options.optimize_every={} options.optimize_after={}",
      options.topics, options.sweeps, options.seed, name(options.sampler), name(options.schedule), name(options.draws),
      name(options.start), options.optimize_every, options.optimize_after);
}

}  // namespace papilio::testing
