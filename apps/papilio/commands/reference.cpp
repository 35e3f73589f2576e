#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "commands/subcommands.h"
#include "papilio/version.h"

namespace {

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
bool is_flag(const CLI::Option* option) { return option->get_expected_max() == 0; }

// "-k", "--topics", "--num-topics".
std::vector<std::string> spellings(const CLI::Option* option) {
  std::vector<std::string> names;
  for (const std::string& name : option->get_snames()) names.push_back("-" + name);
  for (const std::string& name : option->get_lnames()) names.push_back("--" + name);
  return names;
}

// Text as roff prints it: a backslash or a hyphen is itself, and no line begins with a request.
std::string roff(std::string_view text) {
  std::string escaped;
  for (const char c : text) {
    if (escaped.empty() || escaped.back() == '\n') {
      if (c == '.' || c == '\'') escaped += "\\&";
    }
    if (c == '\\') {
      escaped += "\\e";
    } else if (c == '-') {
      escaped += "\\-";
    } else {
      escaped += c;
    }
  }
  return escaped;
}

// A description of several lines, each but the first an item of its own.
std::string roff_lines(std::string_view text) {
  std::string lines;
  for (std::size_t begin = 0; begin <= text.size();) {
    const std::size_t end = std::min(text.find('\n', begin), text.size());
    std::string_view line = text.substr(begin, end - begin);
    while (line.starts_with(' ')) line.remove_prefix(1);
    lines += (begin == 0 ? "" : ".\n.br\n") + roff(line);
    begin = end + 1;
  }
  return lines;
}

std::string_view first_line(std::string_view text) { return text.substr(0, text.find('\n')); }

void print_option(const CLI::Option* option) {
  std::string names;
  if (is_positional(option)) {
    names = fmt::format("\\fI{}\\fR", roff(option->get_name(true)));
  } else {
    for (const std::string& spelling : spellings(option)) {
      names += fmt::format("{}\\fB{}\\fR", names.empty() ? "" : ", ", roff(spelling));
    }
    if (!is_flag(option)) names += " \\fIVALUE\\fR";
  }
  fmt::print(".TP\n{}\n{}.", names, roff_lines(option->get_description()));
  if (!is_positional(option) && !option->get_default_str().empty() && !is_flag(option)) {
    fmt::print(" Default: {}.", roff(option->get_default_str()));
  }
  fmt::print("\n");
}

void print_options(const CLI::App& app) {
  for (const CLI::Option* option : options_of(app)) print_option(option);
}

ExitCode print_man_page(const CLI::App& app) {
  fmt::print(".TH PAPILIO 1 \"\" \"papilio {}\" \"User Commands\"\n", papilio::version());
  fmt::print(".SH NAME\npapilio \\- topic models; the same seed gives the same bits on every machine\n");
  fmt::print(".SH SYNOPSIS\n.B papilio\n.I SUBCOMMAND\n[\\fIOPTION\\fR]...\n");
  fmt::print(".SH SUBCOMMANDS\n");
  for (const CLI::App* subcommand : subcommands_of(app)) {
    fmt::print(".SS papilio {}\n{}.\n", roff(subcommand->get_name()), roff(subcommand->get_description()));
    print_options(*subcommand);
    if (!subcommand->get_footer().empty()) {
      fmt::print(".PP\n.nf\n{}\n.fi\n", roff(subcommand->get_footer()));
    }
  }
  fmt::print(
      ".SH EXIT STATUS\n"
      "0 done; 64 the command line is wrong; 65 an input does not match its format; 66 an input is missing;\n"
      "70 internal or device error; 71 out of memory; 73 an output cannot be created or may not be replaced;\n"
      "74 reading or writing failed midway; 130, 143 stopped by SIGINT, SIGTERM.\n");
  return ExitCode::ok;
}

std::string joined(const std::vector<std::string>& words) {
  std::string text;
  for (const std::string& word : words) text += (text.empty() ? "" : " ") + word;
  return text;
}

std::string names_of_subcommands(const CLI::App& app) {
  std::vector<std::string> names;
  for (const CLI::App* subcommand : subcommands_of(app)) names.push_back(subcommand->get_name());
  return joined(names);
}

std::string options_as_words(const CLI::App& app) {
  std::vector<std::string> words;
  for (const CLI::Option* option : options_of(app)) {
    for (const std::string& spelling : spellings(option)) words.push_back(spelling);
  }
  return joined(words);
}

// Files complete where no option is being written.
void print_bash(const CLI::App& app) {
  fmt::print("_papilio() {{\n  local word=${{COMP_WORDS[COMP_CWORD]}}\n  if ((COMP_CWORD == 1)); then\n");
  fmt::print("    mapfile -t COMPREPLY < <(compgen -W \"{} --help --version\" -- \"$word\")\n    return\n  fi\n",
             names_of_subcommands(app));
  fmt::print("  local options\n  case ${{COMP_WORDS[1]}} in\n");
  for (const CLI::App* subcommand : subcommands_of(app)) {
    fmt::print("    {}) options=\"{}\" ;;\n", subcommand->get_name(), options_as_words(*subcommand));
  }
  fmt::print("    *) return ;;\n  esac\n  if [[ $word == -* ]]; then\n");
  fmt::print("    mapfile -t COMPREPLY < <(compgen -W \"$options\" -- \"$word\")\n  else\n");
  fmt::print("    mapfile -t COMPREPLY < <(compgen -f -- \"$word\")\n  fi\n}}\n");
  fmt::print("complete -o filenames -F _papilio papilio\n");
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

void print_fish(const CLI::App& app) {
  const auto quoted = [](std::string_view text) { return single_quoted(text, "\\'"); };
  for (const CLI::App* subcommand : subcommands_of(app)) {
    fmt::print("complete -c papilio -n __fish_use_subcommand -f -a {} -d {}\n", subcommand->get_name(),
               quoted(subcommand->get_description()));
    for (const CLI::Option* option : options_of(*subcommand)) {
      if (is_positional(option)) continue;
      std::string names;
      for (const std::string& name : option->get_snames()) names += " -s " + name;
      for (const std::string& name : option->get_lnames()) names += " -l " + name;
      fmt::print("complete -c papilio -n '__fish_seen_subcommand_from {}'{}{} -d {}\n", subcommand->get_name(), names,
                 is_flag(option) ? "" : " -r", quoted(first_line(option->get_description())));
    }
  }
}

// zsh reads bash's script by means of its own bashcompinit.
void print_zsh(const CLI::App& app) {
  fmt::print("#compdef papilio\nautoload -U +X bashcompinit && bashcompinit\n");
  print_bash(app);
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

Subcommand add_man(CLI::App& app) {
  CLI::App* man = app.add_subcommand("man", "Print the manual page, for man -l -");
  return {man, [&app](const std::string&) { return print_man_page(app); }};
}

Subcommand add_completion(CLI::App& app) {
  CLI::App* completion = app.add_subcommand("completion", "Print the completions of a shell");
  const auto shell = std::make_shared<std::string>();
  completion->add_option("shell", *shell, "bash, zsh or fish")
      ->required()
      ->check(CLI::IsMember({"bash", "zsh", "fish"}));
  return {completion, [&app, shell](const std::string&) { return print_completion(app, *shell); }};
}
