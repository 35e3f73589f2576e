#include "loops/source/macros.h"

#include <algorithm>
#include <string_view>
#include <utility>

namespace papilio::loops {

Macros::Macros(const Source& file) : file_(file) {
  int depth = 0;
  std::set<std::string, std::less<>> lost;
  for (int t = 0; file.kind(t) != Token::Kind::end; ++t) {
    if (file.kind(t) != Token::Kind::directive) continue;
    const Source line(file.text_of(t).substr(1));
    if (line.is(0, "if") || line.is(0, "ifdef") || line.is(0, "ifndef")) ++depth;
    if (line.is(0, "endif")) --depth;
    if (line.is(0, "include")) includes_.push_back(t);
    if (line.is(0, "undef")) lost.emplace(line.text_of(1));
    if (line.is(0, "define")) define(line, t, depth > 0);
  }
  for (const std::string& name : lost) elements_.erase(name), numbers_.erase(name);
}

void Macros::define(const Source& line, int at, bool is_conditional) {
  const auto& tokens = line.tokens();
  const std::string name(line.text_of(1));
  const bool is_new = names_.insert(name).second;
  if (!is_new) elements_.erase(name), numbers_.erase(name);
  if (!is_new || is_conditional) return;
  if (tokens.size() == 4 && line.kind(2) == Token::Kind::number) numbers_.insert(name);
  if (tokens.size() < 6 || !line.is(2, "(") || tokens[2].begin != tokens[1].end) return;
  Element made;
  made.defined_at = at;
  int t = 3;
  for (; line.kind(t) == Token::Kind::word; t += 2) {
    made.parameters.emplace_back(line.text_of(t));
    if (!line.is(t + 1, ",")) break;
  }
  if (line.kind(t) != Token::Kind::word || !line.is(t + 1, ")")) return;
  int first = t + 2, last = static_cast<int>(tokens.size()) - 1;
  while (line.is(first, "(") && line.after_matching(first) == last) ++first, --last;
  if (line.kind(first) != Token::Kind::word || first + 1 >= last) return;
  made.array = line.text_of(first);
  if (std::find(made.parameters.begin(), made.parameters.end(), made.array) != made.parameters.end()) return;
  made.subscripts = line.text_of(first + 1, last);
  elements_[name] = std::move(made);
}

// The element for which tokens [first, last), a name with what stands in parentheses after it, are a macro.
std::optional<std::string> Macros::element(int first, int last) const {
  const auto macro = elements_.find(file_.text_of(first));
  if (macro == elements_.end() || macro->second.defined_at > first || names_.contains(macro->second.array))
    return std::nullopt;
  const auto included = std::upper_bound(includes_.begin(), includes_.end(), macro->second.defined_at);
  if (included != includes_.end() && *included < first) return std::nullopt;
  std::vector<std::string> arguments;
  int begin = first + 2, depth = 0;
  for (int t = begin; t < last; ++t) {
    if (depth == 0 && (file_.is(t, ",") || t == last - 1)) {
      if (begin == t || !is_plain(file_, begin, t)) return std::nullopt;
      arguments.emplace_back(file_.text_of(begin, t));
      begin = t + 1;
    }
    depth += file_.is(t, "(") ? 1 : file_.is(t, ")") ? -1 : 0;
  }
  const std::vector<std::string>& names = macro->second.parameters;
  const Source body(macro->second.subscripts);
  if (arguments.size() != names.size() || !is_subscripts(body)) return std::nullopt;
  std::string text = macro->second.array;
  std::size_t at = 0;
  for (int t = 0; body.kind(t) != Token::Kind::end; ++t) {
    const Token& token = body.tokens()[static_cast<std::size_t>(t)];
    const auto found = std::find(names.begin(), names.end(), body.text_of(t));
    text += body.text().substr(at, token.begin - at);
    text += found == names.end() ? std::string(body.text_of(t))
                                 : arguments[static_cast<std::size_t>(found - names.begin())];
    at = token.end;
  }
  return text;
}

// Whether tokens are names and numbers that are added, multiplied or divided, without macros, calls or elements.
bool Macros::is_plain(const Source& s, int first, int last) const {
  for (int t = first; t < last; ++t) {
    const bool is_word = s.kind(t) == Token::Kind::word;
    if (is_word && (s.is(t + 1, "(") || (names_.contains(s.text_of(t)) && !numbers_.contains(s.text_of(t)))))
      return false;
    if (is_word || s.kind(t) == Token::Kind::number) continue;
    const std::string_view mark = s.text_of(t);
    if (mark.size() != 1 || std::string_view("+-*/%()").find(mark[0]) == std::string_view::npos) return false;
  }
  return true;
}

// Whether a text is [...], once or several times.
bool Macros::is_subscripts(const Source& s) const {
  int t = 0;
  while (s.is(t, "[")) {
    const int after = s.after_matching(t);
    if (after < 0 || after == t + 2 || !is_plain(s, t + 1, after - 1)) return false;
    t = after;
  }
  return t > 0 && s.kind(t) == Token::Kind::end;
}

std::optional<Expanded> Macros::written_out(const TextPart& statement) const {
  const auto& tokens = file_.tokens();
  Expanded made;
  std::size_t at = 0;
  const auto copy = [&](std::size_t end) {
    made.moved.push_back({at, end, made.text.size(), true});
    made.text += file_.text().substr(at, end - at);
    at = end;
  };
  for (int t = statement.begin; t < statement.end && !elements_.empty(); ++t) {
    if (file_.kind(t) != Token::Kind::word || !file_.is(t + 1, "(")) continue;
    const int after = elements_.contains(file_.text_of(t)) ? file_.after_matching(t + 1) : -1;
    const auto written = after < 0 ? std::nullopt : element(t, after);
    if (!written) continue;
    copy(tokens[static_cast<std::size_t>(t)].begin);
    const std::size_t end = tokens[static_cast<std::size_t>(after - 1)].end;
    made.moved.push_back({at, end, made.text.size(), false});
    made.text += *written;
    at = end;
    t = after - 1;
  }
  if (made.moved.empty()) return std::nullopt;
  copy(file_.text().size());
  return made;
}

}  // namespace papilio::loops
