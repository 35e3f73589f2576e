#pragma once

#include <cstdint>

// Weights on the device, and a look at what was drawn from them. T is float,
// double, papilio::BFloat16, Float8E4M3FN or Float8E5M2. Everything is queued
// on stream().

// Fills rows x categories: many small weights and a few large ones; from 16
// categories on one in sixteen is 0, so that drawing it would show.
template <class T>
void fill_weights(T* weights, std::int64_t rows, std::int64_t categories, std::uint32_t seed);

// Copies the picked rows, one after the other.
template <class T>
void gather_rows(T* to, const T* matrix, std::int64_t categories, const std::int32_t* picked, std::int64_t count);

// How many entries of `drawn` are out of range or have no positive weight. Waits.
template <class T>
std::int64_t bad_dense_draws(const T* weights, std::int64_t rows, std::int64_t categories, const std::int32_t* drawn);
template <class T>
std::int64_t bad_token_draws(const T* theta, const T* phi, std::int64_t topics, const std::int32_t* documents,
                             const std::int32_t* words, std::int64_t tokens, const std::int32_t* drawn);
