#include "support/corpus_input.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstddef>
#include <filesystem>
#include <fstream>
#include <span>
#include <sstream>
#include <system_error>

#include "papilio/corpus_file.h"
#include "papilio/corpus_formats.h"
#include "papilio/distributed.h"
#include "papilio/evaluation.h"
#include "papilio/model.h"
#include "papilio/phrases.h"
#include "papilio/primitives.h"
#include "papilio/stop_words.h"
#include "support/exit_code.h"
#include "support/files.h"
#include "support/job_ranks.h"
#include "support/suggestion.h"
#include "support/text.h"

namespace {

namespace fs = std::filesystem;

// A path without ".gz" or ".zst".
fs::path uncompressed(const fs::path& path) {
  return path.extension() == ".gz" || path.extension() == ".zst" ? fs::path(path).replace_extension() : path;
}

// The folder's own name, however it is given: "letters" for "letters/", and for "." within it. Empty for "/".
std::string folder_name(fs::path path) {
  if (!path.has_filename()) path = path.parent_path();  // without slashes at the end
  if (path.filename() == "." || path.filename() == "..") {
    std::error_code error;
    path = fs::canonical(path, error);
  }
  return path.filename().string();
}

// Whether it is a corpus file that can be used as it is.
bool can_be_mapped(const CorpusArguments& arguments) {
  const papilio::TextOptions& text = arguments.text;
  const bool is_whole = arguments.stop_words.empty() && arguments.extra_stop_words.empty() && text.min_df <= 1 &&
                        text.max_df >= 1 && text.max_vocabulary == 0 && arguments.phrases.source.empty();
  const CorpusFormat format = arguments.format == CorpusFormat::detect && arguments.vocabulary.empty()
                                  ? papilio::detect_corpus_format(arguments.path)
                                  : arguments.format;
  return is_whole && format == CorpusFormat::corpus_file;
}

papilio::ReadReport report_of(const papilio::MappedCorpus& corpus, bool is_full) {
  papilio::ReadReport report;
  report.format = papilio::name(CorpusFormat::corpus_file);
  report.documents = corpus.documents();
  report.tokens_read = report.tokens_kept = corpus.tokens();
  if (!is_full) return report;
  const auto offsets = corpus.document_offsets();
  for (std::size_t d = 1; d < offsets.size(); ++d) {
    report.empty_documents += offsets[d] == offsets[d - 1] ? 1 : 0;
  }
  return report;
}

constexpr int most_phrase_words = 16;

// A model's file is a safetensors file: 8 bytes of length, then
// JSON. No list of phrases has a zero byte among its first 8 bytes.
bool is_model_file(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  char bytes[9] = {};
  file.read(bytes, sizeof bytes);
  return file && bytes[8] == '{' && std::find(bytes, bytes + 8, '\0') != bytes + 8;
}

int count_words(std::string line, const std::string& delimiter) {
  for (std::size_t at = line.find(delimiter); at != line.npos; at = line.find(delimiter, at)) {
    std::fill_n(line.begin() + static_cast<std::ptrdiff_t>(at), delimiter.size(), ' ');
  }
  int words = 0;
  bool in_word = false;
  for (const char c : line) {
    const bool is_blank = c == ' ' || c == '\t';
    words += !is_blank && !in_word ? 1 : 0;
    in_word = !is_blank;
  }
  return words;
}

std::vector<std::string> read_phrases(const CorpusArguments& arguments) {
  const PhraseArguments& phrases = arguments.phrases;
  std::error_code error;  // of a pipe, a look at the first bytes would take them away
  const bool is_file = phrases.source != "-" && fs::is_regular_file(phrases.source, error);
  if (is_file && papilio::is_corpus_file(phrases.source)) {
    return papilio::phrases_in_vocabulary(papilio::MappedCorpus(phrases.source).vocabulary(), phrases.delimiter);
  }
  if (is_file && is_model_file(phrases.source)) {
    return papilio::phrases_in_vocabulary(papilio::load_model(phrases.source).vocabulary, phrases.delimiter);
  }
  const std::vector<std::string> list = papilio::read_word_list(phrases.source, arguments.text.max_memory);
  for (const std::string& line : list) {
    const int words = count_words(line, phrases.delimiter);
    if (words < 2 || words > most_phrase_words) {
      throw CommandError(
          ExitCode::bad_data,
          fmt::format("{}: \"{}\" has {} words; expected phrases of 2 to {} words, one per line",
                      printable(phrases.source), printable(line.substr(0, 80)), words, most_phrase_words));
    }
  }
  return list;
}

// The phrase options that the arguments ask for. Throws CommandError if a file is not a list of phrases.
papilio::PhraseOptions phrase_options(const CorpusArguments& arguments) {
  const PhraseArguments& phrases = arguments.phrases;
  papilio::PhraseOptions options = {.threshold = phrases.threshold,
                                    .min_count = phrases.min_count,
                                    .length = phrases.length,
                                    .delimiter = phrases.delimiter};
  if (phrases.known) {
    options.list = *phrases.known;
  } else if (phrases.source == "auto") {
    options.find = true;
  } else if (!phrases.source.empty()) {
    options.list = read_phrases(arguments);
  }
  return options;
}

bool is_language(const std::string& name) {
  const std::vector<std::string>& languages = papilio::stop_word_languages();
  return std::binary_search(languages.begin(), languages.end(), name);
}

bool is_there(const std::string& path) {
  std::error_code error;
  return fs::exists(path, error) || path == "-";
}

std::vector<std::string> parts_of(const std::string& given) {
  if (given.find(',') == given.npos || is_there(given)) return {given};
  std::vector<std::string> parts;
  std::istringstream list(given + ",");
  for (std::string part; std::getline(list, part, ',');) parts.push_back(part);
  return parts;
}

void require_list(const std::string& part, const std::string& given) {
  if (part.empty() || (part == "-" && part != given)) {
    throw CommandError(ExitCode::usage, fmt::format("--stopwords {} has {} between its commas, expected a language or "
                                                    "a file",
                                                    shown(given), part.empty() ? "nothing" : "standard input (-)"));
  }
  if (is_language(part) || is_there(part) || part.find('/') != part.npos) return;
  throw CommandError(ExitCode::no_input, fmt::format("--stopwords {} is neither a file nor one of the languages {}{}",
                                                     shown(part), fmt::join(papilio::stop_word_languages(), ", "),
                                                     did_you_mean(part, papilio::stop_word_languages())));
}

InputCorpus open_mapped(const CorpusArguments& arguments, papilio::ReadReport& report, papilio::Communicator* ranks) {
  InputCorpus input;
  input.mapped.emplace(arguments.path);
  if (ranks == nullptr) {
    input.mapped->verify(arguments.text.threads);
  } else {
    input.identity = papilio::verify_over_ranks(*input.mapped, *ranks, arguments.text.threads);
    input.has_names = is_first(ranks);
  }
  report = report_of(*input.mapped, is_first(ranks));
  return input;
}

// Takes rank 0's answer. A rank with another file, or none, would read differently and wait for the others in vain.
bool first_can_map(const CorpusArguments& arguments, papilio::Communicator& ranks) {
  std::byte can_map{ranks.rank() == 0 && can_be_mapped(arguments)};
  ranks.broadcast({&can_map, 1}, 0);
  return can_map == std::byte{1};
}

}  // namespace

StopWordLists stop_word_lists(const std::string& given) {
  StopWordLists lists;
  if (given.empty()) return lists;
  for (const std::string& part : parts_of(given)) {
    require_list(part, given);
    (is_language(part) ? lists.languages : lists.files).push_back(part);
  }
  return lists;
}

std::vector<std::string> read_stop_words(const std::string& given, std::int64_t max_memory) {
  const StopWordLists lists = stop_word_lists(given);
  std::vector<std::string> words;
  for (const std::string& language : lists.languages) {
    const std::vector<std::string>& list = papilio::stop_words(language);
    words.insert(words.end(), list.begin(), list.end());
  }
  for (const std::string& file : lists.files) {
    const std::vector<std::string> list = papilio::read_word_list(file, max_memory);
    words.insert(words.end(), list.begin(), list.end());
  }
  return words;
}

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
    options.text.stop_words = read_stop_words(arguments.stop_words, arguments.text.max_memory);
  }
  if (!arguments.extra_stop_words.empty()) {
    const std::vector<std::string> extra =
        papilio::read_word_list(arguments.extra_stop_words, arguments.text.max_memory);
    options.text.stop_words.insert(options.text.stop_words.end(), extra.begin(), extra.end());
  }
  options.text.fold_case = !arguments.preserve_case;
  options.text.phrases = phrase_options(arguments);
  return options;
}

CorpusArguments held_out_arguments(const CorpusArguments& corpus, const std::string& path, CorpusFormat format,
                                   papilio::Communicator* ranks) {
  CorpusArguments arguments = corpus;
  arguments.path = path;
  arguments.text.min_df = 0;
  arguments.text.max_df = 1;
  arguments.text.max_vocabulary = 0;
  if (format != CorpusFormat::detect) {
    arguments.format = format;
  }
  if (is_first(ranks)) {
    if (arguments.format == CorpusFormat::detect) {
      arguments.format = reading([&] { return papilio::detect_corpus_format(path); });
    }
    if (!papilio::has_vocabulary_file(arguments.format) || !papilio::find_vocabulary(path).empty()) {
      arguments.vocabulary.clear();
    }
  }
  if (ranks != nullptr) {
    std::int64_t found[] = {static_cast<std::int64_t>(arguments.format), arguments.vocabulary.empty() ? 0 : 1};
    ranks->broadcast(std::as_writable_bytes(std::span(found)), 0);
    arguments.format = static_cast<CorpusFormat>(found[0]);
    if (found[1] == 0) arguments.vocabulary.clear();
  }
  return arguments;
}

papilio::Corpus read_corpus(const CorpusArguments& arguments, papilio::ReadReport& report) {
  return reading([&] { return papilio::read_corpus(arguments.path, corpus_options(arguments), &report); });
}

papilio::CorpusView InputCorpus::view() const {
  if (of_rank) return of_rank->view();
  if (!mapped) return held.view();
  if (has_names) return mapped->view();
  return {mapped->document_offsets(), mapped->words(), mapped->vocabulary(), {}};
}

const papilio::CorpusIdentity* InputCorpus::known_identity() const {
  if (of_rank) return &of_rank->identity();
  return identity ? &*identity : nullptr;
}

std::vector<std::int64_t> InputCorpus::word_counts(int threads) const {
  if (of_rank) return {of_rank->word_counts().begin(), of_rank->word_counts().end()};
  const papilio::CorpusView corpus = view();
  std::vector<std::int64_t> counts(corpus.vocabulary.size());
  papilio::histogram({corpus.words.data(), corpus.tokens()}, counts, threads);
  return counts;
}

papilio::LeftOutWords InputCorpus::unknown_words(const papilio::Model& model, int threads) const {
  return papilio::unknown_words(model, view().vocabulary, word_counts(threads));
}

InputCorpus open_own_documents(const CorpusArguments& arguments, papilio::ReadReport& report,
                               papilio::Communicator* ranks) {
  return reading([&] {
    if (ranks == nullptr) return open_corpus(arguments, report);
    if (first_can_map(arguments, *ranks)) return open_mapped(arguments, report, ranks);
    InputCorpus input;
    input.of_rank.emplace(papilio::read_corpus(arguments.path, corpus_options(arguments), *ranks, &report));
    return input;
  });
}

InputCorpus open_corpus(const CorpusArguments& arguments, papilio::ReadReport& report) {
  return reading([&] {
    if (can_be_mapped(arguments)) return open_mapped(arguments, report, nullptr);
    InputCorpus input;
    input.held = papilio::read_corpus(arguments.path, corpus_options(arguments), &report);
    return input;
  });
}

std::string read_summary(const std::string& path, const papilio::ReadReport& report, std::int64_t words) {
  const std::string icu = report.icu_version.empty() ? "" : ", ICU " + report.icu_version;
  std::string summary = fmt::format("read {} ({}{}): {} documents, {} words, {} tokens", path, report.format, icu,
                                    grouped(report.documents), grouped(words), grouped(report.tokens_kept));
  const auto add = [&](std::int64_t number, const char* what) {
    if (number > 0) {
      summary += fmt::format("; {} {}", grouped(number), what);
    }
  };
  add(report.phrases, "phrases joined");
  add(report.empty_documents, "empty documents");
  add(report.invalid_utf8, "ill-formed UTF-8 sequences");
  add(report.skipped_files, "files left out");
  return summary;
}

std::string left_out_summary(const papilio::ReadReport& report) {
  std::string summary = printable(papilio::describe(report.left_out));
  if (!summary.empty()) {
    summary += "\n";
  }
  if (papilio::seems_unspaced(report)) {
    summary += fmt::format(
        "hint: {} of the {} words read are long runs of Chinese, Japanese, Thai or similar characters; --words icu "
        "splits text without spaces into words\n",
        grouped(report.unspaced_tokens), grouped(report.tokens_read));
  }
  return summary;
}

std::string corpus_name(const std::string& path) {
  if (path == "-") {
    return "stdin";
  }
  std::error_code error;
  std::string name =
      fs::is_directory(path, error) ? folder_name(path) : uncompressed(path).filename().replace_extension().string();
  if (name.starts_with("docword.")) {
    name = name.substr(std::string("docword.").size());
  }
  return name.empty() ? "corpus" : name;
}
