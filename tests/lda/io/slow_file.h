#pragma once

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <stdexcept>
#include <string>
#include <thread>

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

  // Reads what is written, one file after the other, until it is over. (Two calls of `read` may meet one file after
  // the other without an end between them.)
  void drain(const std::atomic<bool>& is_over) const {
    const int file = ::open(path_.c_str(), O_RDONLY | O_NONBLOCK);
    if (file < 0) throw std::runtime_error("cannot open " + path_);
    char bytes[4096];
    while (!is_over)
      if (::read(file, bytes, sizeof bytes) <= 0) std::this_thread::sleep_for(std::chrono::milliseconds(1));
    ::close(file);
  }

  // Lets one write end, and puts its bytes in the pipe's place. One that has begun meanwhile ends, too.
  void become_read() const {
    const int file = ::open(path_.c_str(), O_RDONLY);
    if (file < 0) throw std::runtime_error("cannot open " + path_);
    const std::string other = path_ + ".read";
    std::ofstream(other, std::ios::binary) << read_from(file);
    std::filesystem::rename(other, path_);
    read_from(file);
    ::close(file);
  }

  // Puts a file of these bytes in its place.
  void become(const std::string& bytes) const {
    std::filesystem::remove(path_);
    std::ofstream(path_, std::ios::binary) << bytes;
  }

 private:
  static std::string read_from(int file) {
    std::string all;
    char bytes[4096];
    for (ssize_t count; (count = ::read(file, bytes, sizeof bytes)) > 0;)
      all.append(bytes, static_cast<std::size_t>(count));
    return all;
  }

  std::string path_;
};

}  // namespace papilio::lda
