#include "lda/corpus/phrases/joined_words.h"

#include <cstddef>

#include "execution/cpu/interruption.h"

namespace papilio::lda {
namespace {

std::size_t index(std::int64_t i) { return static_cast<std::size_t>(i); }

constexpr std::int32_t unseen = -1;

// The new numbers of units, in order of first occurrence.
class UnitNumbers {
 public:
  UnitNumbers(const PhraseText& text, const PhraseMatcher& matcher,
              base::FunctionRef<WordFate(std::string_view)> leaves_out)
      : text_(text), matcher_(matcher), numbers_(index(matcher.units()), unseen), fates_(numbers_.size()) {
    joined_.left_out.resize(numbers_.size());
    for (std::size_t w = 0; w < text.left_out.size(); ++w) fates_[w] = static_cast<WordFate>(text.left_out[w]);
    for (std::size_t p = 0; p < matcher.phrases().size(); ++p) {
      fates_[text.vocabulary.size() + p] = leaves_out(matcher.phrases()[p]);
    }
  }

  // Appends the unit to `words` if it stays.
  void add(const PhraseUnit& unit, std::vector<std::int32_t>& words) {
    const WordFate fate = fates_[index(unit.number)];
    joined_.tokens_read += fate == WordFate::too_short ? unit.words - 1 : unit.words;
    joined_.tokens_joined += unit.words - 1;
    if (fate != WordFate::stays) {
      ++joined_.left_out[index(unit.number)];
      return;
    }
    std::int32_t& number = numbers_[index(unit.number)];
    if (number == unseen) number = number_of_new(unit.number);
    words.push_back(number);
    if (unit.words > 1) is_phrase_[index(number)] = true;
  }

  JoinedWords finish() {
    for (const bool is_phrase : is_phrase_) joined_.phrases += is_phrase ? 1 : 0;
    return std::move(joined_);
  }

 private:
  std::int32_t number_of_new(std::int32_t unit) {
    const auto words = static_cast<std::int32_t>(text_.vocabulary.size());
    joined_.vocabulary.push_back(unit < words ? text_.vocabulary[index(unit)]
                                              : matcher_.phrases()[index(unit - words)]);
    is_phrase_.push_back(false);
    return static_cast<std::int32_t>(joined_.vocabulary.size()) - 1;
  }

  const PhraseText& text_;
  const PhraseMatcher& matcher_;
  std::vector<std::int32_t> numbers_;
  std::vector<WordFate> fates_;
  std::vector<bool> is_phrase_;  // by new number
  JoinedWords joined_;
};

}  // namespace

JoinedWords join_words(const PhraseText& text, std::span<const std::int64_t> document_offsets,
                       const PhraseMatcher& matcher, base::FunctionRef<void(std::span<const std::int32_t>)> append,
                       base::FunctionRef<void()> end_document,
                       base::FunctionRef<WordFate(std::string_view)> leaves_out) {
  UnitNumbers numbers(text, matcher, leaves_out);
  std::vector<std::int32_t> words;
  const auto use = [&](const PhraseUnit& unit) { numbers.add(unit, words); };
  PhraseJoiner joiner(matcher, use);
  const auto give = [&] {
    append(words);
    words.clear();
  };
  std::int64_t token = 0;
  auto end = document_offsets.begin() + 1;
  const auto end_documents = [&] {
    for (; end != document_offsets.end() && *end == token; ++end) {
      joiner.flush();
      give();
      end_document();
    }
  };
  end_documents();
  text.words([&](std::span<const std::int32_t> block) {
    execution::stop_point();
    for (const std::int32_t word : block) {
      joiner.add(word);
      if (++token == *end) end_documents();
    }
    give();
  });
  return numbers.finish();
}

}  // namespace papilio::lda
