#include "lda/io/bytes/byte_source.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>

#include "input_file.h"

namespace {

constexpr std::size_t most_bytes = std::size_t{1} << 22;  // enough of a stream that expands without end

enum class End { whole, damaged, stopped };

struct Read {
  std::string bytes;
  End end;
};

Read read_all(const std::string& path, std::size_t step) {
  Read read = {"", End::stopped};
  std::string block(step, '\0');
  try {
    const auto source = papilio::lda::open_byte_source({"fuzz", path});
    while (read.bytes.size() < most_bytes) {
      const std::size_t got = source->read(block.data(), block.size());
      require(got <= step);
      if (got == 0) {
        read.end = End::whole;
        break;
      }
      read.bytes.append(block, 0, got);
    }
  } catch (const papilio::lda::DamagedStream&) {
    read.end = End::damaged;
  }
  return read;
}

}  // namespace

// Whatever the steps: the same bytes as far as both come, and the same verdict on a stream read to its end.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const InputFile file(as_text(data, size));
  const Read large = read_all(file.path(), 1 << 16);
  const Read small = read_all(file.path(), 977);
  const std::size_t both = std::min(large.bytes.size(), small.bytes.size());
  require(large.bytes.compare(0, both, small.bytes, 0, both) == 0);
  if (large.end == End::whole && small.end != End::stopped) require(small.end == End::whole);
  if (small.end == End::whole && large.end != End::stopped) require(large.end == End::whole);
  if (large.end == End::whole && small.end == End::whole) require(large.bytes.size() == small.bytes.size());
  return 0;
}
