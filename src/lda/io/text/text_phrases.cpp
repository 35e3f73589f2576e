#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <vector>

#include "lda/corpus/phrases.h"
#include "lda/corpus/phrases/joined_words.h"
#include "lda/corpus/phrases/phrase_finder.h"
#include "lda/io/text/text_source.h"

namespace papilio::lda {
namespace {

// What a word takes while it exists twice, with its old and new number, in addition to what TextCorpus counts.
constexpr std::int64_t bytes_per_joined_word = 88;

std::vector<std::string> spellings(const std::vector<Phrase>& phrases) {
  std::vector<std::string> words;
  for (const Phrase& phrase : phrases) words.push_back(phrase.words);
  return words;
}

}  // namespace

std::vector<std::string> join_text_phrases(TextCorpus& text, std::span<const std::int64_t> document_offsets,
                                           MarkedWords words, DocumentSink& sink, const Origin& origin) {
  const TextOptions& options = text.options();
  const std::vector<std::string> vocabulary = text.take_words();
  std::vector<std::uint8_t> left_out;
  for (const std::string& word : vocabulary) left_out.push_back(static_cast<std::uint8_t>(text.fate(word)));

  MemoryShare memory(text.memory_limit());
  const auto hold = [&](std::int64_t bytes) {
    if (memory.set(bytes + bytes_per_joined_word * std::ssize(vocabulary) + sink.memory())) return;
    text.memory_limit().refuse(origin, 0, fmt::format("joining phrases of {} words", vocabulary.size()));
  };
  hold(0);
  // A quarter of the memory left, but at least a block of words, which MemoryLimit does not count.
  const std::int64_t most_followers = std::max(text.memory_limit().left() / 16, std::int64_t{1} << 16);
  const PhraseText read = {vocabulary, left_out, words, most_followers};
  const PhraseMatcher matcher(vocabulary,
                              options.phrases.find ? spellings(find_phrases(read, options.phrases, hold))
                                                   : spell_phrases(options, origin.caller.c_str()),
                              options.phrases.delimiter);
  const std::int64_t bytes_of_phrases = bytes_per_phrase * std::ssize(matcher.phrases());
  hold(bytes_of_phrases);
  const auto append = [&](std::span<const std::int32_t> block) {
    sink.append(block);
    hold(bytes_of_phrases);
  };
  const auto end_document = [&] { sink.end_document(); };
  const auto fate = [&](std::string_view phrase) { return text.fate(std::string(phrase)); };
  JoinedWords joined = join_words(read, document_offsets, matcher, append, end_document, fate);
  const auto words_of_text = vocabulary.size();
  for (std::size_t unit = 0; unit < joined.left_out.size(); ++unit) {
    if (joined.left_out[unit] == 0) continue;
    text.count_left_out(unit < words_of_text ? vocabulary[unit] : matcher.phrases()[unit - words_of_text],
                        joined.left_out[unit]);
  }
  ReadReport& report = text.report();
  report.phrases = joined.phrases;
  report.tokens_joined = joined.tokens_joined;
  report.tokens_read = joined.tokens_read;
  return std::move(joined.vocabulary);
}

}  // namespace papilio::lda
