#include "support/corpus_options.h"

#include "support/option_types.h"

namespace {

void add_table_options(CLI::App& app, CorpusArguments& arguments) {
  app.add_option("--text-column,--text-field", arguments.text_column,
                 "Where the text is: a column of csv or tsv (its name, or its number from 1) or a field of jsonl; by "
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

void add_limits(CLI::App& app, papilio::TextOptions& text) {
  app.add_option("--max-memory", text.max_memory,
                 "Memory that reading may take, in bytes; 0: half of the machine's memory, or of the container's")
      ->capture_default_str()
      ->check(at_least<std::int64_t>(0))
      ->group("Corpus");
  app.add_option("--max-line-bytes", text.max_line_bytes, "Longest line, record, or file of a folder, in bytes")
      ->capture_default_str()
      ->check(CLI::Range(std::int64_t{1}, std::int64_t{1} << 40))
      ->group("Corpus");
}

}  // namespace

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
      ->check(CLI::Range(0, 1))
      ->group("Corpus");
  app.add_flag("--transposed", arguments.transposed, "mtx and npz: rows are words and columns are documents")
      ->group("Corpus");
  app.add_option("--stopwords", arguments.stop_words,
                 "Leave out these words: english, or a file with one word per line")
      ->group("Corpus");
  app.add_option("--extra-stopwords", arguments.extra_stop_words,
                 "Leave out these words, too: a file with one word per line")
      ->group("Corpus");
  app.add_flag("--preserve-case", arguments.preserve_case, "Do not fold upper and lower case")->group("Corpus");
  app.add_option("--min-df", text.min_df, "Leave out words that occur in fewer documents than this")
      ->capture_default_str()
      ->check(at_least<std::int64_t>(1))
      ->group("Corpus");
  app.add_option("--max-df", text.max_df, "Leave out words that occur in more than this share of the documents")
      ->capture_default_str()
      ->check(CLI::Range(0.0, 1.0))
      ->group("Corpus");
  app.add_option("--max-vocabulary", text.max_vocabulary, "Keep only the most frequent words; 0: all")
      ->capture_default_str()
      ->check(at_least<std::int64_t>(0))
      ->group("Corpus");
  add_limits(app, text);
}
