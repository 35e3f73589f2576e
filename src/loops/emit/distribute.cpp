#include "loops/emit/distribute.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "loops/emit/parallel.h"

namespace papilio::loops {
namespace {

class Distribution {
 public:
  Distribution(const Candidate& candidate, const Transformation& t, std::string& why)
      : c_(candidate), t_(t), why_(why) {}

  std::optional<Rewritten> run() {
    if (c_.part.kind != Part::Kind::loop || c_.part.parts[0].kind != Part::Kind::block) {
      return fail("its body is no block");
    }
    if (!find_expanded()) return std::nullopt;
    std::string loops;
    int number = 0;
    for (const Piece& piece : t_.pieces) {
      const auto text = loop_of(piece, ++number);
      if (!text) return std::nullopt;
      if (!loops.empty()) loops += fmt::format("\n{}  ", c_.indentation());
      loops += *text;
    }
    if (placed_.size() != c_.part.parts[0].parts.size() - left_out_)
      return fail("its pieces are not all of its statements");
    return written(loops);
  }

 private:
  std::nullopt_t fail(const std::string& why) {
    if (why_.empty()) why_ = why;
    return std::nullopt;
  }
  const Token& token(int t) const { return c_.source.tokens()[static_cast<std::size_t>(t)]; }

  // The variables that become arrays: declared in the body by a statement of their own, or outside of the loop.
  bool find_expanded() {
    for (const std::string& name : t_.variables) {
      const int v = c_.variable(name);
      if (v < 0 || c_.program.variables[static_cast<std::size_t>(v)].is_array) {
        fail(fmt::format("{} is no variable of its own", name));
        return false;
      }
      std::string type = fmt::format("__typeof__({})", name);
      bool is_inside = false;
      for (const Part& p : c_.part.parts[0].parts) {
        if (p.kind != Part::Kind::plain) continue;
        for (int t = p.begin + 1; t < p.end && c_.source.kind(t - 1) == Token::Kind::word; ++t) {
          if (!c_.source.is(t, name)) continue;
          if (!c_.source.is(t + 1, "=")) {
            fail(fmt::format("the declaration of {} gives it no value", name));
            return false;
          }
          type = c_.source.text_of(p.begin, t);
          declarations_[p.begin] = t;
          is_inside = true;
        }
      }
      expanded_.push_back({name, type, is_inside});
    }
    return true;
  }

  // The text of a statement, with the expanded variables as elements of arrays.
  std::string text_of(const Part& p) const {
    Edits edits;
    for (int t = p.begin; t < p.end; ++t) {
      const auto is_it = [&](const auto& e) { return c_.source.is(t, e.name); };
      if (c_.source.kind(t) != Token::Kind::word || std::none_of(expanded_.begin(), expanded_.end(), is_it)) continue;
      if (t > 0 && (c_.source.is(t - 1, ".") || c_.source.is(t - 1, "->"))) continue;
      const std::string by = c_.step() == "1" ? "" : fmt::format(" / {}", c_.step());
      edits.replace(token(t).begin, token(t).end,
                    fmt::format("{0}{1}[({2} - {0}first){3}]", c_.prefix, c_.source.text_of(t), c_.head->variable, by));
    }
    const auto declared = declarations_.find(p.begin);
    const int first = declared == declarations_.end() ? p.begin : declared->second;
    return edits.apply(c_.source.text(), token(first).begin, token(p.end - 1).end);
  }

  std::optional<std::string> loop_of(const Piece& piece, int number) {
    std::vector<const Part*> statements;
    for (const Position& place : piece.statements) {
      const int at = c_.source.token_at(place.line, place.column);
      const Part* found = nullptr;
      for (const Part& p : c_.part.parts[0].parts) {
        if (at >= p.begin && at < p.end) found = &p;
      }
      if (found == nullptr || (placed_.contains(found) && placed_[found] != number))
        return fail(fmt::format("line {} is no statement of the loop", place.line));
      placed_[found] = number;
      if (std::find(statements.begin(), statements.end(), found) == statements.end()) statements.push_back(found);
    }
    std::sort(statements.begin(), statements.end(), [](const Part* a, const Part* b) { return a->begin < b->begin; });
    std::string pragma;
    if (!piece.verdicts.empty() && is_parallel(piece)) {
      std::string ignored;
      auto r = in_parallel(c_, piece.clauses, ignored);
      if (r && r->before.empty() && !touches(*r)) pragma = r->pragma + "\n" + c_.indentation() + "  ";
    }
    const std::string indent = c_.indentation() + "  ";
    std::string text = fmt::format("{}for ({}) {{", pragma, c_.source.text_of(c_.part.head_begin, c_.part.head_end));
    for (const Part* p : statements) text += fmt::format("\n{}  {}", indent, text_of(*p));
    any_ = any_ || !pragma.empty();
    return (pragma.empty() ? "" : "\n") + text + "\n" + indent + "}";
  }

  static bool is_parallel(const Piece& piece) {
    const bool scans = std::any_of(piece.clauses.begin(), piece.clauses.end(),
                                   [](const Clause& c) { return c.kind == "scan" || c.kind == "copy"; });
    return !scans && (piece.verdicts[0] == Verdict::parallel || piece.verdicts[0] == Verdict::parallel_with_clauses);
  }

  bool touches(const Rewritten& r) const {  // edits of the text, which the pieces do not take over
    return r.inside.apply(c_.source.text(), c_.begin(), c_.end()) !=
           c_.source.text().substr(c_.begin(), c_.end() - c_.begin());
  }

  std::optional<Rewritten> written(const std::string& loops) {
    if (!any_) return fail("none of its pieces is parallel");
    Rewritten r;
    const std::string& x = c_.prefix;
    r.loop = loops;
    if (!loops.empty() && loops[0] == '\n') r.loop = loops.substr(1);
    if (loops[0] == '\n') r.before.push_back("// Distributed: each loop has some of the statements.");
    if (expanded_.empty()) {
      if (r.before.empty()) r.before.push_back("// Distributed: each loop has some of the statements.");
      return r;
    }
    r.before.push_back(fmt::format("const long long {}first = {};", x, c_.first()));
    r.before.push_back(fmt::format("const long long {}count = {};", x, c_.count()));
    for (const Expanded& e : expanded_) {
      r.before.push_back(
          fmt::format("{0} *const {1}{2} = ({0} *)__builtin_malloc((unsigned long)({1}count + 1) * "
                      "sizeof({0}));",
                      e.type, x, e.name));
      r.before.push_back(fmt::format("if ({}{} == 0) __builtin_abort();", x, e.name));
      if (!e.is_inside) {
        r.after.push_back(fmt::format("if ({0}count > 0) {1} = {0}{1}[{0}count - 1];", x, e.name));
      }
      r.after.push_back(fmt::format("__builtin_free({}{});", x, e.name));
    }
    return r;
  }

  struct Expanded {
    std::string name, type;
    bool is_inside;
  };

  const Candidate& c_;
  const Transformation& t_;
  std::string& why_;
  std::vector<Expanded> expanded_;
  std::map<int, int> declarations_;  // first token of a declaration -> the name's
  std::map<const Part*, int> placed_;
  std::size_t left_out_ = 0;
  bool any_ = false;
};

}  // namespace

std::optional<Rewritten> distributed(const Candidate& candidate, const Transformation& transformation,
                                     std::string& why) {
  return Distribution(candidate, transformation, why).run();
}

std::optional<Rewritten> interchanged(const Candidate& c, const Part& inner, std::string& why) {
  if (c.part.kind != Part::Kind::loop || inner.kind != Part::Kind::loop) {
    why = "a while loop is not changed over";
    return std::nullopt;
  }
  const auto offset = [&](int t) { return c.source.tokens()[static_cast<std::size_t>(t)].begin; };
  const auto end = [&](int t) { return c.source.tokens()[static_cast<std::size_t>(t)].end; };
  Rewritten r;
  r.pragma = "#pragma omp parallel for";
  r.inside.replace(offset(c.part.head_begin), end(c.part.head_end - 1),
                   std::string(c.source.text_of(inner.head_begin, inner.head_end)));
  r.inside.replace(offset(inner.head_begin), end(inner.head_end - 1),
                   std::string(c.source.text_of(c.part.head_begin, c.part.head_end)));
  return r;
}

}  // namespace papilio::loops
