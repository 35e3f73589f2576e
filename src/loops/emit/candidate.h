#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "loops/access/accesses.h"
#include "loops/emit/edits.h"
#include "loops/program/program.h"
#include "loops/source/statements.h"
#include "papilio/loops.h"

namespace papilio::loops {

// Whether a variable is part of another one, or lies behind it: s.x, m->value. Clauses do not accept such names.
inline bool is_field(const std::string& name) { return name.find_first_of(".>") != std::string::npos; }

// Whether a scan uses a system of linear recurrences: "linear, 2 x 2".
inline bool is_system(const Clause& clause) { return clause.detail.find(" x ") != std::string::npos; }

// Whether tokens [first, last), which begin a step, are only the step: i++, i += 2.
bool is_step(const Source& source, int first, int last);

// A loop that may be rewritten, with everything that is known about it.
struct Candidate {
  const Source& source;
  const Report& report;
  std::size_t index;  // in Report::loops
  const Program& program;
  const Accesses& accesses;
  int id;  // in Accesses::loops
  TextPart part = {};
  std::optional<Head> head = {};            // in the form that OpenMP accepts
  std::string prefix = {};                  // for names that do not occur in the file
  Edits always = {};                        // edits that the loop's text needs in any case
  std::optional<std::set<int>> items = {};  // parts of the body, if it is a piece of a loop that is distributed
  std::map<std::string, std::string> shared =
      {};                         // what other pieces have computed: declarations with an iteration's value
  std::string_view written = {};  // the source's text with all of the loop's own steps, which `source` may lack
  std::size_t written_end = 0;    // the end of the loop in the file

  // The written program's own name for one of the text's; no other name of its own begins like this.
  std::string named(std::string_view name) const { return prefix + "of_" + std::string(name); }

  const LoopReport& loop() const { return report.loops[index]; }
  std::size_t begin() const { return source.tokens()[static_cast<std::size_t>(part.begin)].begin; }
  std::size_t end() const { return source.tokens()[static_cast<std::size_t>(part.end - 1)].end; }
  std::string indentation() const { return source.indentation(begin()); }
  bool is_inside(const Access& access) const;  // the loop, or the piece

  // The variable of that name that the loop touches; -1 if there is
  // none or more than one. Parameters of called functions do not count.
  int variable(const std::string& name) const;

  // The variable of a clause. A pointer that moves and the array that it came with may have the same name.
  int variable(const Clause& clause) const;

  // Whether a pointer that is set outside of the loop leads to the
  // array: clauses on the array's name say nothing about that pointer.
  bool has_other_name(int array) const;

  // Whether the loop's variable is a pointer.
  bool counts_by_pointer() const;

  // Those of the loop's variable, in C; `first` as the text has it.
  std::string type() const;
  std::string first() const;
  std::string step() const;

  // A declaration of a constant with the first value of the loop's variable.
  std::string start(const std::string& name) const;

  // How many iterations there are, in 64 bits.
  std::string count() const;

  // What the loop's variable is after the loop, from its first value and the number of iterations.
  std::string last(const std::string& first, const std::string& turns) const;

  // Whether all steps and tests in the body are found as statements that do nothing else.
  bool finds_own() const;

  // The body as a statement, without these.
  std::string body(const Edits& edits) const;

  const TextPart* own_part(const Place& place) const;  // nullptr if it is not found

  // The loop as it was.
  std::string original() const { return always.apply(written, begin(), end()); }
};

// What a rewriting makes of a loop: lines before it, a pragma, the loop with edits, lines after it.
struct Rewritten {
  std::vector<std::string> before, after;
  std::string pragma;  // without its `if`
  std::string loop;    // empty: the loop's text with `inside`
  Edits inside;
  std::string condition;       // in C; empty: there is none
  std::vector<Clause> used;    // for a distributed loop: those that its pieces are written with
  bool needs_version = false;  // if the condition does not hold, the loop must stay as it was
};

// The edits of the whole text that put the rewritten loop in its place.
Edits placed(const Candidate& candidate, const Rewritten& rewritten);

}  // namespace papilio::loops
