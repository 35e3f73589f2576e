#pragma once

#include <string>
#include <vector>

#include "loops/clang/tree.h"

namespace papilio::loops {

// A number in a struct, an array of numbers, or a pointer to one.
struct Member {
  std::string path;     // in C, from the struct on: "p.x"
  std::string element;  // its type, or that of an element
  bool is_real = false;
  bool is_array = false;
  bool is_pointer = false;
  bool is_restrict = false;
};

// A parameter or global variable to which a test can give values. A table is an array of pointers to arrays.
struct Slot {
  enum class Kind { integer, real, structure, array, table };
  Kind kind = Kind::integer;
  std::string name;
  std::string element;               // its type, or that of an element, in C
  std::vector<Member> members = {};  // if elements are structs
  bool is_real = false;              // elements are floating-point numbers
  bool is_restrict = false;
  bool is_const = false;        // an array whose elements the function does not change
  bool is_local_array = false;  // a global variable that is an array
};

struct Signature {
  std::string name;
  std::vector<Slot> parameters;
  std::string result;    // its type in C; empty: it is not a number
  bool is_real = false;  // for the result
  std::string fault;     // why no arguments can be generated
};

struct Signatures {
  std::vector<Signature> functions;  // those that the file defines
  std::vector<Slot> globals;
};

Signatures read_signatures(const Tree& tree);

}  // namespace papilio::loops
