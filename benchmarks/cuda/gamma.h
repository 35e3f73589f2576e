#pragma once

#include <cstdint>

// What the gamma draws are measured beside.

// Gamma draws as one would write them first: one thread per entry, Marsaglia and Tsang's loop, logf, expf, powf,
// sinf and cosf of the device, a cheap generator. Shapes are counts + prior; rows x columns, no gaps.
void queue_plain_gammas(const std::int32_t* counts, float prior, std::int64_t entries, std::uint32_t seed,
                        float* drawn);

// Writes 0 everywhere.
void queue_fill(float* to, std::int64_t entries);
