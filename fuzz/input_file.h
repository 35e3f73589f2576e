#pragma once

#include <sys/mman.h>
#include <unistd.h>

#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

// The fuzzer's bytes as a file in memory.
class InputFile {
 public:
  explicit InputFile(std::string_view bytes) : file_(::memfd_create("fuzz_input", MFD_CLOEXEC)) {
    if (file_ < 0) std::abort();
    while (!bytes.empty()) {
      const ssize_t written = ::write(file_, bytes.data(), bytes.size());
      if (written <= 0) std::abort();
      bytes.remove_prefix(static_cast<std::size_t>(written));
    }
  }
  ~InputFile() { ::close(file_); }
  InputFile(const InputFile&) = delete;
  InputFile& operator=(const InputFile&) = delete;

  std::string path() const { return "/proc/self/fd/" + std::to_string(file_); }

 private:
  int file_;
};

inline std::string_view as_text(const std::uint8_t* data, std::size_t size) {
  return {reinterpret_cast<const char*>(data), size};
}

// A check that stays in optimised builds.
inline void require(bool holds) {
  if (!holds) std::abort();
}
