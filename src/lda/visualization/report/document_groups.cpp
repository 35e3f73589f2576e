#include "lda/visualization/report/document_groups.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstddef>
#include <map>
#include <optional>
#include <string_view>

namespace papilio::lda {
namespace {

constexpr std::int64_t most_periods = 60;
constexpr std::size_t most_groups = 40;

// The month and the day are 0 if the label has none.
struct Date {
  int year, month, day;
};

std::chrono::year_month_day calendar_day(const Date& date) {
  return {std::chrono::year(date.year), std::chrono::month(static_cast<unsigned>(date.month)),
          std::chrono::day(static_cast<unsigned>(date.day))};
}

std::chrono::sys_days day_of(const Date& date) { return calendar_day(date); }

// The number in the `count` digits at `place`; -1 if there is anything else.
int digits(std::string_view text, std::size_t place, std::size_t count) {
  if (place + count > text.size()) return -1;
  int number = 0;
  for (const char c : text.substr(place, count)) {
    if (c < '0' || c > '9') return -1;
    number = 10 * number + (c - '0');
  }
  return number;
}

std::optional<Date> date_of(std::string_view label) {
  Date date = {digits(label, 0, 4), 0, 0};
  if (date.year < 0) return std::nullopt;
  std::size_t end = 4;
  if (end < label.size() && label[end] == '-') {
    date.month = digits(label, 5, 2);
    if (date.month < 1 || date.month > 12) return std::nullopt;
    end = 7;
    if (end < label.size() && label[end] == '-') {
      date.day = digits(label, 8, 2);
      if (date.day < 1 || !calendar_day(date).ok()) return std::nullopt;
      end = 10;
    }
  }
  if (end < label.size() && label[end] != ' ' && label[end] != 'T') return std::nullopt;
  return date;
}

// Kinds of periods, the finest first: the number of a date's period, and the name of a period.
struct Unit {
  std::int64_t (*number)(const Date& date);
  std::string (*name)(std::int64_t number);
  bool needs_month, needs_day;
};

std::string year_name(std::int64_t number) { return fmt::format("{:04}", number); }

constexpr std::array units = {
    Unit{[](const Date& d) -> std::int64_t { return day_of(d).time_since_epoch().count(); },
         [](std::int64_t n) {
           const std::chrono::year_month_day day = std::chrono::sys_days(std::chrono::days(n));
           return fmt::format("{:04}-{:02}-{:02}", static_cast<int>(day.year()), static_cast<unsigned>(day.month()),
                              static_cast<unsigned>(day.day()));
         },
         true, true},
    Unit{[](const Date& d) -> std::int64_t { return d.year * 12 + d.month - 1; },
         [](std::int64_t n) { return fmt::format("{:04}-{:02}", n / 12, n % 12 + 1); }, true, false},
    Unit{[](const Date& d) -> std::int64_t { return d.year; }, year_name, false, false},
    Unit{[](const Date& d) -> std::int64_t { return d.year / 10; },
         [](std::int64_t n) { return year_name(10 * n) + "s"; }, false, false},
    Unit{[](const Date& d) -> std::int64_t { return d.year / 100; },
         [](std::int64_t n) { return year_name(100 * n) + "s"; }, false, false}};

DocumentGroups group_by_dates(const std::vector<std::optional<Date>>& dates) {
  bool have_months = true, have_days = true;
  for (const std::optional<Date>& date : dates) {
    have_months = have_months && (!date || date->month > 0);
    have_days = have_days && (!date || date->day > 0);
  }
  DocumentGroups groups = {.are_dates = true, .names = {}, .group_of = std::vector<std::int32_t>(dates.size(), -1)};
  for (const Unit& unit : units) {
    if ((unit.needs_month && !have_months) || (unit.needs_day && !have_days)) continue;
    std::int64_t first = INT64_MAX, last = INT64_MIN;
    for (const std::optional<Date>& date : dates) {
      if (!date) continue;
      first = std::min(first, unit.number(*date));
      last = std::max(last, unit.number(*date));
    }
    if (last - first >= most_periods && &unit != &units.back()) continue;
    for (std::size_t d = 0; d < dates.size(); ++d) {
      if (dates[d]) groups.group_of[d] = static_cast<std::int32_t>(unit.number(*dates[d]) - first);
    }
    for (std::int64_t number = first; number <= last; ++number) groups.names.push_back(unit.name(number));
    break;
  }
  return groups;
}

DocumentGroups group_by_names(std::span<const std::string> labels) {
  std::map<std::string_view, std::int64_t> documents;
  for (const std::string& label : labels) {
    if (!label.empty()) ++documents[label];
  }
  std::vector<std::pair<std::int64_t, std::string_view>> by_size;
  for (const auto& [label, count] : documents) by_size.emplace_back(-count, label);
  std::sort(by_size.begin(), by_size.end());
  DocumentGroups groups;
  std::map<std::string_view, std::int32_t> number_of;
  for (std::size_t i = 0; i < std::min(by_size.size(), most_groups); ++i) number_of[by_size[i].second] = 0;
  for (auto& [label, number] : number_of) {
    number = static_cast<std::int32_t>(groups.names.size());
    groups.names.emplace_back(label);
  }
  const auto rest = static_cast<std::int32_t>(groups.names.size());
  for (const std::string& label : labels) {
    const auto found = number_of.find(label);
    const bool is_of_rest = found == number_of.end() && !label.empty();
    groups.group_of.push_back(is_of_rest ? rest : found == number_of.end() ? -1 : found->second);
    groups.documents_of_rest += is_of_rest ? 1 : 0;
  }
  if (groups.documents_of_rest > 0) groups.names.emplace_back("(others)");
  return groups;
}

}  // namespace

DocumentGroups group_documents(std::span<const std::string> labels) {
  std::vector<std::optional<Date>> dates;
  bool all_dates = true, any = false;
  for (const std::string& label : labels) {
    dates.push_back(date_of(label));
    all_dates = all_dates && (label.empty() || dates.back());
    any = any || dates.back();
  }
  return all_dates && any ? group_by_dates(dates) : group_by_names(labels);
}

}  // namespace papilio::lda
