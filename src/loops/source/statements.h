#pragma once

#include <optional>
#include <string>
#include <vector>

#include "loops/source/tokens.h"

// The statements of a C text, as far as edits need them.

namespace papilio::loops {

struct TextPart {
  enum class Kind {
    block,   // parts
    branch,  // head, parts: then, and else if there is one
    loop,    // for: head, parts[0]
    repeat,  // while: head, parts[0]
    plain,   // up to its semicolon: an expression, a declaration, break, continue, return
    other    // do, switch, a label
  };
  Kind kind = Kind::plain;
  int begin = 0, end = 0;            // tokens [begin, end)
  int head_begin = 0, head_end = 0;  // what stands in the parentheses
  std::vector<TextPart> parts;
};

// The statement that begins at a token; nothing if it contains a directive, does not end, or is nested deeper than 200.
std::optional<TextPart> read_statement(const Source& source, int token);

// The head of a for loop that OpenMP accepts: variable, first value, one comparison with a bound, a step.
struct Head {
  std::string type;  // in the head; empty: the variable is declared elsewhere
  std::string variable;
  std::string first;     // empty: the value that it already has (while)
  std::string relation;  // of the variable to the bound: < <= > >= !=
  std::string bound;
  bool is_counted = false;  // the text has another form: its iterations are to be counted
  std::string origin = {};  // of a pointer that is counted so: the address from which the offsets in `bound` count
  bool runs_once = false;   // its first iteration runs without a test
};
std::optional<Head> read_head(const Source& source, const TextPart& loop, const std::string& variable);

// The same, without the condition and the step, which may have any form.
std::optional<Head> read_start(const Source& source, const TextPart& loop, const std::string& variable);

// `#pragma omp` lines directly before a statement.
std::vector<int> pragmas_before(const Source& source, int token);

}  // namespace papilio::loops
