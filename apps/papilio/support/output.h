#pragma once

#include <fmt/format.h>

#include <string>
#include <string_view>
#include <system_error>
#include <utility>

// How the command talks: results go to standard output, everything else to standard error.

// Standard output cannot be written to; the code says why.
struct OutputError : std::system_error {
  using std::system_error::system_error;
};

// Writes results. Throws OutputError.
void write_result(std::string_view text);

template <class... Values>
void print(fmt::format_string<Values...> form, Values&&... values) {
  write_result(fmt::format(form, std::forward<Values>(values)...));
}

// Writes out what is buffered and closes standard output, because
// some file systems report a full disk only then. Throws OutputError.
void finish_results();

// Whether results go to a terminal, which would act on control characters in words.
bool results_reach_terminal();

// Writes bytes unchanged to standard error. Never fails, and raises no SIGPIPE for a pipe without a reader: work goes
// on whether or not anybody reads messages.
void write_message(std::string_view text) noexcept;

// Writes a message in which control characters other than line ends are escaped.
void tell(std::string_view text) noexcept;

template <class... Values>
void tell(fmt::format_string<Values...> form, Values&&... values) requires(sizeof...(Values) > 0) {
  tell(std::string_view(fmt::format(form, std::forward<Values>(values)...)));
}

// Sets a line to be printed above the message with which the process fails. Both are written at once, so that output of
// another process of the job cannot come between them.
void set_failure_heading(std::string line) noexcept;
std::string_view failure_heading() noexcept;

// From now on `tell` prints nothing: another process of the job does.
void leave_telling_to_others() noexcept;

// Opens standard input, output and error, if they were closed at the start (`>&-`), as a file that can be neither read
// nor written. So no file opened later gets their numbers and receives what was meant for them.
void hold_standard_files() noexcept;
