#include "support/progress.h"

#include <fmt/format.h>
#include <unistd.h>

#include <cstdlib>
#include <string>
#include <string_view>

#include "support/text.h"

namespace {

bool is_set(const char* variable) {
  const char* value = std::getenv(variable);
  return value != nullptr && *value != '\0';
}

bool is_live_terminal() {
  const char* terminal = std::getenv("TERM");
  return isatty(STDERR_FILENO) != 0 && terminal != nullptr && std::string_view(terminal) != "dumb";
}

}  // namespace

ProgressReport::ProgressReport(ProgressStyle style, bool quiet, std::int64_t tokens)
    : form_(choose(style, quiet)), colour_(!is_set("NO_COLOR")), tokens_(tokens) {}

ProgressReport::Form ProgressReport::choose(ProgressStyle style, bool quiet) {
  switch (style) {
    case ProgressStyle::json:
      return Form::json;
    case ProgressStyle::none:
      return Form::none;
    case ProgressStyle::plain:
      return quiet ? Form::none : Form::plain;
    case ProgressStyle::detect:
      break;
  }
  return quiet ? Form::none : is_live_terminal() ? Form::live : Form::plain;
}

void ProgressReport::sweep(const papilio::Progress& progress) {
  drawn_ += progress.share;
  sweep_seconds_ += progress.share * static_cast<double>(tokens_) / progress.tokens_per_second;
  if (progress.evaluated) {
    log_joint_per_token_ = progress.log_joint_per_token;
    evaluated_ = true;
  }
  if (progress.held_out_evaluated) {
    held_out_perplexity_ = progress.held_out_perplexity;
  }
  if (form_ == Form::live) {
    print_live(progress);
  } else if (form_ == Form::plain) {
    const bool long_ago = Clock::now() - last_line_ > std::chrono::seconds(10);
    if (progress.evaluated || progress.held_out_evaluated || long_ago) {
      print_plain(progress);
      last_line_ = Clock::now();
    }
  } else if (form_ == Form::json) {
    print_json(progress);
  }
}

double ProgressReport::tokens_per_second() const {
  return sweep_seconds_ > 0 ? static_cast<double>(tokens_) * drawn_ / sweep_seconds_ : 0;
}

double ProgressReport::seconds_left(const papilio::Progress& progress) const {
  const double seconds = std::chrono::duration<double>(Clock::now() - start_).count();
  return seconds / drawn_ * static_cast<double>(progress.sweeps - progress.sweep);
}

namespace {

std::string part_of(const papilio::Progress& progress) {
  return progress.share < 1 ? fmt::format(" of {:.0f} % of the tokens", 100 * progress.share) : "";
}

}  // namespace

void ProgressReport::print_live(const papilio::Progress& progress) {
  if (Clock::now() - last_line_ < std::chrono::milliseconds(100) && progress.sweep < progress.sweeps) {
    return;
  }
  last_line_ = Clock::now();
  const std::string sweep = fmt::format("sweep {}/{}", progress.sweep, progress.sweeps);
  std::string rest = part_of(progress) + fmt::format("  {:.2f} M tokens/s", progress.tokens_per_second / 1e6);
  if (evaluated_) {
    rest += fmt::format("  {:.4f} nats/token", log_joint_per_token_);
  }
  if (held_out_perplexity_ > 0) {
    rest += fmt::format("  {:.2f} held out", held_out_perplexity_);
  }
  if (progress.draws.sparse) {
    rest += fmt::format("  {:.1f} topics/document", progress.draws.topics_per_document);
  }
  rest += fmt::format("  {} left", clock_time(seconds_left(progress)));
  const std::size_t width = sweep.size() + rest.size();
  const std::size_t blanks = width < live_width_ ? live_width_ - width : 0;
  fmt::print(stderr, "\r{}{}{}{}{}", colour_ ? "\x1b[1m" : "", sweep, colour_ ? "\x1b[0m" : "", rest,
             std::string(blanks, ' '));
  std::fflush(stderr);
  live_width_ = width;
}

void ProgressReport::print_plain(const papilio::Progress& progress) const {
  fmt::print(stderr, "sweep {}/{}{}  {:.2f} M tokens/s", progress.sweep, progress.sweeps, part_of(progress),
             progress.tokens_per_second / 1e6);
  if (progress.evaluated) {
    fmt::print(stderr, "  {:.4f} nats/token", progress.log_joint_per_token);
  }
  if (progress.held_out_evaluated) {
    fmt::print(stderr, "  {:.2f} held-out perplexity", progress.held_out_perplexity);
  }
  if (progress.draws.sparse) {
    fmt::print(stderr, "  {:.1f} topics/document ({:.0f} % of draws from them, {:.0f} % from a token's own)",
               progress.draws.topics_per_document, 100 * progress.draws.from_document, 100 * progress.draws.from_own);
  }
  fmt::print(stderr, "  {} left\n", clock_time(seconds_left(progress)));
}

namespace {

// null where draws were dense.
std::string json_of(const papilio::SweepDraws& draws) {
  if (!draws.sparse) {
    return "null";
  }
  return fmt::format(
      "{{\"topics_per_document\":{},\"from_own\":{},\"from_document\":{},\"from_word\":{},\"from_prior\":{}}}",
      draws.topics_per_document, draws.from_own, draws.from_document, draws.from_word, draws.from_prior);
}

}  // namespace

void ProgressReport::print_json(const papilio::Progress& progress) const {
  const auto number = [](bool known, double value) { return known ? fmt::format("{}", value) : "null"; };
  fmt::print(
      "{{\"event\":\"sweep\",\"sweep\":{},\"sweeps\":{},\"share\":{},\"seconds\":{:.6f},\"tokens_per_second\":{:.0f},"
      "\"log_joint_per_token\":{},\"held_out_perplexity\":{},\"sparse_draws\":{}}}\n",
      progress.sweep, progress.sweeps, progress.share, progress.training_seconds, progress.tokens_per_second,
      number(progress.evaluated, progress.log_joint_per_token),
      number(progress.held_out_evaluated, progress.held_out_perplexity), json_of(progress.draws));
  std::fflush(stdout);
}

void ProgressReport::finish() {
  if (form_ == Form::live && live_width_ > 0) {
    fmt::print(stderr, "\n");
    live_width_ = 0;
  }
}
