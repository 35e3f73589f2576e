#include <fmt/format.h>

#include <cstdio>
#include <exception>
#include <new>
#include <string>
#include <system_error>

#include "command_line.h"
#include "exit_code.h"
#include "papilio/error.h"
#include "text.h"

namespace {

int complain(const std::string& subcommand, const std::string& message, ExitCode code) {
  fmt::print(stderr, "papilio{}{}: {}\n", subcommand.empty() ? "" : " ", subcommand, without_caller(message));
  return static_cast<int>(code);
}

}  // namespace

int main(int argc, char** argv) {
  std::string subcommand;
  try {
    const ExitCode code = run_command_line(argc, argv, subcommand);
    if (std::fflush(stdout) != 0) {
      return complain(subcommand, "cannot write to standard output", ExitCode::io_error);
    }
    return static_cast<int>(code);
  } catch (const CommandError& error) {
    return complain(subcommand, error.what(), error.code);
  } catch (const papilio::FormatError& error) {
    return complain(subcommand, error.what(), ExitCode::bad_data);
  } catch (const papilio::InvalidArgument& error) {
    return complain(subcommand, error.what(), ExitCode::bad_data);
  } catch (const papilio::IoError& error) {
    return complain(subcommand, error.what(), ExitCode::io_error);
  } catch (const std::bad_alloc&) {
    return complain(subcommand, "out of memory", ExitCode::no_memory);
  } catch (const std::system_error& error) {  // fmt::print, a full disk behind standard output
    return complain(subcommand, error.what(), ExitCode::io_error);
  } catch (const std::exception& error) {
    return complain(subcommand, error.what(), ExitCode::internal);
  }
}
