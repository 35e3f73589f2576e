#include <fmt/format.h>
#include <re2/re2.h>

#include <array>
#include <limits>

#include "base/check.h"
#include "lda/corpus/utf8.h"
#include "lda/corpus/word_finder.h"
#include "papilio/word_rules.h"

namespace papilio {
namespace lda {
namespace {

RE2::Options quiet() {
  RE2::Options options;
  options.set_log_errors(false);
  return options;
}

// The place of a \C, which matches a single byte and so could cut a
// character; npos if there is none. Between \Q and \E it is plain text.
std::size_t find_byte_class(std::string_view pattern) {
  for (std::size_t i = pattern.find('\\'); i < pattern.size(); i = pattern.find('\\', i)) {
    const std::string_view escape = pattern.substr(i, 2);
    if (escape == "\\C") return i;
    if (escape == "\\Q") {
      i = pattern.find("\\E", i);
    } else {
      i += 2;
    }
    if (i >= pattern.size()) break;
  }
  return std::string_view::npos;
}

// A fault and its place, for messages; characters count from 1.
std::string fault_at(std::string_view pattern, std::size_t place, std::string_view fault) {
  const auto before = pattern.substr(0, place);
  const auto characters = std::count_if(before.begin(), before.end(), [](char c) { return (c & 0xc0) != 0x80; });
  return fmt::format("{} at character {}", fault, characters + 1);
}

class PatternFinder : public WordFinder {
 public:
  explicit PatternFinder(const std::string& pattern)
      : pattern_(pattern, quiet()), groups_(pattern_.NumberOfCapturingGroups() > 0 ? 2 : 1) {}

  void find(std::string_view line, Use word, Use rest) override {
    const re2::StringPiece text(line.data(), line.size());
    std::array<re2::StringPiece, 2> matches;
    std::size_t rest_begin = 0;
    for (std::size_t at = 0; at <= line.size();) {
      if (!pattern_.Match(text, at, line.size(), RE2::UNANCHORED, matches.data(), groups_)) break;
      const re2::StringPiece& token = matches[static_cast<std::size_t>(groups_) - 1];
      if (!token.empty()) {
        const auto begin = static_cast<std::size_t>(token.data() - line.data());
        if (begin > rest_begin) rest(line.substr(rest_begin, begin - rest_begin));
        word(line.substr(begin, token.size()));
        rest_begin = begin + token.size();
      }
      const auto match_begin = static_cast<std::size_t>(matches[0].data() - line.data());
      at = match_begin + matches[0].size();
      if (matches[0].empty() && at < line.size()) {
        at += static_cast<std::size_t>(decode_utf8(line.data() + at, line.data() + line.size()).length);
      } else if (matches[0].empty()) {
        break;
      }
    }
    if (rest_begin < line.size()) rest(line.substr(rest_begin));
  }

 private:
  RE2 pattern_;
  int groups_;  // the match and, if the pattern has groups, the first group
};

}  // namespace

std::unique_ptr<WordFinder> make_pattern_finder(const std::string& pattern) {
  const std::string fault = token_pattern_fault(pattern);
  base::require(fault.empty(), "papilio: token_pattern: {}", fault);
  return std::make_unique<PatternFinder>(pattern);
}

}  // namespace lda

std::string token_pattern_fault(std::string_view pattern) {
  if (const std::size_t place = lda::find_ill_formed(pattern); place != std::string_view::npos) {
    return lda::fault_at(pattern, place, "not UTF-8");
  }
  if (const std::size_t place = lda::find_byte_class(pattern); place != std::string_view::npos) {
    return lda::fault_at(pattern, place, "\\C matches single bytes, which may cut characters; use (?s:.)");
  }
  const RE2 compiled(re2::StringPiece(pattern.data(), pattern.size()), lda::quiet());
  if (compiled.ok()) return "";
  const std::size_t place = compiled.error_arg().empty() ? std::string_view::npos : pattern.find(compiled.error_arg());
  return place == std::string_view::npos ? compiled.error() : lda::fault_at(pattern, place, compiled.error());
}

}  // namespace papilio
