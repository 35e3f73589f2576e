#include "lda/io/bytes/zip_archive.h"

#include <fmt/format.h>
#include <zlib.h>

#include <algorithm>
#include <new>

namespace papilio::lda {
namespace {

// The records of a zip archive (PKWARE's APPNOTE, 4.3), by their first four bytes.
constexpr std::uint64_t member_header = 0x04034b50;
constexpr std::uint64_t directory_header = 0x02014b50;
constexpr std::uint64_t directory_end = 0x06054b50;
constexpr std::uint64_t large_directory_end = 0x06064b50;  // Zip64
constexpr std::uint64_t large_directory_locator = 0x07064b50;

constexpr std::uint64_t directory_end_bytes = 22;
constexpr std::uint64_t locator_bytes = 20;
constexpr std::uint64_t longest_comment = 0xffff;
constexpr std::uint64_t in_large_field = 0xffffffff;  // "see the Zip64 field"

std::uint32_t check_sum_of(std::string_view bytes) {
  return static_cast<std::uint32_t>(
      crc32_z(0, reinterpret_cast<const Bytef*>(bytes.data()), static_cast<z_size_t>(bytes.size())));
}

}  // namespace

ZipArchive::ZipArchive(const Origin& origin, std::string_view bytes) : origin_(origin), bytes_(bytes) {
  directory_ = find_directory();
  each_member([](const Member&) {});  // reading an entry checks it
}

// Numbers are little-endian.
std::uint64_t ZipArchive::number(std::uint64_t at, int bytes) const {
  const std::string_view text = part(at, static_cast<std::uint64_t>(bytes));
  std::uint64_t value = 0;
  for (int i = bytes - 1; i >= 0; --i)
    value = value << 8 | static_cast<unsigned char>(text[static_cast<std::size_t>(i)]);
  return value;
}

std::string_view ZipArchive::part(std::uint64_t at, std::uint64_t bytes) const {
  if (at > bytes_.size() || bytes > bytes_.size() - at) {
    refuse(fmt::format("zip archive of {} bytes, but {} bytes are expected at byte {}", bytes_.size(), bytes, at));
  }
  return bytes_.substr(at, bytes);
}

// The end of the directory is the end of the archive, except for a comment.
ZipArchive::Directory ZipArchive::find_directory() const {
  if (bytes_.size() >= directory_end_bytes) {
    const std::uint64_t last = bytes_.size() - directory_end_bytes;
    const std::uint64_t first = last - std::min(last, longest_comment);
    for (std::uint64_t at = last + 1; at-- > first;) {
      if (bytes_[at] != 'P' || number(at, 4) != directory_end || number(at + 20, 2) != last - at) continue;
      if (at >= locator_bytes && number(at - locator_bytes, 4) == large_directory_locator) {
        return find_large_directory(at - locator_bytes);
      }
      return {number(at + 16, 4), number(at + 10, 2)};
    }
  }
  refuse("expected a zip archive, found no end of its directory");
}

ZipArchive::Directory ZipArchive::find_large_directory(std::uint64_t locator) const {
  const std::uint64_t at = number(locator + 8, 8);
  if (number(at, 4) != large_directory_end)
    refuse("damaged zip archive: its Zip64 directory is not where it should be");
  return {number(at + 48, 8), number(at + 32, 8)};
}

// Reads a member's entry in the directory, and goes on to the next one.
ZipArchive::Member ZipArchive::read_member(std::uint64_t& at) const {
  if (number(at, 4) != directory_header) {
    refuse(fmt::format("damaged zip archive: no entry of the directory at byte {}", at));
  }
  Member member;
  member.flags = static_cast<std::uint32_t>(number(at + 8, 2));
  member.method = static_cast<std::uint32_t>(number(at + 10, 2));
  member.check_sum = static_cast<std::uint32_t>(number(at + 16, 4));
  member.stored_bytes = number(at + 20, 4);
  member.bytes = number(at + 24, 4);
  member.header = number(at + 42, 4);
  const std::uint64_t name_bytes = number(at + 28, 2);
  const std::uint64_t extra_bytes = number(at + 30, 2);
  const std::uint64_t comment_bytes = number(at + 32, 2);
  member.name = part(at + 46, name_bytes);
  const std::uint64_t extra = at + 46 + name_bytes;
  part(extra, extra_bytes + comment_bytes);
  read_large_numbers(member, extra, extra + extra_bytes);
  at = extra + extra_bytes + comment_bytes;
  return member;
}

void ZipArchive::each_member(base::FunctionRef<void(const Member&)> use) const {
  std::uint64_t at = directory_.begin;
  for (std::uint64_t i = 0; i < directory_.members; ++i) use(read_member(at));
}

// The Zip64 field has those of the numbers that did not fit, in this order.
void ZipArchive::read_large_numbers(Member& member, std::uint64_t at, std::uint64_t end) const {
  constexpr std::uint64_t large_numbers = 1;
  for (; at + 4 <= end; at += 4 + number(at + 2, 2)) {
    if (number(at, 2) != large_numbers) continue;
    std::uint64_t next = at + 4;
    for (std::uint64_t* value : {&member.bytes, &member.stored_bytes, &member.header}) {
      if (*value != in_large_field) continue;
      if (next + 8 > end)
        refuse(fmt::format("damaged zip archive: member {} lacks its size", lda::quoted(member.name)));
      *value = number(next, 8);
      next += 8;
    }
    return;
  }
}

bool ZipArchive::has(std::string_view name) const {
  bool found = false;
  each_member([&](const Member& member) { found = found || member.name == name; });
  return found;
}

ZipArchive::Member ZipArchive::find(std::string_view name) const {
  Member found;
  std::uint64_t count = 0;
  each_member([&](const Member& member) {
    if (member.name != name) return;
    found = member;
    ++count;
  });
  if (count == 0) refuse(fmt::format("expected a member {} of the zip archive, found none", name));
  if (count > 1) refuse(fmt::format("expected one member {} of the zip archive, found several", name));
  return found;
}

ZipArchive::Content ZipArchive::read(std::string_view name, std::int64_t most_bytes) const {
  const Member member = find(name);
  constexpr std::uint32_t encrypted = 1;
  constexpr std::uint32_t stored = 0;
  constexpr std::uint32_t deflated = 8;
  if ((member.flags & encrypted) != 0) refuse(fmt::format("{} is encrypted", name));
  if (member.method != stored && member.method != deflated) {
    refuse(fmt::format("{} is compressed by method {}, expected 0 (stored) or 8 (deflated)", name, member.method));
  }
  if (number(member.header, 4) != member_header) {
    refuse(fmt::format("damaged zip archive: {} does not begin at byte {}", name, member.header));
  }
  const std::uint64_t begin = member.header + 30 + number(member.header + 26, 2) + number(member.header + 28, 2);
  const std::string_view bytes = part(begin, member.stored_bytes);
  Content content = member.method == stored
                        ? Content(bytes)
                        : inflate(member, bytes, static_cast<std::uint64_t>(std::max<std::int64_t>(most_bytes, 0)));
  if (content.bytes().size() != member.bytes) {
    refuse(
        fmt::format("damaged zip archive: {} holds {} bytes, expected {}", name, content.bytes().size(), member.bytes));
  }
  if (check_sum_of(content.bytes()) != member.check_sum) {
    refuse(fmt::format("damaged zip archive: the checksum of {} is wrong", name));
  }
  return content;
}

// The size in the directory is only a claim; memory that is not written to is not taken.
ZipArchive::Content ZipArchive::inflate(const Member& member, std::string_view deflated,
                                        std::uint64_t most_bytes) const {
  constexpr std::size_t most_at_once = std::size_t{1} << 30;  // zlib counts in 32 bits
  constexpr std::uint64_t largest_ratio = 1032;               // of deflate
  if (member.bytes > most_bytes) {
    refuse(
        fmt::format("{} inflates to more than {} bytes, the memory that is left (raise it with max_memory, "
                    "--max-memory)",
                    member.name, most_bytes));
  }
  if (member.bytes / largest_ratio > deflated.size()) {
    refuse(fmt::format("damaged zip archive: {} holds {} bytes, expected {}, more than deflate can make of them",
                       member.name, deflated.size(), member.bytes));
  }
  z_stream stream = {};
  if (inflateInit2(&stream, -MAX_WBITS) != Z_OK) throw std::bad_alloc();
  const struct End {
    z_stream* stream;
    ~End() { inflateEnd(stream); }
  } end = {&stream};
  const std::size_t capacity = member.bytes + 1;  // one more byte shows whether there is more
  auto out = std::make_unique_for_overwrite<char[]>(capacity);
  std::size_t size = 0;
  int status = Z_OK;
  while (status == Z_OK) {
    const std::size_t room = std::min(capacity - size, most_at_once);
    const std::size_t input = std::min(deflated.size(), most_at_once);
    stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(deflated.data()));
    stream.avail_in = static_cast<uInt>(input);
    stream.next_out = reinterpret_cast<Bytef*>(out.get() + size);
    stream.avail_out = static_cast<uInt>(room);
    status = ::inflate(&stream, Z_NO_FLUSH);
    if (status == Z_MEM_ERROR) throw std::bad_alloc();
    deflated.remove_prefix(input - stream.avail_in);
    size += room - stream.avail_out;
    if (size > member.bytes) {
      refuse(fmt::format("damaged zip archive: {} holds more than the expected {} bytes", member.name, member.bytes));
    }
  }
  if (status != Z_STREAM_END) {
    refuse(fmt::format("damaged zip archive: {}: {}", member.name,
                       stream.msg != nullptr ? stream.msg : "it ends too early"));
  }
  return {std::move(out), size};
}

}  // namespace papilio::lda
