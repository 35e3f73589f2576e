#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "base/check.h"
#include "papilio/choose.h"

namespace papilio {
namespace {

// The row with the largest value; of equal ones the one with fewer topics. Null if none has a value.
template <class Value>
const ChooseRow* highest(const std::vector<ChooseRow>& rows, Value&& value) {
  const ChooseRow* best = nullptr;
  for (const ChooseRow& row : rows) {
    if (!std::isnan(value(row)) && (best == nullptr || value(row) > value(*best))) best = &row;
  }
  return best;
}

// "20, 50 and 100".
std::string joined(const std::vector<std::int32_t>& numbers, std::string_view last) {
  std::string text;
  for (std::size_t i = 0; i < numbers.size(); ++i) {
    text += fmt::format("{}{}", i == 0 ? "" : i + 1 == numbers.size() ? last : ", ", numbers[i]);
  }
  return text;
}

std::string topics(std::int32_t count) { return fmt::format("{} topic{}", count, count == 1 ? "" : "s"); }

// Whether the rows' differences may come from the seeds.
std::string of_chance(const std::vector<ChooseRow>& rows, const ChooseRow& best) {
  if (std::all_of(rows.begin(), rows.end(), [](const ChooseRow& row) { return row.seeds == 1; })) {
    return " With one seed per number, differences may be due to chance.";
  }
  std::vector<std::int32_t> close;
  for (const ChooseRow& row : rows) {
    if (&row != &best && row.perplexity.least <= best.perplexity.most) close.push_back(row.topics);
  }
  if (close.empty()) {
    return " Every seed with this number did better than every seed with any other.";
  }
  return fmt::format(" But some seeds with K = {} did as well, so the difference may be due to chance.",
                     joined(close, " or "));
}

std::string of_ends(const std::vector<ChooseRow>& rows, const ChooseRow& best) {
  if (&best == &rows.back()) return " This is the largest number tried; more topics may predict better still.";
  if (&best == &rows.front()) return " This is the smallest number tried; fewer topics may predict better still.";
  return "";
}

}  // namespace

std::string choose_summary(const ChooseResult& result) {
  const std::vector<ChooseRow>& rows = result.rows;
  base::require(!rows.empty(), "papilio::choose_summary: the result has no rows, nothing to describe");
  if (rows.size() == 1) {
    return fmt::format("Only one number of topics was tried, {}: there is nothing to compare.", rows.front().topics);
  }
  const ChooseRow& best = *highest(rows, [](const ChooseRow& row) { return -row.perplexity.mean; });
  std::string text = fmt::format("Held-out documents are predicted best with {} (perplexity {:.2f}).",
                                 topics(best.topics), best.perplexity.mean);
  text += of_chance(rows, best) + of_ends(rows, best);
  std::set<std::int32_t> candidates = {best.topics};
  if (const ChooseRow* row = highest(rows, [](const ChooseRow& r) { return r.coherence.mean; })) {
    text += fmt::format(" Coherence is highest with {} ({:.4f}).", topics(row->topics), row->coherence.mean);
    candidates.insert(row->topics);
  }
  if (const ChooseRow* row = highest(rows, [](const ChooseRow& r) { return r.stability; })) {
    text += fmt::format(" Seeds agree most with {} (stability {:.4f}).", topics(row->topics), row->stability);
    candidates.insert(row->topics);
  }
  text += " These measures do not say whether topics are useful: ";
  text +=
      candidates.size() == 1
          ? fmt::format("read those of {} and of the next numbers before you decide.", best.topics)
          : fmt::format("read those of {} before you decide.", joined({candidates.begin(), candidates.end()}, " and "));
  return text;
}

}  // namespace papilio
