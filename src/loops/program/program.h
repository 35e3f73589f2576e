#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

// A C function as the analysis sees it. Nothing that may touch memory is left out: what the front end does not know
// becomes an `unknown` expression or statement, which lists the variables that it may change.

namespace papilio::loops {

struct Place {
  int line = 0;
  int column = 0;

  friend bool operator==(const Place&, const Place&) = default;
};

struct Type {
  enum class Kind { integer, real, other };
  Kind kind = Kind::integer;
  int bits = 32;
  bool is_signed = true;

  friend bool operator==(const Type&, const Type&) = default;
};

// A variable, or one field of a struct variable: the fields of one object share `object`.
struct Variable {
  enum class Storage { local, parameter, global };

  std::string name;
  Type type;  // of a scalar, of an array's elements, of what a pointer points to
  Storage storage = Storage::local;
  int object = -1;                         // the variable whose memory it is: itself, unless it is a field
  int holder = -1;                         // what a pointer points to: the field in which the pointer lies
  bool is_array = false;                   // an array, or a pointer that is used as one
  bool is_pointer = false;                 // a parameter; others are offsets in what they point to
  bool moves = false;                      // a parameter that is assigned: its memory is that of its first value
  bool is_restrict = false;                //
  bool escapes = false;                    // its address is taken
  bool is_volatile = false;                // or atomic
  bool is_offset = false;                  // of a pointer of this name, in what it points to:
  int base = -1;                           // the array
  bool is_made = false;                    // for a call: an argument, an offset or a result
  std::vector<std::int64_t> extents = {};  // declared lengths of an array; -1: not a constant
  std::vector<int> extent_variables = {};  // a length that is a variable; -1: none
};

struct Expr {
  enum class Kind {
    integer,   // value
    opaque,    // a value that is not followed, of the operands' values alone: 1.5, sizeof, sqrt(x)
    variable,  // variable
    element,   // variable[operands...]
    unary,     // op: - ~ ! and + (which leaves no trace)
    binary,    // op
    select,    // operands: condition, value, other value
    convert,   // to `type`
    call,      // of function `text`; a pointer is the element that it points to. expand_calls leaves none
    unknown    // may read and write anything; `text` says what it is
  };

  Kind kind = Kind::opaque;
  Place place = {};
  Type type = {};
  std::int64_t value = 0;
  int variable = -1;
  std::string op = {};
  std::string text = {};
  std::vector<Expr> operands = {};
  std::vector<int> clobbers = {};  // of unknown and call: local variables that occur in it
};

struct Stmt {
  enum class Kind {
    block,     // body
    declare,   // variable; value, if it is initialised
    assign,    // target op= value; op is empty for =
    evaluate,  // value
    branch,    // value, body, otherwise; a value that is opaque without operands: either
    loop,      // variable from `value` while `condition`, by `step`; body
    leave,     // break; return, of `value` if `op` is not empty
    next,      // continue
    unknown    // text, clobbers
  };

  Kind kind = Kind::block;
  Place place = {};
  int variable = -1;
  std::string op = {};
  Expr target = {};
  Expr value = {};
  Expr condition = {};
  std::int64_t step = 0;
  bool steps_first = false;     // a loop that steps after the comparison, before its body: i-- > 0
  bool steps_in_test = false;   // a loop whose test steps before it compares: ++i < n. Of do, or after it:
  bool tests_first = false;     // do ... while (i++ < n)
  bool runs_once = false;       // a loop whose condition is not asked before its first iteration
  bool starts_as_is = false;    // a loop whose variable has its value already (while)
  bool starts_at_once = false;  // of these, one whose text does nothing before its first test or iteration
  bool declares = false;        // a loop whose variable is its own
  bool leaves_function = false;
  bool is_inlined = false;  // of a function that is called
  std::string fault = {};   // of a loop: why it is not a counted loop; variable may be -1 then
  std::string text = {};
  std::vector<Stmt> body = {};
  std::vector<Stmt> otherwise = {};
  std::vector<int> clobbers = {};
  std::vector<Place> own = {};  // of a loop: the steps and tests in its text's body that are none of `body`
};

struct Function {
  std::string name;
  Place place;
  std::vector<Stmt> body;
  std::vector<int> parameters;  // -1: of a type that is not followed
  bool is_called = false;       // by another one of the file
  std::string fault;            // why no loop in it can be judged: goto
};

struct Program {
  std::vector<Variable> variables;
  std::vector<Function> functions;
};

}  // namespace papilio::loops
