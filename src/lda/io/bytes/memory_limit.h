#pragma once

#include <cstdint>
#include <string>

#include "lda/io/bytes/line_reader.h"

namespace papilio::lda {

// The bytes of memory that the control groups of a process allow it: the least of its group's and those around it, by
// version 1 or 2. `groups` is as /proc/self/cgroup, `root` as /sys/fs/cgroup; the largest number where there is no
// limit.
std::int64_t control_group_limit(const std::string& groups, const std::string& root);

// Stops a reader before its corpus exhausts the memory, so that a hostile or
// mistaken file ends in a message that names the line, not in a machine out of memory.
class MemoryLimit {
 public:
  // In bytes; 0: half of the machine's memory, or of what the process's control group may take where that is less.
  explicit MemoryLimit(std::int64_t max_memory);

  std::int64_t bytes() const { return bytes_; }
  bool holds(std::int64_t bytes) const { return bytes <= bytes_; }

  // Throws FormatError at the reader's line, saying how far it had come.
  [[noreturn]] void refuse(const LineReader& at, std::int64_t tokens, std::int64_t documents) const {
    refuse(at.origin(), at.line_number(), tokens, documents);
  }
  [[noreturn]] void refuse(const Origin& at, std::int64_t line, std::int64_t tokens, std::int64_t documents) const;

 private:
  std::int64_t bytes_;
};

// What a token and a document take while a corpus is read: their place in it, in
// the copy that leaves out rare words, and the room in which vectors grow.
inline constexpr std::int64_t bytes_per_token = 12;
inline constexpr std::int64_t bytes_per_document = 24;

}  // namespace papilio::lda
