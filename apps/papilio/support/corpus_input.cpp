#include "support/corpus_input.h"

#include <fmt/format.h>

#include <filesystem>

#include "papilio/corpus_formats.h"
#include "support/files.h"
#include "support/text.h"

namespace {

namespace fs = std::filesystem;

// A path without ".gz" or ".zst".
fs::path uncompressed(const fs::path& path) {
  return path.extension() == ".gz" || path.extension() == ".zst" ? fs::path(path).replace_extension() : path;
}

// A corpus file that can be used as it is.
bool can_be_mapped(const CorpusArguments& arguments) {
  const papilio::TextOptions& text = arguments.text;
  const bool is_whole = arguments.stop_words.empty() && arguments.extra_stop_words.empty() && text.min_df <= 1 &&
                        text.max_df >= 1 && text.max_vocabulary == 0;
  const CorpusFormat format = arguments.format == CorpusFormat::detect && arguments.vocabulary.empty()
                                  ? papilio::detect_corpus_format(arguments.path)
                                  : arguments.format;
  return is_whole && format == CorpusFormat::corpus_file;
}

papilio::ReadReport report_of(const papilio::MappedCorpus& corpus) {
  papilio::ReadReport report;
  report.format = papilio::name(CorpusFormat::corpus_file);
  report.documents = corpus.documents();
  report.tokens_read = report.tokens_kept = corpus.tokens();
  const auto offsets = corpus.document_offsets();
  for (std::size_t d = 1; d < offsets.size(); ++d) {
    report.empty_documents += offsets[d] == offsets[d - 1] ? 1 : 0;
  }
  return report;
}

}  // namespace

papilio::CorpusOptions corpus_options(const CorpusArguments& arguments) {
  papilio::CorpusOptions options = {.format = arguments.format,
                                    .vocabulary = arguments.vocabulary,
                                    .first_id = arguments.first_id,
                                    .transposed = arguments.transposed,
                                    .text_column = arguments.text_column,
                                    .id_column = arguments.id_column,
                                    .header = !arguments.no_header,
                                    .quotes = !arguments.no_quotes,
                                    .text = arguments.text};
  if (!arguments.stop_words.empty()) {
    options.text.stop_words = arguments.stop_words == "english" ? papilio::english_stop_words()
                                                                : papilio::read_word_list(arguments.stop_words);
  }
  if (!arguments.extra_stop_words.empty()) {
    const std::vector<std::string> extra = papilio::read_word_list(arguments.extra_stop_words);
    options.text.stop_words.insert(options.text.stop_words.end(), extra.begin(), extra.end());
  }
  options.text.fold_case = !arguments.preserve_case;
  return options;
}

CorpusArguments held_out_arguments(const CorpusArguments& corpus, const std::string& path, CorpusFormat format) {
  CorpusArguments arguments = corpus;
  arguments.path = path;
  arguments.text.min_df = 0;
  arguments.text.max_df = 1;
  arguments.text.max_vocabulary = 0;
  if (format != CorpusFormat::detect) {
    arguments.format = format;
  }
  if (arguments.format == CorpusFormat::detect) {
    arguments.format = reading([&] { return papilio::detect_corpus_format(path); });
  }
  if (!papilio::has_vocabulary_file(arguments.format) || !papilio::find_vocabulary(path).empty()) {
    arguments.vocabulary.clear();
  }
  return arguments;
}

papilio::Corpus read_corpus(const CorpusArguments& arguments, papilio::ReadReport& report) {
  return reading([&] { return papilio::read_corpus(arguments.path, corpus_options(arguments), &report); });
}

InputCorpus open_corpus(const CorpusArguments& arguments, papilio::ReadReport& report) {
  return reading([&] {
    InputCorpus input;
    if (can_be_mapped(arguments)) {
      input.mapped.emplace(arguments.path);
      input.mapped->verify();
      report = report_of(*input.mapped);
    } else {
      input.held = papilio::read_corpus(arguments.path, corpus_options(arguments), &report);
    }
    return input;
  });
}

std::string read_summary(const std::string& path, const papilio::ReadReport& report, std::int64_t words) {
  std::string summary = fmt::format("read {} ({}): {} documents, {} words, {} tokens", path, report.format,
                                    grouped(report.documents), grouped(words), grouped(report.tokens_kept));
  const auto add = [&](std::int64_t number, const char* what) {
    if (number > 0) {
      summary += fmt::format("; {} {}", grouped(number), what);
    }
  };
  add(report.empty_documents, "empty documents");
  add(report.stop_words_dropped, "stop words left out");
  add(report.rare_or_common_dropped, "rare or common tokens left out");
  add(report.invalid_utf8, "ill-formed UTF-8 sequences");
  add(report.skipped_files, "files left out");
  return summary;
}

std::string corpus_name(const std::string& path) {
  if (path == "-") {
    return "stdin";
  }
  std::string name = uncompressed(path).filename().replace_extension().string();
  if (name.starts_with("docword.")) {
    name = name.substr(std::string("docword.").size());
  }
  return name.empty() ? "corpus" : name;
}
