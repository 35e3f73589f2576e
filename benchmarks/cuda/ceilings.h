#pragma once

#include <cstdint>
#include <functional>
#include <string>

#include "device.h"

// Kernels that only move memory: what no draw can be faster than. They are
// queued on stream(); `sink` is one word that keeps the reads from being left out.

// Copies `bytes`, a multiple of 16.
void queue_copy(void* to, const void* from, std::int64_t bytes);

// Reading by the fastest of several kernels, that kernel's name, and the names of those that read other words than the
// first one does.
struct FastestRead {
  std::string way, wrong;
  Timing timing;
};

// Times every kernel that reads `bytes`, a multiple of 16, on memory(0), memory(1), ... in turns.
FastestRead fastest_read(const std::function<const void*(int)>& memory, std::int64_t bytes, std::uint32_t* sink);

// Reads `count` rows of `row_bytes` (512, 1024 or 4096), picked at random from
// the first `rows` rows, past the L1 cache.
void queue_random_rows(const void* from, std::int64_t row_bytes, std::int64_t rows, std::int64_t count,
                       std::uint32_t* sink);

// The streaming floor of a draw: reads row words[t] of a matrix for every token t
// and draws nothing. Rows follow one another and are multiples of 16 bytes;
// `lanes` (4, 8, 16 or 32) of a warp share a row.
void queue_token_rows(const void* matrix, std::int64_t row_bytes, const std::int32_t* words, std::int64_t tokens,
                      int lanes, std::uint32_t* sink);
