// Compiled once for every instruction-set target.

#include "rivals.h"

#include <algorithm>
#include <cmath>

namespace PAPILIO_TARGET {
namespace {

#if defined(__AVX512F__)
constexpr int bytes = 64;
#elif defined(__AVX2__)
constexpr int bytes = 32;
#else
constexpr int bytes = 16;
#endif

template <class T>
struct VectorOf {
  typedef T type __attribute__((vector_size(bytes), aligned(sizeof(T)), may_alias));
};

// Eight registers of sums hide the latency of the additions; this is as fast as
// a dot product gets (tried: 4, 8, 12, 16 registers).
template <class T>
T sum(const T* left, const T* right, std::int64_t K) {
  using V = typename VectorOf<T>::type;
  constexpr int lanes = bytes / sizeof(T), registers = 8;
  V a[registers] = {};
  std::int64_t k = 0;
  const auto at = [](const T* p) { return *reinterpret_cast<const V*>(p); };
  for (; k + registers * lanes <= K; k += registers * lanes)
    for (int i = 0; i < registers; ++i)
      a[i] += right == nullptr ? at(left + k + i * lanes) : at(left + k + i * lanes) * at(right + k + i * lanes);
  for (; k + lanes <= K; k += lanes) a[0] += right == nullptr ? at(left + k) : at(left + k) * at(right + k);
  for (int i = 1; i < registers; ++i) a[0] += a[i];
  T total = 0;
  for (int i = 0; i < lanes; ++i) total += a[0][i];
  for (; k < K; ++k) total += right == nullptr ? left[k] : left[k] * right[k];
  return total;
}

template <class T>
void multiply(const T* left, const T* right, std::int64_t K, T* buffer) {
  if (right == nullptr)
    std::copy(left, left + K, buffer);
  else
    for (std::int64_t k = 0; k < K; ++k) buffer[k] = left[k] * right[k];
}

template <class T>
std::int64_t prefix(const T* left, const T* right, std::int64_t K, double u, T* buffer) {
  T sum = 0;
  if (right == nullptr)
    for (std::int64_t k = 0; k < K; ++k) buffer[k] = sum += left[k];
  else
    for (std::int64_t k = 0; k < K; ++k) buffer[k] = sum += left[k] * right[k];
  return std::upper_bound(buffer, buffer + K - 1, static_cast<T>(u) * sum) - buffer;
}

template <class T>
std::int64_t race(const T* left, const T* right, std::int64_t K, std::uint64_t row, T* buffer) {
  const auto salt = static_cast<std::uint32_t>(row * 0x9E3779B97F4A7C15u >> 32);
  for (std::int64_t k = 0; k < K; ++k) {
    std::uint32_t h = static_cast<std::uint32_t>(k) * 0x9E3779B1u ^ salt;  // a hash, cheaper than a generator
    h = (h ^ h >> 16) * 0x85EBCA6Bu;
    h = (h ^ h >> 13) * 0xC2B2AE35u;
    h ^= h >> 16;
    const T u = (static_cast<T>(static_cast<std::int32_t>(h >> 8)) + T{0.5}) * T{0x1p-24};
    const T w = right == nullptr ? left[k] : left[k] * right[k];
    buffer[k] = std::log(u) / w;  // negative: the largest wins
  }
  T best = buffer[0];
  for (std::int64_t k = 1; k < K; ++k) best = buffer[k] > best ? buffer[k] : best;
  return std::find(buffer, buffer + K, best) - buffer;
}

}  // namespace

extern const Rivals<float> rivals_float;
const Rivals<float> rivals_float = {sum<float>, prefix<float>, race<float>, multiply<float>};
extern const Rivals<double> rivals_double;
const Rivals<double> rivals_double = {sum<double>, prefix<double>, race<double>, multiply<double>};

}  // namespace PAPILIO_TARGET
