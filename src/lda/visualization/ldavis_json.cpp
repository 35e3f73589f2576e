#include <fmt/format.h>

#include <iterator>
#include <string>
#include <string_view>

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

// A member whose value is a list, an element of `rows` at a time.
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

}  // namespace

std::string LdavisData::to_json() const {
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
  json += '}';
  return json;
}

}  // namespace papilio
