#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

// A C function as the analysis sees it. Nothing that may touch memory is left out: whatever the front end
// does not know becomes an `unknown` expression or statement, which lists the variables that it may change.

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

// A variable, or one field of a struct variable: all fields of one object have the same `object`.
struct Variable {
  enum class Storage { local, parameter, global };

  std::string name;
  Type type;  // that of a scalar, of an array's elements, of what a pointer points to
  Storage storage = Storage::local;
  int object = -1;                         // the variable whose memory it belongs to: itself, unless it is a field
  int holder = -1;                         // for what a pointer points to: the field that contains the pointer
  bool is_array = false;                   // an array, or a pointer that is used as one
  bool is_pointer = false;                 // a parameter; other pointers are offsets into what they point to
  bool moves = false;                      // a parameter that is assigned: its memory is that of its first value
  bool is_restrict = false;                //
  bool escapes = false;                    // its address is taken
  bool is_volatile = false;                // or atomic
  bool is_offset = false;                  // the offset of a pointer of this name into what it points to:
  int base = -1;                           // the array
  bool is_made = false;                    // created for a call: an argument, an offset or a result
  std::vector<std::int64_t> extents = {};  // declared lengths of an array; -1: not a constant
  std::vector<int> extent_variables = {};  // a length that is a variable; -1: none
};

struct Expr {
  enum class Kind {
    integer,   // value
    opaque,    // a value that is not followed; it depends on the operands' values alone: 1.5, sizeof, sqrt(x)
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
  std::vector<int> clobbers = {};  // for unknown and call: local variables that occur in it
};

struct Stmt {
  enum class Kind {
    block,     // body
    declare,   // variable; value, if it is initialised
    assign,    // target op= value; op is empty for =
    evaluate,  // value
    branch,    // value, body, otherwise; an opaque value without operands: either branch
    loop,      // variable from `value` while `condition`, by `step`; body
    leave,     // break; or return, with `value` if `op` is not empty
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
  bool steps_first = false;     // a loop that steps after its comparison and before its body: i-- > 0
  bool steps_in_test = false;   // a loop whose test steps before it compares: ++i < n. For do, or after it:
  bool tests_first = false;     // do ... while (i++ < n)
  bool runs_once = false;       // a loop whose condition is not tested before its first iteration
  bool starts_as_is = false;    // a loop whose variable already has its value (while)
  bool starts_at_once = false;  // of these, one whose text does nothing before its first test or iteration
  bool declares = false;        // a loop whose variable is its own
  bool leaves_function = false;
  bool is_inlined = false;  // from a function that is called
  std::string fault = {};   // for a loop: why it is not a counted loop; variable may then be -1
  std::string text = {};
  std::vector<Stmt> body = {};
  std::vector<Stmt> otherwise = {};
  std::vector<int> clobbers = {};
  std::vector<Place> own = {};  // for a loop: steps and tests in the body of its text that are not in `body`
};

struct Function {
  std::string name;
  Place place;
  std::vector<Stmt> body;
  std::vector<int> parameters;  // -1: its type is not followed
  bool is_called = false;       // by another function of the file
  std::string fault;            // why no loop in it can be judged: it has a goto
};

struct Program {
  std::vector<Variable> variables;
  std::vector<Function> functions;
};

}  // namespace papilio::loops
