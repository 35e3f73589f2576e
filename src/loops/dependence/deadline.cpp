#include "loops/dependence/deadline.h"

#include <fmt/format.h>

#include <ctime>
#include <utility>

#include "papilio/error.h"

namespace papilio::loops {
namespace {

constexpr double usual_seconds = 2, share_before_the_end = 0.9;

double thread_seconds() {
  timespec t = {0, 0};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
  return static_cast<double>(t.tv_sec) + static_cast<double>(t.tv_nsec) * 1e-9;
}

}  // namespace

Deadline::Deadline(std::string file, double seconds)
    : file_(std::move(file)),
      is_for_all_(seconds > 0),
      seconds_(is_for_all_ ? seconds : usual_seconds),
      least_(seconds_ * share_before_the_end),
      begin_(thread_seconds()) {}

void Deadline::check(bool is_hard) const {
  if (!is_for_all_ && !is_hard && !has_hard_tree_) return;
  if (clang_ + thread_seconds() - begin_ <= least_) return;
  const std::string until = part_.empty() ? "before clang has read it" : "up to " + part_;
  throw Error(fmt::format("{}: error: more than {:.3g} seconds of processor time {}; try a longer --deadline{}", file_,
                          seconds_, until, part_.empty() ? "" : ", or one function alone"));
}

}  // namespace papilio::loops
