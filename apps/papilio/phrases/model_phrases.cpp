#include "phrases/model_phrases.h"

#include <fmt/format.h>

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <unordered_set>
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

// Whether each part of the phrase is a word.
bool has_parts(const std::unordered_set<std::string_view>& words, std::string_view phrase, std::string_view delimiter) {
  while (true) {
    const std::size_t end = phrase.find(delimiter);
    if (!words.contains(phrase.substr(0, end))) return false;
    if (end == phrase.npos) return true;
    phrase.remove_prefix(end + delimiter.size());
  }
}

}  // namespace

// Text may spell some phrases as words by itself, as programs do: then it matters which form most of them have.
std::string missing_phrases(const papilio::Model& model, const std::string& path, const CorpusArguments& arguments,
                            const papilio::CorpusView& corpus) {
  if (!arguments.phrases.source.empty() || arguments.path == "-") return {};
  if (!papilio::find_texts(arguments.path, {.format = arguments.format, .vocabulary = arguments.vocabulary})) return {};
  const std::vector<std::string> phrases =
      papilio::phrases_in_vocabulary(model.vocabulary, arguments.phrases.delimiter);
  const std::unordered_set<std::string_view> words(corpus.vocabulary.begin(), corpus.vocabulary.end());
  std::int64_t joined = 0;
  std::int64_t apart = 0;
  for (const std::string& phrase : phrases) {
    if (words.contains(phrase)) {
      ++joined;
    } else if (has_parts(words, phrase, arguments.phrases.delimiter)) {
      ++apart;
    }
  }
  if (phrases.empty() || joined > apart) return {};
  return fmt::format("note: {} words of the model are phrases ({}{}), and the text has {}; --phrases {} joins them\n",
                     grouped(std::ssize(phrases)), printable(phrases.front()), phrases.size() > 1 ? ", ..." : "",
                     joined == 0 ? "none" : fmt::format("only {}", grouped(joined)), printable(path));
}
