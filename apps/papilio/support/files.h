#pragma once

#include <cstdint>
#include <string>

#include "papilio/error.h"
#include "papilio/output_file.h"
#include "support/exit_code.h"

// Errors of the library as this command's: an input that is not there, an output that cannot be made, or a failure
// midway.
[[noreturn]] void fail_reading(const papilio::IoError& error);
[[noreturn]] void fail_writing(const papilio::IoError& error, const std::string& path, std::int64_t bytes_needed);

template <class Work>
auto reading(Work&& work) {
  try {
    return work();
  } catch (const papilio::IoError& error) {
    fail_reading(error);
  }
}

// `bytes_needed` is roughly the size of the file, reported when the disk is full.
template <class Work>
void writing(const std::string& path, std::int64_t bytes_needed, Work&& work) {
  try {
    work();
  } catch (const papilio::IoError& error) {
    fail_writing(error, path, bytes_needed);
  }
}

// Whether an error of that number (errno) says that a file may not be opened or made, rather than that work on it
// failed midway.
bool means_denied(int error);

// "-" for a path that is standard output by another name, such as /dev/stdout; else the path.
std::string dash_for_standard_output(const std::string& path);

// The folder of the file at `path`; "." where it names none.
std::string folder_of(const std::string& path);

// Whether `path` holds a whole papilio model.
bool is_model(const std::string& path);

using TextFile = papilio::OutputFile;
