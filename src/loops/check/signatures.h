#pragma once

#include <string>
#include <vector>

#include "loops/clang/tree.h"

namespace papilio::loops {

// A number in a struct, an array of numbers, or a pointer to one.
struct Member {
  std::string path;     // in C, from the struct: "p.x"
  std::string element;  // its type, or an element's
  bool is_real = false;
  bool is_array = false;
  bool is_pointer = false;
  bool is_restrict = false;
};

// A parameter or a global variable that a test can give values to. A table is an array of pointers to arrays.
struct Slot {
  enum class Kind { integer, real, structure, array, table };
  Kind kind = Kind::integer;
  std::string name;
  std::string element;               // its type, or an element's, in C
  std::vector<Member> members = {};  // where elements are structs
  bool is_real = false;              // elements are floating-point numbers
  bool is_restrict = false;
  bool is_const = false;        // an array whose elements the function does not change
  bool is_local_array = false;  // a global variable that is an array
};

struct Signature {
  std::string name;
  std::vector<Slot> parameters;
  std::string result;    // its type in C; empty: none that is a number
  bool is_real = false;  // the result
  std::string fault;     // why no arguments can be made
};

struct Signatures {
  std::vector<Signature> functions;  // that the file defines
  std::vector<Slot> globals;
};

Signatures read_signatures(const Tree& tree);

}  // namespace papilio::loops
