#include <algorithm>
#include <utility>

#include "execution/cpu/parallel_for.h"
#include "lda/io/model/safetensors.h"
#include "lda/io/model/safetensors_parts.h"

namespace papilio::lda {
namespace {

constexpr std::int64_t numbers_per_range = 1 << 16;

template <class T>
std::unique_ptr<std::byte[]> packed_as(const std::vector<std::int32_t>& numbers, int threads) {
  auto packed = std::make_unique_for_overwrite<std::byte[]>(numbers.size() * sizeof(T));
  T* const to = reinterpret_cast<T*>(packed.get());
  execution::parallel_for(std::ssize(numbers), numbers_per_range, threads, [&](std::int64_t begin, std::int64_t end) {
    std::transform(numbers.begin() + begin, numbers.begin() + end, to + begin,
                   [](std::int32_t number) { return static_cast<T>(number); });
  });
  return packed;
}

}  // namespace

SmallNumbers::SmallNumbers(const std::vector<std::int32_t>& numbers, std::int64_t count, int threads)
    : type_(smallest_dtype(count)), size_(std::ssize(numbers)) {
  const std::string_view type = type_;
  if (type == dtype<std::uint8_t>) {
    bytes_ = numbers.size();
    packed_ = packed_as<std::uint8_t>(numbers, threads);
  } else if (type == dtype<std::uint16_t>) {
    bytes_ = numbers.size() * sizeof(std::uint16_t);
    packed_ = packed_as<std::uint16_t>(numbers, threads);
  } else {
    bytes_ = numbers.size() * sizeof(std::int32_t);
    packed_ = packed_as<std::int32_t>(numbers, threads);
  }
}

TensorView SmallNumbers::view(std::string name) const {
  const std::span<const std::byte> bytes(packed_.get(), bytes_);
  return {std::move(name), type_, {size_}, bytes_, [bytes](const TakeBytes& take) { take(bytes); }};
}

}  // namespace papilio::lda
