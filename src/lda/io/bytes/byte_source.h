#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <stdexcept>
#include <string>

#include "lda/io/bytes/memory_limit.h"
#include "lda/io/bytes/origin.h"

namespace papilio::lda {

// What is wrong with a compressed stream. Readers know the line that they have reached and turn it into a FormatError.
// (For a damaged zstd stream the last bytes before the damage may be missing, so the line may be an earlier one.)
struct DamagedStream : std::runtime_error {
  using std::runtime_error::runtime_error;
};

// A sequence of bytes.
class ByteSource {
 public:
  virtual ~ByteSource() = default;

  // Fills `data` with up to `capacity` > 0 bytes and returns how many; 0 only at
  // the end. Throws IoError, DamagedStream.
  virtual std::size_t read(char* data, std::size_t capacity) = 0;

  // The same for a caller that works on other bytes meanwhile: it starts no thread that reads the file ahead.
  virtual std::size_t read_at_once(char* data, std::size_t capacity) { return read(data, capacity); }
};

// Bytes [begin, end) of a file, which begin and end at line boundaries; other readers have the rest.
struct FilePart {
  std::int64_t begin = 0;
  std::int64_t end = 0;
  std::int64_t lines_before = 0;
  std::string beginning = {};  // the file's first 4,096 bytes, which tell what kind of file it is
};

// Whether it is an ordinary, uncompressed file, of which
// parts can be read; false also if it cannot be read at all.
bool has_parts(const std::string& path);

// Opens a file or, for "-", standard input. A stream that begins as gzip or zstd does is
// decompressed; consecutive members or frames are one stream. Memory is at most 1 MiB plus
// zstd's window of at most 128 MiB. With a limit, the window counts towards it and is at
// most half of what was left at the beginning. A stream that ends too early, or is followed
// by other bytes, is damaged. The limit must outlive the source. With blocks_ahead > 0, a
// thread reads a large file that many blocks ahead (read_ahead.h); callers ask for this if
// they have several threads and the limit leaves plenty of room. A part (null: all) is of
// an uncompressed file. Reading throws Interrupted if the calling function is told to stop.
std::unique_ptr<ByteSource> open_byte_source(const Origin& origin, MemoryLimit* limit = nullptr,
                                             std::size_t blocks_ahead = 0, const FilePart* part = nullptr);

}  // namespace papilio::lda
