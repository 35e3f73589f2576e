#pragma once

#include <cstddef>
#include <string>

namespace papilio::loops {

// The time of the processor that the analysis of a text may take: of this thread, from when the deadline is made, and
// of clang. It never changes a verdict: a text that takes longer is refused. The usual time is for hard texts: those
// whose syntax tree is long for them, and those whose functions take many steps.
class Deadline {
 public:
  // `seconds`: 0 for the usual ones, which count only for hard texts.
  Deadline(std::string file, double seconds);

  // Whether the text is a hard one for its syntax tree, with so many bytes for so many of the text. That of C that
  // people write has 80 to 500 for each, which is LU's (tests/loops/kernels/lu.c).
  void set_tree(std::size_t bytes, std::size_t text) { has_hard_tree_ = bytes / most_per_byte >= text; }

  // What clang has taken, all in all.
  void set_seconds_of_clang(double seconds) { clang_ = seconds; }

  // What comes next, for the message: "f (line 3)".
  void begin(std::string part) { part_ = std::move(part); }

  // Throws Error if the time is up. `is_hard`: for the steps of its functions.
  void check(bool is_hard) const;

 private:
  static constexpr std::size_t most_per_byte = 650;

  const std::string file_;
  const bool is_for_all_;
  const double seconds_;
  const double least_;  // before the time is up: the end takes time too
  const double begin_;
  double clang_ = 0;
  bool has_hard_tree_ = false;
  std::string part_;
};

}  // namespace papilio::loops
