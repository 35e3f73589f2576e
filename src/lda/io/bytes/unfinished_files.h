#pragma once

#include <string>

namespace papilio::lda {

// The name of a file that remove_unfinished_files() removes while this lives. (Where 64 are at work already, or the
// path is longer than the system allows, it does not.)
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
