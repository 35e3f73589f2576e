#include "lda/io/bytes/zip_writer.h"

#include <zlib.h>

namespace papilio::lda {
namespace {

constexpr std::uint64_t version = 45;  // of the zip format: the first with Zip64
constexpr std::uint64_t in_large_field = 0xffffffff;
constexpr std::uint64_t new_year_1980 = 1 << 5 | 1;

// A record of little-endian numbers.
class Record {
 public:
  Record& number(std::uint64_t value, int bytes) {
    for (int i = 0; i < bytes; ++i) bytes_ += static_cast<char>(value >> (8 * i) & 0xff);
    return *this;
  }
  Record& text(std::string_view text) {
    bytes_ += text;
    return *this;
  }
  std::string_view bytes() const { return bytes_; }

 private:
  std::string bytes_;
};

// The common beginning of a member's headers: from the version to the length of the name.
void begin_member(Record& record, std::uint32_t check_sum, std::size_t name_bytes) {
  record.number(version, 2).number(0, 2).number(0, 2).number(0, 2).number(new_year_1980, 2).number(check_sum, 4);
  record.number(in_large_field, 4).number(in_large_field, 4).number(name_bytes, 2);
}

}  // namespace

void ZipWriter::write(std::string_view bytes) {
  file_.write(bytes);
  written_ += bytes.size();
}

void ZipWriter::add(const std::string& name, std::string_view content) {
  const auto sum = crc32_z(0, reinterpret_cast<const Bytef*>(content.data()), static_cast<z_size_t>(content.size()));
  members_.push_back({name, static_cast<std::uint32_t>(sum), content.size(), written_});
  Record header;
  header.number(0x04034b50, 4);
  begin_member(header, members_.back().check_sum, name.size());
  header.number(20, 2).text(name);
  header.number(1, 2).number(16, 2).number(content.size(), 8).number(content.size(), 8);
  write(header.bytes());
  write(content);
}

void ZipWriter::finish() {
  const std::uint64_t directory = written_;
  for (const Member& member : members_) {
    Record entry;
    entry.number(0x02014b50, 4).number(version, 2);
    begin_member(entry, member.check_sum, member.name.size());
    entry.number(28, 2).number(0, 2).number(0, 2).number(0, 2).number(0, 4).number(in_large_field, 4);
    entry.text(member.name);
    entry.number(1, 2).number(24, 2).number(member.bytes, 8).number(member.bytes, 8).number(member.begin, 8);
    write(entry.bytes());
  }
  const std::uint64_t end = written_;
  Record record;
  record.number(0x06064b50, 4).number(44, 8).number(version, 2).number(version, 2).number(0, 4).number(0, 4);
  record.number(members_.size(), 8).number(members_.size(), 8).number(end - directory, 8).number(directory, 8);
  record.number(0x07064b50, 4).number(0, 4).number(end, 8).number(1, 4);
  record.number(0x06054b50, 4).number(0, 2).number(0, 2).number(members_.size(), 2).number(members_.size(), 2);
  record.number(in_large_field, 4).number(in_large_field, 4).number(0, 2);
  write(record.bytes());
}

}  // namespace papilio::lda
