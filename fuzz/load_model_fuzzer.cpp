#include <cstddef>
#include <cstdint>
#include <set>
#include <string>

#include "input_file.h"
#include "papilio/error.h"
#include "papilio/model.h"
#include "sound_hashes.h"
#include "written_folder.h"

namespace {

bool are_equal(const papilio::Model& a, const papilio::Model& b) {
  return a.topics == b.topics && a.vocabulary == b.vocabulary && a.alpha == b.alpha && a.beta == b.beta &&
         a.n_wk == b.n_wk && a.n_k == b.n_k && a.settings == b.settings;
}

// A model of version 1 may have words that are empty or alike, which version 2 does not hold.
bool has_sound_words(const papilio::Model& model) {
  const std::set<std::string> distinct(model.vocabulary.begin(), model.vocabulary.end());
  return distinct.size() == model.vocabulary.size() && distinct.count("") == 0;
}

void save(const papilio::Model& model, const std::string& path) {
  try {
    papilio::save_model(model, path);
  } catch (const papilio::InvalidArgument&) {
    require(!has_sound_words(model));
    return;
  }
  require(has_sound_words(model) && are_equal(papilio::load_model(path), model));
}

void check(std::string_view bytes) {
  const InputFile file(bytes);
  try {
    const papilio::Model model = papilio::load_model(file.path());
    model.verify();
    require(model.topics > 0);
    for (std::int32_t k = 0; k < model.topics; ++k) papilio::top_words(model, k, 3);
    static const WrittenFolder folder;
    save(model, folder.path("model"));
  } catch (const papilio::FormatError&) {
  }
}

}  // namespace

// The input is the file, once as it is and once with hashes that fit.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  check(as_text(data, size));
  check(with_sound_hashes(as_text(data, size)));
  return 0;
}
