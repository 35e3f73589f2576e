#pragma once

#include <cstddef>
#include <string>

namespace papilio::loops {

// The processor time that the analysis of a text may take: that of this thread, from when the deadline is made,
// and that of clang. It never changes a verdict: a text that takes longer is refused. The usual limit applies to
// hard texts only: those whose syntax tree is long for their size, and those whose functions take many steps.
class Deadline {
 public:
  // `seconds`: 0 for the usual limit, which applies only to hard texts.
  Deadline(std::string file, double seconds);

  // Finds out whether the text is hard because of its syntax tree, from the bytes of the tree and of the
  // text. C that people write has 80 to 500 bytes of tree per byte; LU has 500 (tests/loops/kernels/lu.c).
  void set_tree(std::size_t bytes, std::size_t text) { has_hard_tree_ = bytes / most_per_byte >= text; }

  // The processor time that clang has taken in all.
  void set_seconds_of_clang(double seconds) { clang_ = seconds; }

  // Names the part that comes next, for the message: "f (line 3)".
  void begin(std::string part) { part_ = std::move(part); }

  // Throws Error if the time is up. `is_hard`: the text is hard because of the steps of its functions.
  void check(bool is_hard) const;

 private:
  static constexpr std::size_t most_per_byte = 650;

  const std::string file_;
  const bool is_for_all_;
  const double seconds_;
  const double least_;  // needed before the time is up, because the end takes time too
  const double begin_;
  double clang_ = 0;
  bool has_hard_tree_ = false;
  std::string part_;
};

}  // namespace papilio::loops
