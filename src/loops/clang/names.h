#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "loops/clang/tree.h"
#include "loops/clang/types.h"
#include "loops/program/program.h"

// What the names of a file mean: declarations, and the program's variables made from them.

namespace papilio::loops {

inline CType type_of(const Node& node) { return read_type(node.desugared.empty() ? node.type : node.desugared); }

class Names {
 public:
  Names(const Tree& tree, Program& program);

  const Tree& tree() const { return tree_; }
  const Node& node(int index) const { return tree_[static_cast<std::size_t>(index)]; }
  const Node* declaration(std::uint64_t id) const;

  // The variable for a declaration, or for one field of it (".x").
  int variable(std::uint64_t id, const std::string& path, const CType& type);

  // The variable for what the pointer in a field of a parameter points to (m->value[0], ...), if nothing in the file
  // assigns that field; -1 for any other field.
  int pointed_to_by_field(std::uint64_t id, const std::string& path, std::uint64_t field, const CType& type);

  // A local variable that no declaration names: the offset of a pointer whose values all lead to one array.
  int make_offset(std::uint64_t pointer, int base, const std::string& name);
  void drop_offset(std::uint64_t pointer) { offsets_.erase(pointer); }
  struct Offset {
    int base;
    int offset;
  };
  const Offset* offset(std::uint64_t pointer) const;

  // Whether it may get a value in any way other than by its declaration.
  bool is_assigned(std::uint64_t id) const { return assigned_.contains(id) || addressed_.contains(id); }
  // The expressions that assign it or a part of it (=, op=, ++, --), in the order of the text.
  const std::vector<int>& assignments(std::uint64_t id) const;
  // The assignments to a variable within a part of the tree.
  std::vector<int> assignments_in(int part, int variable) const;
  bool is_addressed(std::uint64_t id) const { return addressed_.contains(id); }
  bool is_of_file(std::uint64_t id) const { return of_file_.contains(id); }
  bool defines(const std::string& function) const { return defined_.contains(function); }

  // The variables that a part of the tree names, with all their fields, as far as they are known by now.
  std::vector<int> named_in(int node);

 private:
  void scan(int node);
  bool is_seen_with(std::uint64_t id, std::uint64_t other) const;
  void find_arguments(int call);
  void pass(int argument);

  const Tree& tree_;
  Program& program_;
  std::map<std::uint64_t, int> declarations_;
  std::map<std::uint64_t, std::uint64_t> of_file_;      // variables that no function declares: the first of that name
  std::map<std::uint64_t, std::vector<int>> assigned_;  // the nodes that assign them, anywhere: =, op=, ++, --
  std::set<std::uint64_t> addressed_;
  std::set<std::uint64_t> assigned_fields_;  // fields of any object that are assigned, or whose addresses are taken
  std::set<std::string> defined_;
  std::set<int> passed_;  // nodes of pointers that are passed to functions of this file
  std::map<std::pair<std::uint64_t, std::string>, int> variables_;
  std::map<std::uint64_t, Offset> offsets_;
  std::map<int, std::uint64_t> declared_by_;         // variables
  std::map<std::string, std::vector<int>> by_name_;  // variables that are not fields
};

// The function that a call names; empty for a call through a pointer, whatever the pointer is called.
std::string called_function(const Tree& tree, const Node& call);

// The declaration that an expression in parentheses names; 0 for anything else.
std::uint64_t plain_name(const Tree& tree, int node);

}  // namespace papilio::loops
