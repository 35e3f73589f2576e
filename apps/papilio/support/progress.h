#pragma once

#include <chrono>
#include <cstdint>
#include <string>

#include "papilio/lda.h"

enum class ProgressStyle { detect, plain, json, none };

// Reports the progress of a training run: a live line no wider than the terminal, plain lines elsewhere (standard
// error), or one JSON object per sweep (standard output).
class ProgressReport {
 public:
  ProgressReport(ProgressStyle style, bool quiet, bool verbose, std::int64_t tokens);

  void sweep(const papilio::Progress& progress);

  // Ends the live line, so that other text starts on a new line.
  void finish();

  // The mean over the sweeps so far.
  double tokens_per_second() const;

  // Seconds since this object was made.
  double seconds() const;

  bool is_json() const { return form_ == Form::json; }

 private:
  enum class Form { live, plain, json, none };
  using Clock = std::chrono::steady_clock;

  static Form choose(ProgressStyle style, bool quiet);
  void print_live(const papilio::Progress& progress);
  std::string live_rest(const papilio::Progress& progress, std::size_t columns) const;
  void print_plain(const papilio::Progress& progress) const;
  void print_json(const papilio::Progress& progress) const;
  double seconds_left(const papilio::Progress& progress) const;

  const Form form_;
  const bool colour_;
  const bool verbose_;
  const std::int64_t tokens_;
  const Clock::time_point start_ = Clock::now();
  double drawn_ = 0;          // tokens drawn in this run, divided by the tokens of the corpus
  double sweep_seconds_ = 0;  // the time that this took
  double log_joint_per_token_ = 0;
  bool evaluated_ = false;
  double held_out_perplexity_ = 0;  // 0: none yet
  std::size_t live_width_ = 0;      // columns that the live line has now
  Clock::time_point last_line_ = {};
};
