#pragma once

#include <cstdint>
#include <vector>

#include "papilio/error.h"
#include "tokens_checks.h"

// Drafts of one or two texts whose rows of logits are those of a case.

namespace papilio::fuzz_tokens {

struct DraftCase {
  std::vector<std::int32_t> tokens, kept;
  std::vector<std::int64_t> offsets = {0};
  std::vector<float> probabilities, kept_logs;
  std::int64_t columns;
  static constexpr std::int64_t room = 4;
  DraftRule rule;

  // Tokens are what would be drawn, or a category, or any number.
  DraftCase(Bytes& bytes, std::int64_t rows, std::int64_t column_count, const Told& drawn) : columns(column_count) {
    rule = bytes.flag() ? DraftRule::block : DraftRule::token;
    const std::int64_t first = rows > 1 && bytes.flag() ? bytes.below(rows - 1) : rows - 1;
    offsets.push_back(first);
    if (first < rows - 1) offsets.push_back(rows - 2);
    for (std::int64_t n = 0; n < offsets.back(); ++n) {
      const auto row = static_cast<std::size_t>(n >= first ? n + 1 : n);
      const std::int64_t kind = bytes.below(16);
      tokens.push_back(kind < 8     ? drawn.tokens[row]
                       : kind == 15 ? bytes.take<std::int32_t>()
                                    : static_cast<std::int32_t>(bytes.take<std::uint16_t>() % columns));
    }
    const std::int64_t law = bytes.below(4), count = offsets.back();
    if (law == 1)
      for (std::int64_t n = 0; n < count * columns; ++n)
        probabilities.push_back(static_cast<float>(bytes.take<std::uint8_t>()) / 255);
    if (law == 2)
      for (std::int64_t n = 0; n < count * columns; ++n) probabilities.push_back(bytes.take<float>());
    if (law == 3) make_kept(bytes, count);
  }

  bool has_law() const { return !probabilities.empty() || !kept.empty(); }
  std::int64_t texts() const { return std::ssize(offsets) - 1; }

  Draft draft() const {
    Draft made = {.tokens = tokens, .offsets = offsets, .rule = rule};
    const std::int64_t count = std::ssize(tokens);
    if (!probabilities.empty()) made.probabilities = {probabilities.data(), count, columns};
    if (!kept.empty()) made.kept_categories = {kept.data(), count, room};
    if (!kept.empty()) made.kept_log_probabilities = {kept_logs.data(), count, room};
    return made;
  }

 private:
  void make_kept(Bytes& bytes, std::int64_t count) {
    for (std::int64_t n = 0; n < count; ++n) {
      std::int32_t category = -1;
      for (std::int64_t j = 0; j < room; ++j) {
        category += 1 + static_cast<std::int32_t>(bytes.below(20));
        const std::int64_t kind = bytes.below(16);
        kept.push_back(kind == 15 ? bytes.take<std::int32_t>() : category < columns ? category : -1);
        kept_logs.push_back(kind == 14 ? bytes.take<float>() : -static_cast<float>(bytes.take<std::uint8_t>()) / 32);
      }
    }
  }
};

struct Verdicts {
  std::vector<std::int32_t> accepted, next;
  std::vector<TokenStatus> status;

  explicit Verdicts(std::int64_t texts)
      : accepted(static_cast<std::size_t>(texts)),
        next(static_cast<std::size_t>(texts)),
        status(static_cast<std::size_t>(texts)) {}
  DraftResults results() { return {.accepted = accepted, .next_tokens = next, .status = status}; }
  bool operator==(const Verdicts&) const = default;
};

// Text t: what is accepted and what follows is kept by the filters; without a law it is what would be drawn.
inline void check_text(const DraftCase& c, const Verdicts& told, const Told& drawn,
                       const std::vector<ExpectedRow>& expected, std::size_t t) {
  const std::int64_t begin = c.offsets[t], length = c.offsets[t + 1] - begin;
  const std::size_t first = static_cast<std::size_t>(begin) + t;
  if (told.status[t] != TokenStatus::ok) {
    require(told.accepted[t] == -1 && told.next[t] == -1);
    bool may_be = told.status[t] == TokenStatus::bad_draft && length > 0;
    for (std::size_t r = first; r <= first + static_cast<std::size_t>(length); ++r)
      may_be = may_be || (!expected[r].faults.empty() && expected[r].may_have(told.status[t]));
    require(may_be);
    return;
  }
  require(told.accepted[t] >= 0 && told.accepted[t] <= length);
  const auto accepted = static_cast<std::size_t>(told.accepted[t]);
  for (std::size_t r = 0; r <= accepted; ++r) {
    require(expected[first + r].faults.empty());
    const std::int32_t token = r == accepted ? told.next[t] : c.tokens[static_cast<std::size_t>(begin) + r];
    require(expected[first + r].keeps(token));
    if (!c.has_law()) require(token == drawn.tokens[first + r]);
  }
  if (!c.has_law() && told.accepted[t] < length)
    require(told.next[t] != c.tokens[static_cast<std::size_t>(begin) + accepted]);
}

template <class T>
void check_drafts(Bytes& bytes, const StridedLogits<T>& logits, const Choices& choices, const Told& drawn,
                  const std::vector<ExpectedRow>& expected) {
  DraftCase c(bytes, logits.rows, logits.columns, drawn);
  Verdicts told(c.texts()), split(c.texts()), floats(c.texts());
  verify_draft(logits.view(), c.draft(), told.results(), choices.filters(), choices.options(1));
  verify_draft(logits.view(), c.draft(), split.results(), choices.filters(), choices.options(choices.threads));
  std::vector<float> all;
  for (std::int64_t i = 0; i < logits.rows; ++i) {
    const std::vector<float> row = logits.row(i);
    all.insert(all.end(), row.begin(), row.end());
  }
  verify_draft(MatrixView<const float>(all.data(), logits.rows, logits.columns), c.draft(), floats.results(),
               choices.filters(), choices.options(1));
  require(told == split && told == floats);
  for (std::size_t t = 0; t < told.status.size(); ++t) check_text(c, told, drawn, expected, t);

  // Offsets that are none are refused, whatever they are.
  std::int64_t& offset = c.offsets[static_cast<std::size_t>(bytes.below(std::ssize(c.offsets)))];
  const auto other = bytes.take<std::int64_t>();
  offset = other;
  const bool is_whole = c.offsets.front() == 0 && c.offsets.back() == std::ssize(c.tokens) &&
                        std::is_sorted(c.offsets.begin(), c.offsets.end());
  try {
    verify_draft(logits.view(), c.draft(), told.results(), choices.filters(), choices.options(1));
    require(is_whole);
  } catch (const InvalidArgument&) {
    require(!is_whole);
  }
}

}  // namespace papilio::fuzz_tokens
