#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <iterator>
#include <limits>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "lda/corpus/vocabulary.h"
#include "lda/io/bytes/origin.h"
#include "lda/io/model/count_tensors.h"
#include "lda/io/model/safetensors.h"
#include "lda/io/model/vocabulary_tensors.h"
#include "lda/model/labels.h"
#include "papilio/error.h"
#include "papilio/model.h"

namespace papilio {
namespace {

constexpr std::string_view settings_prefix = "settings.";

// Version 1 has the vocabulary as a JSON list in the metadata, which the header's limit of 100 MB bounds. Version 3 may
// have seed words and labels, as tensors, and edits, in the metadata; a model with none of these is of version 2.
// Version 4 may have them too, and stores only the counts that are not 0.
constexpr const char* version = "2";
constexpr const char* version_of_json_vocabulary = "1";
constexpr const char* version_of_more = "3";
constexpr const char* version_of_sparse = "4";

constexpr const char* seed_words_tensor = "seed_words";
constexpr const char* edits_entry = "edits";  // one line per edit, oldest first: parent and words, separated by tabs

std::vector<std::string> json_vocabulary(const lda::SafetensorsFile& file) {
  const std::string& text = file.metadata("vocabulary");
  try {
    return lda::vocabulary_of_json(text);
  } catch (const FormatError& error) {
    file.fail(error.what());
  }
}

// Rows of topic, word, weight.
std::vector<std::int32_t> seed_rows(const Model& model) {
  std::vector<std::int32_t> rows;
  for (const SeedWord& seed : model.seed_words) rows.insert(rows.end(), {seed.topic, seed.word, seed.weight});
  return rows;
}

void read_seed_words(lda::SafetensorsFile& file, Model& model) {
  const lda::Shape shape = file.shape(seed_words_tensor);
  if (shape.size() != 2 || shape[0] < 1 || shape[1] != 3) {
    file.fail("tensor \"seed_words\" is not a matrix of rows of topic, word, weight");
  }
  const std::vector<std::int32_t> rows = file.read<std::int32_t>(seed_words_tensor, shape);
  model.s_k.resize(static_cast<std::size_t>(model.topics));
  for (std::size_t i = 0; i < rows.size(); i += 3) {
    const SeedWord seed = {.topic = rows[i], .word = rows[i + 1], .weight = rows[i + 2]};
    model.seed_words.push_back(seed);
    if (0 <= seed.topic && seed.topic < model.topics) model.s_k[static_cast<std::size_t>(seed.topic)] += seed.weight;
  }
}

std::string text_of(const std::vector<ModelEdit>& edits) {
  std::string text;
  for (const ModelEdit& edit : edits) text += fmt::format("{}\t{}\n", edit.parent, fmt::join(edit.change, "\t"));
  return text;
}

std::vector<std::string_view> parts_of(std::string_view text, char separator) {
  std::vector<std::string_view> parts;
  for (std::size_t begin = 0; begin <= text.size();) {
    const std::size_t end = std::min(text.find(separator, begin), text.size());
    parts.push_back(text.substr(begin, end - begin));
    begin = end + 1;
  }
  return parts;
}

std::vector<ModelEdit> edits_of(const lda::SafetensorsFile& file) {
  std::vector<ModelEdit> edits;
  const auto entry = file.metadata().find(edits_entry);
  if (entry == file.metadata().end()) return edits;
  if (!entry->second.ends_with('\n')) file.fail("the edits in the metadata are not whole lines");
  for (const std::string_view line :
       parts_of(std::string_view(entry->second).substr(0, entry->second.size() - 1), '\n')) {
    const std::vector<std::string_view> parts = parts_of(line, '\t');
    ModelEdit edit = {{parts.begin() + 1, parts.end()}, std::string(parts.front())};
    if (!lda::is_edit(edit)) file.fail(fmt::format("an edit is {}, expected a hash and words", lda::quoted(line)));
    edits.push_back(std::move(edit));
  }
  return edits;
}

// The content of a model's file.
struct Contents {
  explicit Contents(const Model& model, const char* caller) {
    model.verify();
    lda::require_vocabulary(model.vocabulary, caller);
    const bool has_more = !model.seed_words.empty() || !model.labels.empty() || !model.edits.empty();
    const bool is_sparse = lda::is_written_sparse(model.n_wk);
    metadata = {{"format", "papilio-model"},
                {"format_version", is_sparse  ? version_of_sparse
                                   : has_more ? version_of_more
                                              : version},
                {"beta", fmt::format("{}", model.beta)}};
    for (const auto& [key, value] : model.settings) metadata[std::string(settings_prefix) + key] = value;
    if (!model.edits.empty()) metadata[edits_entry] = text_of(model.edits);
    tensors = {lda::tensor_view("alpha", {model.topics}, model.alpha),
               lda::tensor_view("n_k", {model.topics}, model.n_k),
               lda::offsets_view(lda::vocabulary_offsets_tensor, model.vocabulary)};
    if (!model.labels.empty()) tensors.push_back(lda::offsets_view(lda::label_offsets_tensor, model.labels));
    if (is_sparse) {
      counts = lda::compressed_counts(model.n_wk, model.topics);
      std::ranges::move(counts.tensors(model.topics), std::back_inserter(tensors));
    } else {
      tensors.push_back(lda::tensor_view("n_wk", {model.vocabulary_size(), model.topics}, model.n_wk));
    }
    if (!model.seed_words.empty()) {
      seeds = seed_rows(model);
      tensors.push_back(lda::tensor_view(seed_words_tensor, {std::ssize(model.seed_words), 3}, seeds));
    }
    tensors.push_back(lda::words_view(lda::vocabulary_tensor, model.vocabulary));
    if (!model.labels.empty()) tensors.push_back(lda::words_view(lda::labels_tensor, model.labels));
    lda::put_larger_types_first(tensors);
  }
  Contents(const Contents&) = delete;
  Contents& operator=(const Contents&) = delete;

  lda::Metadata metadata;
  std::vector<std::int32_t> seeds;
  lda::CompressedCounts counts;
  std::vector<lda::TensorView> tensors;  // they borrow from the model, `seeds` and `counts`
};

// The version of the file. Throws FormatError unless it is a model of a known version.
int version_in(const lda::SafetensorsFile& file) {
  const std::string& found = file.metadata("format_version");
  constexpr std::array known = {version_of_json_vocabulary, version, version_of_more, version_of_sparse};
  const auto place = std::find(known.begin(), known.end(), found);
  if (file.metadata("format") != "papilio-model" || place == known.end()) {
    file.fail(fmt::format("the file is a {} of version {}, expected a papilio-model of version 1, 2, 3 or 4",
                          lda::quoted(file.metadata("format")), lda::quoted(found)));
  }
  return static_cast<int>(place - known.begin()) + 1;
}

// The numbers of words and topics, from the tensors' shapes. Throws FormatError if these are not such numbers.
std::pair<std::int64_t, std::int32_t> size_of_table(const lda::SafetensorsFile& file, bool is_sparse) {
  constexpr std::int64_t most = std::numeric_limits<std::int32_t>::max();
  lda::Shape shape;
  if (is_sparse) {
    for (const char* tensor : {lda::count_offsets_tensor, "n_k"}) {
      const lda::Shape& list = file.shape(tensor);
      if (list.size() != 1 || list[0] < 1) file.fail(fmt::format("tensor \"{}\" is not a list", tensor));
      shape.push_back(list[0]);
    }
    --shape[0];
  } else {
    shape = file.shape("n_wk");
  }
  if (shape.size() != 2 || shape[0] > most || shape[1] < 1 || shape[1] > most) {
    file.fail(
        fmt::format("tensor \"{}\" is not a matrix of words x topics", is_sparse ? lda::count_offsets_tensor : "n_wk"));
  }
  return {shape[0], static_cast<std::int32_t>(shape[1])};
}

}  // namespace

void save_model(const Model& model, const std::string& path) {
  const Contents contents(model, "save_model");
  lda::write_safetensors(path, contents.metadata, contents.tensors, "save_model");
}

std::string model_hash(const Model& model) {
  const Contents contents(model, "model_hash");
  return lda::hash_safetensors(contents.metadata, contents.tensors, "model_hash");
}

Model load_model(const std::string& path) {
  lda::SafetensorsFile file(path, "load_model");
  const int found = version_in(file);
  const bool has_json = found == 1, has_more = found >= 3, is_sparse = found == 4;
  const bool has_labels = has_more && file.has_tensor(lda::labels_tensor);
  std::vector<std::string> tensors = {"alpha", "n_k"};
  if (!is_sparse) tensors.emplace_back("n_wk");
  if (is_sparse) {
    tensors.insert(tensors.end(), {lda::count_offsets_tensor, lda::count_topics_tensor, lda::counts_tensor});
  }
  if (!has_json) tensors.insert(tensors.end(), {lda::vocabulary_tensor, lda::vocabulary_offsets_tensor});
  if (has_labels) tensors.insert(tensors.end(), {lda::labels_tensor, lda::label_offsets_tensor});
  const bool has_seed_words = has_more && file.has_tensor(seed_words_tensor);
  if (has_seed_words) tensors.emplace_back(seed_words_tensor);
  file.require_tensors(tensors);
  Model model;
  const auto [words, topics] = size_of_table(file, is_sparse);
  model.topics = topics;
  model.vocabulary = has_json ? json_vocabulary(file) : lda::read_vocabulary_tensors(file, words);
  model.beta = file.metadata_double("beta");
  model.alpha = file.read<double>("alpha", {model.topics});
  model.n_k = file.read<std::int64_t>("n_k", {model.topics});
  model.n_wk = is_sparse ? lda::read_compressed_counts(file, words, topics)
                         : file.read<std::int32_t>("n_wk", {model.vocabulary_size(), topics});
  if (has_seed_words) read_seed_words(file, model);
  if (has_labels) model.labels = lda::read_texts(file, lda::labels_tensor, lda::label_offsets_tensor, model.topics);
  if (has_more) model.edits = edits_of(file);
  for (const auto& [key, value] : file.metadata()) {
    if (key.starts_with(settings_prefix)) {
      model.settings[key.substr(settings_prefix.size())] = value;
    } else if (key == "vocabulary"  ? !has_json
               : key == edits_entry ? !has_more
                                    : key != "format" && key != "format_version" && key != "beta") {
      file.fail(fmt::format("unknown entry {} in the metadata", lda::quoted(key)));
    }
  }
  try {
    model.verify();
  } catch (const InvalidArgument& error) {
    file.fail(error.what());
  }
  return model;
}

}  // namespace papilio
