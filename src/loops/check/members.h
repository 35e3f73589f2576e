#pragma once

#include <map>
#include <string>
#include <vector>

#include "loops/check/signatures.h"
#include "loops/clang/tree.h"

namespace papilio::loops {

// The type's name in C; empty for what is not a number.
std::string name_of(const Type& t);

// Of a type that begins with a struct, as clang spells it: "struct point" of "const struct point *restrict"; empty for
// a union and for a struct without a name.
std::string name_of_record(const std::string& spelled);

// The structs of a file.
class Records {
 public:
  // `tree` must outlive it.
  explicit Records(const Tree& tree);

  // The numbers in a struct of this name, those of structs in it included, and pointers to numbers. What it cannot make
  // values of is left out, and `fault` says what that is. The name becomes what the text calls it.
  std::vector<Member> members(std::string& name, std::string& fault) const;

 private:
  void add(int record, const std::string& path, int depth, std::vector<Member>& to, std::string& fault) const;
  void add_field(int field, int record, const std::string& path, int depth, std::vector<Member>& to,
                 std::string& fault) const;

  const Tree& tree_;
  std::map<std::string, int, std::less<>> by_name_;  // "struct point"; of those defined in the file
};

}  // namespace papilio::loops
