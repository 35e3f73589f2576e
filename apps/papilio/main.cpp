#include <fmt/format.h>
#include <signal.h>
#include <unistd.h>

#include <cstdio>
#include <exception>
#include <new>
#include <string>
#include <string_view>
#include <system_error>

#include "command_line.h"
#include "papilio/error.h"
#include "support/exit_code.h"
#include "support/text.h"

namespace {

// Never throws: standard error may be a pipe that nobody reads.
int complain(const std::string& subcommand, const std::string& message, ExitCode code) {
  std::fputs(
      fmt::format("papilio{}{}: {}\n", subcommand.empty() ? "" : " ", subcommand, without_caller(message)).c_str(),
      stderr);
  return static_cast<int>(code);
}

// Says in one line what is being thrown.
int complain_of_exception(const std::string& subcommand) {
  try {
    throw;
  } catch (const CommandError& error) {
    return complain(subcommand, error.what(), error.code);
  } catch (const papilio::FormatError& error) {
    return complain(subcommand, error.what(), ExitCode::bad_data);
  } catch (const papilio::InvalidArgument& error) {
    return complain(subcommand, error.what(), ExitCode::bad_data);
  } catch (const papilio::IoError& error) {
    return complain(subcommand, error.what(), ExitCode::io_error);
  } catch (const papilio::Error& error) {  // of a device
    return complain(subcommand, error.what(), ExitCode::internal);
  } catch (const std::bad_alloc&) {
    return complain(subcommand, "out of memory", ExitCode::no_memory);
  } catch (const std::system_error& error) {  // fmt::print, a full disk under standard output
    return complain(subcommand, error.what(), ExitCode::io_error);
  } catch (const std::exception& error) {
    const std::string_view what = error.what();
    if (what.starts_with("pthread_create")) {  // oneTBB: no memory for a thread, or too many of them
      return complain(subcommand, fmt::format("out of memory or threads: {}", what), ExitCode::no_memory);
    }
    return complain(subcommand, fmt::format("internal error: {}", error.what()), ExitCode::internal);
  } catch (...) {
    return complain(subcommand, "internal error: an exception of an unknown kind", ExitCode::internal);
  }
}

// Where nothing is left to catch an exception, such as in a thread.
[[noreturn]] void end_in_one_line() {
  _exit(std::current_exception() == nullptr
            ? complain("", "internal error: ended without an exception", ExitCode::internal)
            : complain_of_exception(""));
}

}  // namespace

int main(int argc, char** argv) {
  std::set_terminate(end_in_one_line);
  signal(SIGXFSZ, SIG_IGN);  // so that a file at its size limit (ulimit -f) is an error of write
  std::string subcommand;
  try {
    const ExitCode code = run_command_line(argc, argv, subcommand);
    const bool unread = std::fflush(stdout) != 0 || std::ferror(stdout) != 0;
    if (unread && code == ExitCode::ok) {
      return complain(subcommand, "cannot write to standard output", ExitCode::io_error);
    }
    return static_cast<int>(code);
  } catch (...) {
    return complain_of_exception(subcommand);
  }
}
