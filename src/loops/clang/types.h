#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "loops/program/program.h"

namespace papilio::loops {

// A C type as clang spells it, split into its parts.
struct CType {
  Type type;         // that of an element
  int pointers = 0;  // stars
  bool pointer_to_array = false;
  bool is_restrict = false;
  bool is_volatile = false;  // or atomic
  bool is_record = false;
  bool is_union = false;
  std::vector<std::string> extents;  // as spelled

  // An integer or a floating-point number, not a pointer, array or struct.
  bool is_scalar() const { return pointers == 0 && extents.empty() && !is_record && type.kind != Type::Kind::other; }
  // A pointer whose elements are numbers, structs, or arrays of these.
  bool is_pointer() const { return pointers == 1 && (pointer_to_array || extents.empty()); }
  bool is_array() const { return pointers == 0 && !extents.empty(); }
};

// Never throws: a type that it does not know has the kind `other`.
CType read_type(std::string_view spelled);

}  // namespace papilio::loops
