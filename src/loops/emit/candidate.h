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

// Whether a variable is a part of another one or lies behind it: s.x, m->value. Clauses take no such names.
inline bool is_field(const std::string& name) { return name.find_first_of(".>") != std::string::npos; }

// Whether a scan is by a system of linear recurrences: "linear, 2 x 2".
inline bool is_system(const Clause& clause) { return clause.detail.find(" x ") != std::string::npos; }

// Whether tokens [first, last), which a step begins, are nothing but that: i++, i += 2.
bool is_step(const Source& source, int first, int last);

// A loop that may be rewritten, with all that is known of it.
struct Candidate {
  const Source& source;
  const Report& report;
  std::size_t index;  // in Report::loops
  const Program& program;
  const Accesses& accesses;
  int id;  // in Accesses::loops
  TextPart part = {};
  std::optional<Head> head = {};            // as OpenMP takes it
  std::string prefix = {};                  // of names that the file does not have
  Edits always = {};                        // that the loop's text takes in any case
  std::optional<std::set<int>> items = {};  // of the body, where it is a piece of a loop that is distributed
  std::map<std::string, std::string> shared =
      {};                         // what other pieces have made: declarations with an iteration's value
  std::string_view written = {};  // the source's text with all of the loop's own steps, which it may be without
  std::size_t written_end = 0;    // of the loop, in the file

  // A name of the program's own that goes with one of the text's; no other of its own names begins so.
  std::string named(std::string_view name) const { return prefix + "of_" + std::string(name); }

  const LoopReport& loop() const { return report.loops[index]; }
  std::size_t begin() const { return source.tokens()[static_cast<std::size_t>(part.begin)].begin; }
  std::size_t end() const { return source.tokens()[static_cast<std::size_t>(part.end - 1)].end; }
  std::string indentation() const { return source.indentation(begin()); }
  bool is_inside(const Access& access) const;  // the loop, or the piece

  // The variable of that name that the loop touches; -1 if there is none, or more than one. Parameters of functions
  // that are called do not count.
  int variable(const std::string& name) const;

  // The variable of a clause. A pointer that moves and the array that it came with may have one name.
  int variable(const Clause& clause) const;

  // Whether a pointer that is set outside of the loop leads to the array: clauses of the array's name say nothing of
  // it.
  bool has_other_name(int array) const;

  // Whether the loop's variable is a pointer.
  bool counts_by_pointer() const;

  // Of the loop's variable, in C; `first` as the text has it.
  std::string type() const;
  std::string first() const;
  std::string step() const;

  // Declares a constant with the first value of its variable.
  std::string start(const std::string& name) const;

  // How many iterations there are, in 64 bits.
  std::string count() const;

  // What the loop's variable is after the loop, of its first value and the number of iterations.
  std::string last(const std::string& first, const std::string& turns) const;

  // Whether the steps and tests in the body are statements that stand for nothing else.
  bool finds_own() const;

  // The statement that is the body, without those.
  std::string body(const Edits& edits) const;

  const TextPart* own_part(const Place& place) const;  // nullptr if it is not found

  // The loop as it was.
  std::string original() const { return always.apply(written, begin(), end()); }
};

// What a rewriting makes of a loop: lines before, a pragma, the loop with edits, lines after.
struct Rewritten {
  std::vector<std::string> before, after;
  std::string pragma;  // without its `if`
  std::string loop;    // empty: the loop's text with `inside`
  Edits inside;
  std::string condition;       // in C; empty: none
  std::vector<Clause> used;    // of a distributed loop: what its pieces are written with
  bool needs_version = false;  // where the condition does not hold the loop must stay as it was
};

// The edits of the whole text that put it there.
Edits placed(const Candidate& candidate, const Rewritten& rewritten);

}  // namespace papilio::loops
