#include "loops/claims/claims.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <string>

#include "loops/claims/region.h"
#include "loops/source/statements.h"

namespace papilio::loops {
namespace {

// A pragma's words and clauses.
struct Pragma {
  std::set<std::string, std::less<>> words;  // of the directive, without clauses
  std::set<std::string, std::less<>> clauses;
  std::set<std::string, std::less<>> privates, firsts, lasts;  // firsts: those that start with the value from before
  std::map<std::string, std::string, std::less<>> reductions;  // variable -> operator
  std::string directive;                                       // its first word
  int collapse = 1;
};

// Whether a counted loop must follow the pragma, which spreads its iterations over threads or vector lanes.
bool is_of_loop(const Pragma& p) {
  if (p.directive == "declare" || p.directive == "cancel" || p.directive == "cancellation" || p.directive == "ordered")
    return false;
  const char* const of_loops[] = {"for", "simd", "taskloop", "distribute", "loop"};
  return std::any_of(std::begin(of_loops), std::end(of_loops), [&](const char* w) { return p.words.contains(w); });
}

std::optional<Pragma> read_pragma(std::string_view line) {
  std::string text(line.substr(line.find("omp") + 3));
  for (char& c : text) {
    if (c == '\\' || c == '\n' || c == '\r') c = ' ';
  }
  const Source source(text);
  Pragma p;
  for (int t = 0; source.kind(t) != Token::Kind::end; ++t) {
    if (source.kind(t) != Token::Kind::word) continue;
    const std::string word(source.text_of(t));
    if (p.directive.empty()) p.directive = word;
    if (!source.is(t + 1, "(")) {
      (word == "nowait" || word == "untied" ? p.clauses : p.words).insert(word);
      continue;
    }
    const int after = source.after_matching(t + 1);
    if (after < 0) return std::nullopt;
    p.clauses.insert(word);
    int first = t + 2;
    std::string op;
    for (int k = first; word == "reduction" && first == t + 2 && k < after - 1; ++k) {
      if (source.is(k, "inscan")) p.clauses.insert("inscan");
      if (source.is(k, ":")) first = k + 1;
      op = source.is(k, ",") ? "" : first == t + 2 ? op + std::string(source.text_of(k)) : op;
    }
    if (op == "-") op = "+";  // the standard says that it is the same
    if (word == "collapse") p.collapse = 99;
    for (int k = first; k < after - 1; ++k) {
      if (word == "collapse" && source.kind(k) == Token::Kind::number) {
        const std::string number(source.text_of(k));
        p.collapse = number.size() == 1 && number[0] > '0' ? number[0] - '0' : 99;
      }
      if (source.kind(k) != Token::Kind::word) continue;
      const std::string name(source.text_of(k));
      if (word == "private" || word == "firstprivate" || word == "lastprivate" || word == "linear" ||
          word == "threadprivate")
        p.privates.insert(name);
      if (word == "firstprivate" || word == "linear" || word == "threadprivate") p.firsts.insert(name);
      if (word == "lastprivate" || word == "linear") p.lasts.insert(name);
      if (word == "reduction") p.reductions.emplace(name, op);
    }
    t = after - 1;
  }
  return p;
}

bool is_omp(const Source& source, int token) {
  if (source.kind(token) != Token::Kind::directive) return false;
  std::string words;
  for (const char c : source.text_of(token)) {
    if (c != ' ' && c != '\t') words += c;
  }
  return words.starts_with("#pragmaomp");
}

class Judge {
 public:
  Judge(std::string_view text, const Report& report) : source_(text), report_(report) {}

  std::vector<Claim> run() {
    for (int t = 0; source_.kind(t) != Token::Kind::end; ++t) {
      if (!is_omp(source_, t)) continue;
      const auto pragma = read_pragma(source_.text_of(t));
      if (!pragma) continue;
      if (pragma->clauses.contains("threadprivate"))
        everywhere_.insert(pragma->privates.begin(), pragma->privates.end());
      if (pragma->words.size() == 1 && pragma->words.contains("parallel")) judge_region(*pragma, t);
      if (!is_of_loop(*pragma)) continue;
      int loop = t + 1;
      while (source_.kind(loop) == Token::Kind::directive) ++loop;
      claims_.push_back(judged(*pragma, t, loop));
    }
    return std::move(claims_);
  }

 private:
  Claim claim_at(int directive) const {
    Claim claim;
    const Token& at = source_.tokens()[static_cast<std::size_t>(directive)];
    claim.position = {source_.line_of(at.begin), static_cast<int>(source_.indentation(at.begin).size()) + 1};
    claim.text = std::string(source_.text_of(directive));
    return claim;
  }

  // Judges what every thread of a region runs. If that writes nothing shared, the directives in it are the claims.
  void judge_region(const Pragma& pragma, int directive) {
    auto privates = pragma.privates;
    for (const auto& [name, op] : pragma.reductions) privates.insert(name);
    privates.insert(everywhere_.begin(), everywhere_.end());
    const RegionFacts facts = read_region(source_, directive + 1, privates);
    const bool may_be_alone = pragma.clauses.contains("if") || pragma.clauses.contains("num_threads");
    Claim claim = claim_at(directive);
    if (facts.race && !may_be_alone) {
      claim.status = ClaimStatus::racy;
      claim.reason = fmt::format("Every thread runs line {0}, which writes {1}, and {1} is shared.", facts.race->line,
                                 facts.variable);
      claim.witness = Witness{facts.variable, "output", *facts.race, *facts.race, {"thread = 0"}, {"thread = 1"}, {}};
    } else if (facts.race) {
      claim.reason =
          fmt::format("If there is more than one thread, each writes {} (line {}).", facts.variable, facts.race->line);
    } else if (!facts.unknown.empty()) {
      claim.reason = fmt::format("Every thread runs this, and {}.", facts.unknown);
    } else if (facts.has_directive) {
      return;
    } else {
      claim = said(claim, ClaimStatus::holds, "It holds: every thread writes only its own variables.");
    }
    claims_.push_back(std::move(claim));
  }

  Claim judged(Pragma pragma, int directive, int loop) {
    Claim claim = claim_at(directive);
    for (std::size_t i = 0; i < report_.loops.size(); ++i) {
      const Position& p = report_.loops[i].position;
      if (source_.token_at(p.line, p.column) == loop) claim.loop = static_cast<int>(i);
    }
    if (claim.loop < 0) return said(claim, ClaimStatus::not_proven, "No counted loop was found after it.");
    const int region_end = add_region(directive, pragma);
    privates_ = &pragma;
    has_directives_ = false;
    const int end = end_of(loop);
    for (int t = loop; t < end; ++t) has_directives_ = has_directives_ || is_omp(source_, t);
    claim.status = ClaimStatus::holds;
    claim.reason = "It holds.";
    std::set<std::string> associated;
    int index = claim.loop;
    for (int k = 0; k < pragma.collapse && index >= 0; ++k) {
      associated.insert(report_.loops[static_cast<std::size_t>(index)].variable);
      index = child_of(index);
    }
    pragma.privates.insert(associated.begin(), associated.end());
    judge_copies(loop, end, associated, claim);
    if (pragma.clauses.contains("nowait") && !only_closes(end, region_end))
      weaken(claim, "With `nowait` it runs in parallel with the code after it, which is not analysed.");
    index = claim.loop;
    for (int k = 0; k < pragma.collapse && index >= 0 && claim.status != ClaimStatus::racy; ++k) {
      judge_loop(report_.loops[static_cast<std::size_t>(index)], claim);
      index = child_of(index);
      if (k + 1 < pragma.collapse && index < 0) weaken(claim, "`collapse` covers more loops than were found.");
    }
    return claim;
  }

  static Claim said(Claim claim, ClaimStatus status, const std::string& reason) {
    claim.status = status;
    claim.reason = reason;
    return claim;
  }

  int end_of(int loop) const {
    int t = loop;
    while (source_.kind(t) != Token::Kind::end && !source_.is(t, "(")) ++t;
    t = source_.kind(t) == Token::Kind::end ? -1 : source_.after_matching(t);
    if (t < 0) return loop;
    while (is_omp(source_, t)) ++t;
    if (source_.is(t, "for") || source_.is(t, "while") || source_.is(t, "if")) return end_of(t);
    if (source_.is(t, "{")) return std::max(t, source_.after_matching(t));
    while (source_.kind(t) != Token::Kind::end && !source_.is(t, ";")) ++t;
    return t;
  }

  int child_of(int index) const {
    for (std::size_t i = 0; i < report_.loops.size(); ++i) {
      if (report_.loops[i].parent == index) return static_cast<int>(i);
    }
    return -1;
  }

  // Whether only the ends of other blocks, and nothing that runs, come between a statement and the end of its region.
  bool only_closes(int t, int region_end) const {
    if (source_.is(t, ";")) ++t;
    while (t < region_end && source_.is(t, "}")) ++t;
    return t == region_end;
  }

  // Adds what the parallel region around the directive makes private, by its clauses
  // or by declarations in it. Returns the token after the region; -1 if there is none.
  int add_region(int directive, Pragma& pragma) {
    declared_.clear();
    assigned_.clear();
    int region_end = -1;
    for (int t = 0; t < directive; ++t) {
      if (!is_omp(source_, t)) continue;
      const auto region = read_pragma(source_.text_of(t));
      if (!region || !region->words.contains("parallel") || region->words.contains("for")) continue;
      int block = t + 1;
      while (is_omp(source_, block)) ++block;
      if (!source_.is(block, "{") || source_.after_matching(block) <= directive) continue;
      region_end = source_.after_matching(block);
      pragma.privates.insert(region->privates.begin(), region->privates.end());
      pragma.firsts.insert(region->firsts.begin(), region->firsts.end());
      pragma.reductions.insert(region->reductions.begin(), region->reductions.end());
      for (int k = block + 1; k < directive; ++k) {
        const bool after_word =
            source_.kind(k - 1) == Token::Kind::word || source_.is(k - 1, "*") || source_.is(k - 1, ",");
        if (source_.kind(k) == Token::Kind::word && after_word) declared_.insert(std::string(source_.text_of(k)));
        if (source_.kind(k) == Token::Kind::word && source_.is(k + 1, "=")) assigned_.emplace(source_.text_of(k));
      }
    }
    pragma.privates.insert(everywhere_.begin(), everywhere_.end());
    pragma.firsts.insert(everywhere_.begin(), everywhere_.end());
    return region_end;
  }

  // Weakens the claim if clauses give a variable that the loop uses a fresh copy which the verdict does
  // not ask for: the loop may read a value that the copy lacks, or write one that is lost with the copy.
  void judge_copies(int loop, int end, const std::set<std::string>& associated, Claim& claim) const {
    std::set<std::string> asked;
    for (const Clause& c : report_.loops[static_cast<std::size_t>(claim.loop)].clauses) asked.insert(c.variable);
    for (int t = loop; t < end; ++t) {
      if (source_.kind(t) != Token::Kind::word || source_.is(t - 1, ".") || source_.is(t - 1, "->")) continue;
      const std::string name(source_.text_of(t));
      const bool is_anew = (privates_->privates.contains(name) && !privates_->firsts.contains(name)) ||
                           privates_->reductions.contains(name);
      if (!is_anew || asked.contains(name) || associated.contains(name) || assigned_.contains(name)) continue;
      weaken(claim, fmt::format("The effect of its clauses on {} is not analysed.", name));
    }
  }

  void judge_loop(const LoopReport& loop, Claim& claim) const {
    if (privates_->clauses.contains("ordered")) return weaken(claim, "It relies on `ordered`, which is not analysed.");
    if (loop.verdict == Verdict::not_proven) return weaken(claim, loop.reason);
    for (const Clause& c : loop.clauses) judge_clause(loop, c, claim);
    if (claim.status == ClaimStatus::racy) return;
    if (loop.verdict == Verdict::parallel_if) {
      std::string all;
      for (const std::string& c : loop.condition) all += (all.empty() ? "" : ", and ") + c;
      return weaken(claim, "It holds if " + all + ".");
    }
    if (loop.verdict != Verdict::sequential || !loop.witness) return;
    const std::string name = loop.witness->variable.substr(0, loop.witness->variable.find('['));
    if (privates_->directive == "simd" && (privates_->clauses.contains("safelen") || loop.witness->kind == "anti"))
      return weaken(claim, "The order within the lanes of a vector is not analysed.");
    if (is_provided(name)) return weaken(claim, fmt::format("The effect of its clauses on {} is not analysed.", name));
    if (has_directives_) return weaken(claim, "The loop contains directives that are not analysed.");
    claim.status = ClaimStatus::racy;
    claim.reason = loop.reason;
    claim.witness = loop.witness;
  }

  bool is_provided(const std::string& name) const {
    return privates_->privates.contains(name) || privates_->reductions.contains(name) || declared_.contains(name);
  }

  void judge_clause(const LoopReport& loop, const Clause& c, Claim& claim) const {
    if (c.kind == "scan" && privates_->clauses.contains("inscan")) return weaken(claim, "`inscan` is not analysed.");
    if (c.kind == "reduction" ? privates_->reductions.contains(c.variable) : privates_->privates.contains(c.variable)) {
      const auto op = privates_->reductions.find(c.variable);
      if (c.kind == "reduction" && op->second != c.detail)
        weaken(claim, fmt::format("It needs {}, but has the operator {}.", words_of(c), op->second));
      if (c.kind == "firstprivate" && !privates_->firsts.contains(c.variable))
        weaken(claim,
               fmt::format("{} is read before it is written, which needs firstprivate({}).", c.variable, c.variable));
      const bool is_value = c.kind == "lastprivate" && !privates_->lasts.contains(c.variable);
      const bool is_other = c.kind == "induction" || c.kind == "scan" || c.kind == "copy";
      if (is_value)
        weaken(claim, fmt::format("{} is read after the loop, which needs lastprivate({}).", c.variable, c.variable));
      if (is_other) weaken(claim, fmt::format("The effect of its clauses on {} is not analysed.", c.variable));
      return;
    }
    if (c.variable == loop.variable) return;
    if (is_provided(c.variable))
      return weaken(claim, fmt::format("The effect of its clauses on {} is not analysed.", c.variable));
    if (has_directives_) return weaken(claim, "The loop contains directives that are not analysed.");
    if (loop.verdict == Verdict::parallel_if) return weaken(claim, fmt::format("{} is shared.", c.variable));
    claim.status = ClaimStatus::racy;
    claim.reason = fmt::format("Iterations share {}: it needs {}.", c.variable, words_of(c));
    claim.witness = shared(loop, c.variable);
    if (claim.witness) {
      const bool is_anti = claim.witness->kind == "anti", is_flow = claim.witness->kind == "flow";
      claim.reason += fmt::format(" Line {} {} it, and line {} of a later iteration {} it.", claim.witness->source.line,
                                  is_anti ? "reads" : "writes", claim.witness->sink.line, is_flow ? "reads" : "writes");
    }
  }

  static std::string words_of(const Clause& c) {
    if (c.kind == "reduction") return fmt::format("reduction({}: {})", c.detail, c.variable);
    if (c.kind == "scan") return fmt::format("a scan by {}", c.detail);
    if (c.kind == "copy") return fmt::format("a copy of {} to read from", c.variable);
    if (c.kind == "induction") return "a closed form";
    return fmt::format("{}({})", c.kind, c.variable);
  }

  // Any two iterations that access the variable, from the matrix of the nest.
  std::optional<Witness> shared(const LoopReport& loop, const std::string& name) const {
    const LoopReport* nest = &loop;
    while (nest->parent >= 0) nest = &report_.loops[static_cast<std::size_t>(nest->parent)];
    const auto depth = static_cast<std::size_t>(loop.depth);
    for (const Dependence& d : nest->matrix) {
      if (d.variable != name || d.directions.size() <= depth || d.directions[depth] != '<') continue;
      return Witness{name, d.kind, d.source, d.sink, {loop.variable + " = any"}, {loop.variable + " = any later"}, {}};
    }
    return std::nullopt;
  }

  static void weaken(Claim& claim, const std::string& reason) {
    if (claim.status != ClaimStatus::holds) return;
    claim.status = ClaimStatus::not_proven;
    claim.reason = reason;
  }

  const Source source_;
  const Report& report_;
  std::vector<Claim> claims_;
  std::set<std::string> everywhere_, declared_, assigned_;  // threadprivate; and those of the region, before the loop
  const Pragma* privates_ = nullptr;
  bool has_directives_ = false;
};

}  // namespace

std::vector<Claim> judge_claims(std::string_view text, const Report& report) { return Judge(text, report).run(); }

}  // namespace papilio::loops
