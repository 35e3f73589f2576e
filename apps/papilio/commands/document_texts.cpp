#include "commands/document_texts.h"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>
#include <unordered_map>

#include "papilio/corpus_formats.h"
#include "support/corpus_input.h"
#include "support/files.h"
#include "support/output.h"
#include "support/text.h"

namespace {

CorpusArguments without_word_lists(CorpusArguments arguments) {
  arguments.stop_words.clear();
  arguments.extra_stop_words.clear();
  return arguments;
}

// How to read the texts that go with a corpus file: the format is detected from the file.
CorpusArguments arguments_of(const CorpusArguments& corpus, const std::string& texts) {
  CorpusArguments arguments = without_word_lists(corpus);
  arguments.path = texts;
  arguments.format = CorpusFormat::detect;
  arguments.vocabulary.clear();
  arguments.text.min_df = 1;
  arguments.text.max_df = 1;
  arguments.text.max_vocabulary = 0;
  return arguments;
}

[[noreturn]] void fail(const std::string& texts, const CorpusArguments& corpus, const std::string& why) {
  throw CommandError(ExitCode::bad_data, fmt::format("{} does not hold the texts of {}: {}", texts, corpus.path, why));
}

void require_names(const papilio::SourceTexts& found, const papilio::CorpusView& view, const std::string& texts,
                   const CorpusArguments& corpus) {
  if (found.documents != view.documents()) {
    fail(texts, corpus,
         fmt::format("it has {} documents, expected {}", grouped(found.documents), grouped(view.documents())));
  }
  if (found.names.empty() || view.document_names.empty()) return;
  const auto [name, expected] =
      std::mismatch(found.names.begin(), found.names.end(), view.document_names.begin(), view.document_names.end());
  if (name != found.names.end()) {
    fail(texts, corpus,
         fmt::format("document {} is called {}, expected {}", name - found.names.begin(), shown(*name),
                     shown(*expected)));
  }
}

// Most of the words of a text that the corpus knows must be in the same document of the corpus. Not all: phrases may
// have been joined, and the last word of an excerpt is cut.
void require_words(const papilio::SourceTexts& found, std::span<const std::int64_t> documents,
                   const papilio::CorpusView& view, const std::string& texts, const CorpusArguments& corpus) {
  const std::vector<std::string_view> beginnings(found.texts.begin(), found.texts.end());
  const papilio::Corpus read = papilio::corpus_from_texts(beginnings, corpus_options(arguments_of(corpus, texts)).text);
  std::unordered_map<std::string_view, std::int32_t> number_of;
  for (std::size_t w = 0; w < view.vocabulary.size(); ++w) {
    number_of.emplace(view.vocabulary[w], static_cast<std::int32_t>(w));
  }
  std::int64_t known = 0, there = 0;
  for (std::size_t i = 0; i < documents.size(); ++i) {
    const auto d = static_cast<std::size_t>(documents[i]);
    const auto begin = view.words.begin() + view.document_offsets[d];
    const auto end = view.words.begin() + view.document_offsets[d + 1];
    for (std::int64_t at = read.document_offsets[i]; at < read.document_offsets[i + 1]; ++at) {
      const std::int32_t word = read.words[static_cast<std::size_t>(at)];
      const auto number = number_of.find(read.vocabulary[static_cast<std::size_t>(word)]);
      if (number == number_of.end()) continue;
      ++known;
      there += std::find(begin, end, number->second) != end ? 1 : 0;
    }
  }
  if (2 * there < known) {
    fail(texts, corpus,
         fmt::format("of {} words at the beginnings of documents, {} are not in the same documents of the corpus",
                     grouped(known), grouped(known - there)));
  }
}

}  // namespace

std::optional<papilio::TextSource> find_document_texts(const CorpusArguments& corpus, const std::string& texts) {
  const CorpusArguments from = texts.empty() ? without_word_lists(corpus) : arguments_of(corpus, texts);
  if (from.path == "-") return std::nullopt;
  const std::optional<papilio::TextSource> source =
      reading([&] { return papilio::find_texts(from.path, corpus_options(from)); });
  if (!source && !texts.empty()) {
    throw CommandError(ExitCode::bad_data,
                       fmt::format("{} holds no texts; expected lines of text, csv, tsv, jsonl, json or a "
                                   "folder of files: what {} was made of",
                                   texts, corpus.path));
  }
  return source;
}

DocumentTexts document_texts(const std::optional<papilio::TextSource>& source, const CorpusArguments& corpus,
                             const papilio::CorpusView& view, const std::string& texts, int characters,
                             const char* command) {
  if (!source) {
    tell(
        "papilio {}: {} holds no texts, so the most frequent words of documents are shown; --texts FILE, with what the "
        "corpus was made of, shows how they begin\n",
        command, corpus.path == "-" ? "standard input, read once," : corpus.path);
    return {};
  }
  return [=, &corpus](std::span<const std::int64_t> documents) {
    const std::int64_t enough = 16 * std::int64_t{characters} + 64;
    papilio::SourceTexts found;
    try {
      found = reading([&] { return papilio::read_source_texts(*source, documents, enough, corpus.text); });
    } catch (const papilio::InvalidArgument&) {  // a document that does not exist has been asked for
      if (texts.empty()) throw;
      fail(texts, corpus, fmt::format("it has fewer than {} documents", grouped(view.documents())));
    }
    if (!texts.empty()) {
      require_names(found, view, texts, corpus);
      require_words(found, documents, view, texts, corpus);
    }
    return std::move(found.texts);
  };
}
