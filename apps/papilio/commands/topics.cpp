#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "commands/document_texts.h"
#include "commands/subcommands.h"
#include "papilio/evaluation.h"
#include "papilio/model.h"
#include "papilio/report.h"
#include "support/corpus_input.h"
#include "support/corpus_options.h"
#include "support/files.h"
#include "support/option_types.h"
#include "support/output.h"
#include "support/text.h"
#include "support/topic_keys.h"

namespace {

enum class TopicsFormat { text, json, csv, topic_keys };

constexpr papilio::Choice<TopicsFormat> formats[] = {
    {TopicsFormat::text, "text", "one line per topic, the largest first: number, share of tokens, words"},
    {TopicsFormat::json, "json", "one JSON object"},
    {TopicsFormat::csv, "csv", "a table with a header: number, share of tokens, words; or a row per typical document"},
    {TopicsFormat::topic_keys, "tsv", "MALLET's topic keys: number, alpha, words"},
};

struct TopicsArguments {
  std::string model;
  int top_words = 10;
  std::optional<std::int32_t> topic;  // none: all
  TopicsFormat format = TopicsFormat::text;
  int documents = 0;       // typical documents per topic
  CorpusArguments corpus;  // has the documents
  std::string texts;       // the texts of a corpus that has none
  int excerpt = 100;       // characters of a document's text
  std::uint64_t seed = 0;  // of the inference on the documents
  int threads = 0;
};

const std::string& spelling(const papilio::Model& model, const papilio::TopWord& word) {
  return model.vocabulary[static_cast<std::size_t>(word.word)];
}

// A field of CSV, in quotation marks.
std::string csv_field(const std::string& text) {
  std::string quoted = "\"";
  for (const char c : text) {
    quoted += c;
    if (c == '"') quoted += c;
  }
  return quoted + '"';
}

// The typical documents of all topics, and the corpus that they are from.
struct Documents {
  InputCorpus corpus;
  std::vector<std::vector<papilio::TypicalDocument>> of_topics;

  // Empty if the corpus has no names.
  std::string name(std::int64_t document) const {
    const auto names = corpus.view().document_names;
    return names.empty() ? "" : names[static_cast<std::size_t>(document)];
  }
};

Documents read_documents(const TopicsArguments& arguments, const papilio::Model& model) {
  Documents documents;
  if (arguments.documents == 0) return documents;
  CorpusArguments from = arguments.corpus;
  from.text.threads = arguments.threads;
  papilio::ReadReport report;
  documents.corpus = open_corpus(from, report);
  papilio::ReportDocuments shown = {.corpus = documents.corpus.view()};
  if (documents.corpus.unknown_words(model, arguments.threads).tokens == shown.corpus.tokens()) {
    throw CommandError(ExitCode::bad_data, fmt::format("{} has no word that the model knows", from.path));
  }
  shown.texts = document_texts(find_document_texts(from, arguments.texts), from, shown.corpus, arguments.texts,
                               arguments.excerpt, "topics");
  documents.of_topics = papilio::typical_documents(model, shown,
                                                   {.documents = arguments.documents,
                                                    .excerpt = arguments.excerpt,
                                                    .seed = arguments.seed,
                                                    .threads = arguments.threads});
  return documents;
}

const std::vector<papilio::TypicalDocument>& documents_of(const Documents& documents, std::int32_t topic) {
  static const std::vector<papilio::TypicalDocument> none;
  return documents.of_topics.empty() ? none : documents.of_topics[static_cast<std::size_t>(topic)];
}

void print_documents(const Documents& documents, std::int32_t topic) {
  for (const papilio::TypicalDocument& one : documents_of(documents, topic)) {
    const std::string name = documents.name(one.document);
    print("{:>15.0f}%  {}  {}\n", 100 * one.share,
          name.empty() ? fmt::format("document {}", one.document) : printable(name), printable(one.text));
  }
}

std::string joined_words(const papilio::Model& model, std::int32_t topic, int words) {
  std::string all;
  for (const papilio::TopWord& word : papilio::counted_top_words(model, topic, words)) {
    all += (all.empty() ? "" : " ") + spelling(model, word);
  }
  return all;
}

void print_csv_line(const std::string& line) { write_result(results_reach_terminal() ? printable(line, "\n") : line); }

// Prints one row per topic; labels only if there are any.
void print_csv(const papilio::Model& model, std::span<const std::int32_t> topics, int words) {
  print("topic,{}share,words\n", model.labels.empty() ? "" : "label,");
  for (const std::int32_t topic : topics) {
    const std::string label = model.labels.empty() ? "" : csv_field(model.label(topic)) + ",";
    print_csv_line(fmt::format("{},{}{},{}\n", topic, label, token_share(model, topic),
                               csv_field(joined_words(model, topic, words))));
  }
}

// Prints one row per typical document of a topic.
void print_documents_csv(const papilio::Model& model, std::span<const std::int32_t> topics,
                         const Documents& documents) {
  print("topic,{}document,name,share,text\n", model.labels.empty() ? "" : "label,");
  for (const std::int32_t topic : topics) {
    const std::string label = model.labels.empty() ? "" : csv_field(model.label(topic)) + ",";
    for (const papilio::TypicalDocument& one : documents_of(documents, topic)) {
      print_csv_line(fmt::format("{},{}{},{},{},{}\n", topic, label, one.document,
                                 csv_field(documents.name(one.document)), one.share, csv_field(one.text)));
    }
  }
}

void print_json(const papilio::Model& model, std::int32_t topic, int words, const Documents& documents) {
  print("{{\"topic\":{},", topic);
  if (const std::string& label = model.label(topic); !label.empty()) print("\"label\":{},", json_string(label));
  print("\"share\":{},\"words\":[", token_share(model, topic));
  const char* separator = "";
  for (const papilio::TopWord& word : papilio::counted_top_words(model, topic, words)) {
    print("{}{{\"word\":{},\"probability\":{}}}", separator, json_string(spelling(model, word)), word.probability);
    separator = ",";
  }
  print("]");
  if (!documents.of_topics.empty()) {
    print(",\"documents\":[");
    separator = "";
    for (const papilio::TypicalDocument& one : documents_of(documents, topic)) {
      const std::string name = documents.name(one.document);
      print("{}{{\"document\":{},", separator, one.document);
      if (!name.empty()) print("\"name\":{},", json_string(name));
      print("\"share\":{},\"text\":{}}}", one.share, json_string(one.text));
      separator = ",";
    }
    print("]");
  }
  print("}}");
}

// The topics to print: people want the largest first, programs want the model's order.
std::vector<std::int32_t> chosen_topics(const papilio::Model& model, const TopicsArguments& arguments) {
  if (arguments.topic) {
    return {*arguments.topic};
  }
  std::vector<std::int32_t> topics = topics_by_share(model);
  if (arguments.format != TopicsFormat::text) {
    std::sort(topics.begin(), topics.end());
  }
  return topics;
}

void print_topics(const papilio::Model& model, const TopicsArguments& arguments, const Documents& documents) {
  const std::vector<std::int32_t> topics = chosen_topics(model, arguments);
  const int words = arguments.top_words;
  switch (arguments.format) {
    case TopicsFormat::text:
      print("{}", topic_table_header());
      for (const std::int32_t topic : topics) {
        print("{}", topic_table_row(model, topic, words));
        print_documents(documents, topic);
      }
      break;
    case TopicsFormat::csv:
      if (arguments.documents > 0) {
        print_documents_csv(model, topics, documents);
      } else {
        print_csv(model, topics, words);
      }
      break;
    case TopicsFormat::json:
      print("{{\"topics\":[\n");
      for (const std::int32_t topic : topics) {
        print_json(model, topic, words, documents);
        print("{}\n", topic == topics.back() ? "" : ",");
      }
      print("]}}\n");
      break;
    case TopicsFormat::topic_keys:
      for (const std::int32_t topic : topics) {
        const std::string line = topic_key(model, topic, words);
        write_result(results_reach_terminal() ? printable(line, "\t\n") : line);
      }
      break;
  }
}

ExitCode run_topics(const TopicsArguments& arguments) {
  const papilio::Model model = reading([&] { return papilio::load_model(arguments.model); });
  if (arguments.topic && *arguments.topic >= model.topics) {
    throw CommandError(ExitCode::usage,
                       fmt::format("--topic is {}, expected 0 to {}", *arguments.topic, model.topics - 1));
  }
  print_topics(model, arguments, read_documents(arguments, model));
  return ExitCode::ok;
}

void check_topics(const TopicsArguments& arguments) {
  require_one_standard_input(arguments.corpus, {{"--corpus", arguments.corpus.path}});
  if (arguments.documents > 0 && arguments.corpus.path.empty()) {
    throw CommandError(ExitCode::usage, fmt::format("--documents needs the documents; expected papilio topics MODEL "
                                                    "--documents {} --corpus CORPUS",
                                                    arguments.documents));
  }
  if (arguments.documents > 0 && arguments.format == TopicsFormat::topic_keys) {
    throw CommandError(ExitCode::usage,
                       "--format tsv, MALLET's topic keys, has no documents; expected text, json or csv");
  }
}

void add_document_options(CLI::App& app, TopicsArguments& arguments) {
  CLI::Option* documents =
      app.add_option("--documents", arguments.documents,
                     "Show this many typical documents of each topic, and how they begin; needs --corpus")
          ->check(at_least<int>(1))
          ->group("Documents");
  const auto with_documents = [&](CLI::Option* option) { option->needs(documents)->group("Documents"); };
  with_documents(app.add_option("--corpus", arguments.corpus.path, "The documents: any corpus that train reads"));
  with_documents(
      app.add_option("--texts", arguments.texts,
                     "The texts, if the corpus holds none (a file that import wrote): what it was made from"));
  with_documents(app.add_option("--excerpt", arguments.excerpt, "Characters of a document to show")
                     ->capture_default_str()
                     ->check(between(1, 100'000)));
  with_documents(app.add_option("--seed,--random-seed", arguments.seed, "Seed of the inference on the documents")
                     ->capture_default_str()
                     ->check(seed()));
  with_documents(
      app.add_option("--threads,--num-threads", arguments.threads, "CPU threads, 0: all; never changes the result")
          ->capture_default_str()
          ->check(thread_count()));
  add_reading_options(app, arguments.corpus, "--corpus-format");
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
  CLI::Option* format = add_explained_choice(*topics, "--format", arguments->format, formats, "What to print");
  const auto add_short_form = [&](const char* name, TopicsFormat meant) {
    return topics
        ->add_flag_callback(
            name, [arguments, meant] { arguments->format = meant; }, fmt::format("The same as --format {}", name + 2))
        ->excludes(format);
  };
  add_short_form("--json", TopicsFormat::json)->excludes(add_short_form("--csv", TopicsFormat::csv));
  add_document_options(*topics, *arguments);
  return {topics, [arguments](const std::string&) { return run_topics(*arguments); },
          [arguments] { check_topics(*arguments); }};
}
