#include "loops/emit/distribute.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <string_view>

#include "loops/emit/parallel.h"
#include "loops/emit/scan.h"
#include "loops/emit/system.h"

namespace papilio::loops {
namespace {

class Distribution {
 public:
  Distribution(const Candidate& candidate, const Transformation& t, std::string& why)
      : c_(candidate), t_(t), why_(why) {}

  std::optional<Rewritten> run() {
    if (!find_body() || !find_expanded()) return std::nullopt;
    std::string loops;
    int number = 0;
    for (const Piece& piece : t_.pieces) {
      const auto text = loop_of(piece, ++number);
      if (!text) return std::nullopt;
      if (!loops.empty()) loops += fmt::format("\n{}  ", c_.indentation());
      loops += *text;
    }
    if (!are_separate(placed_)) return std::nullopt;
    if (placed_.size() != body_->parts.size()) return fail("its pieces do not cover all of its statements");
    return written(loops);
  }

 private:
  std::nullopt_t fail(const std::string& why) {
    if (why_.empty()) why_ = why;
    return std::nullopt;
  }
  const Variable& variable(int v) const { return c_.program.variables[static_cast<std::size_t>(v)]; }
  const Token& token(int t) const { return c_.source.tokens()[static_cast<std::size_t>(t)]; }

  // Finds the block that is the body of the innermost loop; each loop must be all that the one around it does.
  bool find_body() {
    if (c_.head->is_counted) return fail("its head is not of a form that OpenMP accepts"), false;
    const TextPart* at = &c_.part;
    const std::size_t depth = std::max<std::size_t>(1, t_.loops.size());
    for (std::size_t k = 0; k < depth; ++k) {
      while (k > 0 && at->kind == TextPart::Kind::block && at->parts.size() == 1) at = &at->parts[0];
      if (at->kind != TextPart::Kind::loop) return fail("its body is not a loop"), false;
      heads_.push_back(fmt::format("for ({})", c_.source.text_of(at->head_begin, at->head_end)));
      at = &at->parts[0];
    }
    if (at->kind != TextPart::Kind::block) return fail("its body is not a block"), false;
    if (depth > 1 && !t_.variables.empty()) return fail("variables are expanded along one loop only"), false;
    body_ = at;
    return true;
  }

  // What a statement of the body declares must be used in its own piece only.
  bool are_separate(const std::map<const TextPart*, int>& placed) {
    for (const TextPart& p : body_->parts) {
      if (p.kind != TextPart::Kind::plain || p.end - p.begin < 3) continue;
      int depth = 0;
      bool is_value = false;  // in the value given to a variable, which declares nothing
      for (int t = p.begin + 1; t < p.end; ++t) {
        depth += c_.source.is(t, "(") || c_.source.is(t, "[") || c_.source.is(t, "{") ? 1 : 0;
        depth -= c_.source.is(t, ")") || c_.source.is(t, "]") || c_.source.is(t, "}") ? 1 : 0;
        if (depth == 0 && (c_.source.is(t, "=") || c_.source.is(t, ","))) is_value = c_.source.is(t, "=");
        const bool is_declared =
            !is_value && c_.source.kind(t) == Token::Kind::word && c_.source.kind(t + 1) == Token::Kind::mark &&
            !c_.source.is(t + 1, "*") &&
            (c_.source.kind(t - 1) == Token::Kind::word || c_.source.is(t - 1, "*") || c_.source.is(t - 1, ",")) &&
            c_.source.kind(p.begin) == Token::Kind::word && c_.source.kind(p.begin + 1) != Token::Kind::mark;
        if (!is_declared) continue;
        const std::string name(c_.source.text_of(t));
        const bool is_expanded =
            std::any_of(expanded_.begin(), expanded_.end(), [&](const Expanded& e) { return e.name == name; });
        for (const TextPart& other : body_->parts) {
          const auto mine = placed.find(&p), its = placed.find(&other);
          if (is_expanded || mine == placed.end() || its == placed.end() || mine->second == its->second) continue;
          for (int k = other.begin; k < other.end; ++k) {
            if (c_.source.is(k, name)) return fail(fmt::format("its pieces share {}", name)), false;
          }
        }
      }
    }
    return true;
  }

  // Finds the variables that become arrays, declared in the body by a statement of their own, or outside of the loop.
  bool find_expanded() {
    for (const std::string& name : t_.variables) {
      const int v = c_.variable(name);
      if (v < 0 || c_.program.variables[static_cast<std::size_t>(v)].is_array) {
        fail(fmt::format("{} is not a variable of its own", name));
        return false;
      }
      std::string type = fmt::format("__typeof__({})", name);
      bool is_inside = false;
      for (const TextPart& p : body_->parts) {
        if (p.kind != TextPart::Kind::plain) continue;
        for (int t = p.begin + 1; t < p.end && c_.source.kind(t - 1) == Token::Kind::word; ++t) {
          if (!c_.source.is(t, name)) continue;
          if (!c_.source.is(t + 1, "=")) {
            fail(fmt::format("the declaration of {} gives it no value", name));
            return false;
          }
          type.clear();
          for (int word = p.begin; word < t; ++word) {  // without const: its elements are assigned, each once
            if (!c_.source.is(word, "const"))
              type += fmt::format("{}{}", type.empty() ? "" : " ", c_.source.text_of(word));
          }
          declarations_[p.begin] = t;
          is_inside = true;
        }
      }
      expanded_.push_back({name, type, is_inside});
    }
    return true;
  }

  // Replaces the expanded variables in a statement by elements of arrays.
  void expand(const TextPart& p, Edits& edits) const {
    for (int t = p.begin; t < p.end; ++t) {
      const auto is_it = [&](const auto& e) { return c_.source.is(t, e.name); };
      if (c_.source.kind(t) != Token::Kind::word || std::none_of(expanded_.begin(), expanded_.end(), is_it)) continue;
      if (t > 0 && (c_.source.is(t - 1, ".") || c_.source.is(t - 1, "->"))) continue;
      edits.replace(token(t).begin, token(t).end, element(c_.source.text_of(t)));
    }
  }

  std::string element(std::string_view name) const {
    const std::string by = c_.step() == "1" ? "" : fmt::format(" / {}", c_.step());
    return fmt::format("{1}[({2} - {0}first){3}]", c_.prefix, c_.named(name), c_.head->variable, by);
  }

  std::string text_of(const TextPart& p) const {
    Edits edits;
    expand(p, edits);
    const auto declared = declarations_.find(p.begin);
    const int first = declared == declarations_.end() ? p.begin : declared->second;
    return edits.apply(c_.source.text(), token(first).begin, token(p.end - 1).end);
  }

  std::optional<std::string> loop_of(const Piece& piece, int number) {
    std::vector<const TextPart*> statements;
    for (const Position& place : piece.statements) {
      const int at = c_.source.token_at(place.line, place.column);
      const TextPart* found = nullptr;
      for (const TextPart& p : body_->parts) {
        if (at >= p.begin && at < p.end) found = &p;
      }
      if (found == nullptr || (placed_.contains(found) && placed_[found] != number))
        return fail(fmt::format("line {} is not a statement of the loop", place.line));
      placed_[found] = number;
      if (std::find(statements.begin(), statements.end(), found) == statements.end()) statements.push_back(found);
    }
    std::sort(statements.begin(), statements.end(),
              [](const TextPart* a, const TextPart* b) { return a->begin < b->begin; });
    const std::string indent = c_.indentation() + "  ";
    if (const auto scan = scan_of(piece, statements)) return *scan;
    std::string text;
    bool has_pragma = false;
    for (std::size_t k = 0; k < heads_.size(); ++k) {
      std::optional<Rewritten> r;
      std::string ignored;
      if (!has_pragma && k == 0 && is_parallel(piece)) r = in_parallel(c_, piece.clauses, ignored);
      if (!has_pragma && k > 0 && k < piece.verdicts.size() && piece.verdicts[k] == Verdict::parallel) {
        r = in_parallel(c_, {}, ignored);
      }
      if (r && r->before.empty() && !touches(*r)) {
        text += fmt::format("{}{}\n{}", k == 0 ? "" : fmt::format("\n{}", indent), r->pragma, indent);
        has_pragma = true;
        if (k == 0) used_.insert(used_.end(), piece.clauses.begin(), piece.clauses.end());
      } else if (k > 0) {
        text += " ";
      }
      text += heads_[k];
    }
    text += " {";
    for (const TextPart* p : statements) text += fmt::format("\n{}  {}", indent, text_of(*p));
    any_ = any_ || has_pragma;
    return fmt::format("{}\n{}}}", text, indent);
  }

  // Writes a piece that is a scan, in two passes.
  std::optional<std::string> scan_of(const Piece& piece, const std::vector<const TextPart*>& statements) {
    const auto scan =
        std::find_if(piece.clauses.begin(), piece.clauses.end(), [](const Clause& x) { return x.kind == "scan"; });
    if (scan == piece.clauses.end() || piece.verdicts[0] != Verdict::scan || heads_.size() != 1) return std::nullopt;
    Candidate part = c_;
    part.items = items_of(piece);
    part.part.parts[0].parts.clear();
    for (const TextPart& p : body_->parts) {
      if (std::find(statements.begin(), statements.end(), &p) == statements.end()) {
        part.always.replace(token(p.begin).begin, token(p.end - 1).end, "");
        continue;
      }
      part.part.parts[0].parts.push_back(p);
      expand(p, part.always);
      if (const auto declared = declarations_.find(p.begin); declared != declarations_.end())
        part.always.replace(token(p.begin).begin, token(declared->second).begin, "");
    }
    if (!share(part)) return std::nullopt;
    std::string ignored;
    const auto made = is_system(*scan) ? in_two_passes_by_matrices(part, piece.clauses, ignored)
                                       : in_two_passes(part, *scan, piece.clauses, ignored);
    if (!made) return std::nullopt;
    used_.insert(used_.end(), piece.clauses.begin(), piece.clauses.end());
    const std::string indent = c_.indentation() + "  ";
    std::string text = "{\n";
    for (const std::string& line : made->before) text += indent + "  " + line + "\n";
    text += indent + "  " + made->loop + "\n";
    for (const std::string& line : made->after) text += indent + "  " + line + "\n";
    any_ = true;
    return text + indent + "}";
  }

  // The parts of the body, as the analysis numbers them, that belong to the piece.
  std::set<int> items_of(const Piece& piece) const {
    const auto& items = c_.accesses.loops[static_cast<std::size_t>(c_.id)].items;
    std::set<int> found;
    for (std::size_t k = 0; k < items.size(); ++k) {
      const auto is_there = [&](const Position& at) { return Place{at.line, at.column} == items[k].place; };
      if (std::any_of(piece.statements.begin(), piece.statements.end(), is_there)) found.insert(static_cast<int>(k));
    }
    return found;
  }

  // Finds what the piece shares with others; false if that includes a variable that is not expanded into an array.
  bool share(Candidate& part) const {
    std::set<int> made, used;  // computed by others; used by the piece
    std::set<std::string> own;
    for (const Access& a : c_.accesses.list) {
      if (!c_.is_inside(a) || variable(a.variable).is_array) continue;
      const bool is_piece = part.is_inside(a);
      if (is_piece) used.insert(a.variable);
      if (a.is_write && !is_piece) made.insert(a.variable);
      if (a.is_write && is_piece) own.insert(variable(a.variable).name);
    }
    const auto is_expanded = [&](int v) {
      return std::any_of(expanded_.begin(), expanded_.end(),
                         [&](const Expanded& e) { return e.name == variable(v).name; });
    };
    for (const int v : made) {
      if (used.contains(v) && !is_expanded(v)) return false;
    }
    for (const Expanded& e : expanded_) {
      part.shared[e.name] =
          own.contains(e.name) ? "" : fmt::format("const {} {} = {};", e.type, e.name, element(e.name));
    }
    return true;
  }

  static bool is_parallel(const Piece& piece) {
    const bool scans = std::any_of(piece.clauses.begin(), piece.clauses.end(),
                                   [](const Clause& c) { return c.kind == "scan" || c.kind == "copy"; });
    return !piece.verdicts.empty() && !scans &&
           (piece.verdicts[0] == Verdict::parallel || piece.verdicts[0] == Verdict::parallel_with_clauses);
  }

  bool touches(const Rewritten& r) const {  // edits of the loop's text, which pieces cannot take over
    return r.inside.apply(c_.source.text(), c_.begin(), c_.end()) !=
           c_.source.text().substr(c_.begin(), c_.end() - c_.begin());
  }

  std::optional<Rewritten> written(const std::string& loops) {
    if (!any_) return fail("none of its pieces is parallel or a scan");
    Rewritten r;
    const std::string& x = c_.prefix;
    r.used = std::move(used_);
    r.loop = loops;
    r.before.push_back("// Distributed: each loop has some of the statements.");
    if (expanded_.empty()) return r;
    r.before.push_back(fmt::format("const long long {0}first = {1}; (void){0}first;", x, c_.first()));
    r.before.push_back(fmt::format("const long long {}count = {};", x, c_.count()));
    for (const Expanded& e : expanded_) {
      r.before.push_back(
          fmt::format("{0} *const {1} = ({0} *)__builtin_malloc((unsigned long)({2}count + 1) * sizeof({0}));", e.type,
                      c_.named(e.name), x));
      r.before.push_back(fmt::format("if ({} == 0) __builtin_abort();", c_.named(e.name)));
      if (!e.is_inside) {
        r.after.push_back(fmt::format("if ({0}count > 0) {1} = {2}[{0}count - 1];", x, e.name, c_.named(e.name)));
      }
      r.after.push_back(fmt::format("__builtin_free({});", c_.named(e.name)));
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
  std::map<int, int> declarations_;  // a declaration's first token -> the token of the name
  std::map<const TextPart*, int> placed_;
  std::vector<std::string> heads_;
  std::vector<Clause> used_;  // by the pieces that are scans or parallel
  const TextPart* body_ = nullptr;
  bool any_ = false;
};

}  // namespace

std::optional<Rewritten> distributed(const Candidate& candidate, const Transformation& transformation,
                                     std::string& why) {
  return Distribution(candidate, transformation, why).run();
}

std::optional<Rewritten> interchanged(const Candidate& c, const TextPart& inner, std::string& why) {
  if (c.head->is_counted || c.part.kind != TextPart::Kind::loop || inner.kind != TextPart::Kind::loop) {
    why = "while loops, and loops whose head OpenMP does not accept, are not interchanged";
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
