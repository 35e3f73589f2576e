#include "papilio/report.h"

#include <fmt/format.h>

#include <memory>
#include <numeric>
#include <optional>
#include <set>

#include "commands/document_texts.h"
#include "commands/report_origin.h"
#include "commands/subcommands.h"
#include "papilio/corpus_formats.h"
#include "papilio/evaluation.h"
#include "papilio/texts.h"
#include "support/command_files.h"
#include "support/corpus_input.h"
#include "support/corpus_options.h"
#include "support/files.h"
#include "support/option_types.h"
#include "support/output.h"
#include "support/text.h"

namespace {

struct ReportArguments {
  std::string model;
  CorpusArguments corpus;  // empty path: only the model is shown
  std::string output;
  std::string texts;  // the texts of a corpus that has none; empty: they are in the corpus
  std::string group_column;
  std::string group_file;
  std::string training_log;
  papilio::ReportOptions options;
  bool force = false;
};

// The group of each document, and the name of the grouping.
struct Groups {
  std::vector<std::string> of_document;
  std::string name;
};

// The folders of files, if there are several but not too many.
Groups folders_of(std::span<const std::string> paths) {
  constexpr std::size_t most = 200;
  Groups groups = {{}, "folder"};
  std::set<std::string> distinct;
  for (const std::string& path : paths) {
    const std::size_t end = path.rfind('/');
    groups.of_document.push_back(end == std::string::npos ? "" : path.substr(0, end));
    distinct.insert(groups.of_document.back());
  }
  return distinct.size() < 2 || distinct.size() > most ? Groups() : groups;
}

// One line per document. The file is read only once, since it may be a pipe.
std::vector<std::string> read_group_file(const std::string& path, std::int64_t documents) {
  std::vector<std::int64_t> all(static_cast<std::size_t>(documents));
  std::iota(all.begin(), all.end(), 0);
  std::string lines = "fewer";
  try {
    papilio::SourceTexts found = papilio::read_source_texts({.path = path}, all, 200);
    if (found.documents == documents) return std::move(found.texts);
    lines = grouped(found.documents);
  } catch (const papilio::InvalidArgument&) {  // a document that does not exist has been asked for
  }
  throw CommandError(ExitCode::bad_data,
                     fmt::format("{} has {} lines, expected one per document: {}", path, lines, grouped(documents)));
}

Groups read_groups(const ReportArguments& arguments, const papilio::CorpusView& corpus,
                   std::optional<papilio::TextSource> texts) {
  if (!arguments.group_file.empty()) {
    return {read_group_file(arguments.group_file, corpus.documents()), ""};
  }
  if (!arguments.group_column.empty()) {
    if (!texts || texts->path == "-") {
      throw CommandError(ExitCode::usage, "--group-column needs a corpus that is a csv, tsv, jsonl or json file");
    }
    texts->id = arguments.group_column;
    Groups groups = {papilio::read_source_texts(*texts, {}, 0).names, arguments.group_column};
    return groups;
  }
  return texts && texts->form == papilio::TextForm::folder ? folders_of(corpus.document_names) : Groups();
}

std::string page_of(const ReportArguments& arguments, const papilio::Model& model) {
  papilio::ReportOptions options = arguments.options;
  if (options.title.empty()) {
    options.title = corpus_name(arguments.model);
    const std::size_t ending = options.title.rfind(".papilio");
    if (ending != std::string::npos && ending > 0) options.title.resize(ending);
  }
  const auto origin_with = [&](const papilio::CorpusView* read) {
    return report_origin(arguments.model, model, arguments.corpus, read, arguments.training_log);
  };
  if (arguments.corpus.path.empty()) {
    if (!arguments.group_column.empty() || !arguments.group_file.empty()) {
      throw CommandError(ExitCode::usage, "groups of documents need the corpus: papilio report MODEL CORPUS ...");
    }
    if (!arguments.texts.empty()) {
      throw CommandError(ExitCode::usage, "--texts needs the corpus as well: papilio report MODEL CORPUS --texts FILE");
    }
    return papilio::report_page(model, options, nullptr, origin_with(nullptr));
  }
  CorpusArguments from = arguments.corpus;
  from.text.threads = options.threads;
  papilio::ReadReport report;
  const InputCorpus corpus = open_corpus(from, report);
  report.left_out[papilio::LeftOutReason::unknown] = corpus.unknown_words(model, options.threads);
  if (report.left_out[papilio::LeftOutReason::unknown].tokens == corpus.view().tokens()) {
    throw CommandError(ExitCode::bad_data, fmt::format("{} has no word that the model knows", from.path));
  }
  tell("{}", left_out_summary(report));
  const std::optional<papilio::TextSource> texts = find_document_texts(from, arguments.texts);
  const Groups groups = reading([&] { return read_groups(arguments, corpus.view(), texts); });
  papilio::ReportDocuments documents = {
      .corpus = corpus.view(), .groups = groups.of_document, .group_name = groups.name};
  if (options.documents > 0) {
    documents.texts = document_texts(texts, from, documents.corpus, arguments.texts, options.excerpt, "report");
  }
  return papilio::report_page(model, options, &documents, origin_with(&documents.corpus));
}

ExitCode run_report(const ReportArguments& arguments) {
  const bool to_output = arguments.output == "-";
  CommandFiles files(arguments.force);
  files.reads("the model", arguments.model);
  files.reads(arguments.corpus, "the corpus");
  files.reads("--texts", arguments.texts);
  files.reads("--group-file", arguments.group_file);
  files.reads("--training-log", arguments.training_log);
  files.writes({.option = "-o", .path = arguments.output});
  files.reserve();
  const papilio::Model model = reading([&] { return papilio::load_model(arguments.model); });
  const std::string page = page_of(arguments, model);
  if (to_output) {
    fmt::print("{}", page);
    return ExitCode::ok;
  }
  writing(arguments.output, std::ssize(page), [&] {
    TextFile file(arguments.output);
    file.write(page);
    file.commit();
  });
  return ExitCode::ok;
}

void add_group_options(CLI::App& app, ReportArguments& arguments) {
  app.add_option("--group-column,--group-field", arguments.group_column,
                 "Show topics by group or over time: the column of csv or tsv (its name, or its number from 1) or the "
                 "field of jsonl or json that holds the group or date (YYYY, YYYY-MM, YYYY-MM-DD)")
      ->group("Groups");
  app.add_option("--group-file", arguments.group_file, "The groups or dates from a file, one line per document")
      ->group("Groups")
      ->excludes("--group-column");
}

}  // namespace

Subcommand add_report(CLI::App& app) {
  const auto arguments = std::make_shared<ReportArguments>();
  papilio::ReportOptions& options = arguments->options;
  options.title.clear();
  CLI::App* report = app.add_subcommand(
      "report", "Write a page that shows a model: a map of its topics, their words and typical documents (HTML)");
  report->add_option("model", arguments->model, "A model that train wrote")->required();
  report->add_option("corpus", arguments->corpus.path,
                     "Documents to show, usually the training corpus; without it the page shows no documents");
  report->add_option("-o,--output", arguments->output, "The file to write; - for standard output")->required();
  report->add_option("--title", options.title, "Title of the page; by default the name of the model");
  report->add_option("-n,--num-top-words", options.words, "Words per topic")
      ->capture_default_str()
      ->check(at_least<int>(1));
  report->add_option("--documents", options.documents, "Typical documents per topic")
      ->capture_default_str()
      ->check(at_least<int>(0));
  report->add_option("--excerpt", options.excerpt, "Characters of a document to show")
      ->capture_default_str()
      ->check(between(1, 100'000));
  report->add_option("--texts", arguments->texts,
                     "The texts, if the corpus holds none (a file that import wrote): what it was made from");
  report->add_option("--training-log", arguments->training_log,
                     "The output of train --progress json, for a curve of the likelihood");
  report->add_option("--seed,--random-seed", options.seed, "Seed of the inference on the documents")
      ->capture_default_str()
      ->check(seed());
  report->add_option("--threads,--num-threads", options.threads, "CPU threads, 0: all; never changes the page")
      ->capture_default_str()
      ->check(thread_count());
  report->add_flag("--force", arguments->force, "Replace an existing file");
  add_group_options(*report, *arguments);
  add_reading_options(*report, arguments->corpus, "--corpus-format");
  return {report, [arguments](const std::string&) { return run_report(*arguments); }};
}
