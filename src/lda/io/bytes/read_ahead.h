#pragma once

#include <cstddef>
#include <memory>

#include "lda/io/bytes/byte_source.h"

namespace papilio::lda {

// Reads a source on a thread of its own, up to `blocks` blocks of read_ahead_block bytes before they are asked for, so
// that reading and decompression take place beside the work on what was read. The thread begins with the second block;
// where the system has none to give, the source is read as it is asked for. What the source throws comes after the
// bytes before it. The source must not wait for others, as a pipe does: the end of this object waits for its read.
//
// A source that `unpacks` is read by this thread for read_at_once, too: otherwise the decompressor's window would move
// from one core's cache to another's with every block.
std::unique_ptr<ByteSource> read_ahead(std::unique_ptr<ByteSource> source, std::size_t blocks, bool unpacks = false);

inline constexpr std::size_t read_ahead_block = std::size_t{1} << 20;

}  // namespace papilio::lda
