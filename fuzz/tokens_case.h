#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>
#include <string_view>
#include <vector>

#include "papilio/tokens.h"

// A call of sample_tokens or verify_draft as a fuzzer's bytes give it.

namespace papilio::fuzz_tokens {

// The input, again from its front after its end.
class Bytes {
 public:
  explicit Bytes(std::string_view bytes) : bytes_(bytes) {}

  template <class T>
  T take() {
    T value;
    char raw[sizeof(T)];
    for (char& byte : raw) byte = bytes_[next_++ % bytes_.size()];
    std::memcpy(&value, raw, sizeof value);
    return value;
  }
  // 0 to n - 1.
  std::int64_t below(std::int64_t n) { return take<std::uint8_t>() % n; }
  bool flag() { return below(2) == 1; }

 private:
  std::string_view bytes_;
  std::size_t next_ = 0;
};

template <class T>
float as_float(T x) {
  if constexpr (sizeof(T) == 4)
    return x;
  else
    return to_float(x);
}

// Logits with gaps between them, of any strides that address memory of their own.
template <class T>
struct StridedLogits {
  std::vector<T> memory;
  std::int64_t first = 0;
  std::int64_t rows, columns, row_stride, column_stride;

  StridedLogits(Bytes& bytes, std::int64_t row_count, std::int64_t column_count)
      : rows(row_count), columns(column_count) {
    const std::int64_t kind = bytes.below(5);
    column_stride = kind == 1 ? 2 : kind == 2 ? -1 : 1;
    row_stride = kind == 3 ? 0 : columns * std::abs(column_stride) + (kind == 4 ? 3 : 0);
    if (bytes.flag()) row_stride = -row_stride;
    const std::int64_t across = (rows - 1) * row_stride, along = (columns - 1) * column_stride;
    first = -std::min<std::int64_t>(across, 0) - std::min<std::int64_t>(along, 0);
    memory.resize(static_cast<std::size_t>(std::abs(across) + std::abs(along) + 1));
    const std::int64_t values = bytes.below(3);
    for (T& x : memory) x = value(bytes, values);
  }

  MatrixView<const T> view() const { return {memory.data() + first, rows, columns, row_stride, column_stride}; }
  MatrixView<const T> one_row(std::int64_t i) const {
    return {memory.data() + first + i * row_stride, 1, columns, columns, column_stride};
  }
  std::vector<float> row(std::int64_t i) const {
    std::vector<float> of_row;
    for (std::int64_t k = 0; k < columns; ++k)
      of_row.push_back(as_float(memory[static_cast<std::size_t>(first + i * row_stride + k * column_stride)]));
    return of_row;
  }

 private:
  // Any bits, or numbers with ties, or numbers with -infinity.
  static T value(Bytes& bytes, std::int64_t kind) {
    if (kind == 0) return bytes.take<T>();
    const auto byte = bytes.take<std::int8_t>();
    const float x =
        kind == 2 && byte == -128 ? -std::numeric_limits<float>::infinity() : static_cast<float>(byte) / 16.0f;
    if constexpr (sizeof(T) == 4)
      return x;
    else if constexpr (std::is_same_v<T, Half>)
      return to_half(x);
    else
      return to_bfloat16(x);
  }
};

// Filters, masks and biases, and the number that a draw starts from.
struct Choices {
  std::vector<float> temperature, top_p, min_p, bias_values;
  std::vector<std::int32_t> top_k, bias_categories;
  std::vector<std::uint32_t> allowed;
  std::vector<std::int64_t> bias_offsets;
  std::int64_t rows, words;
  bool joint;
  std::uint64_t seed, stream, position;
  int threads;  // of the batch that must be as that of one thread

  Choices(Bytes& bytes, std::int64_t row_count, std::int64_t columns) : rows(row_count), words((columns + 31) / 32) {
    joint = bytes.flag();
    threads = 1 + static_cast<int>(bytes.below(8)) / 5 * 2;
    seed = bytes.take<std::uint16_t>();
    stream = static_cast<std::uint64_t>(bytes.below(3));
    position = bytes.flag() ? bytes.take<std::uint64_t>() : 7;
    const float good_temperatures[] = {1, 0.7f, 0, 1e-6f, 1e6f, 0x1p-100f, 0x1p100f};
    const float good_shares[] = {1, 0, 0.9f, 0.5f, 1e-9f, 0.999f, 0x1p-149f};
    const auto given = static_cast<unsigned>(bytes.below(64));
    for (std::int64_t i = 0; i < rows; ++i) {
      if (given & 1) temperature.push_back(number(bytes, good_temperatures));
      if (given & 2) top_p.push_back(number(bytes, good_shares));
      if (given & 4) min_p.push_back(number(bytes, good_shares));
      if (given & 8) top_k.push_back(bytes.below(16) == 15 ? bytes.take<std::int32_t>() : bytes.take<std::uint8_t>());
    }
    if (given & 16)
      for (std::int64_t n = 0; n < rows * words; ++n) allowed.push_back(bytes.take<std::uint32_t>());
    if (given & 32) make_bias(bytes, columns);
  }

  TokenFilters filters() const {
    TokenFilters made;
    if (!temperature.empty()) made.temperature = VectorView<const float>(temperature);
    if (!top_p.empty()) made.top_p = VectorView<const float>(top_p);
    if (!min_p.empty()) made.min_p = VectorView<const float>(min_p);
    if (!top_k.empty()) made.top_k = VectorView<const std::int32_t>(top_k);
    made.joint = joint;
    if (!allowed.empty()) made.allowed = {allowed.data(), rows, words};
    if (!bias_offsets.empty()) {
      made.bias_offsets = bias_offsets;
      made.bias_categories = bias_categories;
      made.bias_values = bias_values;
    }
    return made;
  }

  // Those of row i alone. An offset that is out of range stays so.
  TokenFilters of_row(std::int64_t i) const {
    TokenFilters made = filters();
    const auto one = [&](auto& values) {
      if (!values.values.empty()) values.values = {values.values.data + i, 1};
    };
    one(made.temperature), one(made.top_p), one(made.min_p), one(made.top_k);
    if (!allowed.empty()) made.allowed = {allowed.data() + i * words, 1, words};
    if (!bias_offsets.empty()) made.bias_offsets = {bias_offsets.data() + i, 2};
    return made;
  }

  TokenOptions options(int cpu_threads) const {
    return {.seed = seed, .stream = stream, .first_position = position, .threads = cpu_threads};
  }

 private:
  template <std::size_t count>
  static float number(Bytes& bytes, const float (&good)[count]) {
    const std::int64_t which = bytes.below(16);
    return which == 15 ? bytes.take<float>() : good[static_cast<std::size_t>(which) % count];
  }

  // Mostly a bias as it must be; sometimes with offsets, categories or values of any bits.
  void make_bias(Bytes& bytes, std::int64_t columns) {
    const std::int64_t fault = bytes.below(8);
    bias_offsets.push_back(0);
    for (std::int64_t i = 0; i < rows; ++i) {
      std::int64_t category = bytes.below(4);
      for (std::int64_t left = bytes.below(5); left > 0 && category < columns; --left) {
        bias_categories.push_back(fault == 5 ? bytes.take<std::int32_t>() : static_cast<std::int32_t>(category));
        bias_values.push_back(fault == 6 ? bytes.take<float>() : static_cast<float>(bytes.take<std::int8_t>()) / 16);
        category += 1 + bytes.below(40);
      }
      bias_offsets.push_back(static_cast<std::int64_t>(bias_categories.size()));
    }
    if (fault == 7)
      for (std::int64_t& offset : bias_offsets) offset = bytes.flag() ? bytes.take<std::int64_t>() : bytes.below(8);
  }
};

}  // namespace papilio::fuzz_tokens
