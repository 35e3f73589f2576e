#include "lda/corpus/tokenizer.h"

#include <utf8proc.h>

#include <algorithm>
#include <array>
#include <new>

#include "lda/corpus/ascii.h"
#include "lda/corpus/utf8.h"

namespace papilio::lda {
namespace {

enum class CharacterClass : std::uint8_t { separator, letter, digit, mark, punctuation, beyond_ascii };

CharacterClass classify(std::int32_t code_point) {
  switch (utf8proc_category(code_point)) {
    case UTF8PROC_CATEGORY_LU:
    case UTF8PROC_CATEGORY_LL:
    case UTF8PROC_CATEGORY_LT:
    case UTF8PROC_CATEGORY_LM:
    case UTF8PROC_CATEGORY_LO:
      return CharacterClass::letter;
    case UTF8PROC_CATEGORY_ND:
    case UTF8PROC_CATEGORY_NL:
    case UTF8PROC_CATEGORY_NO:
      return CharacterClass::digit;
    case UTF8PROC_CATEGORY_MN:
    case UTF8PROC_CATEGORY_MC:
    case UTF8PROC_CATEGORY_ME:
      return CharacterClass::mark;
    case UTF8PROC_CATEGORY_PC:
    case UTF8PROC_CATEGORY_PD:
    case UTF8PROC_CATEGORY_PS:
    case UTF8PROC_CATEGORY_PE:
    case UTF8PROC_CATEGORY_PI:
    case UTF8PROC_CATEGORY_PF:
    case UTF8PROC_CATEGORY_PO:
      return CharacterClass::punctuation;
    default:
      return CharacterClass::separator;
  }
}

// What a byte tells about the character that it begins.
const std::array<CharacterClass, 256> class_of_byte = [] {
  std::array<CharacterClass, 256> classes;
  for (std::int32_t byte = 0; byte < 256; ++byte) {
    classes[static_cast<std::size_t>(byte)] = byte < 128 ? classify(byte) : CharacterClass::beyond_ascii;
  }
  return classes;
}();

CharacterClass class_at(const char* byte) { return class_of_byte[static_cast<std::uint8_t>(*byte)]; }

// A character, its length in bytes and its class: a separator if it is ill-formed.
struct Classified {
  std::int32_t code_point;
  std::int32_t length;
  CharacterClass kind;
};

Classified classified_at(const char* begin, const char* end) {
  if (class_at(begin) != CharacterClass::beyond_ascii) return {*begin, 1, class_at(begin)};
  const Utf8Character here = decode_utf8(begin, end);
  return {here.code_point, here.length, here.code_point < 0 ? CharacterClass::separator : classify(here.code_point)};
}

bool is_digit(char c) { return c >= '0' && c <= '9'; }

bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }

// Whether the word has a digit of ASCII, or of any script.
bool has_digit(std::string_view word, bool any_script) {
  if (std::any_of(word.begin(), word.end(), is_digit)) return true;
  const char* const end = word.data() + word.size();
  for (const char* next = word.data(); any_script && next != end;) {
    const Classified here = classified_at(next, end);
    if (here.kind == CharacterClass::digit) return true;
    next += here.length;
  }
  return false;
}

// Whether the character's script writes words without spaces between them: Thai, Lao, Burmese, Khmer, Japanese and
// Chinese, by blocks of Unicode.
bool is_unspaced(std::int32_t c) {
  return c >= 0x0e00 &&
         (c < 0x0f00 || (c >= 0x1000 && c < 0x10a0) || (c >= 0x1780 && c < 0x1800) || (c >= 0x3040 && c < 0x3100) ||
          (c >= 0x3400 && c < 0xa000) || (c >= 0xf900 && c < 0xfb00) || (c >= 0x20000 && c < 0x32000));
}

// A run of this many such characters is hardly a single word.
constexpr int least_unspaced = 8;

}  // namespace

Tokenizer::Tokenizer(const TextOptions& options, std::size_t longest_line)
    : min_length_(
          options.min_token_length.value_or(options.words == WordRule::icu || !options.token_pattern.empty() ? 1 : 3)),
      min_length_with_digit_(options.min_token_length.value_or(std::min(min_length_, 2))),
      fold_case_(options.fold_case),
      keeps_digits_(options.words == WordRule::mixed || options.words == WordRule::numbers),
      keeps_numbers_(options.words == WordRule::numbers),
      longest_line_(longest_line) {
  if (!options.token_pattern.empty()) {
    finder_ = make_pattern_finder(options.token_pattern);
    rest_ = std::make_unique<Tokenizer>(
        TextOptions{.min_token_length = 1, .words = WordRule::numbers, .fold_case = options.fold_case});
  } else if (options.words == WordRule::icu) {
    finder_ = make_boundary_finder();
  }
}

std::int64_t Tokenizer::tokenize(std::string_view text, Use use) {
  std::int64_t ill_formed = 0;
  between_ = {};
  last_end_ = text.data();
  if (needs_lines()) {
    while (!text.empty()) {
      const std::string_view line = text.substr(0, text.find('\n'));
      ill_formed += tokenize_line(line.substr(0, line.find_last_not_of('\r') + 1), use);
      if (watches_between_ && line.size() < text.size()) between_.add("\n");
      text.remove_prefix(std::min(text.size(), line.size() + 1));
    }
    return ill_formed;
  }
  const char* next = text.data();
  const char* const end = next + text.size();
  while (true) {
    CharacterClass here = CharacterClass::separator;
    while (next != end &&
           ((here = class_at(next)) == CharacterClass::separator || here == CharacterClass::punctuation)) {
      ++next;
    }
    if (next == end) {
      if (watches_between_) between_.add({last_end_, end});
      return ill_formed;
    }
    if (here == CharacterClass::beyond_ascii) {
      const Classified first = classified_at(next, end);
      here = first.kind;
      if (here == CharacterClass::letter || (here == CharacterClass::digit && keeps_digits_)) {
        next = unicode_token(next, end, use);
        continue;
      }
      if (here != CharacterClass::digit) {
        ill_formed += first.code_point < 0 ? 1 : 0;
        next += first.length;
        continue;
      }
    }
    next = here == CharacterClass::letter || keeps_digits_ ? ascii_token(next, end, use) : number(next, end);
  }
}

// Reads a token that begins with an ASCII letter or digit; returns where it ends. Leaves it to unicode_token as soon as
// a byte beyond ASCII may belong to it.
const char* Tokenizer::ascii_token(const char* begin, const char* end, Use use) {
  const char* last = begin + 1;
  while (last != end) {
    const CharacterClass here = class_at(last);
    if (here == CharacterClass::letter || (here == CharacterClass::digit && keeps_digits_)) {
      ++last;
      continue;
    }
    if (here == CharacterClass::beyond_ascii) return unicode_token(begin, end, use);
    if (here != CharacterClass::punctuation || last + 1 == end) break;
    const CharacterClass after = class_at(last + 1);
    if (after == CharacterClass::beyond_ascii) return unicode_token(begin, end, use);
    if (after != CharacterClass::letter && (after != CharacterClass::digit || !keeps_digits_)) break;
    last += 2;
  }
  use_ascii({begin, static_cast<std::size_t>(last - begin)}, use);
  return last;
}

std::string_view Tokenizer::folded_ascii(std::string_view raw) {
  if (!fold_case_) return raw;
  char* to = short_token_.data();
  if (raw.size() > short_token_.size()) {
    token_.resize(raw.size());
    to = token_.data();
  }
  fold_ascii(raw, to);
  return {to, raw.size()};
}

void Tokenizer::use_ascii(std::string_view raw, Use use) {
  const std::string_view token = folded_ascii(raw);
  std::int64_t least = min_length_;
  if (keeps_digits_) {
    if (!keeps_numbers_ && std::none_of(raw.begin(), raw.end(), is_letter)) return left_out_.numbers.add(token);
    if (std::any_of(raw.begin(), raw.end(), is_digit)) least = min_length_with_digit_;
  }
  if (std::ssize(raw) < least) return left_out_.too_short.add(token);
  use_token(raw.data(), raw.data() + raw.size(), token, use);
}

// Reads a token that begins with any letter or digit; returns where it ends.
const char* Tokenizer::unicode_token(const char* begin, const char* end, Use use) {
  code_points_.clear();
  const char* next = begin;
  bool has_letter = false;
  bool has_digit = false;
  int unspaced = 0;
  const auto belongs = [&](CharacterClass kind) {
    return kind == CharacterClass::letter || (kind == CharacterClass::digit && keeps_digits_);
  };
  while (next != end) {
    const Classified here = classified_at(next, end);
    if (here.kind == CharacterClass::punctuation) {
      if (next + here.length == end || !belongs(classified_at(next + here.length, end).kind)) break;
    } else if (!belongs(here.kind) && here.kind != CharacterClass::mark) {
      break;
    }
    has_letter |= here.kind == CharacterClass::letter;
    has_digit |= here.kind == CharacterClass::digit;
    unspaced += is_unspaced(here.code_point) ? 1 : 0;
    append_decomposed(here.code_point, fold_case_);
    next += here.length;
  }
  token_.clear();
  const std::int64_t length = finish_composed();
  if (!has_letter && !keeps_numbers_) {
    left_out_.numbers.add(token_);
  } else if (length < (has_digit ? min_length_with_digit_ : min_length_)) {
    left_out_.too_short.add(token_);
  } else {
    use_token(begin, next, token_, use);
  }
  left_out_.unspaced += unspaced >= least_unspaced ? 1 : 0;
  return next;
}

// `token` is the form of [begin, end) of the text or of the line.
void Tokenizer::use_token(const char* begin, const char* end, std::string_view token, Use use) {
  if (!watches_between_) return use(token);
  between_.add({last_end_, begin});
  use(token);
  between_ = {};
  last_end_ = end;
}

bool Tokenizer::is_too_short(std::string_view word) const {
  const auto length = std::count_if(word.begin(), word.end(), [](char c) { return (c & 0xc0) != 0x80; });
  if (length >= std::max(min_length_, min_length_with_digit_)) return false;
  return length < (has_digit(word, !needs_lines()) ? min_length_with_digit_ : min_length_);
}

// Reads digits that single punctuation characters may join, if words have no digits; returns where they end.
const char* Tokenizer::number(const char* begin, const char* end) {
  const char* last = begin;
  while (last != end) {
    const Classified here = classified_at(last, end);
    if (here.kind == CharacterClass::punctuation) {
      const char* const after = last + here.length;
      if (after == end || classified_at(after, end).kind != CharacterClass::digit) break;
    } else if (here.kind != CharacterClass::digit) {
      break;
    }
    last += here.length;
  }
  left_out_.numbers.add({begin, static_cast<std::size_t>(last - begin)});
  return last;
}

// Passes the line, in NFC and case-folded, to the finder, in pieces that end at each ill-formed sequence, and where
// they are longest_line_ bytes long. A character that follows an ASCII character may compose with it; an ASCII
// character composes with none before it.
std::int64_t Tokenizer::tokenize_line(std::string_view line, Use use) {
  std::int64_t ill_formed = 0;
  const char* next = line.data();
  const char* const end = next + line.size();
  token_.clear();
  while (next != end) {
    const auto room = std::min(longest_line_ - token_.size(), static_cast<std::size_t>(end - next));
    const char* const run_end = std::find_if(next, next + room, [](char c) { return (c & 0x80) != 0; });
    const char* const plain_end = run_end == end || run_end == next ? run_end : run_end - 1;
    for (; next != plain_end; ++next) token_ += fold_case_ ? fold_ascii(*next) : *next;
    code_points_.clear();
    bool is_well_formed = true;
    while (next != end && is_well_formed && (next < run_end || (*next & 0x80) != 0)) {
      const Utf8Character here = decode_utf8(next, end);
      is_well_formed = here.code_point >= 0;
      if (is_well_formed) append_decomposed(here.code_point, fold_case_);
      next += here.length;
    }
    finish_composed();
    if (!is_well_formed) ++ill_formed;
    if (!is_well_formed || next == end || token_.size() >= longest_line_) find_in_line(use);
    between_.parts |= !is_well_formed;
  }
  return ill_formed;
}

void Tokenizer::find_in_line(Use use) {
  last_end_ = token_.data();
  const auto keep = [&](std::string_view word) {
    is_too_short(word) ? left_out_.too_short.add(word) : use_token(word.data(), word.data() + word.size(), word, use);
  };
  const auto leave_out = [&](std::string_view rest) {
    if (rest_ == nullptr) return left_out_.numbers.add(rest);
    rest_->tokenize(rest, [&](std::string_view word) { left_out_.outside_pattern.add(word); });
  };
  if (!token_.empty()) finder_->find(token_, keep, leave_out);
  if (watches_between_) between_.add({last_end_, token_.data() + token_.size()});
  token_.clear();
}

bool Tokenizer::is_cut(char c) const { return needs_lines() ? c == '\n' : class_at(&c) == CharacterClass::separator; }

std::size_t Tokenizer::after_last_cut(std::string_view text) const {
  std::size_t end = text.size();
  while (end > 0 && !is_cut(text[end - 1])) --end;
  return end;
}

std::size_t Tokenizer::part_size(std::string_view text, std::size_t most) const {
  if (text.size() <= most) return text.size();
  if (const std::size_t end = after_last_cut(text.substr(0, most)); end > 0) return end;
  std::size_t end = most;
  while (end < text.size() && !is_cut(text[end])) ++end;
  return std::min(end + 1, text.size());
}

std::string Tokenizer::fold(std::string_view text, bool fold_case) {
  token_.clear();
  code_points_.clear();
  const char* next = text.data();
  const char* const end = next + text.size();
  while (next != end) {
    const Utf8Character here = decode_utf8(next, end);
    if (here.code_point >= 0) {
      append_decomposed(here.code_point, fold_case);
    } else {
      finish_composed();
      code_points_.clear();
      token_.append(next, static_cast<std::size_t>(here.length));
    }
    next += here.length;
  }
  finish_composed();
  return token_;
}

// Appends the canonical decomposition of the character, or of its case folding.
void Tokenizer::append_decomposed(std::int32_t code_point, bool fold_case) {
  const auto options =
      static_cast<utf8proc_option_t>(fold_case ? UTF8PROC_CASEFOLD | UTF8PROC_DECOMPOSE : UTF8PROC_DECOMPOSE);
  std::array<std::int32_t, 32> decomposed;
  int boundary = 0;
  const utf8proc_ssize_t count =
      utf8proc_decompose_char(code_point, decomposed.data(), decomposed.size(), options, &boundary);
  code_points_.insert(code_points_.end(), decomposed.begin(), decomposed.begin() + count);
}

// Brings code_points_ into NFC, appends it to token_ and
// returns its length in code points. Sorts the marks itself,
// since utf8proc takes quadratic time for long runs of marks.
std::int64_t Tokenizer::finish_composed() {
  const auto combining_class = [](std::int32_t c) { return utf8proc_get_property(c)->combining_class; };
  auto run = code_points_.begin();
  while (run != code_points_.end()) {
    const auto run_end = std::find_if(run, code_points_.end(), [&](std::int32_t c) { return combining_class(c) == 0; });
    std::stable_sort(run, run_end, [&](auto a, auto b) { return combining_class(a) < combining_class(b); });
    run = run_end == code_points_.end() ? run_end : run_end + 1;
  }
  const utf8proc_ssize_t length = utf8proc_normalize_utf32(
      code_points_.data(), static_cast<utf8proc_ssize_t>(code_points_.size()), UTF8PROC_COMPOSE);
  for (utf8proc_ssize_t i = 0; i < length; ++i) {
    std::array<utf8proc_uint8_t, 4> bytes;
    const utf8proc_ssize_t size = utf8proc_encode_char(code_points_[static_cast<std::size_t>(i)], bytes.data());
    token_.append(reinterpret_cast<const char*>(bytes.data()), static_cast<std::size_t>(size));
  }
  return length;
}

}  // namespace papilio::lda
