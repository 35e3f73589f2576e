#pragma once

#include <atomic>
#include <cstdint>
#include <string>
#include <string_view>

#include "lda/io/bytes/origin.h"

namespace papilio::lda {

// The bytes of memory that the control groups of a process allow it: the least limit of
// its group and the groups that contain it, by version 1 or 2. `groups` is like
// /proc/self/cgroup, `root` like /sys/fs/cgroup. The largest number if there is no limit.
std::int64_t control_group_limit(const std::string& groups, const std::string& root);

// The memory that reading may take, and how much of it each part of a reader holds by its MemoryShare. Stops a reader
// before memory is exhausted, so that a hostile or mistaken file ends in a message that names the line, not in a
// machine without memory. One object serves one read; its shares may be used by several threads.
class MemoryLimit {
 public:
  // In bytes; 0: half of the machine's memory, or half of what the process's control group allows if that is less.
  explicit MemoryLimit(std::int64_t max_memory);
  MemoryLimit(const MemoryLimit&) = delete;
  MemoryLimit& operator=(const MemoryLimit&) = delete;

  std::int64_t bytes() const { return bytes_; }
  std::int64_t left() const { return bytes_ - held_.load(std::memory_order_relaxed); }
  bool holds(std::int64_t bytes) const { return bytes <= left(); }

  // Throws FormatError at a line of the origin (0: none); says how far the corpus has come.
  [[noreturn]] void refuse(const Origin& at, std::int64_t line, std::int64_t tokens, std::int64_t documents) const;

  // Throws FormatError "WHAT needs more than N bytes of memory, the limit ...".
  [[noreturn]] void refuse(const Origin& at, std::int64_t line, std::string_view what) const;

 private:
  friend class MemoryShare;
  // Whether there is room for this many more bytes; if so, they are held from now on.
  bool add(std::int64_t bytes) {
    std::int64_t held = held_.load(std::memory_order_relaxed);
    while (bytes <= 0 || bytes <= bytes_ - held) {
      if (held_.compare_exchange_weak(held, held + bytes, std::memory_order_relaxed)) return true;
    }
    return false;
  }

  std::int64_t bytes_;
  std::atomic<std::int64_t> held_ = 0;
};

// What one part of a reader holds, until it is destroyed. Vectors and strings that grow by doubling are counted by
// their capacity: while one grows, the old copy and the filled half of the new one take no more than that.
class MemoryShare {
 public:
  explicit MemoryShare(MemoryLimit& limit) : limit_(limit) {}
  ~MemoryShare() { limit_.add(-bytes_); }
  MemoryShare(const MemoryShare&) = delete;
  MemoryShare& operator=(const MemoryShare&) = delete;

  // Sets what it holds from now on; false, without a change, if that does not fit.
  bool set(std::int64_t bytes) {
    if (!limit_.add(bytes - bytes_)) return false;
    bytes_ = bytes;
    return true;
  }

  MemoryLimit& limit() const { return limit_; }

 private:
  MemoryLimit& limit_;
  std::int64_t bytes_ = 0;
};

// With this much left, a few megabytes of buffers per thread do not matter and are not counted.
inline constexpr std::int64_t plenty = std::int64_t{256} << 20;

// The first buffers of a file, which every reader has for any file, are not counted.
inline constexpr std::int64_t uncounted_bytes = std::int64_t{1} << 18;

// What a token and a document take while a corpus is read: their place in it and in the copy without rare words, and
// the room in which vectors grow.
inline constexpr std::int64_t bytes_per_token = 12;
inline constexpr std::int64_t bytes_per_document = 24;

}  // namespace papilio::lda
