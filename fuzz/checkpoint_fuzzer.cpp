#include <cstddef>
#include <cstdint>
#include <optional>

#include "checkpoint_case.h"
#include "input_file.h"
#include "papilio/error.h"
#include "sound_hashes.h"
#include "written_folder.h"

namespace {

bool are_equal(const papilio::ChainState& a, const papilio::ChainState& b) {
  return a.sweep == b.sweep && a.z == b.z && a.alpha == b.alpha && a.beta == b.beta;
}

// Nothing where the file is refused: no checkpoint, or one of another run.
std::optional<papilio::ChainState> load(const papilio::Corpus& corpus, const papilio::TrainOptions& options,
                                        const std::string& path, papilio::CheckpointReport& report) {
  try {
    return papilio::load_checkpoint(corpus, options, path, &report);
  } catch (const papilio::FormatError&) {
  } catch (const papilio::InvalidArgument&) {
  }
  return std::nullopt;
}

// Topics that are loaded can be saved and come back; where the file is damaged, they are those of the previous one.
void check(std::string_view bytes, std::uint8_t choice) {
  static const WrittenFolder folder;
  static const papilio::Corpus corpus = checkpoint_corpus();
  const papilio::TrainOptions options = checkpoint_options(choice);
  const std::string path = folder.path("checkpoint");
  papilio::save_checkpoint(checkpoint_topics(choice), corpus, options, papilio::previous_checkpoint(path));
  folder.write("checkpoint", bytes);
  papilio::CheckpointReport report;
  const std::optional<papilio::ChainState> topics = load(corpus, options, path, report);
  if (!topics) return;
  require((report.path == path) == report.damage.empty());
  if (!report.damage.empty()) require(are_equal(*topics, checkpoint_topics(choice)));
  papilio::save_checkpoint(*topics, corpus, options, path);
  require(are_equal(papilio::load_checkpoint(corpus, options, path), *topics));
}

}  // namespace

// The first byte chooses the chain, the rest is the file: once as it is and once with hashes that fit.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  check(as_text(data + 1, size - 1), data[0]);
  check(with_sound_hashes(as_text(data + 1, size - 1)), data[0]);
  return 0;
}
