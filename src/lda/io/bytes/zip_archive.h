#pragma once

#include <cstdint>
#include <memory>
#include <string_view>

#include "base/function_ref.h"
#include "lda/io/bytes/origin.h"

namespace papilio::lda {

// A zip archive in memory, as numpy writes them: members stored or
// deflated, with or without Zip64, unencrypted, in one part. Only `read`
// allocates memory: the list of members is read again each time.
class ZipArchive {
 public:
  // The content of a member; the bytes are valid as long as this object and the archive's bytes.
  class Content {
   public:
    Content() = default;
    explicit Content(std::string_view stored) : bytes_(stored) {}
    Content(std::unique_ptr<char[]> inflated, std::size_t size)
        : bytes_(inflated.get(), size), inflated_(std::move(inflated)) {}
    std::string_view bytes() const { return bytes_; }
    std::int64_t memory() const { return inflated_ == nullptr ? 0 : std::ssize(bytes_); }

   private:
    std::string_view bytes_;
    std::unique_ptr<char[]> inflated_;
  };

  // Checks the list of members. Throws FormatError.
  ZipArchive(const Origin& origin, std::string_view bytes);

  bool has(std::string_view name) const;

  // The member's content, checked against its size and check sum; it may take `most_bytes` of memory. Throws
  // FormatError, also if there is no such member.
  Content read(std::string_view name, std::int64_t most_bytes) const;

 private:
  struct Member {
    std::string_view name;
    std::uint32_t flags = 0;
    std::uint32_t method = 0;
    std::uint32_t check_sum = 0;
    std::uint64_t stored_bytes = 0;
    std::uint64_t bytes = 0;
    std::uint64_t header = 0;  // where it begins
  };

  struct Directory {
    std::uint64_t begin = 0;
    std::uint64_t members = 0;
  };

  [[noreturn]] void refuse(std::string_view message) const { origin_.format_error(0, 0, message); }
  std::uint64_t number(std::uint64_t at, int bytes) const;
  std::string_view part(std::uint64_t at, std::uint64_t bytes) const;
  Directory find_directory() const;
  Directory find_large_directory(std::uint64_t end) const;
  Member read_member(std::uint64_t& at) const;
  void each_member(base::FunctionRef<void(const Member&)> use) const;
  void read_large_numbers(Member& member, std::uint64_t at, std::uint64_t end) const;
  Member find(std::string_view name) const;
  Content inflate(const Member& member, std::string_view deflated, std::uint64_t most_bytes) const;

  Origin origin_;
  std::string_view bytes_;
  Directory directory_;
};

}  // namespace papilio::lda
