#include "phrases/model_phrases.h"

#include <fmt/format.h>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "papilio/corpus_formats.h"
#include "papilio/phrases.h"
#include "support/corpus_input.h"
#include "support/exit_code.h"
#include "support/files.h"
#include "support/job_ranks.h"
#include "support/text.h"

void ask_phrases_of_text_alone(CorpusArguments& arguments, papilio::Communicator* ranks) {
  std::byte is_text{1};
  if (is_first(ranks) && !arguments.phrases.source.empty()) {
    const papilio::CorpusOptions options = {.format = arguments.format, .vocabulary = arguments.vocabulary};
    is_text = std::byte{reading([&] { return papilio::find_texts(arguments.path, options).has_value(); })};
  }
  if (ranks != nullptr) ranks->broadcast({&is_text, 1}, 0);
  if (is_text == std::byte{0}) arguments.phrases = {};
}

void use_phrases(const papilio::CorpusView& corpus, CorpusArguments& arguments) {
  if (arguments.phrases.source.empty()) return;
  arguments.phrases.known = papilio::phrases_in_vocabulary(corpus.vocabulary, arguments.phrases.delimiter);
}

void use_phrases(const papilio::Model& model, const std::string& path, CorpusArguments& arguments) {
  if (arguments.phrases.source.empty() || arguments.phrases.source != path) return;
  arguments.phrases.known = papilio::phrases_in_vocabulary(model.vocabulary, arguments.phrases.delimiter);
}

void require_no_new_phrases(const CorpusArguments& arguments) {
  if (arguments.phrases.source != "auto") return;
  throw CommandError(ExitCode::usage,
                     "--phrases is auto, but only phrases that the model knows help here; expected the model, whose "
                     "words have them, or a list");
}

namespace {

// Phrases of a model that a text has: as one word, and as neighbours that are words of their own.
struct PhrasesInText {
  std::int64_t joined = 0;
  std::int64_t apart = 0;
};

using WordNumbers = std::unordered_map<std::string_view, std::uint32_t>;

// The numbers of a phrase's first two parts, as one key; nothing unless all of its parts are words.
std::optional<std::uint64_t> first_pair(const WordNumbers& numbers, std::string_view phrase,
                                        std::string_view delimiter) {
  std::uint64_t pair = 0;
  for (int part = 0;; ++part) {
    const std::size_t end = phrase.find(delimiter);
    const auto word = numbers.find(phrase.substr(0, end));
    if (word == numbers.end()) return std::nullopt;
    if (part < 2) pair = pair << 32 | word->second;
    if (end == phrase.npos) return pair;
    phrase.remove_prefix(end + delimiter.size());
  }
}

// Linear in the tokens.
PhrasesInText phrases_in_text(const std::vector<std::string>& phrases, std::string_view delimiter,
                              const papilio::CorpusView& corpus) {
  WordNumbers numbers;
  for (std::uint32_t w = 0; w < corpus.vocabulary.size(); ++w) numbers.emplace(corpus.vocabulary[w], w);
  PhrasesInText found;
  std::unordered_map<std::uint64_t, std::int64_t> phrases_of_pair;  // whose neighbours have not been seen yet
  std::vector<bool> begins_pair(corpus.vocabulary.size());
  for (const std::string& phrase : phrases) {
    if (numbers.contains(phrase)) {
      ++found.joined;
    } else if (const auto pair = first_pair(numbers, phrase, delimiter)) {
      ++phrases_of_pair[*pair];
      begins_pair[*pair >> 32] = true;
    }
  }
  for (std::size_t d = 1; d < corpus.document_offsets.size() && !phrases_of_pair.empty(); ++d) {
    for (auto i = static_cast<std::size_t>(corpus.document_offsets[d - 1]) + 1;
         i < static_cast<std::size_t>(corpus.document_offsets[d]); ++i) {
      const auto first = static_cast<std::uint32_t>(corpus.words[i - 1]);
      if (!begins_pair[first]) continue;
      const auto pair = phrases_of_pair.find(std::uint64_t{first} << 32 | static_cast<std::uint32_t>(corpus.words[i]));
      if (pair == phrases_of_pair.end()) continue;
      found.apart += pair->second;
      phrases_of_pair.erase(pair);
    }
  }
  return found;
}

}  // namespace

// Text may spell some phrases as words by itself, as programs do: then it matters which form most of them have.
std::string missing_phrases(const papilio::Model& model, const std::string& path, const CorpusArguments& arguments,
                            const papilio::CorpusView& corpus) {
  if (!arguments.phrases.source.empty() || arguments.path == "-") return {};
  if (!papilio::find_texts(arguments.path, {.format = arguments.format, .vocabulary = arguments.vocabulary})) return {};
  const std::vector<std::string> phrases =
      papilio::phrases_in_vocabulary(model.vocabulary, arguments.phrases.delimiter);
  const auto [joined, apart] = phrases_in_text(phrases, arguments.phrases.delimiter, corpus);
  if (apart == 0 || joined > apart) return {};
  return fmt::format("note: {} words of the model are phrases ({}{}), and the text has {}; --phrases {} joins them\n",
                     grouped(std::ssize(phrases)), printable(phrases.front()), phrases.size() > 1 ? ", ..." : "",
                     joined == 0 ? "none" : fmt::format("only {}", grouped(joined)), printable(path));
}
