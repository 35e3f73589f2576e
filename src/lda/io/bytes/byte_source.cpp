#include "lda/io/bytes/byte_source.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <sys/types.h>
#include <unistd.h>
#include <zlib.h>
#include <zstd.h>
#include <zstd_errors.h>

#include <algorithm>
#include <cerrno>
#include <cstdint>
#include <cstring>
#include <limits>
#include <new>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "execution/cpu/interruption.h"
#include "lda/io/bytes/read_ahead.h"
#include "papilio/error.h"

namespace papilio::lda {
namespace {

constexpr std::size_t block_bytes = std::size_t{1} << 18;
constexpr off_t least_bytes_ahead = off_t{1} << 18;

class FileSource : public ByteSource {
 public:
  explicit FileSource(const Origin& origin, const FilePart* part) : origin_(origin) {
    if (origin.path == "-") {
      file_ = STDIN_FILENO;
      return;
    }
    file_ = ::open(origin.path.c_str(), O_RDONLY | O_CLOEXEC);
    if (file_ < 0) origin_.io_error("open", errno);
    if (part == nullptr) return;
    left_ = part->end - part->begin;
    if (::lseek(file_, part->begin, SEEK_SET) < 0) {
      const int code = errno;
      ::close(file_);
      origin_.io_error("read", code);
    }
  }

  ~FileSource() override {
    if (file_ != STDIN_FILENO) ::close(file_);
  }
  FileSource(const FileSource&) = delete;
  FileSource& operator=(const FileSource&) = delete;

  // Whether it is an ordinary file, whose reads never block, and large enough for a thread of its own.
  bool is_large() const {
    struct stat found = {};
    return ::fstat(file_, &found) == 0 && S_ISREG(found.st_mode) && found.st_size >= least_bytes_ahead;
  }

  std::size_t read(char* data, std::size_t capacity) override {
    while (true) {
      const ssize_t got = ::read(file_, data, std::min(capacity, static_cast<std::size_t>(left_)));
      if (got >= 0) {
        left_ -= got;
        return static_cast<std::size_t>(got);
      }
      if (errno != EINTR) origin_.io_error("read", errno);
    }
  }

 private:
  Origin origin_;
  int file_;
  std::int64_t left_ = std::numeric_limits<std::int64_t>::max();  // bytes left of the part
};

// A source that is read in blocks, and whose next bytes can be seen before they are taken.
class BufferedSource : public ByteSource {
 public:
  explicit BufferedSource(std::unique_ptr<ByteSource> source)
      : source_(std::move(source)), buffer_(std::make_unique_for_overwrite<char[]>(block_bytes)) {}

  // The next bytes: at least `least` of them, unless the source ends sooner.
  std::string_view peek(std::size_t least) {
    if (end_ - begin_ < least) {
      std::memmove(buffer_.get(), buffer_.get() + begin_, end_ - begin_);
      end_ -= begin_;
      begin_ = 0;
      while (end_ < least) {
        const std::size_t got = source_->read(buffer_.get() + end_, block_bytes - end_);
        if (got == 0) break;
        end_ += got;
      }
    }
    return {buffer_.get() + begin_, end_ - begin_};
  }

  void take(std::size_t bytes) { begin_ += bytes; }

  std::size_t read(char* data, std::size_t capacity) override {
    if (begin_ == end_) return source_->read(data, capacity);
    const std::size_t bytes = std::min(capacity, end_ - begin_);
    std::memcpy(data, buffer_.get() + begin_, bytes);
    begin_ += bytes;
    return bytes;
  }

 private:
  std::unique_ptr<ByteSource> source_;
  std::unique_ptr<char[]> buffer_;
  std::size_t begin_ = 0;
  std::size_t end_ = 0;
};

bool begins_as_gzip(std::string_view bytes) { return bytes.starts_with("\x1f\x8b"); }

// The beginning of a frame, or of a skippable frame, whose number ends in 0x50 to 0x5f.
bool begins_as_zstd(std::string_view bytes) {
  return bytes.starts_with("\x28\xb5\x2f\xfd") ||
         (bytes.size() >= 4 && (static_cast<unsigned char>(bytes[0]) & 0xf0) == 0x50 &&
          bytes.substr(1, 3) == "\x2a\x4d\x18");
}

class GzipSource : public ByteSource {
 public:
  explicit GzipSource(std::unique_ptr<BufferedSource> source) : source_(std::move(source)) {
    constexpr int gzip_only = 16;
    if (inflateInit2(&stream_, MAX_WBITS + gzip_only) != Z_OK) throw std::bad_alloc();
  }
  ~GzipSource() override { inflateEnd(&stream_); }
  GzipSource(const GzipSource&) = delete;
  GzipSource& operator=(const GzipSource&) = delete;

  std::size_t read(char* data, std::size_t capacity) override {
    stream_.next_out = reinterpret_cast<Bytef*>(data);
    stream_.avail_out = static_cast<uInt>(std::min<std::size_t>(capacity, UINT32_MAX));
    const std::size_t room = stream_.avail_out;
    while (stream_.avail_out == room) {
      if (!damage_.empty()) throw DamagedStream(damage_);
      if (between_members_ && !next_member()) return 0;
      inflate_some();
    }
    return room - stream_.avail_out;
  }

 private:
  // Returns false at the end of the stream.
  bool next_member() {
    const std::string_view input = source_->peek(2);
    if (input.empty()) return false;
    if (!begins_as_gzip(input)) throw DamagedStream("gzip stream is followed by other bytes");
    inflateReset(&stream_);
    between_members_ = false;
    return true;
  }

  void inflate_some() {
    const std::string_view input = source_->peek(1);
    stream_.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(input.data()));
    stream_.avail_in = static_cast<uInt>(input.size());
    const int status = inflate(&stream_, Z_NO_FLUSH);
    source_->take(input.size() - stream_.avail_in);
    if (status == Z_MEM_ERROR) throw std::bad_alloc();
    // Damage is reported after the bytes before it have been returned, so that the reader knows its line.
    if (status == Z_BUF_ERROR && input.empty()) {
      damage_ = "gzip stream ends too early";
    } else if (status != Z_OK && status != Z_STREAM_END && status != Z_BUF_ERROR) {
      damage_ = fmt::format("damaged gzip stream: {}", stream_.msg != nullptr ? stream_.msg : "preset dictionary");
    }
    between_members_ = status == Z_STREAM_END;
  }

  std::unique_ptr<BufferedSource> source_;
  z_stream stream_ = {};
  bool between_members_ = true;
  std::string damage_;  // empty: none so far
};

class ZstdSource : public ByteSource {
 public:
  ZstdSource(std::unique_ptr<BufferedSource> source, MemoryLimit* limit)
      : source_(std::move(source)), stream_(ZSTD_createDStream()) {
    if (stream_ == nullptr) throw std::bad_alloc();
    if (limit == nullptr) return;
    memory_.emplace(*limit);
    while (window_log_ > least_window_log && std::int64_t{2} << window_log_ > limit->left()) --window_log_;
    ZSTD_DCtx_setParameter(stream_, ZSTD_d_windowLogMax, window_log_);
  }
  ~ZstdSource() override { ZSTD_freeDStream(stream_); }
  ZstdSource(const ZstdSource&) = delete;
  ZstdSource& operator=(const ZstdSource&) = delete;

  std::size_t read(char* data, std::size_t capacity) override {
    ZSTD_outBuffer output = {data, capacity, 0};
    while (output.pos == 0) {
      const std::string_view bytes = source_->peek(1);
      if (bytes.empty() && between_frames_) return 0;
      ZSTD_inBuffer input = {bytes.data(), bytes.size(), 0};
      const std::size_t status = ZSTD_decompressStream(stream_, &output, &input);
      if (ZSTD_isError(status)) refuse(status);
      source_->take(input.pos);
      between_frames_ = status == 0;
      if (bytes.empty() && output.pos == 0 && !between_frames_) throw DamagedStream("zstd stream ends too early");
    }
    count_memory();
    return output.pos;
  }

 private:
  static constexpr int most_window_log = 27;
  static constexpr int least_window_log = 17;  // the window of a block; what it takes is too little to count

  [[noreturn]] void refuse(std::size_t status) const {
    if (ZSTD_getErrorCode(status) != ZSTD_error_frameParameter_windowTooLarge) {
      throw DamagedStream(fmt::format("damaged zstd stream: {}", ZSTD_getErrorName(status)));
    }
    throw DamagedStream(fmt::format(
        "zstd stream that needs more than {} bytes of memory for its window{}", std::int64_t{1} << window_log_,
        window_log_ == most_window_log ? ", the largest that is read (compress it without --ultra and --long)"
                                       : "; raise the limit for reading with max_memory (--max-memory)"));
  }

  void count_memory() {
    const auto bytes = static_cast<std::int64_t>(ZSTD_sizeof_DStream(stream_));
    if (memory_ && !memory_->set(std::max(bytes - uncounted_bytes, std::int64_t{0}))) {
      throw DamagedStream(
          fmt::format("zstd stream that needs more than the memory left for reading, {} of {} bytes; "
                      "raise the limit with max_memory (--max-memory)",
                      memory_->limit().left(), memory_->limit().bytes()));
    }
  }

  std::unique_ptr<BufferedSource> source_;
  ZSTD_DStream* stream_;
  int window_log_ = most_window_log;
  std::optional<MemoryShare> memory_;
  bool between_frames_ = true;
};

// The source that a call reads from, whatever thread reads the file: reading ends if the call is told to stop.
class StoppableSource : public ByteSource {
 public:
  explicit StoppableSource(std::unique_ptr<ByteSource> source) : source_(std::move(source)) {}

  std::size_t read(char* data, std::size_t capacity) override {
    execution::stop_point();
    return source_->read(data, capacity);
  }
  std::size_t read_at_once(char* data, std::size_t capacity) override {
    execution::stop_point();
    return source_->read_at_once(data, capacity);
  }

 private:
  std::unique_ptr<ByteSource> source_;
};

std::unique_ptr<ByteSource> decompressed(std::unique_ptr<BufferedSource> source, MemoryLimit* limit) {
  const std::string_view beginning = source->peek(4);
  if (begins_as_gzip(beginning)) return std::make_unique<GzipSource>(std::move(source));
  if (begins_as_zstd(beginning)) return std::make_unique<ZstdSource>(std::move(source), limit);
  return source;
}

}  // namespace

bool has_parts(const std::string& path) {
  struct stat found = {};
  if (path == "-" || ::stat(path.c_str(), &found) != 0 || !S_ISREG(found.st_mode)) return false;
  try {
    BufferedSource source(std::make_unique<FileSource>(Origin{"papilio::has_parts", path}, nullptr));
    const std::string_view beginning = source.peek(4);
    return !begins_as_gzip(beginning) && !begins_as_zstd(beginning);
  } catch (const IoError&) {
    return false;
  }
}

std::unique_ptr<ByteSource> open_byte_source(const Origin& origin, MemoryLimit* limit, std::size_t blocks_ahead,
                                             const FilePart* part) {
  auto file = std::make_unique<FileSource>(origin, part);
  const bool is_large = blocks_ahead > 0 && file->is_large();
  std::unique_ptr<ByteSource> source = std::move(file);
  bool unpacks = false;
  if (part == nullptr) {
    auto packed = std::make_unique<BufferedSource>(std::move(source));
    const ByteSource* const plain = packed.get();
    source = decompressed(std::move(packed), limit);
    unpacks = source.get() != plain;
  }
  if (is_large) source = read_ahead(std::move(source), blocks_ahead, unpacks);
  return std::make_unique<StoppableSource>(std::move(source));
}

}  // namespace papilio::lda
