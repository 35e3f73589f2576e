#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "commands/import.h"
#include "commands/subcommands.h"
#include "papilio/stop_words.h"
#include "support/option_types.h"
#include "support/text.h"

// MALLET's import-file and import-dir: `import` under the names that tutorials use. Options without a meaning here are
// refused by name rather than ignored.

namespace {

struct MalletArguments {
  ImportArguments import;
  std::vector<std::string> inputs;
  bool remove_stop_words = false;
  std::string stop_list;
  std::string token_regex;
};

// An option of MALLET's that means yes if it has no value.
void add_mallet_flag(CLI::App& app, const std::string& flags, bool& value, const std::string& help) {
  app.add_option_function<std::string>(
         flags, [&value](const std::string& text) { value = text.empty() || text == "TRUE" || text == "true"; }, help)
      ->expected(0, 1)
      ->check(CLI::Validator(
          [](const std::string& text) {
            const bool fits = text.empty() || text == "TRUE" || text == "true" || text == "FALSE" || text == "false";
            return fits ? std::string() : fmt::format("is {}, expected TRUE or FALSE", shown(text));
          },
          "[TRUE|FALSE]"));
}

// An option that is not supported, with advice on what to do instead.
void refuse_option(CLI::App& app, const std::string& flag, const std::string& advice) {
  app.add_option_function<std::vector<std::string>>(flag,
                                                    [flag, advice](const std::vector<std::string>&) {
                                                      throw CLI::ValidationError(
                                                          flag, fmt::format("not supported: {}", advice));
                                                    })
      ->expected(0, -1)
      ->group("");
}

// MALLET's default, which corresponds to `--words letters`.
constexpr const char* mallet_tokens = R"(\p{L}[\p{L}\p{P}]+\p{L})";
constexpr const char* prepare_the_text = "change the text before it is imported";

void refuse_what_has_no_meaning(CLI::App& app) {
  refuse_option(app, "--keep-sequence-bigrams", "topics consist of single words");
  refuse_option(app, "--gram-sizes", "topics consist of single words");
  refuse_option(app, "--binary-features", "topic models count every occurrence");
  refuse_option(app, "--use-pipe-from", "words are matched by spelling, so papilio infer and evaluate take any corpus");
  refuse_option(app, "--stop-pattern-file", "list the words themselves in --stoplist-file or --extra-stopwords");
  refuse_option(app, "--replacement-files", prepare_the_text);
  refuse_option(app, "--deletion-files", prepare_the_text);
  refuse_option(app, "--skip-header", prepare_the_text);
  refuse_option(app, "--skip-html", prepare_the_text);
  refuse_option(app, "--string-pipe", prepare_the_text);
  refuse_option(app, "--save-text-in-source", "a corpus file holds only words and names");
  refuse_option(app, "--label-as-features", "a topic model does not use labels");
  refuse_option(app, "--print-output", "papilio convert CORPUS -o - --to text prints a corpus");
  refuse_option(app, "--config", "give the options themselves");
  const char* columns = "papilio import --format csv or tsv takes --text-column and --id-column";
  for (const char* flag : {"--line-regex", "--name", "--label", "--data"}) refuse_option(app, flag, columns);
}

// An option that accepts only the values for what is done anyway.
void add_only(CLI::App& app, const std::string& flag, const std::vector<std::string>& accepted, const std::string& help,
              const std::string& advice) {
  app.add_option_function<std::string>(
         flag, [](const std::string&) {}, help)
      ->check(CLI::Validator(
          [accepted, advice](const std::string& text) {
            for (const std::string& one : accepted) {
              if (text == one) return std::string();
            }
            return fmt::format("is {}: {}", shown(text), advice);
          },
          accepted.front()));
}

void add_mallet_options(CLI::App& app, MalletArguments& arguments) {
  ImportArguments& import = arguments.import;
  app.add_option("--output,-o", import.output,
                 "The corpus file; by default INPUT.papilio-corpus in the current folder");
  add_mallet_flag(app, "--remove-stopwords", arguments.remove_stop_words, "Leave out English function words");
  app.add_option("--stoplist-file", arguments.stop_list, "Leave out the words of this file, one per line, instead");
  app.add_option("--extra-stopwords", import.corpus.extra_stop_words, "Leave out the words of this file, too");
  add_mallet_flag(app, "--preserve-case", import.corpus.preserve_case, "Do not fold upper and lower case");
  add_only(app, "--keep-sequence", {"TRUE", "true", ""}, "Accepted: words always keep their order",
           "words always keep their order");
  app.get_option("--keep-sequence")->expected(0, 1);
  app.add_option(
         "--token-regex", arguments.token_regex,
         "Each match of this regular expression (RE2's syntax) in a line is a word, or its first group if there "
         "is one; by default words are letters")
      ->check(token_pattern());
  add_only(app, "--encoding", {"UTF-8", "UTF8", "utf-8", "utf8"}, "Accepted where it is UTF-8",
           "text is read as UTF-8; iconv changes other encodings");
  refuse_what_has_no_meaning(app);
  app.add_flag("--force", import.force, "Replace an existing file");
  app.add_option("--threads", import.corpus.text.threads, "CPU threads, 0: all; never changes the corpus")
      ->capture_default_str()
      ->check(thread_count());
  app.add_flag("-q,--quiet", import.quiet, "Print errors only");
}

bool is_language(const std::string& name) {
  const std::vector<std::string>& languages = papilio::stop_word_languages();
  return std::find(languages.begin(), languages.end(), name) != languages.end();
}

// The corresponding arguments of papilio import.
ImportArguments import_arguments(const MalletArguments& arguments) {
  ImportArguments import = arguments.import;
  CorpusArguments& corpus = import.corpus;
  if (arguments.inputs.size() > 1) {
    throw CommandError(ExitCode::usage,
                       fmt::format("--input names {} paths, expected one (a folder is read with all its subfolders)",
                                   arguments.inputs.size()));
  }
  corpus.path = arguments.inputs.front();
  if (!arguments.stop_list.empty()) {
    corpus.stop_words = is_language(arguments.stop_list) ? "./" + arguments.stop_list : arguments.stop_list;
  } else if (arguments.remove_stop_words) {
    corpus.stop_words = "english";
  }
  if (arguments.token_regex != mallet_tokens) corpus.text.token_pattern = arguments.token_regex;
  return import;
}

Subcommand add_command(CLI::App& app, const std::string& name, const std::string& description, const std::string& input,
                       const std::string& example, CorpusFormat format) {
  const auto arguments = std::make_shared<MalletArguments>();
  arguments->import.corpus.format = format;
  arguments->import.stop_words_option = "papilio import --stopwords";
  CLI::App* command = app.add_subcommand(name, description);
  command->add_option("--input", arguments->inputs, input)->required()->allow_extra_args(false);  // "[a]" is a name
  add_mallet_options(*command, *arguments);
  command->footer(example);
  return {command, [arguments](const std::string&) { return run_import(import_arguments(*arguments)); },
          [arguments] { check_import(import_arguments(*arguments)); }};
}

}  // namespace

Subcommand add_import_file(CLI::App& app) {
  return add_command(app, "import-file", "Write a corpus file from lines \"name label text\", as MALLET does",
                     "The file, one document per line: a name and a label without blanks, then text",
                     "Example:\n  papilio import-file --input news.txt --output news.mallet --keep-sequence",
                     CorpusFormat::mallet);
}

Subcommand add_import_dir(CLI::App& app) {
  return add_command(app, "import-dir", "Write a corpus file from a folder of text files, as MALLET does",
                     "The folder; every file in it and in its subfolders is a document",
                     "Example:\n  papilio import-dir --input texts --output texts.mallet --keep-sequence "
                     "--remove-stopwords\n  papilio train-topics --input texts.mallet --num-topics 20",
                     CorpusFormat::folder);
}
