#include <fmt/format.h>

#include <filesystem>
#include <memory>

#include "commands/subcommands.h"
#include "support/command_files.h"
#include "support/corpus_input.h"
#include "support/corpus_options.h"
#include "support/files.h"
#include "support/option_types.h"
#include "support/output.h"
#include "support/text.h"

namespace {

namespace fs = std::filesystem;

struct ConvertArguments {
  CorpusArguments corpus;
  std::string output;
  CorpusFormat to = CorpusFormat::detect;
  std::string vocabulary;  // empty: named after the output
  bool force = false;
};

std::vector<papilio::Choice<CorpusFormat>> written_formats() {
  std::vector<papilio::Choice<CorpusFormat>> formats;
  for (const papilio::CorpusFormatChoice& row : papilio::corpus_formats()) {
    if (row.is_written) formats.push_back(row);
  }
  return formats;
}

CorpusFormat output_format(const ConvertArguments& arguments) {
  const fs::path output = arguments.output;
  if (output.extension() == ".gz" || output.extension() == ".zst") {
    throw CommandError(
        ExitCode::usage,
        fmt::format("-o {}: files are written uncompressed; -o - can be sent through gzip or zstd", arguments.output));
  }
  if (arguments.to != CorpusFormat::detect) {
    return arguments.to;
  }
  const CorpusFormat named = papilio::corpus_format_of_name(arguments.output);
  if (named == CorpusFormat::detect && output.extension() == ".txt") {
    return CorpusFormat::text;
  }
  if (named == CorpusFormat::detect || !papilio::is_written(named)) {
    throw CommandError(ExitCode::usage,
                       fmt::format("-o {}: the name does not say which format to write; use --to", arguments.output));
  }
  return named;
}

// Where readers will look for it; empty for standard output.
std::string output_vocabulary(const ConvertArguments& arguments, CorpusFormat format) {
  if (!arguments.vocabulary.empty() && !papilio::has_vocabulary_file(format)) {
    throw CommandError(ExitCode::usage, "--output-vocabulary: this format has no vocabulary file");
  }
  if (!arguments.vocabulary.empty() || arguments.output == "-" || !papilio::has_vocabulary_file(format)) {
    return arguments.vocabulary;
  }
  const fs::path output = arguments.output;
  const std::string name = output.filename().string();
  constexpr std::string_view docword = "docword.";
  if (name.starts_with(docword)) {
    return (output.parent_path() / ("vocab." + name.substr(docword.size()))).string();
  }
  return arguments.output + ".vocab";
}

void check_convert(const ConvertArguments& arguments) {
  require_one_standard_input(arguments.corpus, {{"the corpus", arguments.corpus.path}});
  ConvertArguments meant = arguments;
  meant.output = dash_for_standard_output(meant.output);
  output_vocabulary(meant, output_format(meant));
}

ExitCode run_convert(ConvertArguments arguments) {
  arguments.output = dash_for_standard_output(arguments.output);
  arguments.vocabulary = dash_for_standard_output(arguments.vocabulary);
  const CorpusFormat format = output_format(arguments);
  const std::string vocabulary = output_vocabulary(arguments, format);
  CommandFiles files(arguments.force);
  files.reads(arguments.corpus);
  files.writes({.option = "-o", .path = arguments.output});
  files.writes(
      {.option = arguments.vocabulary.empty() ? "the vocabulary of -o," : "--output-vocabulary", .path = vocabulary});
  files.reserve();
  papilio::ReadReport report;
  const papilio::Corpus corpus = read_corpus(arguments.corpus, report);
  writing(arguments.output, corpus.tokens() * 12,
          [&] { papilio::write_corpus(corpus, arguments.output, format, vocabulary); });
  tell("{}", left_out_summary(report));
  const bool to_output = arguments.output == "-" || vocabulary == "-";
  const std::string done =
      fmt::format("read {} ({}), wrote {} ({}): {} documents, {} words, {} tokens\n", printable(arguments.corpus.path),
                  report.format, printable(arguments.output), papilio::name(format), grouped(corpus.documents()),
                  grouped(corpus.vocabulary_size()), grouped(corpus.tokens()));
  if (to_output) {
    tell(done);
  } else {
    write_result(done);
  }
  return ExitCode::ok;
}

}  // namespace

Subcommand add_convert(CLI::App& app) {
  const auto arguments = std::make_shared<ConvertArguments>();
  arguments->corpus.text.min_df = 0;  // words that occur in no document are kept
  CLI::App* convert = app.add_subcommand("convert", "Convert a corpus from one format to another");
  add_corpus_options(*convert, arguments->corpus, "--from,--format");
  convert->add_option("-o,--output", arguments->output, "The file to write; - for standard output")->required();
  add_choice(*convert, "--to", arguments->to, written_formats(),
             "Format to write; by default that of the output's name");
  convert->add_option(
      "--output-vocabulary", arguments->vocabulary,
      "File for the words of the matrix, one per line; by default vocab.* beside docword.*, else OUTPUT.vocab");
  convert->add_option("--threads,--num-threads", arguments->corpus.text.threads, "CPU threads, 0: all")
      ->capture_default_str()
      ->check(thread_count());
  convert->add_flag("--force", arguments->force, "Replace existing files");
  return {convert, [arguments](const std::string&) { return run_convert(*arguments); },
          [arguments] { check_convert(*arguments); }};
}
