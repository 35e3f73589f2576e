#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "commands/reference/option_values.h"
#include "commands/subcommands.h"
#include "support/arguments.h"
#include "support/option_types.h"
#include "support/output.h"

namespace {

std::string joined(const std::vector<std::string>& words, std::string_view separator = " ") {
  std::string text;
  for (const std::string& word : words) text.append(text.empty() ? "" : separator).append(word);
  return text;
}

std::vector<std::string> names_of(const CLI::App* subcommand) {
  std::vector<std::string> names = {subcommand->get_name()};
  names.insert(names.end(), subcommand->get_aliases().begin(), subcommand->get_aliases().end());
  return names;
}

std::string options_as_words(const CLI::App& app) {
  std::vector<std::string> words;
  for (const CLI::Option* option : options_of(app)) {
    for (const std::string& spelling : spellings(option)) words.push_back(spelling);
  }
  return joined(words);
}

std::string_view first_line(std::string_view text) { return text.substr(0, text.find('\n')); }

// The spellings of the options of a subcommand, as a pattern of `case`.
std::string pattern_of(const CLI::App& app, OptionValue value) {
  std::vector<std::string> all;
  for (const CLI::Option* option : options_of(app)) {
    if (is_positional(option) || value_of(option) != value) continue;
    for (const std::string& spelling : spellings(option)) all.push_back(spelling);
  }
  return joined(all, "|");
}

// The words that a positional argument can be, if it has a fixed set of words.
std::vector<std::string> positional_words(const CLI::App& app) {
  for (const CLI::Option* option : options_of(app)) {
    if (is_positional(option) && !words_of(option).empty()) return words_of(option);
  }
  return {};
}

// For a subcommand: what may follow the option $before or, without one, what may come here.
void print_bash_values(const CLI::App& app) {
  print("      case $before in\n");
  for (const CLI::Option* option : options_of(app)) {
    const std::vector<std::string> words = words_of(option);
    if (is_positional(option) || words.empty()) continue;
    print("        {}) values=\"{}\"; files={} ;;\n", joined(spellings(option), "|"), joined(words),
          value_of(option) == OptionValue::file ? "yes" : "no");
  }
  for (const OptionValue value : {OptionValue::number, OptionValue::text}) {
    const std::string pattern = pattern_of(app, value);
    if (!pattern.empty()) print("        {}) return ;;\n", pattern);
  }
  const std::vector<std::string> words = positional_words(app);
  print("        *) options=\"{}\"; values=\"{}\"; files={} ;;\n", options_as_words(app), joined(words),
        words.empty() ? "yes" : "no");
  print("      esac ;;\n");
}

// Completes option names, the values of options that have a set of them, and files elsewhere. bash splits --name=value.
void print_bash(const CLI::App& app) {
  std::vector<std::string> names;
  for (const CLI::App* subcommand : subcommands_of(app)) names.push_back(subcommand->get_name());
  print(
      "_papilio() {{\n  local word=${{COMP_WORDS[COMP_CWORD]}} before=${{COMP_WORDS[COMP_CWORD - 1]}}\n"
      "  local options= values= files=yes name\n  COMPREPLY=()\n  if ((COMP_CWORD == 1)); then\n");
  print("    mapfile -t COMPREPLY < <(compgen -W \"{} --help --version\" -- \"$word\")\n    return\n  fi\n",
        joined(names));
  print(
      "  if [[ $word == '=' ]]; then\n    word=\n  elif [[ $before == '=' ]]; then\n"
      "    before=${{COMP_WORDS[COMP_CWORD - 2]}}\n  fi\n  case ${{COMP_WORDS[1]}} in\n");
  for (const CLI::App* subcommand : subcommands_of(app)) {
    print("    {})\n", joined(names_of(subcommand), "|"));
    print_bash_values(*subcommand);
  }
  print("    *) return ;;\n  esac\n  if [[ $word == -* ]]; then\n");
  print("    mapfile -t COMPREPLY < <(compgen -W \"$options\" -- \"$word\")\n    return\n  fi\n");
  print("  if [[ -n $values ]]; then\n    mapfile -t COMPREPLY < <(compgen -W \"$values\" -- \"$word\")\n  fi\n");
  print(
      "  if [[ $files == yes ]]; then\n    compopt -o filenames 2> /dev/null\n"
      "    while IFS= read -r name; do COMPREPLY+=(\"$name\"); done < <(compgen -f -- \"$word\")\n  fi\n}}\n");
  print("complete -F _papilio papilio\n");
}

std::string single_quoted(std::string_view text, std::string_view for_quote) {
  std::string quoted = "'";
  for (const char c : text) {
    if (c == '\'') {
      quoted += for_quote;
    } else {
      quoted += c;
    }
  }
  return quoted + "'";
}

void print_fish_option(const CLI::Option* option, const std::string& name) {
  const auto quoted = [](std::string_view text) { return single_quoted(text, "\\'"); };
  std::string names;
  for (const std::string& one : option->get_snames()) names += " -s " + one;
  for (const std::string& one : option->get_lnames()) names += " -l " + one;
  std::string values;
  if (!is_flag(option)) values = value_of(option) == OptionValue::file ? " -r -F" : " -r -f";
  if (!words_of(option).empty()) values += " -a " + quoted(joined(words_of(option)));
  print("complete -c papilio -n '__fish_seen_subcommand_from {}'{}{} -d {}\n", name, names, values,
        quoted(first_line(option->get_description())));
}

void print_fish(const CLI::App& app) {
  const auto quoted = [](std::string_view text) { return single_quoted(text, "\\'"); };
  for (const CLI::App* subcommand : subcommands_of(app)) {
    const std::string name = joined(names_of(subcommand));
    print("complete -c papilio -n __fish_use_subcommand -f -a {} -d {}\n", subcommand->get_name(),
          quoted(subcommand->get_description()));
    const std::vector<std::string> words = positional_words(*subcommand);
    if (!words.empty()) {
      print("complete -c papilio -n '__fish_seen_subcommand_from {}' -f -a {}\n", name, quoted(joined(words)));
    }
    for (const CLI::Option* option : options_of(*subcommand)) {
      if (!is_positional(option)) print_fish_option(option, name);
    }
  }
}

// Escapes text for a specification of _arguments.
std::string zsh_text(std::string_view text) {
  std::string escaped;
  for (const char c : text) {
    if (c == '[' || c == ']' || c == ':' || c == '\\') escaped += '\\';
    escaped += c;
  }
  return escaped;
}

std::string zsh_values(const CLI::Option* option) {
  const std::string words = joined(words_of(option));
  switch (value_of(option)) {
    case OptionValue::none:
      return "";
    case OptionValue::word:
      return fmt::format(":value:({})", words);
    case OptionValue::file:
      return words.empty() ? ":file:_files"
                           : fmt::format(":file:_alternative \"words:word:({})\" files:file:_files", words);
    default:
      return ":value: ";
  }
}

void print_zsh_option(const CLI::Option* option) {
  const auto quoted = [](std::string_view text) { return single_quoted(text, "'\\''"); };
  const std::vector<std::string> all = spellings(option);
  for (const std::string& spelling : all) {
    const bool is_long = spelling.starts_with("--");
    const char* joint = is_flag(option) ? "" : is_long ? "=" : "+";
    print("        {} \\\n", quoted(fmt::format("({}){}{}[{}]{}", joined(all), spelling, joint,
                                                zsh_text(first_line(option->get_description())), zsh_values(option))));
  }
}

void print_zsh(const CLI::App& app) {
  const auto quoted = [](std::string_view text) { return single_quoted(text, "'\\''"); };
  print("#compdef papilio\n_papilio() {{\n  local -a subcommands\n  subcommands=(\n");
  for (const CLI::App* subcommand : subcommands_of(app)) {
    print("    {}\n", quoted(subcommand->get_name() + ":" + zsh_text(subcommand->get_description())));
  }
  print(
      "  )\n  if ((CURRENT == 2)); then\n    _describe subcommand subcommands\n    return\n  fi\n"
      "  shift words\n  ((CURRENT--))\n  case $words[1] in\n");
  for (const CLI::App* subcommand : subcommands_of(app)) {
    print("    {})\n      _arguments -s \\\n", joined(names_of(subcommand), "|"));
    for (const CLI::Option* option : options_of(*subcommand)) {
      if (!spellings(option).empty()) print_zsh_option(option);
    }
    const std::vector<std::string> words = positional_words(*subcommand);
    print("        '*:{}' ;;\n", words.empty() ? "file:_files" : fmt::format("word:({})", joined(words)));
  }
  print(
      "  esac\n}}\nif [[ $funcstack[1] == _papilio ]]; then\n  _papilio \"$@\"\nelse\n  compdef _papilio "
      "papilio\nfi\n");
}

ExitCode print_completion(const CLI::App& app, const std::string& shell) {
  if (shell == "bash") {
    print_bash(app);
  } else if (shell == "zsh") {
    print_zsh(app);
  } else {
    print_fish(app);
  }
  return ExitCode::ok;
}

}  // namespace

Subcommand add_completion(CLI::App& app) {
  CLI::App* completion = app.add_subcommand("completion", "Print the completions of a shell");
  const auto shell = std::make_shared<std::string>();
  completion->add_option("shell", *shell, "bash, zsh or fish")
      ->required()
      ->check(one_of({"bash", "zsh", "fish"}))
      ->option_text("bash|zsh|fish");
  return {completion, [&app, shell](const std::string&) { return print_completion(app, *shell); }};
}
