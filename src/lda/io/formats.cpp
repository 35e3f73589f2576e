#include "papilio/corpus_formats.h"

#include <algorithm>
#include <array>
#include <filesystem>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

#include "base/check.h"
#include "base/choices.h"
#include "lda/corpus/corpus_builder.h"
#include "lda/corpus/phrases.h"
#include "lda/io/bytes/byte_source.h"
#include "lda/io/content.h"
#include "lda/io/corpus_file/corpus_layout.h"
#include "lda/io/formats.h"

namespace papilio {
namespace lda {
namespace {

namespace fs = std::filesystem;

}  // namespace

// A new format needs a file that defines it, and an entry here.
extern const Format text_format, uci_format, ldac_format, svmlight_format, matrix_market_format, npz_format, low_format,
    mallet_format, csv_format, tsv_format, json_lines_format, json_array_format, folder_format, corpus_file_format;

namespace {

constexpr std::array formats = {
    &text_format,       &uci_format,        &ldac_format,   &svmlight_format,    &matrix_market_format,
    &npz_format,        &low_format,        &mallet_format, &csv_format,         &tsv_format,
    &json_lines_format, &json_array_format, &folder_format, &corpus_file_format,
};

}  // namespace

const Format& format_of(CorpusFormat format) {
  const auto found = std::find_if(formats.begin(), formats.end(), [&](const Format* f) { return f->format == format; });
  base::require(found != formats.end(), "papilio: no corpus format has the number {}", static_cast<int>(format));
  return **found;
}

namespace {

// A path without ".gz" or ".zst".
fs::path uncompressed(const fs::path& path) {
  return path.extension() == ".gz" || path.extension() == ".zst" ? fs::path(path).replace_extension() : path;
}

bool named_docword(const std::string& path) { return fs::path(path).filename().string().starts_with("docword."); }

constexpr std::size_t first_bytes_read = 4096;

// The first bytes, decompressed. If the stream is damaged among them, those before the damage.
std::string first_bytes(const std::string& path) {
  std::string bytes(first_bytes_read, '\0');
  std::size_t size = 0;
  try {
    const auto source = open_byte_source({reader_name, path});
    while (size < bytes.size()) {
      const std::size_t got = source->read(bytes.data() + size, bytes.size() - size);
      if (got == 0) break;
      size += got;
    }
  } catch (const DamagedStream&) {
  }
  bytes.resize(size);
  return bytes;
}

}  // namespace
}  // namespace lda

std::string_view name(CorpusFormat format) { return base::name_in(corpus_formats(), format); }

std::span<const CorpusFormatChoice> corpus_formats() {
  static const std::vector<CorpusFormatChoice> all = [] {
    std::vector<CorpusFormatChoice> rows = {
        {{CorpusFormat::detect, "auto", "by the file's name and first bytes"}, false, false}};
    for (const lda::Format* format : lda::formats) {
      rows.push_back(
          {{format->format, format->name, format->help}, format->write != nullptr, format->has_vocabulary_file});
    }
    return rows;
  }();
  return all;
}

CorpusFormat parse_corpus_format(std::string_view name) {
  return base::parse_in(corpus_formats(), name, "parse_corpus_format", "corpus format");
}

bool is_written(CorpusFormat format) {
  return format != CorpusFormat::detect && lda::format_of(format).write != nullptr;
}

bool has_vocabulary_file(CorpusFormat format) {
  return format != CorpusFormat::detect && lda::format_of(format).has_vocabulary_file;
}

CorpusFormat corpus_format_of_name(const std::string& path) {
  if (lda::named_docword(path)) return CorpusFormat::uci;
  const std::string file = lda::uncompressed(path).filename().string();
  for (const lda::Format* format : lda::formats) {
    const auto fits = [&](std::string_view ending) { return !ending.empty() && file.ends_with(ending); };
    if (std::any_of(format->endings.begin(), format->endings.end(), fits)) return format->format;
  }
  return CorpusFormat::detect;
}

CorpusFormat detect_corpus_format(const std::string& path) {
  if (path == "-") return CorpusFormat::text;  // standard input, also where a file has that name
  std::error_code error;
  if (std::filesystem::is_directory(path, error)) return CorpusFormat::folder;
  const CorpusFormat named = corpus_format_of_name(path);
  // Reading from a pipe would take its first bytes away.
  if (!std::filesystem::is_regular_file(path, error)) return named == CorpusFormat::detect ? CorpusFormat::text : named;
  const std::string bytes = lda::first_bytes(path);
  if (lda::begins_as_corpus_file(bytes)) return CorpusFormat::corpus_file;
  if (named == CorpusFormat::json_lines && lda::begins_as_json_array(bytes)) return CorpusFormat::json_array;
  if (named != CorpusFormat::detect) return named;
  return lda::format_of_content(bytes, bytes.size() < lda::first_bytes_read);
}

std::string find_vocabulary(const std::string& path) {
  namespace fs = std::filesystem;
  if (path == "-") return "";
  const fs::path corpus = lda::uncompressed(path);
  std::vector<fs::path> candidates;
  if (lda::named_docword(path)) {
    candidates.push_back(corpus.parent_path() / ("vocab." + corpus.filename().string().substr(8)));
  } else {
    candidates.push_back(corpus.string() + ".vocab");
    candidates.push_back(fs::path(corpus).replace_extension(".vocab"));
  }
  candidates.push_back(path + ".vocab");
  for (const fs::path& candidate : candidates) {
    for (const char* ending : {"", ".gz", ".zst"}) {
      const std::string file = candidate.string() + ending;
      std::error_code error;
      if (file != path && fs::is_regular_file(file, error)) return file;
    }
  }
  return "";
}

lda::ChosenFormat lda::choose_format(const std::string& path, const CorpusOptions& options) {
  lda::require_text_options(options.text, reader_name);
  CorpusOptions chosen = options;
  if (chosen.format == CorpusFormat::detect) {
    chosen.format = detect_corpus_format(path);
    if (chosen.format == CorpusFormat::text && !chosen.vocabulary.empty()) chosen.format = CorpusFormat::uci;
  }
  const lda::Format& format = lda::format_of(chosen.format);
  base::require(format.has_vocabulary_file || chosen.vocabulary.empty(),
                "{}: a vocabulary was given, but {} has none of its own", reader_name, format.name);
  base::require(path != "-" || chosen.vocabulary != "-", "{}: corpus and vocabulary cannot both be standard input",
                reader_name);
  base::require(!chosen.first_id || format.has_ids, "{}: first_id was given, but {} has no ids", reader_name,
                format.name);
  base::require(!chosen.first_id || *chosen.first_id == 0 || *chosen.first_id == 1,
                "{}: first_id is {}, expected 0 or 1", reader_name, chosen.first_id.value_or(0));
  base::require(!chosen.transposed || format.is_matrix, "{}: transposed was given, but {} has no rows and columns",
                reader_name, format.name);
  base::require(format.has_columns() || (chosen.text_column.empty() && chosen.id_column.empty()),
                "{}: {}: {} has no columns or fields, but \"{}\" is asked for", reader_name, path, format.name,
                chosen.text_column.empty() ? chosen.id_column : chosen.text_column);
  if (!format.text) lda::require_no_phrases(options.text, reader_name, format.name);
  if (format.has_vocabulary_file && chosen.vocabulary.empty()) chosen.vocabulary = find_vocabulary(path);
  return {format, std::move(chosen)};
}

Corpus read_corpus(const std::string& path, const CorpusOptions& options, ReadReport* report) {
  const lda::ChosenFormat chosen = lda::choose_format(path, options);
  ReadReport counts;
  Corpus corpus = chosen.format.read(path, chosen.options, counts);
  if (report != nullptr) *report = counts;
  return corpus;
}

void write_corpus(const CorpusView& corpus, const std::string& path, CorpusFormat format,
                  const std::string& vocabulary) {
  base::require(is_written(format), "{}: corpora are not written as {}", lda::writer_name, name(format));
  lda::format_of(format).write(corpus, path, vocabulary);
}

}  // namespace papilio
