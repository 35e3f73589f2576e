#include "lda/io/bytes/gzip_file.h"

#include <zlib.h>

#include <array>
#include <limits>
#include <new>
#include <utility>

namespace papilio::lda {

struct GzipFile::Stream {
  z_stream z = {};
  std::array<char, std::size_t{1} << 16> out;
};

GzipFile::GzipFile(const std::string& path, std::string caller)
    : file_(path, std::move(caller)), stream_(std::make_unique<Stream>()) {
  constexpr int window_bits = 15 + 16;  // 16: a gzip header
  constexpr int memory_level = 8;
  if (deflateInit2(&stream_->z, Z_DEFAULT_COMPRESSION, Z_DEFLATED, window_bits, memory_level, Z_DEFAULT_STRATEGY) !=
      Z_OK) {
    throw std::bad_alloc();
  }
}

GzipFile::~GzipFile() { deflateEnd(&stream_->z); }

void GzipFile::write(std::string_view text) {
  constexpr std::size_t most = std::numeric_limits<uInt>::max();
  for (; !text.empty(); text.remove_prefix(std::min(most, text.size()))) {
    deflate(text.substr(0, most), Z_NO_FLUSH);
  }
}

void GzipFile::commit() {
  deflate({}, Z_FINISH);
  file_.commit();
}

void GzipFile::deflate(std::string_view text, int flush) {
  z_stream& z = stream_->z;
  z.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(text.data()));  // zlib only reads it
  z.avail_in = static_cast<uInt>(text.size());
  do {
    z.next_out = reinterpret_cast<Bytef*>(stream_->out.data());
    z.avail_out = static_cast<uInt>(stream_->out.size());
    ::deflate(&z, flush);
    file_.write(stream_->out.data(), stream_->out.size() - z.avail_out);
  } while (z.avail_out == 0);
}

}  // namespace papilio::lda
