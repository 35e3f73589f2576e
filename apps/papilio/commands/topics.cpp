#include <fmt/format.h>

#include <cstdint>
#include <memory>
#include <numeric>
#include <optional>
#include <string>

#include "commands/subcommands.h"
#include "papilio/model.h"
#include "support/files.h"
#include "support/option_types.h"
#include "support/text.h"
#include "support/topic_keys.h"

namespace {

enum class TopicsFormat { text, json, topic_keys };

constexpr papilio::Choice<TopicsFormat> formats[] = {
    {TopicsFormat::text, "text", "one line per topic: number, share of tokens, words"},
    {TopicsFormat::json, "json", "one JSON object"},
    {TopicsFormat::topic_keys, "tsv", "MALLET's topic keys: number, alpha, words"},
};

struct TopicsArguments {
  std::string model;
  int top_words = 10;
  std::optional<std::int32_t> topic;  // none: all
  TopicsFormat format = TopicsFormat::text;
};

const std::string& spelling(const papilio::Model& model, const papilio::TopWord& word) {
  return model.vocabulary[static_cast<std::size_t>(word.word)];
}

double token_share(const papilio::Model& model, std::int32_t topic) {
  const std::int64_t tokens = std::accumulate(model.n_k.begin(), model.n_k.end(), std::int64_t{0});
  return tokens == 0 ? 0
                     : static_cast<double>(model.n_k[static_cast<std::size_t>(topic)]) / static_cast<double>(tokens);
}

void print_text(const papilio::Model& model, std::int32_t topic, int words) {
  fmt::print("{:>5} {:>6.2f}% ", topic, 100 * token_share(model, topic));
  for (const papilio::TopWord& word : papilio::counted_top_words(model, topic, words)) {
    fmt::print(" {}", spelling(model, word));
  }
  fmt::print("\n");
}

void print_json(const papilio::Model& model, std::int32_t topic, int words) {
  fmt::print("{{\"topic\":{},\"share\":{},\"words\":[", topic, token_share(model, topic));
  const char* separator = "";
  for (const papilio::TopWord& word : papilio::counted_top_words(model, topic, words)) {
    fmt::print("{}{{\"word\":{},\"probability\":{}}}", separator, json_string(spelling(model, word)), word.probability);
    separator = ",";
  }
  fmt::print("]}}");
}

ExitCode run_topics(const TopicsArguments& arguments) {
  const papilio::Model model = reading([&] { return papilio::load_model(arguments.model); });
  if (arguments.topic && *arguments.topic >= model.topics) {
    throw CommandError(ExitCode::usage,
                       fmt::format("--topic is {}, expected 0 to {}", *arguments.topic, model.topics - 1));
  }
  const std::int32_t first = arguments.topic.value_or(0);
  const std::int32_t last = arguments.topic.value_or(model.topics - 1);
  if (arguments.format == TopicsFormat::json) {
    fmt::print("{{\"topics\":[\n");
  }
  for (std::int32_t topic = first; topic <= last; ++topic) {
    switch (arguments.format) {
      case TopicsFormat::text:
        print_text(model, topic, arguments.top_words);
        break;
      case TopicsFormat::json:
        print_json(model, topic, arguments.top_words);
        fmt::print("{}\n", topic == last ? "" : ",");
        break;
      case TopicsFormat::topic_keys:
        fmt::print("{}", topic_key(model, topic, arguments.top_words));
        break;
    }
  }
  if (arguments.format == TopicsFormat::json) {
    fmt::print("]}}\n");
  }
  return ExitCode::ok;
}

}  // namespace

Subcommand add_topics(CLI::App& app) {
  const auto arguments = std::make_shared<TopicsArguments>();
  CLI::App* topics = app.add_subcommand("topics", "Print the topics of a model with their words");
  topics->add_option("model", arguments->model, "A model that train wrote")->required();
  topics->add_option("-n,--num-top-words", arguments->top_words, "Words per topic")
      ->capture_default_str()
      ->check(at_least<int>(1));
  topics->add_option("--topic", arguments->topic, "Print this topic only")->check(at_least<std::int32_t>(0));
  add_explained_choice(*topics, "--format", arguments->format, formats, "What to print");
  return {topics, [arguments](const std::string&) { return run_topics(*arguments); }};
}
