#pragma once

#include <string>

namespace papilio::loops {

// The time of the processor that the analysis of a text may take: of this thread, from when the deadline is made, and
// of clang. It never changes a verdict: a text that takes longer is refused.
class Deadline {
 public:
  // `seconds`: 0 for the usual ones, which count only where questions are hard.
  Deadline(std::string file, double seconds);

  // What clang may take.
  double seconds_of_clang() const { return least_; }

  // What clang has taken, all in all.
  void set_seconds_of_clang(double seconds) { clang_ = seconds; }

  // What comes next, for the message: "f (line 3)".
  void begin(std::string part) { part_ = std::move(part); }

  // Throws Error if the time is up.
  void check(bool is_hard) const;

 private:
  const std::string file_;
  const bool is_for_all_;
  const double seconds_;
  const double least_;  // before the time is up: the end takes time too
  const double begin_;
  double clang_ = 0;
  std::string part_;
};

}  // namespace papilio::loops
