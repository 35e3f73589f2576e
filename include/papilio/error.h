#pragma once

#include <cstdint>
#include <stdexcept>
#include <string>

namespace papilio {

// Everything that papilio throws on purpose is an Error. Running out of memory
// stays std::bad_alloc.
struct Error : std::runtime_error {
  using std::runtime_error::runtime_error;
};

// The caller's values do not fit the contract of the function.
struct InvalidArgument : Error {
  using Error::Error;
};

// The machine or the build lacks the device or instruction set asked for by name.
struct DeviceUnavailable : Error {
  using Error::Error;
};

// A device failed or has no room: the call had no effect that can be relied on.
// The message names the CUDA call and error, or the bytes needed and free.
struct DeviceError : Error {
  using Error::Error;
};

// A file or stream could not be opened, read or written; `code` is errno's value.
struct IoError : Error {
  IoError(const std::string& what, int error_code) : Error(what), code(error_code) {}
  int code;
};

// A file does not hold what its format says. `line` and `column` count from 1;
// 0 means that the place is not known. The message already names the place.
struct FormatError : Error {
  FormatError(const std::string& what, std::int64_t at_line = 0, std::int64_t at_column = 0)
      : Error(what), line(at_line), column(at_column) {}
  std::int64_t line;
  std::int64_t column;
};

}  // namespace papilio
