#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "loops/source/statements.h"
#include "loops/source/tokens.h"

namespace papilio::loops {

// A text in which macros that stand for an element (#define A(i, j) a[(i) * n + (j)]) have been written out.
struct Expanded {
  std::string text;
  std::vector<Moved> moved;  // where its parts come from
};

// The macros that a file defines. A macro that is defined twice, under a
// condition, or before a header that may define it again, is not followed.
class Macros {
 public:
  // `file` must outlive it.
  explicit Macros(const Source& file);

  // The file's text, in one statement of which macros that stand for elements are written out; nothing if it
  // has none. Other macros stay as they are, and so does one that contains other macros, calls or elements.
  std::optional<Expanded> written_out(const TextPart& statement) const;

 private:
  struct Element {
    std::vector<std::string> parameters;
    std::string array, subscripts;
    int defined_at = 0;
  };

  void define(const Source& line, int at, bool is_conditional);
  std::optional<std::string> element(int first, int last) const;
  bool is_plain(const Source& s, int first, int last) const;
  bool is_subscripts(const Source& s) const;

  const Source& file_;
  std::map<std::string, Element, std::less<>> elements_;
  std::set<std::string, std::less<>> names_, numbers_;
  std::vector<int> includes_;
};

}  // namespace papilio::loops
