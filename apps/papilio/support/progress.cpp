#include "support/progress.h"

#include <fmt/format.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <string_view>
#include <vector>

#include "support/output.h"
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

// The present width of the terminal in columns, since people resize it.
std::size_t terminal_width() {
  constexpr std::size_t usual_width = 80;
  winsize size = {};
  const bool is_known = ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0;
  return is_known ? size.ws_col : usual_width;
}

// "[=====>    ]", `width` columns in all.
std::string bar(double done, std::size_t width) {
  const std::size_t inside = width - 2;
  const auto full = std::min(inside, static_cast<std::size_t>(done * static_cast<double>(inside)));
  std::string filled(full, '=');
  if (full < inside) filled += '>';
  return fmt::format("[{:<{}}]", filled, inside);
}

}  // namespace

ProgressReport::ProgressReport(ProgressStyle style, bool quiet, bool verbose, std::int64_t tokens)
    : form_(choose(style, quiet)), colour_(!is_set("NO_COLOR")), verbose_(verbose), tokens_(tokens) {}

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

double ProgressReport::seconds() const { return std::chrono::duration<double>(Clock::now() - start_).count(); }

double ProgressReport::seconds_left(const papilio::Progress& progress) const {
  return seconds() / drawn_ * static_cast<double>(progress.sweeps - progress.sweep);
}

namespace {

std::string part_of(const papilio::Progress& progress) {
  return progress.share < 1 ? fmt::format(" of {:.0f} % of the tokens", 100 * progress.share) : "";
}

}  // namespace

// What follows the sweep on the live line: as much as fits,
// the most important first, and a bar in the remaining space.
std::string ProgressReport::live_rest(const papilio::Progress& progress, std::size_t columns) const {
  constexpr std::size_t shortest_bar = 12;
  constexpr std::size_t longest_bar = 32;
  std::vector<std::string> parts = {fmt::format("  {} left", clock_time(seconds_left(progress)))};
  if (held_out_perplexity_ > 0) {
    parts.push_back(fmt::format("  perplexity {:.2f} held out", held_out_perplexity_));
  }
  if (evaluated_) {
    parts.push_back(fmt::format("  likelihood {:.4f} per token", log_joint_per_token_));
  }
  if (verbose_) {
    parts.push_back(fmt::format("  {:.2f} M tokens/s", progress.tokens_per_second / 1e6) + part_of(progress));
    if (progress.draws.sparse) {
      parts.push_back(fmt::format("  {:.1f} topics/document", progress.draws.topics_per_document));
    }
  }
  std::string rest;
  for (const std::string& part : parts) {
    if (rest.size() + part.size() <= columns) rest += part;
  }
  const std::size_t room = columns - rest.size();
  if (room > shortest_bar) {
    const double done = static_cast<double>(progress.sweep) / static_cast<double>(progress.sweeps);
    rest = fmt::format(" {}{}", bar(done, std::min(room - 1, longest_bar)), rest);
  }
  return rest;
}

void ProgressReport::print_live(const papilio::Progress& progress) {
  if (Clock::now() - last_line_ < std::chrono::milliseconds(100) && progress.sweep < progress.sweeps) {
    return;
  }
  last_line_ = Clock::now();
  const std::size_t most = terminal_width() - 1;  // so that the cursor stays on the line
  const std::string sweep = fmt::format("sweep {}/{}", progress.sweep, progress.sweeps).substr(0, most);
  const std::string rest = live_rest(progress, most - sweep.size());
  const std::size_t width = sweep.size() + rest.size();
  const std::size_t blanks = std::max(width, std::min(live_width_, most)) - width;
  write_message(fmt::format("\r{}{}{}{}{}", colour_ ? "\x1b[1m" : "", sweep, colour_ ? "\x1b[0m" : "", rest,
                            std::string(blanks, ' ')));
  live_width_ = width;
}

void ProgressReport::print_plain(const papilio::Progress& progress) const {
  std::string line = fmt::format("sweep {}/{}{}  {:.2f} M tokens/s", progress.sweep, progress.sweeps, part_of(progress),
                                 progress.tokens_per_second / 1e6);
  if (progress.evaluated) {
    line += fmt::format("  {:.4f} nats/token", progress.log_joint_per_token);
  }
  if (progress.held_out_evaluated) {
    line += fmt::format("  {:.2f} held-out perplexity", progress.held_out_perplexity);
  }
  if (progress.draws.sparse) {
    line += fmt::format("  {:.1f} topics/document ({:.0f} % of draws from them, {:.0f} % from a token's own)",
                        progress.draws.topics_per_document, 100 * progress.draws.from_document,
                        100 * progress.draws.from_own);
  }
  if (progress.draws.alias) {
    line += fmt::format("  {:.0f} % of proposals by words moved a token, {:.0f} % of those by documents",
                        100 * progress.draws.word_moves, 100 * progress.draws.document_moves);
  }
  tell("{}  {} left\n", line, clock_time(seconds_left(progress)));
}

namespace {

// null if draws were dense.
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
  print(
      "{{\"event\":\"sweep\",\"sweep\":{},\"sweeps\":{},\"share\":{},\"seconds\":{:.6f},\"tokens_per_second\":{:.0f},"
      "\"log_joint_per_token\":{},\"held_out_perplexity\":{},\"sparse_draws\":{}}}\n",
      progress.sweep, progress.sweeps, progress.share, progress.training_seconds, progress.tokens_per_second,
      number(progress.evaluated, progress.log_joint_per_token),
      number(progress.held_out_evaluated, progress.held_out_perplexity), json_of(progress.draws));
  std::fflush(stdout);
}

void ProgressReport::finish() {
  if (form_ == Form::live && live_width_ > 0) {
    write_message("\n");
    live_width_ = 0;
  }
}
