#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "lda/io/bytes/atomic_file.h"

namespace papilio::lda {

// A file compressed by gzip that appears completely or not at all (see AtomicFile). It contains no name and no time:
// with the same zlib, the same text gives the same bytes.
class GzipFile {
 public:
  GzipFile(const std::string& path, std::string caller);
  ~GzipFile();

  void write(std::string_view text);

  // Call it once, after the last write.
  void commit();

 private:
  struct Stream;
  void deflate(std::string_view text, int flush);

  AtomicFile file_;
  std::unique_ptr<Stream> stream_;
};

}  // namespace papilio::lda
