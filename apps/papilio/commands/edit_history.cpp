#include "commands/edit_history.h"

#include <fmt/format.h>

#include <algorithm>

#include "support/text.h"

namespace {

// NAME.0 is what train wrote, NAME.1 the result of the first edit, and NAME that of the last.
std::string generation(const papilio::Model& model, const std::string& name, std::size_t number) {
  return number == model.edits.size() ? name : fmt::format("{}.{}", name, number);
}

}  // namespace

std::int32_t trained_topics(const papilio::Model& model) {
  std::int32_t topics = model.topics;
  for (const papilio::ModelEdit& edit : model.edits) {
    for (std::size_t i = 1; i < edit.change.size(); ++i) {
      if (edit.change[0] == "drop") ++topics;
      if (edit.change[0] == "merge") {
        topics += static_cast<std::int32_t>(std::count(edit.change[i].begin(), edit.change[i].end(), ','));
      }
    }
  }
  return topics;
}

std::string trained_name(const papilio::Model& model, const std::string& name) { return generation(model, name, 0); }

std::string edit_commands(const papilio::Model& model, const std::string& name) {
  std::string commands;
  for (std::size_t i = 0; i < model.edits.size(); ++i) {
    const std::vector<std::string>& change = model.edits[i].change;
    commands += fmt::format("\npapilio {} {}", shell_word(change.front()), shell_word(generation(model, name, i)));
    for (std::size_t word = 1; word < change.size(); ++word) commands += ' ' + shell_word(change[word]);
    commands += " -o " + shell_word(generation(model, name, i + 1));
  }
  return commands;
}
