#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "lda/io/bytes/atomic_file.h"

namespace papilio::lda {

// Writes a zip archive of stored members, with all numbers as Zip64, so that no size is too large. The same members
// give the same bytes: every member's time is 1980-01-01.
class ZipWriter {
 public:
  explicit ZipWriter(AtomicFile& file) : file_(file) {}

  void add(const std::string& name, std::string_view content);

  // Writes the directory; once, after the last member.
  void finish();

 private:
  struct Member {
    std::string name;
    std::uint32_t check_sum;
    std::uint64_t bytes;
    std::uint64_t begin;
  };

  void write(std::string_view bytes);

  AtomicFile& file_;
  std::uint64_t written_ = 0;
  std::vector<Member> members_;
};

}  // namespace papilio::lda
