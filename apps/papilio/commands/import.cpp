#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <cerrno>
#include <filesystem>
#include <memory>

#include "commands/import.h"
#include "commands/subcommands.h"
#include "support/corpus_input.h"
#include "support/corpus_options.h"
#include "support/files.h"
#include "support/option_types.h"
#include "support/text.h"

namespace {

// An error of the corpus that is read or of the file that is written: only the latter fills a disk.
papilio::ReadReport import(const ImportArguments& arguments, const std::string& path) {
  try {
    return papilio::import_corpus(arguments.corpus.path, path, corpus_options(arguments.corpus));
  } catch (const papilio::IoError& error) {
    if (error.code != ENOSPC) {
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
  if (path == "-") {
    throw CommandError(ExitCode::usage, "a corpus file cannot go to standard output (-)");
  }
  require_creatable(path);
  if (would_replace(path) && !arguments.force) {
    throw CommandError(ExitCode::cannot_create,
                       fmt::format("{} exists; use --force to replace it, or -o for another name", path));
  }
  const papilio::ReadReport report = import(arguments, path);
  if (arguments.quiet) {
    return ExitCode::ok;
  }
  const papilio::MappedCorpus corpus = reading([&] { return papilio::MappedCorpus(path); });
  fmt::print(stderr, "{}\n", read_summary(arguments.corpus.path, report, corpus.vocabulary_size()));
  fmt::print("documents   {}\n", grouped(corpus.documents()));
  fmt::print("words       {}\n", grouped(corpus.vocabulary_size()));
  fmt::print("tokens      {}\n", grouped(corpus.tokens()));
  fmt::print("corpus      {}\n", path);
  return ExitCode::ok;
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
      ->check(at_least<int>(0))
      ->group("Run");
  import->add_flag("-q,--quiet", arguments->quiet, "Print errors only")->group("Run");
  return {import, [arguments](const std::string&) { return run_import(*arguments); }};
}
