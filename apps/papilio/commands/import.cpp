#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <cerrno>
#include <filesystem>
#include <memory>

#include "advice/hints.h"
#include "commands/import.h"
#include "commands/subcommands.h"
#include "support/command_files.h"
#include "support/corpus_input.h"
#include "support/corpus_options.h"
#include "support/files.h"
#include "support/option_types.h"
#include "support/output.h"
#include "support/text.h"

namespace {

// An IoError does not say which file failed: a full disk or a name that is taken must be the output, anything else is
// taken for the input.
papilio::ReadReport import(const ImportArguments& arguments, const std::string& path) {
  try {
    return papilio::import_corpus(arguments.corpus.path, path, corpus_options(arguments.corpus));
  } catch (const papilio::IoError& error) {
    if (error.code != ENOSPC && error.code != EEXIST) {
      fail_reading(error);
    }
    std::error_code unknown;
    const auto size = std::filesystem::file_size(arguments.corpus.path, unknown);
    fail_writing(error, path, unknown ? 0 : static_cast<std::int64_t>(2 * size));
  }
}

}  // namespace

ExitCode run_import(const ImportArguments& arguments) {
  const std::string path =
      arguments.output.empty() ? corpus_name(arguments.corpus.path) + ".papilio-corpus" : arguments.output;
  CommandFiles files(arguments.force);
  files.reads(arguments.corpus);
  files.writes({.option = "-o",
                .path = path,
                .advice = "use --force to replace it, or -o for another name",
                .takes_streams = false});
  files.reserve();
  const papilio::ReadReport report = import(arguments, path);
  if (arguments.quiet) {
    return ExitCode::ok;
  }
  const papilio::MappedCorpus corpus = reading([&] { return papilio::MappedCorpus(path); });
  tell("{}\n{}", read_summary(arguments.corpus.path, report, corpus.vocabulary_size()), left_out_summary(report));
  tell_hints(arguments.corpus, corpus.view(), report, {.stop_words_option = arguments.stop_words_option});
  print("documents   {}\n", grouped(corpus.documents()));
  print("words       {}\n", grouped(corpus.vocabulary_size()));
  print("tokens      {}\n", grouped(corpus.tokens()));
  print("corpus      {}\n", printable(path));
  return ExitCode::ok;
}

void check_import(const ImportArguments& arguments) {
  require_one_standard_input(arguments.corpus, {{"the corpus", arguments.corpus.path}});
  if (arguments.output == "-") {
    throw CommandError(ExitCode::usage, "a corpus file cannot go to standard output (-)");
  }
}

Subcommand add_import(CLI::App& app) {
  const auto arguments = std::make_shared<ImportArguments>();
  CLI::App* import = app.add_subcommand("import", "Write a corpus file, which opens without being parsed again");
  add_corpus_options(*import, arguments->corpus);
  import
      ->add_option("-o,--output", arguments->output,
                   "The corpus file; by default CORPUS.papilio-corpus in the current folder")
      ->group("Output");
  import->add_flag("--force", arguments->force, "Replace an existing file")->group("Output");
  import->add_option("--threads", arguments->corpus.text.threads, "CPU threads, 0: all; never changes the corpus")
      ->capture_default_str()
      ->check(thread_count())
      ->group("Run");
  import->add_flag("-q,--quiet", arguments->quiet, "Print errors only")->group("Run");
  return {import, [arguments](const std::string&) { return run_import(*arguments); },
          [arguments] { check_import(*arguments); }};
}
