#include <fmt/format.h>

#include <limits>
#include <nlohmann/json.hpp>
#include <string_view>
#include <utility>

#include "lda/io/bytes/origin.h"
#include "lda/io/model/safetensors.h"
#include "papilio/error.h"
#include "papilio/model.h"

namespace papilio {
namespace {

using nlohmann::json;

constexpr std::string_view settings_prefix = "settings.";

std::string vocabulary_text(const std::vector<std::string>& vocabulary) {
  json words = json::array();
  for (std::size_t w = 0; w < vocabulary.size(); ++w) {
    words.push_back(vocabulary[w]);
    try {
      words.back().dump();
    } catch (const json::type_error&) {
      throw InvalidArgument(fmt::format("papilio::save_model: word {} is not valid UTF-8", w));
    }
  }
  return words.dump();
}

std::vector<std::string> vocabulary_of(const lda::SafetensorsFile& file) {
  try {
    return json::parse(file.metadata("vocabulary")).get<std::vector<std::string>>();
  } catch (const json::exception&) {
    file.fail("\"vocabulary\" is not a JSON list of words");
  }
}

}  // namespace

void save_model(const Model& model, const std::string& path) {
  model.verify();
  lda::Metadata metadata = {{"format", "papilio-model"},
                            {"format_version", "1"},
                            {"vocabulary", vocabulary_text(model.vocabulary)},
                            {"beta", fmt::format("{}", model.beta)}};
  for (const auto& [key, value] : model.settings) {
    metadata[std::string(settings_prefix) + key] = value;
  }
  lda::write_safetensors(
      path, std::move(metadata),
      {lda::tensor_view("alpha", {model.topics}, model.alpha), lda::tensor_view("n_k", {model.topics}, model.n_k),
       lda::tensor_view("n_wk", {model.vocabulary_size(), model.topics}, model.n_wk)},
      "save_model");
}

Model load_model(const std::string& path) {
  lda::SafetensorsFile file(path, "load_model");
  if (file.metadata("format") != "papilio-model" || file.metadata("format_version") != "1") {
    file.fail(fmt::format("the file is a {} of version {}, expected a papilio-model of version 1",
                          lda::quoted(file.metadata("format")), lda::quoted(file.metadata("format_version"))));
  }
  file.require_tensors({"alpha", "n_k", "n_wk"});
  Model model;
  const lda::Shape shape = file.shape("n_wk");
  if (shape.size() != 2 || shape[1] < 1 || shape[1] > std::numeric_limits<std::int32_t>::max()) {
    file.fail("tensor \"n_wk\" is not a matrix of words x topics");
  }
  model.topics = static_cast<std::int32_t>(shape[1]);
  model.vocabulary = vocabulary_of(file);
  model.beta = file.metadata_double("beta");
  model.alpha = file.read<double>("alpha", {model.topics});
  model.n_k = file.read<std::int64_t>("n_k", {model.topics});
  model.n_wk = file.read<std::int32_t>("n_wk", {model.vocabulary_size(), model.topics});
  for (const auto& [key, value] : file.metadata()) {
    if (key.starts_with(settings_prefix)) {
      model.settings[key.substr(settings_prefix.size())] = value;
    } else if (key != "format" && key != "format_version" && key != "vocabulary" && key != "beta") {
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
