#include <fmt/format.h>

#include <filesystem>
#include <memory>

#include "commands/subcommands.h"
#include "papilio/evaluation.h"
#include "support/command_files.h"
#include "support/corpus_input.h"
#include "support/corpus_options.h"
#include "support/files.h"
#include "support/option_types.h"
#include "support/output.h"
#include "support/text.h"

namespace {

namespace fs = std::filesystem;

struct SplitArguments {
  CorpusArguments corpus;
  std::string prefix;
  std::int64_t every = 0;
  bool force = false;
};

// The files of one part.
struct PartFiles {
  std::string docword;
  std::string vocabulary;
};

PartFiles files_of(const std::string& prefix, const char* part) {
  const fs::path folder = fs::path(prefix).parent_path();
  const std::string name = fs::path(prefix).filename().string();
  return {(folder / fmt::format("docword.{}-{}.txt", name, part)).string(),
          (folder / fmt::format("vocab.{}-{}.txt", name, part)).string()};
}

void write_part(const papilio::Corpus& part, const PartFiles& files) {
  writing(files.docword, part.tokens() * 12,
          [&] { papilio::write_uci_bag_of_words(part, files.docword, files.vocabulary); });
}

void check_split(const SplitArguments& arguments) {
  require_one_standard_input(arguments.corpus, {{"the corpus", arguments.corpus.path}});
  if (fs::path(arguments.prefix).filename().empty()) {
    throw CommandError(ExitCode::usage, fmt::format("-o {} has no name, expected FOLDER/NAME", arguments.prefix));
  }
}

ExitCode run_split(const SplitArguments& arguments) {
  const PartFiles training = files_of(arguments.prefix, "train");
  const PartFiles held_out = files_of(arguments.prefix, "held-out");
  CommandFiles command_files(arguments.force);
  command_files.reads(arguments.corpus);
  for (const std::string& path : {training.docword, training.vocabulary, held_out.docword, held_out.vocabulary}) {
    command_files.writes({.option = "-o", .path = path});
  }
  command_files.reserve();
  papilio::ReadReport report;
  const papilio::Corpus corpus = read_corpus(arguments.corpus, report);
  tell("{}", left_out_summary(report));
  const papilio::HeldOutSplit split = papilio::hold_out_every(corpus, arguments.every);
  write_part(split.training, training);
  write_part(split.held_out, held_out);
  print("training    {} documents, {} tokens: {}\nheld out    {} documents, {} tokens: {}\n",
        grouped(split.training.documents()), grouped(split.training.tokens()), printable(training.docword),
        grouped(split.held_out.documents()), grouped(split.held_out.tokens()), printable(held_out.docword));
  return ExitCode::ok;
}

}  // namespace

Subcommand add_split(CLI::App& app) {
  const auto arguments = std::make_shared<SplitArguments>();
  CLI::App* split = app.add_subcommand("split", "Split a corpus into training and held-out documents");
  add_corpus_options(*split, arguments->corpus);
  split->add_option("--every", arguments->every, "Hold out documents N, 2N, 3N, ..., counted from 1")
      ->required()
      ->check(at_least<std::int64_t>(2));
  split
      ->add_option("-o,--output", arguments->prefix,
                   "FOLDER/NAME: writes docword.NAME-train.txt, docword.NAME-held-out.txt and a vocab. file for each")
      ->required();
  split
      ->add_option("--threads,--num-threads", arguments->corpus.text.threads,
                   "CPU threads, 0: all; never changes the result")
      ->capture_default_str()
      ->check(thread_count());
  split->add_flag("--force", arguments->force, "Replace existing files");
  return {split, [arguments](const std::string&) { return run_split(*arguments); },
          [arguments] { check_split(*arguments); }};
}
