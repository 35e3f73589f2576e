#include "advice/hints.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <optional>

#include "papilio/stop_words.h"
#include "support/output.h"
#include "support/text.h"

namespace {

constexpr std::int64_t short_document = 3;

std::int64_t count_short(const papilio::CorpusView& corpus) {
  std::int64_t found = 0;
  for (std::size_t d = 1; d < corpus.document_offsets.size(); ++d) {
    found += corpus.document_offsets[d] - corpus.document_offsets[d - 1] <= short_document ? 1 : 0;
  }
  return found;
}

std::string hint_of_one_document(const std::string& format) {
  std::string advice = "topics are distinguished by the documents in which their words occur";
  if (format == "text") advice = "put each document on a line of its own, or give a folder with a file per document";
  if (format == "folder") advice = "in a folder each file is a document; for a document per line give the file itself";
  return fmt::format("the corpus is one document; {}", advice);
}

std::string hint_of_short_documents(std::int64_t found, std::int64_t documents, const std::string& format) {
  const char* advice = format == "text" ? "each line is a document; if yours have several lines, give a folder with a "
                                          "file per document, or put each on one line"
                                        : "so few words say little about topics; join short documents";
  return fmt::format("{} of {} documents have {} words or fewer; {}", grouped(found), grouped(documents),
                     short_document, advice);
}

std::string hint_of_stop_words(const papilio::FrequentStopWords& found, const std::string& option) {
  const auto examples = std::min<std::ptrdiff_t>(std::ssize(found.words), 3);
  return fmt::format("{} of the {} most frequent words are stop words ({}, ...); {} {} leaves such words out",
                     found.words.size(), found.among,
                     fmt::join(found.words.begin(), found.words.begin() + examples, ", "), option, found.language);
}

}  // namespace

std::vector<std::string> hints(const CorpusArguments& arguments, const papilio::CorpusView& corpus,
                               const papilio::ReadReport& report, const HintContext& context) {
  std::vector<std::string> lines;
  if (corpus.tokens() == 0) return lines;  // an error rather than a mistake to hint at
  const std::int64_t documents = corpus.documents();
  if (documents == 1) {
    lines.push_back(hint_of_one_document(report.format));
  } else if (const std::int64_t found = count_short(corpus); 2 * found > documents) {
    lines.push_back(hint_of_short_documents(found, documents, report.format));
  }
  // In JSON, halves of surrogate pairs that were escaped count too, of which no encoding is the cause.
  const bool is_json = report.format == "jsonl" || report.format == "json";
  if (report.invalid_utf8 > 0 && 100 * report.invalid_utf8 > report.tokens_read && !is_json) {
    lines.push_back(fmt::format(
        "ill-formed UTF-8 separates words in {} place{}; if the text is in another encoding, such as Latin-1, iconv -f "
        "LATIN1 -t UTF-8 FILE converts it",
        grouped(report.invalid_utf8), report.invalid_utf8 == 1 ? "" : "s"));
  }
  if (documents > 1 && context.topics > documents) {
    lines.push_back(fmt::format("-k {} is more topics than there are documents ({}); choose fewer",
                                grouped(context.topics), grouped(documents)));
  }
  if (arguments.stop_words.empty() && arguments.extra_stop_words.empty()) {
    const std::optional<papilio::FrequentStopWords> found =
        context.word_counts.empty() ? papilio::find_frequent_stop_words(corpus, arguments.text.threads)
                                    : papilio::find_frequent_stop_words(corpus.vocabulary, context.word_counts);
    if (found) lines.push_back(hint_of_stop_words(*found, context.stop_words_option));
  }
  return lines;
}

void tell_hints(const CorpusArguments& arguments, const papilio::CorpusView& corpus, const papilio::ReadReport& report,
                const HintContext& context) {
  for (const std::string& line : hints(arguments, corpus, report, context)) tell("hint: {}\n", line);
}
