#pragma once

#include <cstdint>
#include <stdexcept>
#include <string>

namespace papilio {

// The base of every exception that papilio throws, except std::bad_alloc where memory runs out.
struct Error : std::runtime_error {
  using std::runtime_error::runtime_error;
};

// An argument violates the contract of the function.
struct InvalidArgument : Error {
  using Error::Error;
};

// The build or the machine lacks the device or instruction set that was named.
struct DeviceUnavailable : Error {
  using Error::Error;
};

// A device failed or ran out of memory. The results of the call are unspecified. The message names the CUDA call and
// error, or the bytes needed and free.
struct DeviceError : Error {
  using Error::Error;
};

// A file or stream could not be opened, read or written. `code` is the value of errno.
struct IoError : Error {
  IoError(const std::string& what, int error_code) : Error(what), code(error_code) {}
  int code;
};

// The content of a file violates its format. `line` and `column` count from 1; 0: not known. The message names them,
// too.
struct FormatError : Error {
  FormatError(const std::string& what, std::int64_t at_line = 0, std::int64_t at_column = 0)
      : Error(what), line(at_line), column(at_column) {}
  std::int64_t line;
  std::int64_t column;
};

}  // namespace papilio
