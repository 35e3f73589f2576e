#include "support/help.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cctype>
#include <string>
#include <string_view>
#include <vector>

namespace {

// The common options, by their first long names.
constexpr std::string_view usual[] = {"help",
                                      "help-all",
                                      "input",
                                      "topics",
                                      "sweeps",
                                      "alpha",
                                      "seed",
                                      "stopwords",
                                      "min-df",
                                      "max-df",
                                      "format",
                                      "text-column",
                                      "held-out",
                                      "output",
                                      "force",
                                      "output-doc-topics",
                                      "output-topic-keys",
                                      "optimize-interval",
                                      "threads",
                                      "device",
                                      "resume",
                                      "quiet",
                                      "verbose",
                                      "method",
                                      "burn-in",
                                      "threshold",
                                      "max-topics",
                                      "corpus",
                                      "reference",
                                      "num-top-words",
                                      "from",
                                      "to",
                                      "every",
                                      "vocabulary",
                                      "model-order",
                                      "seeds",
                                      "coherence",
                                      "state",
                                      "restart",
                                      "documents",
                                      "texts",
                                      "topic",
                                      "json",
                                      "csv"};

class Format : public CLI::Formatter {
 public:
  std::string make_option_opts(const CLI::Option* option) const override {
    if (!option->get_option_text().empty()) {
      return " " + option->get_option_text();
    }
    if (option->get_items_expected_max() == 0 || option->get_positional()) {
      return "";
    }
    return range_of(option).empty() ? " NAME" : " N";
  }

  std::string make_option_name(const CLI::Option* option, bool is_positional) const override {
    std::string name = CLI::Formatter::make_option_name(option, is_positional);
    if (is_positional) {
      std::transform(name.begin(), name.end(), name.begin(), [](unsigned char c) { return std::toupper(c); });
    }
    return name;
  }

  std::string make_option_desc(const CLI::Option* option) const override {
    const std::string range = option->get_option_text().empty() ? range_of(option) : "";
    std::string facts = range;
    if (!option->get_default_str().empty() && option->get_items_expected_max() != 0) {
      facts += fmt::format("{}by default {}", facts.empty() ? "" : "; ", option->get_default_str());
    }
    return option->get_description() + (facts.empty() ? "" : fmt::format(" ({})", facts));
  }

 private:
  // The range that a validator adds after the name of the type: "INT:an integer of at least 1".
  static std::string range_of(const CLI::Option* option) {
    const std::string type = option->get_type_name();
    const std::size_t colon = type.find(':');
    return colon == type.npos ? "" : type.substr(colon + 1);
  }
};

}  // namespace

std::shared_ptr<CLI::FormatterBase> help_format() { return std::make_shared<Format>(); }

void keep_usual_options(CLI::App& subcommand) {
  constexpr std::size_t few = 20;
  const std::vector<CLI::Option*> shown =
      subcommand.get_options([](CLI::Option* option) { return !option->get_group().empty(); });
  if (shown.size() <= few) {
    return;
  }
  std::size_t hidden = 0;
  for (CLI::Option* option : shown) {
    const auto& names = option->get_lnames();
    if (!names.empty() && std::find(std::begin(usual), std::end(usual), names.front()) == std::end(usual)) {
      option->group("");
      ++hidden;
    }
  }
  const std::string footer = subcommand.get_footer();
  subcommand.footer(fmt::format("{}{}papilio {} --help-all explains {} more options.", footer,
                                footer.empty() ? "" : "\n\n", subcommand.get_name(), hidden));
}
