#include "support/corpus_options.h"

#include <algorithm>
#include <string>
#include <vector>

#include "papilio/word_rules.h"
#include "support/exit_code.h"
#include "support/option_types.h"

namespace {

void add_table_options(CLI::App& app, CorpusArguments& arguments) {
  app.add_option(
         "--text-column,--text-field", arguments.text_column,
         "Where the text is: a column of csv or tsv (its name, or its number from 1) or a field of jsonl or json; by "
         "default the one called text, or the only column")
      ->group("Corpus");
  app.add_option("--id-column,--id-field", arguments.id_column,
                 "Where the names of the documents are, in the same form; by default there are none")
      ->group("Corpus");
  app.add_flag("--no-header", arguments.no_header,
               "csv and tsv: the first record is a document, and columns are named by their numbers")
      ->group("Corpus");
  app.add_flag("--no-quotes", arguments.no_quotes, "csv and tsv: \" is an ordinary character")->group("Corpus");
}

// Checks that this build can cut text by that rule.
CLI::Validator rule_is_there() {
  return CLI::Validator(
      [](std::string& text) {
        const bool fits = text != papilio::name(papilio::WordRule::icu) || !papilio::icu_version().empty();
        return fits ? std::string() : "is icu: this build has no ICU; install libicu-dev and build papilio again";
      },
      "", "");
}

void add_word_options(CLI::App& app, papilio::TextOptions& text) {
  CLI::Option* words =
      add_explained_choice(app, "--words", text.words, papilio::word_rules(), "What counts as a word in a text")
          ->check(rule_is_there())
          ->group("Corpus");
  app.add_option("--token-pattern", text.token_pattern,
                 "In place of --words: each match of this regular expression (RE2) in a line is a word, or its first "
                 "group if there is one; the line is case-folded before")
      ->check(token_pattern())
      ->excludes(words)
      ->group("Corpus");
  app.add_option(
         "--min-token-length", text.min_token_length,
         "Leave out words of text with fewer characters; by default 3, but 2 for words with a digit, and 1 with "
         "--token-pattern and --words icu")
      ->check(at_least<int>(1))
      ->group("Corpus");
}

void add_limits(CLI::App& app, papilio::TextOptions& text) {
  app.add_option("--max-memory", text.max_memory,
                 "Memory that reading may take, in bytes; 0: half of the memory of the machine or its container")
      ->capture_default_str()
      ->check(at_least<std::int64_t>(0))
      ->group("Corpus");
  app.add_option("--max-line-bytes", text.max_line_bytes,
                 "Longest line, record, element of a JSON array, or file of a folder, in bytes")
      ->capture_default_str()
      ->check(between(std::int64_t{1}, std::int64_t{1} << 40))
      ->group("Corpus");
}

std::string phrase_delimiter_fault(const std::string& delimiter) {
  const bool is_one = !delimiter.empty() && delimiter.size() <= 16 &&
                      std::all_of(delimiter.begin(), delimiter.end(), [](char c) { return c < 0 || c > 0x20; });
  return is_one ? "" : fmt::format("got \"{}\", expected 1 to 16 bytes without blanks", delimiter);
}

void add_phrase_options(CLI::App& app, CorpusArguments& arguments) {
  PhraseArguments& phrases = arguments.phrases;
  app.add_option("--phrases", phrases.source,
                 "Join words that come together (new_york): auto finds them; a file lists them, one per line; a model "
                 "or a corpus file has them among its words")
      ->option_text("auto|FILE")
      ->group("Corpus");
  app.add_option("--phrase-threshold", phrases.threshold,
                 "auto: join pairs of at least this normalised pointwise mutual information")
      ->capture_default_str()
      ->check(between(-1.0, 1.0))
      ->group("Corpus");
  app.add_option("--phrase-min-count", phrases.min_count, "auto: join pairs that occur at least this often")
      ->capture_default_str()
      ->check(at_least<std::int64_t>(1))
      ->group("Corpus");
  app.add_option("--phrase-length", phrases.length, "auto: most words in a phrase")
      ->capture_default_str()
      ->check(between(2, 16))
      ->group("Corpus");
  app.add_option("--phrase-delimiter", phrases.delimiter, "What stands between the words of a phrase")
      ->capture_default_str()
      ->check(CLI::Validator(phrase_delimiter_fault, ""))
      ->group("Corpus");
}

}  // namespace

void require_one_standard_input(const CorpusArguments& reading, std::initializer_list<NamedInput> inputs) {
  std::vector<NamedInput> all = {{"--stopwords", reading.stop_words},
                                 {"--extra-stopwords", reading.extra_stop_words},
                                 {"--vocabulary", reading.vocabulary},
                                 {"--phrases", reading.phrases.source}};
  const std::size_t lists = all.size();
  all.insert(all.end(), inputs.begin(), inputs.end());
  const NamedInput* first = nullptr;
  const auto corpora = std::count_if(inputs.begin(), inputs.end(), [](const NamedInput& i) { return !i.path.empty(); });
  for (std::size_t i = 0; i < all.size(); ++i) {
    if (all[i].path != "-") continue;
    if (first != nullptr) {
      throw CommandError(
          ExitCode::usage,
          fmt::format("{} and {} cannot both be standard input (-); expected one of them", first->name, all[i].name));
    }
    if (i < lists && corpora > 1) {
      throw CommandError(
          ExitCode::usage,
          fmt::format("{} is standard input (-), but is read once for each corpus; expected a file", all[i].name));
    }
    first = &all[i];
  }
}

void add_corpus_options(CLI::App& app, CorpusArguments& arguments, const std::string& format_flags) {
  app.add_option("corpus,--input", arguments.path,
                 "The corpus: text with one document per line, or any other format of --format; plain, .gz or .zst; a "
                 "folder of "
                 "text files; a file that import wrote; - for standard input")
      ->required();
  add_reading_options(app, arguments, format_flags);
}

void add_reading_options(CLI::App& app, CorpusArguments& arguments, const std::string& format_flags) {
  papilio::TextOptions& text = arguments.text;
  add_choice(app, format_flags, arguments.format, papilio::corpus_formats(),
             "Format of the corpus (docs/corpus_formats.md); auto, the default: by its name and first bytes")
      ->group("Corpus");
  add_table_options(app, arguments);
  app.add_option("--vocabulary", arguments.vocabulary,
                 "The words of a matrix, one per line; by default vocab.* beside docword.*, or CORPUS.vocab")
      ->group("Corpus");
  app.add_option("--first-id", arguments.first_id,
                 "Id of the first word, 0 or 1. ldac: 0 by default; svmlight: by default 0 if any id is 0, else 1")
      ->check(between(0, 1))
      ->group("Corpus");
  app.add_flag("--transposed", arguments.transposed, "mtx and npz: rows are words and columns are documents")
      ->group("Corpus");
  app.add_option("--stopwords", arguments.stop_words,
                 "Leave out the function words of a language (english, german, ...), or the words of a file with one "
                 "per line; several separated by commas")
      ->group("Corpus");
  app.add_option("--extra-stopwords", arguments.extra_stop_words,
                 "Also leave out these words: a file with one word per line")
      ->group("Corpus");
  app.add_flag("--preserve-case", arguments.preserve_case, "Do not fold upper and lower case")->group("Corpus");
  add_word_options(app, text);
  app.add_option("--min-df", text.min_df, "Leave out words that occur in fewer documents than this")
      ->capture_default_str()
      ->check(at_least<std::int64_t>(1))
      ->group("Corpus");
  app.add_option("--max-df", text.max_df, "Leave out words that occur in more than this share of the documents")
      ->capture_default_str()
      ->check(between(0.0, 1.0))
      ->group("Corpus");
  app.add_option("--max-vocabulary", text.max_vocabulary, "Keep only the most frequent words; 0: all")
      ->capture_default_str()
      ->check(at_least<std::int64_t>(0))
      ->group("Corpus");
  add_phrase_options(app, arguments);
  add_limits(app, text);
}
