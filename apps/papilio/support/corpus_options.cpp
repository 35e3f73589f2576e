#include "support/corpus_options.h"

#include "support/option_types.h"

namespace {

void add_table_options(CLI::App& app, CorpusArguments& arguments) {
  app.add_option("--text-column,--text-field", arguments.text_column,
                 "Column of csv or tsv (its name, or its number from 1) or field of jsonl with the text; by default "
                 "text, or a table's only column")
      ->group("Corpus");
  app.add_option("--id-column,--id-field", arguments.id_column, "Likewise, with the documents' names")->group("Corpus");
  app.add_flag("--no-header", arguments.no_header, "The first record of a table is a document; columns have numbers")
      ->group("Corpus");
  app.add_flag("--no-quotes", arguments.no_quotes, "A table has no quoted fields: \" is a character like any other")
      ->group("Corpus");
}

void add_limits(CLI::App& app, papilio::TextOptions& text) {
  app.add_option("--max-memory", text.max_memory, "Bytes that reading may take; 0: half of the machine's memory")
      ->capture_default_str()
      ->check(at_least<std::int64_t>(0))
      ->group("Corpus");
  app.add_option("--max-line-bytes", text.max_line_bytes, "Bytes of the longest line, record or file of a folder")
      ->capture_default_str()
      ->check(CLI::Range(std::int64_t{1}, std::int64_t{1} << 40))
      ->group("Corpus");
}

}  // namespace

void add_corpus_options(CLI::App& app, CorpusArguments& arguments, const std::string& format_flags) {
  app.add_option(
         "corpus,--input", arguments.path,
         "Text, a document a line, or another of the forms of --format, plain, .gz or .zst; a folder of text files; "
         "a file that import wrote; - for standard input")
      ->required();
  add_reading_options(app, arguments, format_flags);
}

void add_reading_options(CLI::App& app, CorpusArguments& arguments, const std::string& format_flags) {
  papilio::TextOptions& text = arguments.text;
  add_choice(app, format_flags, arguments.format, papilio::corpus_formats(), "What the corpus is; auto by default")
      ->group("Corpus");
  add_table_options(app, arguments);
  app.add_option("--vocabulary", arguments.vocabulary,
                 "Words of a matrix, one a line; by default vocab.* beside docword.*, or CORPUS.vocab")
      ->group("Corpus");
  app.add_option("--first-id", arguments.first_id,
                 "Of the first word, ldac: 0 by default; svmlight: 0 where there is one, else 1")
      ->check(CLI::Range(0, 1))
      ->group("Corpus");
  app.add_flag("--transposed", arguments.transposed, "Rows of an mtx or npz matrix are words, columns documents")
      ->group("Corpus");
  app.add_option("--stopwords", arguments.stop_words, "Words to leave out: a file, one word a line, or english")
      ->group("Corpus");
  app.add_option("--extra-stopwords", arguments.extra_stop_words, "More words to leave out: a file, one word a line")
      ->group("Corpus");
  app.add_flag("--preserve-case", arguments.preserve_case, "Words of text keep upper and lower case")->group("Corpus");
  app.add_option("--min-df", text.min_df, "Leave out words of fewer documents")
      ->capture_default_str()
      ->check(at_least<std::int64_t>(1))
      ->group("Corpus");
  app.add_option("--max-df", text.max_df, "Leave out words of more than this share of the documents")
      ->capture_default_str()
      ->check(CLI::Range(0.0, 1.0))
      ->group("Corpus");
  app.add_option("--max-vocabulary", text.max_vocabulary, "Keep only the most frequent words; 0: all")
      ->capture_default_str()
      ->check(at_least<std::int64_t>(0))
      ->group("Corpus");
  add_limits(app, text);
}
