#pragma once

#include <sys/stat.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <stdexcept>
#include <string>

#include "lda/io/files.h"

namespace papilio::lda {

// A file that nobody can finish writing before somebody reads it: a pipe with a name, which is written in place.
class SlowFile {
 public:
  SlowFile(const Folder& folder, const std::string& name) : path_(folder.path(name)) {
    if (::mkfifo(path_.c_str(), 0600) != 0) throw std::runtime_error("cannot make " + path_);
  }

  // Lets one write end, and returns its bytes.
  std::string read() const {
    std::ifstream file(path_, std::ios::binary);
    return {std::istreambuf_iterator<char>(file), {}};
  }

  // Puts a file of these bytes in its place.
  void become(const std::string& bytes) const {
    std::filesystem::remove(path_);
    std::ofstream(path_, std::ios::binary) << bytes;
  }

 private:
  std::string path_;
};

}  // namespace papilio::lda
