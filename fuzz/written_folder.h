#pragma once

#include <stdlib.h>

#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>
#include <string_view>
#include <system_error>

// A folder for what is written, in memory where the machine offers enough of it (containers often have 64 MB, which
// other processes share); gone at the end unless the fuzzer fails.
class WrittenFolder {
 public:
  WrittenFolder() {
    const std::filesystem::path memory = "/dev/shm";
    std::error_code none;
    const std::filesystem::space_info room = std::filesystem::space(memory, none);
    const bool enough = !none && room.available >= std::uintmax_t{1} << 30;
    const auto parent = enough ? memory : std::filesystem::temp_directory_path();
    path_ = parent / "papilio_fuzz_XXXXXX";
    if (::mkdtemp(path_.data()) == nullptr) std::abort();
  }
  ~WrittenFolder() { std::filesystem::remove_all(path_); }
  WrittenFolder(const WrittenFolder&) = delete;
  WrittenFolder& operator=(const WrittenFolder&) = delete;

  std::string path() const { return path_; }
  std::string path(const std::string& name) const { return path_ + "/" + name; }

  void write(const std::string& name, std::string_view bytes) const {
    std::ofstream file(path(name), std::ios::binary);
    file.write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
    if (!file.flush()) std::abort();
  }

 private:
  std::string path_;
};
