#include <algorithm>
#include <array>

#include "lda/io/corpus_readers.h"
#include "papilio/corpus_file.h"

namespace papilio {
namespace lda {
namespace {

struct Form {
  CorpusFormat format;
  TextForm form;
};
constexpr std::array<Form, 5> forms = {{{CorpusFormat::text, TextForm::lines},
                                        {CorpusFormat::csv, TextForm::csv},
                                        {CorpusFormat::tsv, TextForm::tsv},
                                        {CorpusFormat::json_lines, TextForm::json_lines},
                                        {CorpusFormat::folder, TextForm::folder}}};

const Form* find_form(CorpusFormat format) {
  const auto* const found =
      std::find_if(forms.begin(), forms.end(), [&](const Form& form) { return form.format == format; });
  return found == forms.end() ? nullptr : found;
}

}  // namespace

bool is_text(CorpusFormat format) { return find_form(format) != nullptr; }

bool has_columns(CorpusFormat format) {
  return format == CorpusFormat::csv || format == CorpusFormat::tsv || format == CorpusFormat::json_lines;
}

TextSource text_source_of(const std::string& path, const CorpusOptions& options) {
  return {.path = path,
          .form = find_form(options.format)->form,
          .text = options.text_column,
          .id = options.id_column,
          .header = options.header,
          .quotes = options.quotes};
}

}  // namespace lda

ReadReport import_corpus(const std::string& corpus, const std::string& path, const CorpusOptions& options) {
  CorpusOptions chosen = options;
  if (chosen.format == CorpusFormat::detect && chosen.vocabulary.empty()) chosen.format = detect_corpus_format(corpus);
  if (lda::is_text(chosen.format) && chosen.vocabulary.empty() && !chosen.first_id && !chosen.transposed) {
    return import_text(lda::text_source_of(corpus, chosen), path, chosen.text);
  }
  ReadReport report;
  write_corpus_file(read_corpus(corpus, chosen, &report), path);
  return report;
}

}  // namespace papilio
