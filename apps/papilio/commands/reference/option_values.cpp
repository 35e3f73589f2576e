#include "commands/reference/option_values.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <array>
#include <string_view>

namespace {

// Options that take neither a file, nor a fixed word, nor a number, by their first long names or as positionals.
constexpr std::array<std::string_view, 9> text_options = {
    "text-column", "id-column", "group-column", "title", "labels", "groups", "topics", "shell", "phrase-delimiter"};

std::string_view name_of(const CLI::Option* option) {
  const auto& longs = option->get_lnames();
  return longs.empty() || option->get_positional() ? std::string_view(option->get_single_name())
                                                   : std::string_view(longs.front());
}

// "a|b" as a list of words.
std::vector<std::string> split(std::string_view text) {
  std::vector<std::string> words;
  for (std::size_t begin = 0; begin < text.size();) {
    const std::size_t end = std::min(text.find('|', begin), text.size());
    words.emplace_back(text.substr(begin, end - begin));
    begin = end + 1;
  }
  return words;
}

}  // namespace

std::vector<const CLI::App*> subcommands_of(const CLI::App& app) {
  std::vector<const CLI::App*> found;
  for (const CLI::App* subcommand : app.get_subcommands([](const CLI::App*) { return true; })) {
    if (!subcommand->get_group().empty()) found.push_back(subcommand);
  }
  return found;
}

std::vector<const CLI::Option*> options_of(const CLI::App& app) {
  return app.get_options([](const CLI::Option* option) { return !option->get_group().empty(); });
}

bool is_positional(const CLI::Option* option) { return option->get_positional(); }
bool is_flag(const CLI::Option* option) { return option->get_items_expected_max() == 0; }

std::vector<std::string> words_of(const CLI::Option* option) {
  std::vector<std::string> words = split(option->get_option_text());
  if (name_of(option) == "stopwords" && words.empty()) words = {"english"};
  std::erase_if(words, [](const std::string& word) {  // "cuda:N" and "FILE" stand for many values
    return std::any_of(word.begin(), word.end(), [](char c) { return c >= 'A' && c <= 'Z'; });
  });
  return words;
}

OptionValue value_of(const CLI::Option* option) {
  if (is_flag(option)) return OptionValue::none;
  if (name_of(option) == "stopwords" || name_of(option) == "phrases") return OptionValue::file;
  if (!words_of(option).empty()) return OptionValue::word;
  // A validator's range follows the name of the type, as in "INT:an integer of at least 1".
  if (option->get_type_name().find(':') != std::string::npos) return OptionValue::number;
  const bool is_text = std::find(text_options.begin(), text_options.end(), name_of(option)) != text_options.end();
  const bool is_file_of_labels = name_of(option) == "labels" && !option->get_positional();
  return is_text && !is_file_of_labels ? OptionValue::text : OptionValue::file;
}

std::string value_name(const CLI::Option* option) {
  if (!option->get_option_text().empty()) return option->get_option_text();
  switch (value_of(option)) {
    case OptionValue::number:
      return "N";
    case OptionValue::file:
      return "FILE";
    default:
      return "VALUE";
  }
}
