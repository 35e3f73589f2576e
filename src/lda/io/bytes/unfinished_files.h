#pragma once

#include <string>

namespace papilio::lda {

// The name of a file that remove_unfinished_files() removes while this object lives. (Not if there are 64 already, or
// if the path is longer than the system allows.)
class UnfinishedFile {
 public:
  UnfinishedFile() = default;
  explicit UnfinishedFile(const std::string& path);
  ~UnfinishedFile();
  UnfinishedFile(UnfinishedFile&& other) noexcept;
  UnfinishedFile& operator=(UnfinishedFile&& other) noexcept;

 private:
  int slot_ = -1;
};

}  // namespace papilio::lda
