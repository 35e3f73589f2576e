#include "commands/report_origin.h"

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <filesystem>
#include <fstream>
#include <optional>
#include <string_view>
#include <vector>

#include "commands/edit_history.h"
#include "support/files.h"
#include "support/text.h"

namespace {

namespace fs = std::filesystem;

using Words = std::vector<std::string>;

// Adds the options for reading the corpus that differ from their defaults.
void add_reading(Words& words, const CorpusArguments& corpus) {
  const papilio::TextOptions usual;
  const auto add = [&](bool differs, std::string option, const std::string& value) {
    if (differs) words.insert(words.end(), {std::move(option), value});
  };
  const auto add_flag = [&](bool is_set, std::string flag) {
    if (is_set) words.push_back(std::move(flag));
  };
  const papilio::TextOptions& text = corpus.text;
  add(corpus.format != CorpusFormat::detect, "--format", std::string(papilio::name(corpus.format)));
  add(!corpus.vocabulary.empty(), "--vocabulary", corpus.vocabulary);
  add(corpus.first_id.has_value(), "--first-id", std::to_string(corpus.first_id.value_or(0)));
  add_flag(corpus.transposed, "--transposed");
  add(!corpus.text_column.empty(), "--text-column", corpus.text_column);
  add_flag(corpus.no_header, "--no-header");
  add_flag(corpus.no_quotes, "--no-quotes");
  add(!corpus.stop_words.empty(), "--stopwords", corpus.stop_words);
  add(!corpus.extra_stop_words.empty(), "--extra-stopwords", corpus.extra_stop_words);
  add_flag(corpus.preserve_case, "--preserve-case");
  add(text.min_token_length.has_value(), "--min-token-length", std::to_string(text.min_token_length.value_or(0)));
  add(text.words != usual.words, "--words", std::string(papilio::name(text.words)));
  add(!text.token_pattern.empty(), "--token-pattern", text.token_pattern);
  const PhraseArguments no_phrases;
  const PhraseArguments& phrases = corpus.phrases;
  add(!phrases.source.empty(), "--phrases", phrases.source);
  add(phrases.threshold != no_phrases.threshold, "--phrase-threshold", fmt::format("{}", phrases.threshold));
  add(phrases.min_count != no_phrases.min_count, "--phrase-min-count", std::to_string(phrases.min_count));
  add(phrases.length != no_phrases.length, "--phrase-length", std::to_string(phrases.length));
  add(phrases.delimiter != no_phrases.delimiter, "--phrase-delimiter", phrases.delimiter);
  add(text.min_df != usual.min_df, "--min-df", std::to_string(text.min_df));
  add(text.max_df != usual.max_df, "--max-df", fmt::format("{}", text.max_df));
  add(text.max_vocabulary != usual.max_vocabulary, "--max-vocabulary", std::to_string(text.max_vocabulary));
}

std::string quoted(Words& words) {
  std::vector<char*> arguments;
  for (std::string& word : words) arguments.push_back(word.data());
  return shell_command(static_cast<int>(arguments.size()), arguments.data());
}

std::string setting_of(const papilio::Model& model, const char* name) {
  const auto found = model.settings.find(name);
  return found == model.settings.end() ? std::string() : found->second;
}

// Whether train's settings in the model determine it.
bool is_determined(const papilio::Model& model) {
  return !setting_of(model, "start").empty() && !setting_of(model, "optimize_every").empty() &&
         setting_of(model, "alpha") != "one per topic" && model.seed_words.empty() &&
         setting_of(model, "input_state").empty();
}

// Whether the corpus has the documents, tokens and words of the one that the model was trained on, as far as it knows.
bool is_trained_on(const papilio::Model& model, const papilio::CorpusView& corpus) {
  return setting_of(model, "documents") == std::to_string(corpus.documents()) &&
         setting_of(model, "tokens") == std::to_string(corpus.tokens()) &&
         std::ranges::equal(model.vocabulary, corpus.vocabulary);
}

// The command that makes the model from the corpus that these arguments read.
std::string command_of(const std::string& path, const papilio::Model& model, const CorpusArguments& corpus) {
  const auto setting = [&](const char* name) { return setting_of(model, name); };
  Words words = {"papilio", "train", corpus.path};
  add_reading(words, corpus);
  words.insert(words.end(), {"-k", std::to_string(trained_topics(model))});
  for (const char* name : {"sweeps", "seed", "alpha", "beta", "sampler", "schedule", "start", "draws"}) {
    words.insert(words.end(), {fmt::format("--{}", name), setting(name)});
  }
  if (!setting("mh_steps").empty()) words.insert(words.end(), {"--mh-steps", setting("mh_steps")});
  if (setting("partial_sums") != "slots") words.insert(words.end(), {"--partial-sums", setting("partial_sums")});
  if (setting("optimize_every") != "0") {
    words.insert(words.end(),
                 {"--optimize-interval", setting("optimize_every"), "--optimize-burn-in", setting("optimize_after")});
  }
  const std::string name = fs::path(path).filename().string();
  words.insert(words.end(), {"-o", trained_name(model, name)});
  return quoted(words) + edit_commands(model, name);
}

// The number that follows "name": in a line of JSON printed by train; nothing for null.
std::optional<double> number_in(std::string_view line, std::string_view name) {
  const std::size_t place = line.find(fmt::format("\"{}\":", name));
  if (place == line.npos) return std::nullopt;
  const char* begin = line.data() + place + name.size() + 3;
  double number = 0;
  const auto [end, error] = std::from_chars(begin, line.data() + line.size(), number);
  return error == std::errc() && end != begin ? std::optional(number) : std::nullopt;
}

std::vector<std::pair<std::int64_t, double>> read_log(const std::string& path) {
  std::ifstream file(path);
  if (!file) throw CommandError(ExitCode::no_input, fmt::format("cannot open {}", path));
  std::vector<std::pair<std::int64_t, double>> points;
  for (std::string line; std::getline(file, line);) {
    const std::optional<double> sweep = number_in(line, "sweep");
    const std::optional<double> likelihood = number_in(line, "log_joint_per_token");
    if (sweep && likelihood) points.emplace_back(static_cast<std::int64_t>(*sweep), *likelihood);
  }
  if (points.empty()) {
    throw CommandError(ExitCode::bad_data,
                       fmt::format("{} has no likelihoods; expected what train --progress json printed", path));
  }
  return points;
}

}  // namespace

papilio::ReportOrigin report_origin(const std::string& path, const papilio::Model& model, const CorpusArguments& corpus,
                                    const papilio::CorpusView* read, const std::string& training_log) {
  papilio::ReportOrigin origin;
  if (read != nullptr && corpus.path != "-" && is_determined(model)) {
    if (is_trained_on(model, *read)) {
      origin.command = command_of(path, model, corpus);
    } else {
      origin.facts.emplace_back("command",
                                "none: the corpus was read with other options than when the model was trained, or is "
                                "another one");
    }
  }
  const auto add_hash = [&](const char* what, const std::string& file) {
    std::error_code error;
    if (!fs::is_regular_file(file, error)) return;
    origin.facts.emplace_back(fmt::format("SHA-256 of the {}", what),
                              reading([&] { return papilio::sha256_of_file(file); }));
  };
  add_hash("model", path);
  add_hash("corpus", corpus.path);
  if (!training_log.empty()) origin.likelihood = read_log(training_log);
  return origin;
}
