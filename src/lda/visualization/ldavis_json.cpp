#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <string>
#include <string_view>

#include "base/check.h"
#include "papilio/visualization.h"

namespace papilio {
namespace {

void append_quoted(std::string& json, std::string_view text) {
  json += '"';
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (c == '"' || c == '\\') {
      json += '\\';
      json += c;
    } else if (byte < 0x20) {
      fmt::format_to(std::back_inserter(json), "\\u{:04x}", byte);
    } else {
      json += c;
    }
  }
  json += '"';
}

// A member whose value is a list, to which `append` adds one element of `rows` at a time.
template <class Rows, class Append>
void append_list(std::string& json, const char* name, const Rows& rows, Append&& append) {
  fmt::format_to(std::back_inserter(json), "\"{}\": [", name);
  const char* separator = "";
  for (const auto& row : rows) {
    json += separator;
    append(row);
    separator = ", ";
  }
  json += ']';
}

template <class Rows, class Value>
void append_numbers(std::string& json, const char* name, const Rows& rows, Value&& value) {
  append_list(json, name, rows, [&](const auto& row) { fmt::format_to(std::back_inserter(json), "{}", value(row)); });
}

// Each row of bars or shares must name a topic and a word of `data`.
void require_row(const char* rows, std::size_t i, std::int32_t place, std::int32_t least_place, std::int32_t word,
                 const LdavisData& data) {
  base::require(least_place <= place && place < std::ssize(data.topics),
                "papilio::LdavisData::to_json: {}[{}].place is {}, expected {} <= place < {}", rows, i, place,
                least_place, data.topics.size());
  base::require(0 <= word && word < std::ssize(data.words),
                "papilio::LdavisData::to_json: {}[{}].word is {}, expected 0 <= word < {}", rows, i, word,
                data.words.size());
}

}  // namespace

std::string LdavisData::to_json() const {
  for (std::size_t i = 0; i < bars.size(); ++i) require_row("bars", i, bars[i].place, -1, bars[i].word, *this);
  for (std::size_t i = 0; i < shares.size(); ++i) require_row("shares", i, shares[i].place, 0, shares[i].word, *this);
  std::string json = "{\"mdsDat\": {";
  const auto quoted = [&](std::int32_t word) { append_quoted(json, words[static_cast<std::size_t>(word)]); };
  append_numbers(json, "x", topics, [](const LdavisTopic& t) { return t.x; });
  append_numbers(json += ", ", "y", topics, [](const LdavisTopic& t) { return t.y; });
  int number = 0;
  append_numbers(json += ", ", "topics", topics, [&](const LdavisTopic&) { return ++number; });
  append_numbers(json += ", ", "cluster", topics, [](const LdavisTopic&) { return 1; });
  append_numbers(json += ", ", "Freq", topics, [](const LdavisTopic& t) { return t.percent; });
  json += "}, \"tinfo\": {";
  append_list(json, "Term", bars, [&](const LdavisTerm& bar) { quoted(bar.word); });
  append_numbers(json += ", ", "Freq", bars, [](const LdavisTerm& bar) { return bar.frequency; });
  append_numbers(json += ", ", "Total", bars, [](const LdavisTerm& bar) { return bar.total; });
  append_list(json += ", ", "Category", bars, [&](const LdavisTerm& bar) {
    json += bar.place < 0 ? "\"Default\"" : fmt::format("\"Topic{}\"", bar.place + 1);
  });
  append_numbers(json += ", ", "logprob", bars, [](const LdavisTerm& bar) { return bar.log_probability; });
  append_numbers(json += ", ", "loglift", bars, [](const LdavisTerm& bar) { return bar.log_lift; });
  json += "}, \"token.table\": {";
  append_numbers(json, "Topic", shares, [](const LdavisShare& share) { return share.place + 1; });
  append_numbers(json += ", ", "Freq", shares, [](const LdavisShare& share) { return share.share; });
  append_list(json += ", ", "Term", shares, [&](const LdavisShare& share) { quoted(share.word); });
  fmt::format_to(std::back_inserter(json), "}}, \"R\": {}, \"lambda.step\": {}, ", terms, lambda_step);
  json += "\"plot.opts\": {\"xlab\": \"PC1\", \"ylab\": \"PC2\"}, ";
  append_numbers(json, "topic.order", topics, [](const LdavisTopic& t) { return t.topic + 1; });
  const bool has_labels =
      std::any_of(topics.begin(), topics.end(), [](const LdavisTopic& topic) { return !topic.label.empty(); });
  if (has_labels) {
    append_list(json += ", ", "topic.labels", topics, [&](const LdavisTopic& t) { append_quoted(json, t.label); });
  }
  json += '}';
  return json;
}

}  // namespace papilio
