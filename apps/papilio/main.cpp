#include <signal.h>
#include <unistd.h>

#include <cerrno>
#include <exception>
#include <new>
#include <string>
#include <string_view>
#include <system_error>

#include "command_line.h"
#include "papilio/communicator.h"
#include "papilio/error.h"
#include "papilio/output_file.h"
#include "support/exit_code.h"
#include "support/output.h"
#include "support/text.h"

namespace {

// Never throws, though standard error may be a pipe without a reader. Works without memory, which may have run out.
int complain(std::string_view subcommand, std::string_view kind, std::string_view message, ExitCode code) noexcept {
  try {
    const std::string line = complaint(subcommand, std::string(kind).append(without_caller(message)));
    write_message(std::string(failure_heading()).append(line));
  } catch (...) {
    for (const std::string_view part :
         {failure_heading(), std::string_view("papilio"), std::string_view(subcommand.empty() ? "" : " "), subcommand,
          std::string_view(": "), kind, without_caller(message), std::string_view("\n")}) {
      write_message(part);
    }
  }
  return static_cast<int>(code);
}

int complain(std::string_view subcommand, std::string_view message, ExitCode code) noexcept {
  return complain(subcommand, "", message, code);
}

// Describes the current exception in one line.
int complain_of_exception(std::string_view subcommand) noexcept {
  try {
    throw;
  } catch (const CommandError& error) {
    return complain(subcommand, error.what(), error.code);
  } catch (const papilio::FormatError& error) {
    return complain(subcommand, error.what(), ExitCode::bad_data);
  } catch (const papilio::InvalidArgument& error) {
    return complain(subcommand, error.what(), ExitCode::bad_data);
  } catch (const papilio::IoError& error) {
    return complain(subcommand, error.what(), error.code == ENOMEM ? ExitCode::no_memory : ExitCode::io_error);
  } catch (const papilio::RankError& error) {
    return complain(subcommand, error.what(), ExitCode::try_again);
  } catch (const papilio::Error& error) {  // of a device
    return complain(subcommand, error.what(), ExitCode::internal);
  } catch (const std::bad_alloc&) {
    return complain(subcommand, "out of memory", ExitCode::no_memory);
  } catch (const std::system_error& error) {  // standard output cannot be written to
    return complain(subcommand, error.what(), ExitCode::io_error);
  } catch (const std::exception& error) {
    const std::string_view what = error.what();
    if (what.starts_with("pthread_create")) {  // oneTBB: no memory for a thread, or too many threads
      return complain(subcommand, "out of memory or threads: ", what, ExitCode::no_memory);
    }
    return complain(subcommand, "internal error: ", what, ExitCode::internal);
  } catch (...) {
    return complain(subcommand, "internal error: an exception of an unknown kind", ExitCode::internal);
  }
}

// For places where nothing can catch an exception, such as a thread.
[[noreturn]] void end_in_one_line() {
  papilio::remove_unfinished_files();
  _exit(std::current_exception() == nullptr
            ? complain("", "internal error: ended without an exception", ExitCode::internal)
            : complain_of_exception(""));
}

}  // namespace

int main(int argc, char** argv) {
  hold_standard_files();
  std::set_terminate(end_in_one_line);
  signal(SIGXFSZ, SIG_IGN);  // so that write reports an error for a file at its size limit (ulimit -f)
  std::string subcommand;
  try {
    const ExitCode code = run_command_line(argc, argv, subcommand);
    if (code == ExitCode::ok) {
      finish_results();
    }
    return static_cast<int>(code);
  } catch (...) {
    return complain_of_exception(subcommand);
  }
}
