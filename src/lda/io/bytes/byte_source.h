#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <stdexcept>
#include <string>

#include "lda/io/bytes/memory_limit.h"
#include "lda/io/bytes/origin.h"

namespace papilio::lda {

// What is wrong with a compressed stream. Readers know the line that they have reached and make a FormatError of it.
// (Of a damaged zstd stream, the last bytes before the damage are not always given, so the line may be an earlier one.)
struct DamagedStream : std::runtime_error {
  using std::runtime_error::runtime_error;
};

// Bytes, one after the other.
class ByteSource {
 public:
  virtual ~ByteSource() = default;

  // Fills `data` with up to `capacity` > 0 bytes and returns how many; 0 only at
  // the end. Throws IoError, DamagedStream.
  virtual std::size_t read(char* data, std::size_t capacity) = 0;

  // The same, for those who work on other bytes meanwhile: no thread is begun to read a file for it.
  virtual std::size_t read_at_once(char* data, std::size_t capacity) { return read(data, capacity); }
};

// Bytes [begin, end) of a file, which begin and end where lines do; others read the rest.
struct FilePart {
  std::int64_t begin = 0;
  std::int64_t end = 0;
  std::int64_t lines_before = 0;
  std::string beginning = {};  // of the file, its first 4,096 bytes: they tell what kind of file it is
};

// Whether it is an ordinary file that is not compressed, of which parts can be read; false also where it cannot be
// read.
bool has_parts(const std::string& path);

// Opens a file or, for "-", standard input. A stream that begins as gzip or zstd
// does is decompressed on the way (members or frames one after the other are
// one stream); memory is bounded by 1 MiB and zstd's window of at most 128 MiB,
// which with a limit counts there and is at most half of what is left at the beginning.
// A stream that ends too early, or has other bytes after its end, is damaged.
// The limit, where there is one, must outlive the source. With more than one thread, a large file is read ahead of
// those who ask (read_ahead.h), where the limit leaves plenty of room: `blocks_ahead` blocks. A part (null: all) is
// that of a file which is not compressed. Reading throws Interrupted where the call that reads is told to stop.
std::unique_ptr<ByteSource> open_byte_source(const Origin& origin, MemoryLimit* limit = nullptr,
                                             std::size_t blocks_ahead = 0, const FilePart* part = nullptr);

}  // namespace papilio::lda
