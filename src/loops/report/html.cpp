#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>
#include <string>

#include "loops/report/words.h"
#include "papilio/loops.h"

namespace papilio::loops {
namespace {

constexpr int row_height = 20;  // as in the style

const char* const style =
    R"css(:root{--ink:#1c1e21;--soft:#5c636b;--paper:#fff;--line:#e3e6e9;--good:#0a7a3d;--some:#8a5a00;--bad:#b3261e;--open:#6b3fa0}
@media (prefers-color-scheme:dark){:root{--ink:#e8eaed;--soft:#9aa0a6;--paper:#17191c;--line:#33373c;--good:#5bc98a;--some:#e0b050;--bad:#ff8a80;--open:#c7a6ff}}
body{margin:24px;color:var(--ink);background:var(--paper);font:15px/1.5 system-ui,sans-serif}
h1{font-size:20px}
table{border-collapse:collapse;font:13px/20px ui-monospace,monospace}
td{padding:0;height:20px;vertical-align:top;white-space:pre}
td.n{width:48px;padding-right:12px;text-align:right;color:var(--soft)}
td.v{padding-left:24px;white-space:nowrap;font:13px/20px system-ui,sans-serif}
.page{position:relative;padding-left:96px}
svg{position:absolute;left:0;top:0}
path{fill:none;stroke:var(--bad);stroke-width:1.5}
.parallel,.holds{color:var(--good)}
.parallel_with_clauses,.parallel_if,.scan{color:var(--some)}
.sequential,.racy{color:var(--bad)}
.not_proven{color:var(--open)}
li{margin:4px 0}
p,li{max-width:72em}
)css";

// The hash of the style, which is all that the page's policy lets a browser use. A test computes it again.
const char* const style_hash = "sha256-cf61sfKrDGLKFrhoGH3wf9RegI5DziEYcGaPGCtn4UM=";

// Bytes that are no UTF-8 become U+FFFD, so that any text makes a valid page.
std::string escaped(std::string_view text) {
  std::string made;
  for (std::size_t i = 0; i < text.size();) {
    const auto c = static_cast<unsigned char>(text[i]);
    const std::size_t length = c < 0x80                          ? 1
                               : (c & 0xe0) == 0xc0 && c >= 0xc2 ? 2
                               : (c & 0xf0) == 0xe0              ? 3
                               : (c & 0xf8) == 0xf0 && c < 0xf5  ? 4
                                                                 : 0;
    bool is_valid = length > 0 && i + length <= text.size();
    for (std::size_t k = 1; is_valid && k < length; ++k)
      is_valid = (static_cast<unsigned char>(text[i + k]) & 0xc0) == 0x80;
    if (is_valid && length == 3) {
      const auto next = static_cast<unsigned char>(text[i + 1]);
      is_valid = !(c == 0xe0 && next < 0xa0) && !(c == 0xed && next >= 0xa0);
    }
    if (is_valid && length == 4) {
      const auto next = static_cast<unsigned char>(text[i + 1]);
      is_valid = !(c == 0xf0 && next < 0x90) && !(c == 0xf4 && next >= 0x90);
    }
    if (!is_valid || (c < 0x20 && c != '\t')) {
      made += "\xef\xbf\xbd";
      i += is_valid ? length : 1;
      continue;
    }
    switch (c) {
      case '<':
        made += "&lt;";
        break;
      case '>':
        made += "&gt;";
        break;
      case '&':
        made += "&amp;";
        break;
      case '"':
        made += "&quot;";
        break;
      default:
        made += text.substr(i, length);
    }
    i += length;
  }
  return made;
}

struct Arrow {
  int from, to;  // lines
  std::string title;
};

// From line to line, the shorter ones nearer to the text.
std::string arrows_of(std::vector<Arrow> arrows, int lines) {
  std::erase_if(arrows, [&](const Arrow& a) { return a.from < 1 || a.to < 1 || a.from > lines || a.to > lines; });
  if (arrows.empty()) return "";
  std::stable_sort(arrows.begin(), arrows.end(),
                   [](const Arrow& a, const Arrow& b) { return std::abs(a.from - a.to) < std::abs(b.from - b.to); });
  std::string svg = fmt::format(
      "<svg width=\"96\" height=\"{}\" role=\"img\" aria-label=\"dependences\"><defs><marker id=\"head\" viewBox=\"0 0 "
      "8 "
      "8\" refX=\"7\" refY=\"4\" markerWidth=\"7\" markerHeight=\"7\" orient=\"auto\"><path d=\"M1 1 7 4 1 "
      "7\"/></marker></defs>\n",
      lines * row_height);
  int lane = 0;
  for (const Arrow& a : arrows) {
    const int x = 76 - 10 * (lane++ % 7);
    const int y0 = a.from * row_height - row_height / 2 - 3, y1 = a.to * row_height - row_height / 2 + 3;
    svg +=
        fmt::format("<path d=\"M92 {0}C{1} {0} {1} {2} 92 {2}\" marker-end=\"url(#head)\"><title>{3}</title></path>\n",
                    y0, x - 40, y1, escaped(a.title));
  }
  return svg + "</svg>\n";
}

std::string title_of(const Witness& w) {
  return fmt::format("{}: iteration ({}), then iteration ({}){}", w.variable, fmt::join(w.source_iteration, ", "),
                     fmt::join(w.sink_iteration, ", "),
                     w.values.empty() ? "" : fmt::format(", for {}", fmt::join(w.values, ", ")));
}

std::string item_of(const LoopReport& loop) {
  std::string text =
      fmt::format("<li>{}, line {}{}: <b class=\"{}\">{}</b>. {}", escaped(loop.function), loop.position.line,
                  loop.variable.empty() ? "" : fmt::format(", loop of {}", escaped(loop.variable)), name(loop.verdict),
                  words_of(loop.verdict), escaped(loop.reason));
  for (const Clause& c : loop.clauses) text += fmt::format(" <code>{}</code>", escaped(words_of(c)));
  for (const std::string& c : loop.condition) text += fmt::format(" If <code>{}</code>.", escaped(c));
  if (loop.witness) text += fmt::format(" {}.", escaped(title_of(*loop.witness)));
  return text + "</li>\n";
}

std::string item_of(const Claim& c) {
  return fmt::format("<li>Pragma, line {}: <b class=\"{}\">{}</b>. {}{}</li>\n", c.position.line, name(c.status),
                     c.status == ClaimStatus::not_proven ? "not proven" : name(c.status), escaped(c.reason),
                     c.witness ? fmt::format(" {}.", escaped(title_of(*c.witness))) : "");
}

}  // namespace

std::string to_html(const Report& report, std::string_view text, const std::string& file) {
  std::map<int, std::string> beside;
  std::vector<Arrow> arrows;
  std::string items;
  for (const Claim& c : report.claims) {
    beside[c.position.line] += fmt::format(" <span class=\"{}\">{}</span>", name(c.status),
                                           c.status == ClaimStatus::not_proven ? "not proven" : name(c.status));
    if (c.witness) arrows.push_back({c.witness->source.line, c.witness->sink.line, title_of(*c.witness)});
    items += item_of(c);
  }
  for (const LoopReport& loop : report.loops) {
    std::string words = words_of(loop.verdict);
    for (const Clause& c : loop.clauses) words += ", " + words_of(c);
    beside[loop.position.line] += fmt::format(" <span class=\"{}\">{}</span>", name(loop.verdict), escaped(words));
    if (loop.witness) arrows.push_back({loop.witness->source.line, loop.witness->sink.line, title_of(*loop.witness)});
    items += item_of(loop);
  }
  std::string rows;
  int line = 0;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = std::min(text.find('\n', at), text.size());
    std::string_view row = text.substr(at, end - at);
    if (row.ends_with('\r')) row.remove_suffix(1);
    const auto found = beside.find(++line);
    rows += fmt::format("<tr id=\"L{0}\"><td class=\"n\">{0}</td><td>{1}</td><td class=\"v\">{2}</td></tr>\n", line,
                        escaped(row), found == beside.end() ? "" : found->second);
    at = end + 1;
  }
  return fmt::format(
      "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n<meta "
      "http-equiv=\"Content-Security-Policy\" "
      "content=\"default-src 'none'; style-src '{}'; base-uri 'none'; form-action 'none'\">\n<meta name=\"viewport\" "
      "content=\"width=device-width\">\n<title>{} - "
      "loopdep</title>\n<style>{}</style>\n</head>\n<body>\n<h1>{}</h1>\n<div "
      "class=\"page\">\n{}<table>\n{}</table>\n</div>\n<ul>\n{}</ul>\n</body>\n</html>\n",
      style_hash, escaped(file), style, escaped(file), arrows_of(arrows, line), rows,
      items.empty() ? "<li>no loops</li>\n" : items);
}

}  // namespace papilio::loops
