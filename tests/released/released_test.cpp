// Models, checkpoints, corpus files and states that every released version wrote are read, hold what they held, and
// their chains go on as they did.

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>

#include "papilio/corpus_file.h"
#include "papilio/lda.h"
#include "papilio/mallet.h"
#include "released/released.h"

namespace papilio::testing {
namespace {

namespace fs = std::filesystem;

const TextOptions all_words = {.min_df = 0};

std::vector<fs::path> versions() {
  std::vector<fs::path> folders;
  for (const fs::directory_entry& entry : fs::directory_iterator(PAPILIO_RELEASED)) {
    if (entry.is_directory()) folders.push_back(entry.path());
  }
  std::sort(folders.begin(), folders.end());
  return folders;
}

// "key=value ..." of some keys as a map, to be compared with a line of the list.
void expect_facts(const Expected& expected, const std::string& facts) {
  std::istringstream fields(facts);
  for (std::string field; fields >> field;) {
    const std::size_t equals = field.find('=');
    EXPECT_EQ(expected.at(field.substr(0, equals)), field.substr(equals + 1))
        << expected.kind << ' ' << expected.name << ": " << field.substr(0, equals);
  }
}

class Released : public ::testing::TestWithParam<fs::path> {
 protected:
  std::string path(const std::string& name) const { return (GetParam() / name).string(); }

  // Calls check(expected) for the lines of a kind, of which there must be `least`.
  template <class Check>
  void for_each(const std::string& kind, std::size_t least, Check check) const {
    std::size_t found = 0;
    for (const Expected& expected : read_list(GetParam())) {
      if (expected.kind != kind) continue;
      SCOPED_TRACE(expected.name);
      check(expected);
      ++found;
    }
    EXPECT_GE(found, least) << "of " << kind << " in " << GetParam();
  }
};

TEST_P(Released, CorpusFilesAreRead) {
  for_each("corpus", 1, [&](const Expected& expected) {
    expect_facts(expected, facts_of(read_corpus_file(path(expected.name), all_words)));
    const MappedCorpus mapped(path(expected.name));
    mapped.verify();
    expect_facts(expected, facts_of(mapped.view()));
  });
}

TEST_P(Released, ModelsAreRead) {
  for_each("model", 5,
           [&](const Expected& expected) { expect_facts(expected, facts_of(load_model(path(expected.name)))); });
}

TEST_P(Released, ChainsGoOnAsTheyDid) {
  const Corpus corpus = read_corpus_file(path("corpus.papilio-corpus"), all_words);
  for_each("chain", 5, [&](const Expected& expected) {
    const TrainOptions options = options_of(expected);
    ChainState chain = load_checkpoint(corpus, options, path(expected.name + ".checkpoint"));
    expect_facts(expected, facts_of(chain));
    const TrainResult result = train(corpus, options, std::move(chain));
    EXPECT_EQ(hash_of(result.topics.z), expected.at("end_z"));
    EXPECT_EQ(hash_of(result.model.n_wk), expected.at("end_n_wk"));
  });
}

TEST_P(Released, MalletStatesAreRead) {
  const Corpus corpus = read_corpus_file(path("corpus.papilio-corpus"), all_words);
  for_each("state", 1, [&](const Expected& expected) {
    const MalletState state = read_mallet_state(path(expected.name));
    expect_facts(expected, fmt::format("z={} alpha={} beta={}", hash_of(match_topics(state, corpus).z),
                                       hash_of(state.topics.alpha), state.topics.beta));
  });
}

INSTANTIATE_TEST_SUITE_P(Versions, Released, ::testing::ValuesIn(versions()), [](const auto& version) {
  std::string name = version.param.filename().string();
  std::replace_if(
      name.begin(), name.end(), [](char c) { return std::isalnum(static_cast<unsigned char>(c)) == 0; }, '_');
  return name;
});

}  // namespace
}  // namespace papilio::testing
