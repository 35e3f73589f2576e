#pragma once

#include <fmt/format.h>

#include <string>
#include <string_view>
#include <system_error>
#include <utility>

// How the command speaks: results on standard output, everything else on standard error.

// Standard output cannot be written to. The code says why.
struct OutputError : std::system_error {
  using std::system_error::system_error;
};

// Results. Throws OutputError.
void write_result(std::string_view text);

template <class... Values>
void print(fmt::format_string<Values...> form, Values&&... values) {
  write_result(fmt::format(form, std::forward<Values>(values)...));
}

// Writes out what is buffered, and closes standard output, as some file systems report a full disk only then.
// Throws OutputError.
void finish_results();

// Whether results go to a terminal, where control characters in words would act.
bool results_reach_terminal();

// Writes bytes as they are to standard error. Never fails, and raises no SIGPIPE for a pipe that nobody reads: the work
// goes on whether or not anybody reads messages.
void write_message(std::string_view text) noexcept;

// Messages, with control characters escaped except for the ends of lines.
void tell(std::string_view text) noexcept;

template <class... Values>
void tell(fmt::format_string<Values...> form, Values&&... values) requires(sizeof...(Values) > 0) {
  tell(std::string_view(fmt::format(form, std::forward<Values>(values)...)));
}

// Sets a line to be printed above the message with which the process fails. Both go out in one write, so that output
// of another process of the job cannot come between them.
void set_failure_heading(std::string line) noexcept;
std::string_view failure_heading() noexcept;

// From here on `tell` says nothing: another process of the job does.
void leave_telling_to_others() noexcept;

// Gives standard input, output and error that were closed at the start (`>&-`) a file that can neither be read nor
// written, so that no file opened later takes their numbers and receives what was meant for them.
void hold_standard_files() noexcept;
