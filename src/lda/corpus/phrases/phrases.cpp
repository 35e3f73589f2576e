#include "lda/corpus/phrases.h"

#include <algorithm>
#include <cmath>

#include "base/check.h"
#include "lda/corpus/phrases/joined_words.h"
#include "lda/corpus/phrases/phrase_finder.h"
#include "lda/corpus/phrases/phrase_matcher.h"
#include "lda/corpus/tokenizer.h"
#include "lda/corpus/utf8.h"
#include "lda/corpus/white_space.h"
#include "lda/corpus/word_index.h"

namespace papilio {
namespace lda {
namespace {

using base::require;

// The largest length of a delimiter, in bytes.
constexpr std::size_t most_delimiter_bytes = 16;

void require_delimiter(std::string_view delimiter, const char* caller) {
  require(!delimiter.empty() && delimiter.size() <= most_delimiter_bytes,
          "{}: phrases.delimiter has {} bytes, expected 1 to {}", caller, delimiter.size(), most_delimiter_bytes);
  require(find_ill_formed(delimiter) == std::string_view::npos, "{}: phrases.delimiter is not well-formed UTF-8",
          caller);
  const bool is_visible = !has_white_space(delimiter) && std::none_of(delimiter.begin(), delimiter.end(), [](char c) {
    return static_cast<unsigned char>(c) < 0x20;
  });
  require(is_visible, "{}: phrases.delimiter holds white space or a control character", caller);
}

void require_ranges(const PhraseOptions& options, const char* caller) {
  require(options.threshold >= -1 && options.threshold <= 1, "{}: phrases.threshold is {}, expected -1 to 1", caller,
          options.threshold);
  require(options.min_count >= 1, "{}: phrases.min_count is {}, expected at least 1", caller, options.min_count);
  require(options.length >= 2 && options.length <= most_phrase_words, "{}: phrases.length is {}, expected 2 to {}",
          caller, options.length, most_phrase_words);
  require_delimiter(options.delimiter, caller);
}

// The words of a phrase, split at white space and delimiters, joined by delimiters; `words` is their number.
std::string join_parts(std::string_view phrase, std::string_view delimiter, int& words) {
  std::string joined;
  words = 0;
  for_each_word(phrase, [&](std::string_view stretch) {
    for (const std::string_view part : split_at(stretch, delimiter)) {
      if (part.empty()) continue;
      if (words++ > 0) joined += delimiter;
      joined += part;
    }
  });
  return joined;
}

// Passes all words of a corpus in memory to `use`; the first of each document is marked.
void for_each_document(const CorpusView& corpus, base::FunctionRef<void(std::span<const std::int32_t>)> use) {
  std::vector<std::int32_t> words;
  for (std::size_t d = 0; d + 1 < corpus.document_offsets.size(); ++d) {
    const auto begin = static_cast<std::size_t>(corpus.document_offsets[d]);
    const auto end = static_cast<std::size_t>(corpus.document_offsets[d + 1]);
    if (begin == end) continue;
    words.assign(corpus.words.begin() + static_cast<std::ptrdiff_t>(begin),
                 corpus.words.begin() + static_cast<std::ptrdiff_t>(end));
    words.front() = marked(words.front());
    use(words);
  }
}

}  // namespace

std::vector<std::string_view> split_at(std::string_view spelling, std::string_view delimiter) {
  std::vector<std::string_view> parts;
  for (;;) {
    const std::size_t end = spelling.find(delimiter);
    parts.push_back(spelling.substr(0, end));
    if (end == std::string_view::npos) return parts;
    spelling.remove_prefix(end + delimiter.size());
  }
}

int count_parts(std::string_view spelling, std::string_view delimiter) {
  int parts = 0;
  for (;;) {
    const std::size_t end = spelling.find(delimiter);
    if (end == 0 || spelling.empty() || ++parts > most_phrase_words) return 0;
    if (end == std::string_view::npos) return parts;
    spelling.remove_prefix(end + delimiter.size());
  }
}

std::vector<std::string> spell_phrases(const TextOptions& options, const char* caller) {
  const PhraseOptions& phrases = options.phrases;
  Tokenizer tokenizer(1);
  WordIndex spelled;
  for (std::size_t i = 0; i < phrases.list.size(); ++i) {
    require(find_ill_formed(phrases.list[i]) == std::string::npos, "{}: phrases.list[{}] is not well-formed UTF-8",
            caller, i);
    int words = 0;
    const std::string phrase = join_parts(tokenizer.fold(phrases.list[i], options.fold_case), phrases.delimiter, words);
    require(words >= 2 && words <= most_phrase_words, "{}: phrases.list[{}] has {} words, expected 2 to {}", caller, i,
            words, most_phrase_words);
    spelled.number(phrase);
  }
  return spelled.take_words();
}

void require_phrase_options(const TextOptions& options, const char* caller) {
  require_ranges(options.phrases, caller);
  require(!options.phrases.find || options.phrases.list.empty(),
          "{}: phrases.find is set, and phrases.list has {} entries; expected one of the two", caller,
          options.phrases.list.size());
  spell_phrases(options, caller);
}

void require_no_phrases(const TextOptions& options, const char* caller, std::string_view what) {
  require(!options.phrases.used(),
          "{}: phrases are joined only when text is read (text, csv, tsv, jsonl, json, folder); this is {}", caller,
          what);
}

}  // namespace lda

std::vector<Phrase> find_phrases(const CorpusView& corpus, const PhraseOptions& options) {
  lda::require_ranges(options, "papilio::find_phrases");
  corpus.verify();
  const auto words = [&](base::FunctionRef<void(std::span<const std::int32_t>)> use) {
    lda::for_each_document(corpus, use);
  };
  std::vector<Phrase> phrases =
      lda::find_phrases({.vocabulary = corpus.vocabulary, .words = words, .most_followers = corpus.tokens() + 1},
                        options, [](std::int64_t) {});
  std::sort(phrases.begin(), phrases.end(),
            [](const Phrase& a, const Phrase& b) { return a.npmi != b.npmi ? a.npmi > b.npmi : a.words < b.words; });
  return phrases;
}

Corpus join_phrases(const CorpusView& corpus, std::span<const std::string> phrases, std::string_view delimiter) {
  constexpr const char* caller = "papilio::join_phrases";
  const TextOptions options = {
      .fold_case = false, .phrases = {.list = {phrases.begin(), phrases.end()}, .delimiter = std::string(delimiter)}};
  lda::require_phrase_options(options, caller);
  corpus.verify();
  const lda::PhraseMatcher matcher(corpus.vocabulary, lda::spell_phrases(options, caller), delimiter);
  const auto words = [&](base::FunctionRef<void(std::span<const std::int32_t>)> use) {
    lda::for_each_document(corpus, use);
  };
  Corpus joined;
  const auto append = [&](std::span<const std::int32_t> block) {
    joined.words.insert(joined.words.end(), block.begin(), block.end());
  };
  const auto end_document = [&] { joined.document_offsets.push_back(joined.tokens()); };
  joined.vocabulary =
      lda::join_words({.vocabulary = corpus.vocabulary, .words = words}, corpus.document_offsets, matcher, append,
                      end_document, [](std::string_view) { return lda::WordFate::stays; })
          .vocabulary;
  joined.document_names.assign(corpus.document_names.begin(), corpus.document_names.end());
  return joined;
}

std::vector<std::string> phrases_in_vocabulary(std::span<const std::string> vocabulary, std::string_view delimiter) {
  lda::require_delimiter(delimiter, "papilio::phrases_in_vocabulary");
  std::vector<std::string> phrases;
  for (const std::string& word : vocabulary) {
    if (lda::count_parts(word, delimiter) >= 2 && !lda::has_white_space(word)) phrases.push_back(word);
  }
  return phrases;
}

}  // namespace papilio
