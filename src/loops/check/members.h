#pragma once

#include <map>
#include <string>
#include <vector>

#include "loops/check/signatures.h"
#include "loops/clang/tree.h"

namespace papilio::loops {

// The C name of the type; empty if it is not a number.
std::string name_of(const Type& t);

// The name of the struct in a type that begins with one, as clang spells it: "struct point"
// in "const struct point *restrict". Empty for a union and for a struct without a name.
std::string name_of_record(const std::string& spelled);

// The structs of a file.
class Records {
 public:
  // `tree` must outlive it.
  explicit Records(const Tree& tree);

  // The numbers in a struct of this name, including those of structs in it, and pointers to numbers. What it cannot
  // make values of is left out, and `fault` says what that is. `name` becomes what the text calls the struct.
  std::vector<Member> members(std::string& name, std::string& fault) const;

 private:
  void add(int record, const std::string& path, int depth, std::vector<Member>& to, std::string& fault) const;
  void add_field(int field, int record, const std::string& path, int depth, std::vector<Member>& to,
                 std::string& fault) const;

  const Tree& tree_;
  std::map<std::string, int, std::less<>> by_name_;  // those defined in the file, by names like "struct point"
};

}  // namespace papilio::loops
