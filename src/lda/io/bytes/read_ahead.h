#pragma once

#include <cstddef>
#include <memory>

#include "lda/io/bytes/byte_source.h"

namespace papilio::lda {

// Reads a source on a thread of its own, up to `blocks` blocks of read_ahead_block bytes before they are requested, so
// that reading and decompression overlap with the work on what was read. The thread starts with the second block; if
// the system cannot start it, the source is read on request. What the source throws comes after the bytes before it.
// The source must not wait for others, as a pipe does: destroying this object waits for its read.
//
// If the source `unpacks`, its thread also reads for read_at_once: otherwise the decompressor's window would move from
// one core's cache to another's with every block.
std::unique_ptr<ByteSource> read_ahead(std::unique_ptr<ByteSource> source, std::size_t blocks, bool unpacks = false);

inline constexpr std::size_t read_ahead_block = std::size_t{1} << 20;

// How many blocks a reader of `block_bytes` at a time should have read ahead: as many as make two of its own, one that
// waits and one that is being read; none with one thread (of `threads`; 0: all), or if the limit leaves little room.
std::size_t blocks_ahead(const MemoryLimit& limit, std::size_t block_bytes, int threads);

}  // namespace papilio::lda
