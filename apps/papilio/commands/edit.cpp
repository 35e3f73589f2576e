#include <fmt/format.h>
#include <fmt/ranges.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <charconv>
#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <functional>
#include <iostream>
#include <map>
#include <memory>
#include <numeric>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>
#include <vector>

#include "commands/subcommands.h"
#include "papilio/error.h"
#include "papilio/model_edits.h"
#include "support/command_files.h"
#include "support/files.h"
#include "support/option_types.h"
#include "support/output.h"
#include "support/text.h"

// The commands label, merge, drop, which make a new model from an old one.

namespace {

struct EditArguments {
  std::string model;
  std::vector<std::string> changes;  // as they are typed
  std::string labels;                // a file with more changes; empty: none
  std::string output;
  bool force = false;
  bool quiet = false;
};

using Labels = std::map<std::int32_t, std::string>;
using Topics = std::vector<std::int32_t>;

template <class... Values>
[[noreturn]] void refuse(fmt::format_string<Values...> form, Values&&... values) {
  throw CommandError(ExitCode::usage, fmt::format(form, std::forward<Values>(values)...));
}

// Takes the number at the beginning of a text; false if there is none.
bool take_topic(std::string_view& text, std::int32_t& topic) {
  const char* const end = text.data() + text.size();
  const auto [rest, error] = std::from_chars(text.data(), end, topic);
  if (error != std::errc() || topic < 0) return false;
  text.remove_prefix(static_cast<std::size_t>(rest - text.data()));
  return true;
}

// "3,7,12".
Topics topics_of(const std::string& typed, const char* expected) {
  Topics topics;
  std::string_view rest = typed;
  while (true) {
    if (!take_topic(rest, topics.emplace_back()))
      refuse("{} is not a list of topics; expected {}", shown(typed), expected);
    if (rest.empty()) return topics;
    if (rest.front() != ',') refuse("{} is not a list of topics; expected {}", shown(typed), expected);
    rest.remove_prefix(1);
  }
}

// "3=Politics and law"; in a file a tab may replace the sign. Returns the topic, or nothing if it has no label here or
// has one already.
std::optional<std::int32_t> take_label(std::string_view text, Labels& labels, std::string_view separators) {
  std::int32_t topic = 0;
  if (!take_topic(text, topic) || text.empty() || separators.find(text.front()) == separators.npos) return {};
  return labels.emplace(topic, text.substr(1)).second ? std::optional(topic) : std::nullopt;
}

void require_topic(std::int32_t topic, std::int32_t topics, ExitCode code, const std::string& where = "") {
  if (topic >= topics) {
    throw CommandError(code, fmt::format("{}topic {}, expected 0 <= topic < {}", where, topic, topics));
  }
}

// For a model of so many topics.
void read_labels(const std::string& path, std::int32_t topics, Labels& labels) {
  std::error_code error;
  if (path != "-" && std::filesystem::is_directory(path, error)) {
    throw CommandError(ExitCode::no_input, fmt::format("cannot open {}: it is a folder, expected a file", path));
  }
  std::ifstream file;
  if (path != "-") file.open(path);
  std::istream& lines = path == "-" ? std::cin : file;
  if (!lines) throw CommandError(ExitCode::no_input, fmt::format("cannot open {}", path));
  std::int64_t number = 0;
  for (std::string line; std::getline(lines, line);) {
    ++number;
    if (line.ends_with('\r')) line.pop_back();
    if (line.empty()) continue;
    const std::optional<std::int32_t> topic = take_label(line, labels, "=\t");
    if (!topic) {
      throw CommandError(
          ExitCode::bad_data,
          fmt::format("{}:{}: expected a topic's number, = or a tab, and a label, each topic once; got {}", path,
                      number, shown(line)));
    }
    require_topic(*topic, topics, ExitCode::bad_data, fmt::format("{}:{}: ", path, number));
  }
  if (lines.bad() || (path == "-" && std::ferror(stdin) != 0)) {
    throw CommandError(ExitCode::io_error, fmt::format("{}:{}: the rest cannot be read, expected lines up to the end "
                                                       "of the file",
                                                       path, number + 1));
  }
}

Labels labels_of(const EditArguments& arguments) {
  Labels labels;
  for (const std::string& typed : arguments.changes) {
    if (!take_label(typed, labels, "=")) {
      refuse("{} is not a label; expected a topic's number, = and its label, each topic once, as in 3=Politics",
             shown(typed));
    }
  }
  return labels;
}

std::vector<Topics> groups_of(const EditArguments& arguments) {
  constexpr const char* expected = "two or more topics separated by commas, as in 3,7";
  std::vector<Topics> groups;
  for (const std::string& typed : arguments.changes) {
    groups.push_back(topics_of(typed, expected));
    if (groups.back().size() < 2) refuse("{} is one topic; expected {}", shown(typed), expected);
  }
  return groups;
}

Topics dropped_of(const EditArguments& arguments) {
  Topics topics;
  for (const std::string& typed : arguments.changes) {
    const Topics more = topics_of(typed, "numbers of topics, as in 4 9 or 4,9");
    topics.insert(topics.end(), more.begin(), more.end());
  }
  return topics;
}

// The new model, and a message about the topics: those after removed ones have new numbers.
struct Edited {
  papilio::Model model;
  std::string what;
};

Edited label(const papilio::Model& model, const EditArguments& arguments) {
  Labels labels = labels_of(arguments);
  for (const auto& [topic, text] : labels) require_topic(topic, model.topics, ExitCode::usage);
  if (!arguments.labels.empty()) read_labels(arguments.labels, model.topics, labels);
  papilio::Model result = papilio::label_topics(model, labels);
  const auto count =
      std::count_if(result.labels.begin(), result.labels.end(), [](const std::string& text) { return !text.empty(); });
  return {std::move(result), fmt::format("{} of {} topics have labels", grouped(count), grouped(model.topics))};
}

Edited merge(const papilio::Model& model, const EditArguments& arguments) {
  const std::vector<Topics> groups = groups_of(arguments);
  papilio::Model result = papilio::merge_topics(model, groups);
  Topics gone;
  for (Topics group : groups) {
    group.erase(std::min_element(group.begin(), group.end()));
    gone.insert(gone.end(), group.begin(), group.end());
  }
  std::string what;
  for (const Topics& group : groups) {
    const std::int32_t first = *std::min_element(group.begin(), group.end());
    const auto before = std::count_if(gone.begin(), gone.end(), [&](std::int32_t topic) { return topic < first; });
    what += fmt::format("{}{} are now topic {}", what.empty() ? "topics " : ", ", fmt::join(group, "+"),
                        first - static_cast<std::int32_t>(before));
  }
  return {std::move(result), what};
}

Edited drop(const papilio::Model& model, const EditArguments& arguments) {
  const Topics topics = dropped_of(arguments);
  papilio::Model result = papilio::drop_topics(model, topics);
  const auto tokens = [](const papilio::Model& of) {
    return std::accumulate(of.n_k.begin(), of.n_k.end(), std::int64_t{0});
  };
  std::string what =
      fmt::format("{} of {} tokens were dropped with topic{} {}", grouped(tokens(model) - tokens(result)),
                  grouped(tokens(model)), topics.size() == 1 ? "" : "s", fmt::join(topics, ", "));
  return {std::move(result), std::move(what)};
}

using Edit = std::function<Edited(const papilio::Model& model, const EditArguments& arguments)>;

// What the library refuses was typed, unless there is a file of labels: that may be at fault.
Edited edited_by(const Edit& edit, const papilio::Model& model, const EditArguments& arguments) {
  try {
    return edit(model, arguments);
  } catch (const papilio::InvalidArgument& error) {
    throw CommandError(arguments.labels.empty() ? ExitCode::usage : ExitCode::bad_data, error.what());
  }
}

ExitCode run_edit(const EditArguments& arguments, const Edit& edit) {
  CommandFiles files(arguments.force);
  files.reads("the model", arguments.model);
  files.reads("--labels", arguments.labels);
  files.writes({.option = "-o", .path = arguments.output, .takes_streams = false});
  files.reserve();
  const papilio::Model model = reading([&] { return papilio::load_model(arguments.model); });
  const Edited edited = edited_by(edit, model, arguments);
  writing(arguments.output, 4 * std::ssize(edited.model.n_wk),
          [&] { papilio::save_model(edited.model, arguments.output); });
  if (!arguments.quiet) {
    tell("{}; wrote {}, {} topics{}\n", edited.what, arguments.output, grouped(edited.model.topics),
         edited.model.topics == model.topics ? "" : ": topics after a removed one have lower numbers now");
  }
  return ExitCode::ok;
}

struct Wording {
  const char* name;
  const char* help;
  const char* positional;
  const char* explanation;
};

// `check` reads the changes before any file is opened.
template <class Check>
Subcommand add_edit(CLI::App& app, const Wording& wording, const Edit& edit, Check check, bool takes_file) {
  const auto arguments = std::make_shared<EditArguments>();
  CLI::App* subcommand = app.add_subcommand(wording.name, wording.help);
  subcommand->add_option("model", arguments->model, "A model that train wrote")->required();
  CLI::Option* changes = subcommand->add_option(wording.positional, arguments->changes, wording.explanation);
  if (takes_file) {
    subcommand->add_option("--labels", arguments->labels,
                           "A file with a label per line, as above or with a tab in place of =; - for standard input");
  } else {
    changes->required();
  }
  subcommand->add_option("-o,--output", arguments->output, "The model to write")->required();
  subcommand->add_flag("--force", arguments->force, "Replace an existing file");
  subcommand->add_flag("-q,--quiet", arguments->quiet, "Print errors only");
  return {subcommand, [arguments, edit](const std::string&) { return run_edit(*arguments, edit); },
          [arguments, check] { check(*arguments); }};
}

}  // namespace

Subcommand add_label(CLI::App& app) {
  const auto check = [](const EditArguments& arguments) {
    labels_of(arguments);
    if (arguments.changes.empty() && arguments.labels.empty()) {
      refuse("no labels are given; expected papilio label MODEL 3=Politics ... -o NEW, or --labels FILE");
    }
  };
  return add_edit(app,
                  {"label", "Give topics names, in a new model", "labels",
                   "A topic's number and its label, as in 3=Politics or \"3=Politics and law\"; 3= removes it"},
                  label, check, true);
}

Subcommand add_merge(CLI::App& app) {
  return add_edit(
      app,
      {"merge", "Merge several topics into one, in a new model", "groups",
       "Topics that become one, separated by commas: 3,7. Counts and alphas are added; the new topic has "
       "the lowest number"},
      merge, [](const EditArguments& arguments) { groups_of(arguments); }, false);
}

Subcommand add_drop(CLI::App& app) {
  return add_edit(
      app,
      {"drop", "Leave topics out, in a new model", "topics",
       "The topics, as in 4 9 or 4,9. Their tokens are dropped too; in new documents other topics take their place"},
      drop, [](const EditArguments& arguments) { dropped_of(arguments); }, false);
}
