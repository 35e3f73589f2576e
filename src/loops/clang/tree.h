#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "loops/program/program.h"

namespace papilio::loops {

// A node of clang's syntax tree, as -ast-dump=json writes it, with the parts that the translation needs.
struct Node {
  std::string kind;  // empty: a missing part, such as the condition of for (;;)
  std::string name;
  std::string opcode;
  std::string cast;
  std::string value;
  std::string type;       // as written
  std::string desugared;  // without typedefs; empty if the same as `type`
  std::string storage;
  std::uint64_t id = 0;
  std::uint64_t reference = 0;  // the declaration that it refers to
  std::string reference_kind;
  std::string reference_name;
  Place place;           // where it begins
  bool in_file = false;  // and not in a header
  bool is_postfix = false;
  bool is_arrow = false;
  bool is_bit_field = false;
  bool has_else = false;
  bool has_init = false;
  bool too_deep = false;  // children were left out
  std::vector<int> children;
};

// The nodes of the file itself; what headers declare is dropped. Node 0 is the translation unit.
using Tree = std::vector<Node>;

// Throws papilio::FormatError if it is not a syntax tree. `file` is the file's name as clang
// writes it. The text comes in parts: `more` returns the next one, which lives until the next
// call; an empty part is the end. `more` is told how many bytes of the file the tree has reached.
Tree read_tree(const std::function<std::string_view(std::size_t)>& more, const std::string& file);
Tree read_tree(std::string_view json, const std::string& file);

}  // namespace papilio::loops
