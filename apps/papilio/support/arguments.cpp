#include "support/arguments.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cctype>
#include <string_view>

#include "support/exit_code.h"
#include "support/suggestion.h"
#include "support/text.h"

namespace {

template <class... Values>
[[noreturn]] void fail(fmt::format_string<Values...> form, Values&&... values) {
  throw CommandError(ExitCode::usage, fmt::format(form, std::forward<Values>(values)...));
}

bool is_flag(const CLI::Option& option) { return option.get_items_expected_max() == 0; }
bool takes_several(const CLI::Option& option) { return option.get_items_expected_max() > 1; }

// The name of an option that was not given: its first long name, or the name of a positional argument.
std::string name_of(const CLI::Option& option) {
  if (option.get_positional()) {
    std::string name = option.get_name(true);
    std::transform(name.begin(), name.end(), name.begin(), [](unsigned char c) { return std::toupper(c); });
    return name;
  }
  const auto& longs = option.get_lnames();
  return longs.empty() ? "-" + option.get_snames().front() : "--" + longs.front();
}

std::vector<CLI::Option*> options_of(CLI::App& app) {
  return app.get_options([](CLI::Option*) { return true; });
}

std::vector<std::string> spellings_of(CLI::App& app) {
  std::vector<std::string> all;
  for (const CLI::Option* option : options_of(app)) {
    if (!option->get_group().empty()) {  // options without a group exist only to be refused
      const std::vector<std::string> names = spellings(option);
      all.insert(all.end(), names.begin(), names.end());
    }
  }
  return all;
}

CLI::Option* find_long(CLI::App& app, const std::string& name) {
  for (CLI::Option* option : options_of(app)) {
    if (option->check_lname(name)) return option;
  }
  return nullptr;
}

[[noreturn]] void fail_unknown(CLI::App& app, const std::string& typed) {
  std::string hint = did_you_mean(typed, spellings_of(app));
  if (hint.empty() && typed.starts_with("--")) {
    for (CLI::App* other : app.get_parent()->get_subcommands([](CLI::App*) { return true; })) {
      const CLI::Option* option = find_long(*other, typed.substr(2));
      if (option != nullptr && !option->get_group().empty()) {
        hint = fmt::format("; papilio {} has it", other->get_name());
        break;
      }
    }
  }
  fail("unknown option {}{} (papilio {} --help lists the options)", shown(typed), hint, app.get_name());
}

// A message of CLI11 without the option's name at its front.
std::string_view without_name(std::string_view message, const CLI::Option& option) {
  const std::vector<std::string> longs = spellings(&option);
  for (const std::string& name : {option.get_name(), option.get_name(true), longs.empty() ? "" : longs.back()}) {
    if (!name.empty() && message.starts_with(name + ": ")) return message.substr(name.size() + 2);
  }
  return message;
}

}  // namespace

std::vector<std::string> spellings(const CLI::Option* option) {
  std::vector<std::string> names;
  for (const std::string& name : option->get_snames()) names.push_back("-" + name);
  for (const std::string& name : option->get_lnames()) names.push_back("--" + name);
  return names;
}

std::string listed(std::span<const std::string> words) {
  std::string text;
  for (std::size_t i = 0; i < words.size(); ++i) {
    text += (i == 0 ? "" : i + 1 == words.size() ? " or " : ", ") + words[i];
  }
  return text;
}

Arguments::Arguments(CLI::App& subcommand, std::span<const std::string> arguments)
    : app_(subcommand), known_(spellings_of(subcommand)) {
  bool only_positionals = false;
  while (!arguments.empty() && asks_for_help_ == Help::no) {
    const std::string& next = arguments.front();
    if (next.empty()) {
      fail("an argument is empty; expected a name, a number or an option");
    }
    if (only_positionals || next == "-" || next.front() != '-') {
      take_positional(next);
      arguments = arguments.subspan(1);
    } else if (next == "--") {
      only_positionals = true;
      arguments = arguments.subspan(1);
    } else {
      take_option(arguments);
    }
  }
  const std::vector<CLI::Option*> order = options_of(app_);
  std::stable_sort(given_.begin(), given_.end(), [&](const Given& a, const Given& b) {
    return std::find(order.begin(), order.end(), a.option) < std::find(order.begin(), order.end(), b.option);
  });
}

Arguments::Given& Arguments::given(CLI::Option& option) {
  const auto found = std::find_if(given_.begin(), given_.end(), [&](const Given& g) { return g.option == &option; });
  return found != given_.end() ? *found : given_.emplace_back(Given{&option, {}, {}});
}

const Arguments::Given* Arguments::find(const CLI::Option* option) const {
  const auto found = std::find_if(given_.begin(), given_.end(), [&](const Given& g) { return g.option == option; });
  return found != given_.end() ? &*found : nullptr;
}

void Arguments::take_option(std::span<const std::string>& rest) {
  if (rest.front().starts_with("--")) {
    take_long(rest);
  } else {
    take_short(rest);
  }
}

void Arguments::take_long(std::span<const std::string>& rest) {
  const std::string typed = rest.front();
  const std::size_t equals = typed.find('=');
  const std::string spelled = typed.substr(0, equals);
  CLI::Option* option = find_long(app_, spelled.substr(2));
  if (option == nullptr) {
    fail_unknown(app_, spelled);
  }
  rest = rest.subspan(1);
  if (equals == typed.npos) {
    take_values(*option, spelled, rest);
    return;
  }
  if (is_flag(*option)) {
    fail("{} takes no value, got {}", spelled, shown(typed.substr(equals + 1)));
  }
  if (equals + 1 == typed.size()) {
    fail("{} has no value after the =", spelled);
  }
  Given& one = given(*option);
  one.spelled.push_back(spelled);
  one.values.push_back(typed.substr(equals + 1));
}

void Arguments::take_short(std::span<const std::string>& rest) {
  const std::string typed = rest.front();
  rest = rest.subspan(1);
  for (std::size_t i = 1; i < typed.size() && asks_for_help_ == Help::no; ++i) {
    const std::string letter(1, typed[i]);
    const std::vector<CLI::Option*> all = options_of(app_);
    const auto found =
        std::find_if(all.begin(), all.end(), [&](const CLI::Option* option) { return option->check_sname(letter); });
    if (found == all.end()) {
      fail_unknown(app_, i == 1 ? typed : "-" + typed.substr(i));
    }
    const std::string spelled = "-" + letter;
    if (is_flag(**found) || i + 1 == typed.size()) {
      take_values(**found, spelled, rest);
      continue;
    }
    Given& one = given(**found);
    one.spelled.push_back(spelled);
    one.values.push_back(typed.substr(i + 1));
    return;
  }
}

// Takes the values that follow an option: as many as it needs or, if it takes several, all up to the next option.
void Arguments::take_values(CLI::Option& option, const std::string& spelled, std::span<const std::string>& rest) {
  if (&option == app_.get_help_ptr() || &option == app_.get_help_all_ptr()) {
    asks_for_help_ = &option == app_.get_help_ptr() ? Help::usual : Help::all;
    return;
  }
  Given& one = given(option);
  one.spelled.push_back(spelled);
  if (is_flag(option)) {
    return;
  }
  const bool is_needed = option.get_items_expected_min() > 0;
  const auto is_option = [&](const std::string& text) {
    const bool is_known = std::find(known_.begin(), known_.end(), text) != known_.end();
    return text.starts_with("--") || is_known || (!is_needed && text.front() == '-' && text != "-");
  };
  bool has_value = false;
  while (!rest.empty() && (!has_value || takes_several(option)) && !rest.front().empty() && !is_option(rest.front())) {
    one.values.push_back(rest.front());
    rest = rest.subspan(1);
    has_value = true;
  }
  if (has_value || !is_needed) {
    return;
  }
  if (rest.empty()) {
    fail("{} needs a value, but the command line ends", spelled);
  }
  if (rest.front().empty()) {
    fail("{} has an empty value", spelled);
  }
  fail("{} needs a value, but is followed by {}; if that is the value, write {}={}", spelled, shown(rest.front()),
       name_of(option), shown(rest.front()));
}

void Arguments::take_positional(const std::string& value) {
  std::string expected;
  for (CLI::Option* option : options_of(app_)) {
    if (!option->get_positional()) continue;
    expected += ' ' + name_of(*option);
    if (find(option) == nullptr || takes_several(*option)) {
      Given& one = given(*option);
      one.spelled.push_back(name_of(*option));
      one.values.push_back(value);
      return;
    }
  }
  fail("unexpected argument {}; expected papilio {}{} and options", shown(value), app_.get_name(), expected);
}

void Arguments::apply() const {
  require_all();
  for (const Given& one : given_) {
    if (one.values.size() > 1 && !takes_several(*one.option)) {
      fail("{} is given {}: {} and {}; expected once", one.spelled.back(),
           one.values.size() == 2 ? "twice" : fmt::format("{} times", one.values.size()), shown(one.values[0]),
           shown(one.values[1]));
    }
    require_company(one);
    for (const std::string& value : one.values) one.option->add_result(value);
    if (one.values.empty()) {
      const auto& longs = one.option->get_lnames();
      one.option->add_result(is_flag(*one.option) ? one.option->get_flag_value(longs.front(), "") : "");
    }
    try {
      one.option->run_callback();
    } catch (const CLI::ParseError& error) {
      fail("{} {}", one.spelled.back(), without_name(error.what(), *one.option));
    }
  }
}

// " MODEL CORPUS --output VALUE".
std::string Arguments::required_arguments() const {
  std::string all;
  for (const CLI::Option* option : options_of(app_)) {
    if (!option->get_required()) continue;
    all += ' ' + name_of(*option);
    if (!option->get_positional() && !is_flag(*option)) all += " VALUE";
  }
  return all;
}

void Arguments::require_all() const {
  for (const CLI::Option* option : options_of(app_)) {
    if (option->get_required() && find(option) == nullptr) {
      const std::string name = name_of(*option);
      fail("{} is missing; expected papilio {}{} (papilio {} --help explains)", name, app_.get_name(),
           required_arguments(), app_.get_name());
    }
  }
}

void Arguments::require_company(const Given& one) const {
  for (const CLI::Option* needed : one.option->get_needs()) {
    if (find(needed) == nullptr) {
      fail("{} is given without {}, which it needs", one.spelled.back(), name_of(*needed));
    }
  }
  for (const CLI::Option* other : one.option->get_excludes()) {
    if (find(other) != nullptr) {
      fail("{} and {} are both given; expected one of them", one.spelled.back(), find(other)->spelled.back());
    }
  }
}

std::vector<std::string> Arguments::canonical() const {
  std::vector<std::string> arguments;
  std::vector<std::string> positionals;
  for (const Given& one : given_) {
    if (one.option->get_positional() && one.option->get_lnames().empty()) {
      positionals.insert(positionals.end(), one.values.begin(), one.values.end());
      continue;
    }
    const auto& longs = one.option->get_lnames();
    const std::string name = longs.empty() ? "-" + one.option->get_snames().front() : "--" + longs.front();
    if (one.values.empty()) arguments.push_back(name);
    for (const std::string& value : one.values) {
      arguments.push_back(longs.empty() ? name + value : fmt::format("{}={}", name, value));
    }
  }
  arguments.emplace_back("--");
  arguments.insert(arguments.end(), positionals.begin(), positionals.end());
  return arguments;
}
