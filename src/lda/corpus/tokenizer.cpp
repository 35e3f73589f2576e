#include "lda/corpus/tokenizer.h"

#include <utf8proc.h>

#include <algorithm>
#include <array>
#include <new>

#include "lda/corpus/utf8.h"

namespace papilio::lda {
namespace {

enum class CharacterClass : std::uint8_t { separator, letter, mark, punctuation, beyond_ascii };

CharacterClass classify(std::int32_t code_point) {
  switch (utf8proc_category(code_point)) {
    case UTF8PROC_CATEGORY_LU:
    case UTF8PROC_CATEGORY_LL:
    case UTF8PROC_CATEGORY_LT:
    case UTF8PROC_CATEGORY_LM:
    case UTF8PROC_CATEGORY_LO:
      return CharacterClass::letter;
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

// What a byte says of the character that it begins.
const std::array<CharacterClass, 256> class_of_byte = [] {
  std::array<CharacterClass, 256> classes;
  for (std::int32_t byte = 0; byte < 256; ++byte) {
    classes[static_cast<std::size_t>(byte)] = byte < 128 ? classify(byte) : CharacterClass::beyond_ascii;
  }
  return classes;
}();

CharacterClass class_at(const char* byte) { return class_of_byte[static_cast<std::uint8_t>(*byte)]; }

char fold_ascii(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c | 0x20) : c; }

}  // namespace

std::int64_t Tokenizer::tokenize(std::string_view text, base::FunctionRef<void(std::string_view)> use) {
  std::int64_t ill_formed = 0;
  const char* next = text.data();
  const char* const end = next + text.size();
  while (true) {
    while (next != end && class_at(next) != CharacterClass::letter && class_at(next) != CharacterClass::beyond_ascii) {
      ++next;
    }
    if (next == end) return ill_formed;
    if (class_at(next) == CharacterClass::letter) {
      next = ascii_token(next, end, use);
      continue;
    }
    const Utf8Character first = decode_utf8(next, end);
    if (first.code_point >= 0 && classify(first.code_point) == CharacterClass::letter) {
      next = unicode_token(next, end, use);
    } else {
      ill_formed += first.code_point < 0 ? 1 : 0;
      next += first.length;
    }
  }
}

// A token that begins with an ASCII letter; returns where it ends. Left to
// unicode_token as soon as a byte beyond ASCII may belong to it.
const char* Tokenizer::ascii_token(const char* begin, const char* end, base::FunctionRef<void(std::string_view)> use) {
  const char* last = begin + 1;
  while (last != end) {
    const CharacterClass here = class_at(last);
    if (here == CharacterClass::letter) {
      ++last;
      continue;
    }
    if (here == CharacterClass::beyond_ascii) return unicode_token(begin, end, use);
    if (here != CharacterClass::punctuation || last + 1 == end) break;
    const CharacterClass after = class_at(last + 1);
    if (after == CharacterClass::beyond_ascii) return unicode_token(begin, end, use);
    if (after != CharacterClass::letter) break;
    last += 2;
  }
  if (last - begin >= min_token_length_) {
    token_.resize(static_cast<std::size_t>(last - begin));
    std::transform(begin, last, token_.begin(), [this](char c) { return fold_case_ ? fold_ascii(c) : c; });
    use(token_);
  }
  return last;
}

// A token that begins with any letter; returns where it ends.
const char* Tokenizer::unicode_token(const char* begin, const char* end,
                                     base::FunctionRef<void(std::string_view)> use) {
  code_points_.clear();
  const char* next = begin;
  while (next != end) {
    const Utf8Character here = decode_utf8(next, end);
    if (here.code_point < 0) break;
    const CharacterClass kind = classify(here.code_point);
    if (kind == CharacterClass::punctuation && next + here.length != end) {
      const Utf8Character after = decode_utf8(next + here.length, end);
      if (after.code_point < 0 || classify(after.code_point) != CharacterClass::letter) break;
    } else if (kind != CharacterClass::letter && kind != CharacterClass::mark) {
      break;
    }
    append_decomposed(here.code_point, fold_case_);
    next += here.length;
  }
  token_.clear();
  if (finish_composed() >= min_token_length_) use(token_);
  return next;
}

std::string Tokenizer::fold(std::string_view text) {
  token_.clear();
  code_points_.clear();
  const char* next = text.data();
  const char* const end = next + text.size();
  while (next != end) {
    const Utf8Character here = decode_utf8(next, end);
    if (here.code_point >= 0) {
      append_decomposed(here.code_point, true);
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

// Brings code_points_ into NFC, appends it to token_ and returns its length in
// code points. Sorts the marks itself, since utf8proc's way takes quadratic time
// for long runs of them.
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
