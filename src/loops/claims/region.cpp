#include "loops/claims/region.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string_view>
#include <tuple>
#include <utility>

namespace papilio::loops {
namespace {

constexpr int deepest = 100;

template <std::size_t N>
bool is_any(std::string_view text, const std::array<std::string_view, N>& of) {
  return std::find(of.begin(), of.end(), text) != of.end();
}

constexpr auto assignments =
    std::to_array<std::string_view>({"=", "+=", "-=", "*=", "/=", "%=", "&=", "|=", "^=", "<<=", ">>=", "++", "--"});
constexpr auto headed = std::to_array<std::string_view>({"if", "while", "for", "switch"});
constexpr auto choosing = std::to_array<std::string_view>({"?", "&&", "||"});
constexpr auto not_followed = std::to_array<std::string_view>(
    {"do", "goto", "return", "static", "extern", "asm", "__asm__", "_Thread_local", "typedef"});

// Walks over the statements of the region in the order of the text.
class Region {
 public:
  Region(const Source& source, const std::set<std::string, std::less<>>& privates)
      : source_(source), privates_(privates) {}

  RegionFacts run(int begin) {
    statement(begin, true, 0);
    return facts_;
  }

 private:
  bool at_end(int t) const { return source_.kind(t) == Token::Kind::end; }

  int line(int t) const { return source_.line_of(source_.tokens()[static_cast<std::size_t>(t)].begin); }

  void not_known(int t, const std::string& what) {
    if (facts_.unknown.empty()) facts_.unknown = fmt::format("{} (line {})", what, line(t));
  }

  int end_of_file() const { return static_cast<int>(source_.tokens().size()) - 1; }

  // Returns the token after the statement. `certain`: every thread gets here.
  int statement(int t, bool certain, int depth) {
    if (at_end(t)) return t;
    if (depth > deepest) return not_known(t, "statements are nested too deep"), end_of_file();
    if (source_.kind(t) == Token::Kind::directive) return directed(t, certain, depth);
    if (source_.is(t, "{")) return block(t, certain, depth);
    if (source_.is(t, "else")) return statement(t + 1, false, depth + 1);  // the `else` of an `if` with a directive
    if (is_any(source_.text_of(t), headed)) {
      const int after = source_.is(t + 1, "(") ? source_.after_matching(t + 1) : -1;
      if (after < 0) return not_known(t, "a statement is not analysed"), end_of_file();
      const auto outer = std::pair{own_, arrays_};
      int first = t + 2;  // every thread evaluates up to here; for a `for`, its start
      while (source_.is(t, "for") && first < after - 1 && !source_.is(first, ";")) ++first;
      if (!source_.is(t, "for")) first = after - 1;
      plain(t + 2, first, certain);
      plain(first, after - 1, false);
      int next = statement(after, false, depth + 1);
      if (source_.is(t, "if") && source_.is(next, "else")) next = statement(next + 1, false, depth + 1);
      std::tie(own_, arrays_) = outer;
      return next;
    }
    int end = t;
    while (!at_end(end) && !source_.is(end, ";")) {
      const bool opens = source_.is(end, "(") || source_.is(end, "{") || source_.is(end, "[");
      const int after = opens ? source_.after_matching(end) : end + 1;
      if (after < 0 || source_.kind(end) == Token::Kind::directive)
        return not_known(end, "a statement is not analysed"), end_of_file();
      end = after;
    }
    plain(t, end, certain);
    return at_end(end) ? end : end + 1;
  }

  int block(int t, bool certain, int depth) {
    const int after = source_.after_matching(t);
    if (after < 0) return not_known(t, "a statement is not analysed"), end_of_file();
    const auto outer = std::pair{own_, arrays_};
    for (int at = t + 1; at < after - 1;) at = statement(at, certain, depth + 1);
    std::tie(own_, arrays_) = outer;
    return after;
  }

  // A statement with a directive of its own is not read; but a directive that stands alone has no statement.
  int directed(int t, bool certain, int depth) {
    const std::string_view text = source_.text_of(t);
    const bool stands_alone = text.find("barrier") != std::string_view::npos ||
                              text.find("flush") != std::string_view::npos ||
                              text.find("taskwait") != std::string_view::npos;
    if (stands_alone) return statement(t + 1, certain, depth + 1);
    facts_.has_directive = true;
    Region ignored(source_, privates_);
    return ignored.statement(t + 1, false, depth + 1);
  }

  bool is_declaration(int t, int end) const {
    if (source_.kind(t) != Token::Kind::word || t + 1 >= end) return false;
    if (source_.kind(t + 1) == Token::Kind::word) return true;
    int name = t + 1;
    while (name < end && source_.is(name, "*")) ++name;
    const bool ends = name + 1 == end || source_.is(name + 1, "=") || source_.is(name + 1, ",");
    return name > t + 1 && name < end && source_.kind(name) == Token::Kind::word && ends;
  }

  void declare(int t, int end) {
    bool is_value = false;
    for (int k = t + 1; k < end; ++k) {
      is_value = source_.is(k, "=") || (is_value && !source_.is(k, ","));
      if (source_.is(k, "(") || source_.is(k, "{") || source_.is(k, "[")) {
        k = source_.after_matching(k) - 1;
        continue;
      }
      const bool follows = source_.kind(k - 1) == Token::Kind::word || source_.is(k - 1, "*") || source_.is(k - 1, ",");
      if (source_.kind(k) != Token::Kind::word || !follows || is_value) continue;
      own_.emplace(source_.text_of(k));
      if (source_.is(k + 1, "[")) arrays_.emplace(source_.text_of(k));
    }
  }

  void plain(int t, int end, bool certain) {
    if (is_declaration(t, end)) declare(t, end);
    for (int k = t; k < end; ++k) {
      const std::string_view text = source_.text_of(k);
      if (is_any(text, choosing)) certain = false;
      if (is_any(text, not_followed)) not_known(k, fmt::format("`{}` is not analysed", text));
      const bool calls = source_.kind(k) == Token::Kind::word && source_.is(k + 1, "(") && text != "sizeof";
      if (calls && !text.starts_with("omp_get_")) not_known(k, fmt::format("a call of {} is not analysed", text));
      if (is_any(text, assignments)) assigned(k, t, end, certain);
    }
  }

  // Reads the lvalue beside an operator that assigns.
  void assigned(int op, int begin, int end, bool certain) {
    const bool counts = source_.is(op, "++") || source_.is(op, "--");
    bool is_element = false, is_plain = true;
    int name = op - 1;
    if (counts && op + 1 < end && source_.kind(op + 1) == Token::Kind::word) {
      name = op + 1;
      is_element = name + 1 < end && !source_.is(name + 1, ";") && !source_.is(name + 1, ",");
      is_plain = !is_element;
    } else {
      while (name >= begin && source_.is(name, "]")) {
        int open = name - 1;
        for (int depth = 1; open >= begin; --open) {
          depth += source_.is(open, "]") ? 1 : source_.is(open, "[") ? -1 : 0;
          if (depth == 0) break;
          if (source_.kind(open) != Token::Kind::number) is_plain = false;  // it may be another element in each thread
        }
        is_element = true;
        name = open - 1;
      }
    }
    if (name < begin || source_.kind(name) != Token::Kind::word)
      return not_known(op, "what is written is not analysed");
    const std::string variable(source_.text_of(name));
    if (name > begin && (source_.is(name - 1, ".") || source_.is(name - 1, "->")))
      return not_known(op, fmt::format("a write of the member {} is not analysed", variable));
    const bool is_deref =
        name > begin && source_.is(name - 1, "*") && (name - 1 == begin || source_.kind(name - 2) == Token::Kind::mark);
    if (own_.contains(variable) || privates_.contains(variable)) {
      if ((is_element && !arrays_.contains(variable)) || (is_deref && source_.is(op, "=") && !is_declared_at(name)))
        not_known(op, fmt::format("what {} points to is not analysed", variable));
      return;
    }
    if (is_deref) return not_known(op, fmt::format("what {} points to is not analysed", variable));
    if (!certain || !is_plain) return not_known(op, fmt::format("every thread may write {}", variable));
    if (facts_.race) return;
    const Token& at = source_.tokens()[static_cast<std::size_t>(name)];
    const std::size_t start = source_.text().rfind('\n', at.begin);
    const std::size_t first = start == std::string_view::npos ? 0 : start + 1;
    facts_.race = Position{line(name), static_cast<int>(at.begin - first) + 1};
    facts_.variable = variable;
  }

  // In int *p = ...: the declaration of the name itself writes no memory.
  bool is_declared_at(int name) const {
    int before = name - 1;
    while (before > 0 && source_.is(before, "*")) --before;
    return source_.kind(before) == Token::Kind::word || source_.is(before, ",");
  }

  const Source& source_;
  const std::set<std::string, std::less<>>& privates_;
  std::set<std::string, std::less<>> own_, arrays_;  // declared by the region
  RegionFacts facts_;
};

}  // namespace

RegionFacts read_region(const Source& source, int begin, const std::set<std::string, std::less<>>& privates) {
  return Region(source, privates).run(begin);
}

}  // namespace papilio::loops
