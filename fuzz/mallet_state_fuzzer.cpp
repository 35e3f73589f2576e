#include <cstddef>
#include <cstdint>
#include <set>

#include "corpus_checks.h"
#include "papilio/error.h"
#include "papilio/mallet.h"
#include "written_folder.h"

namespace {

// Whether every word has one number, without which topics find no way back to their tokens.
bool are_distinct(const std::vector<std::string>& words) {
  return std::set<std::string_view>(words.begin(), words.end()).size() == words.size();
}

void check_written(const papilio::MalletState& state) {
  static const WrittenFolder folder;
  std::vector<double> alpha = state.topics.alpha;
  if (alpha.empty()) alpha.assign(static_cast<std::size_t>(state.topic_count), 0.5);
  try {
    papilio::write_mallet_state(state.corpus, state.topics.z, alpha, 0.25, folder.path("state"));
  } catch (const papilio::InvalidArgument&) {
    return;  // words or names with the end of a line in them
  }
  const papilio::MalletState again = papilio::read_mallet_state(folder.path("state"), std::int64_t{1} << 26);
  check_equal(again.corpus, state.corpus);
  require(again.corpus.document_names == state.corpus.document_names);
  require(again.topics.z == state.topics.z && again.topics.alpha == alpha && again.topics.beta == 0.25);
}

}  // namespace

// The input is the file.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const InputFile file(as_text(data, size));
  try {
    const papilio::MalletState state = papilio::read_mallet_state(file.path(), std::int64_t{1} << 26);
    state.corpus.verify();
    require(state.corpus.tokens() > 0 && std::ssize(state.topics.z) == state.corpus.tokens());
    for (const std::int32_t k : state.topics.z) require(k >= 0 && k < state.topic_count);
    if (state.corpus.documents() > 4096 || state.topic_count > 4096) return 0;
    if (are_distinct(state.corpus.vocabulary)) {
      require(papilio::match_topics(state, state.corpus).z == state.topics.z);
    }
    check_written(state);
  } catch (const papilio::FormatError&) {
  }
  return 0;
}
