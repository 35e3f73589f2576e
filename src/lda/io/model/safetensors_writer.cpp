#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <utility>

#include "base/check.h"
#include "base/math.h"
#include "lda/io/bytes/atomic_file.h"
#include "lda/io/bytes/hash.h"
#include "lda/io/model/safetensors.h"
#include "lda/io/model/safetensors_header.h"
#include "lda/io/model/safetensors_parts.h"
#include "papilio/error.h"

namespace papilio::lda {
namespace {

using nlohmann::json;

std::string hash_of(const TensorView& tensor) {
  RunningHash hash;
  tensor.passed([&](std::span<const std::byte> bytes) { hash.update(bytes); });
  return hash.digits();
}

template <class T>
TensorView numbers_as(std::string name, const std::vector<std::int32_t>& numbers) {
  const auto pass = [&numbers](const TakeBytes& take) {
    std::vector<T> part;
    for (std::size_t first = 0; first < numbers.size(); first += part.size()) {
      part.resize(std::min(numbers_per_part, numbers.size() - first));
      std::transform(numbers.begin() + static_cast<std::ptrdiff_t>(first),
                     numbers.begin() + static_cast<std::ptrdiff_t>(first + part.size()), part.begin(),
                     [](std::int32_t number) { return static_cast<T>(number); });
      take(std::as_bytes(std::span(part)));
    }
  };
  return {std::move(name), dtype<T>, {std::ssize(numbers)}, numbers.size() * sizeof(T), pass};
}

std::string header_text(const Metadata& metadata, const std::vector<TensorView>& tensors, const char* caller) {
  json header;
  header["__metadata__"] = metadata;
  std::size_t begin = 0;
  for (const TensorView& tensor : tensors) {
    const std::size_t end = begin + tensor.size;
    header[tensor.name] = {{"dtype", tensor.type}, {"shape", tensor.shape}, {"data_offsets", {begin, end}}};
    begin = end;
  }
  std::string text;
  try {
    text = header.dump();
  } catch (const json::type_error&) {
    throw InvalidArgument(fmt::format("papilio::{}: the settings are not valid UTF-8", caller));
  }
  text.resize(base::round_up<std::size_t>(text.size(), 8), ' ');  // tensors start aligned
  base::require(text.size() <= longest_header, "papilio::{}: the vocabulary takes {} bytes, expected at most {}",
                caller, text.size(), longest_header);
  return text;
}

}  // namespace

std::string hash_metadata(const Metadata& metadata) {
  std::string text;
  for (const auto& [key, value] : metadata) {
    text += fmt::format("{} {} {}{}", key.size(), value.size(), key, value);
  }
  return xxh3_128(std::as_bytes(std::span(text)));
}

const char* smallest_dtype(std::int64_t count) {
  if (count <= std::int64_t{1} << 8) return dtype<std::uint8_t>;
  return count <= std::int64_t{1} << 16 ? dtype<std::uint16_t> : dtype<std::int32_t>;
}

TensorView small_numbers_view(std::string name, const std::vector<std::int32_t>& numbers, std::int64_t count) {
  const std::string_view type = smallest_dtype(count);
  if (type == dtype<std::uint8_t>) return numbers_as<std::uint8_t>(std::move(name), numbers);
  if (type == dtype<std::uint16_t>) return numbers_as<std::uint16_t>(std::move(name), numbers);
  return tensor_view(std::move(name), {std::ssize(numbers)}, numbers);
}

void write_safetensors(const std::string& path, Metadata metadata, const std::vector<TensorView>& tensors,
                       const char* caller, const std::string& ending_of_the_old) {
  metadata[std::string(hash_of_metadata)] = hash_metadata(metadata);
  for (const TensorView& tensor : tensors) {
    metadata[std::string(hash_prefix) + tensor.name] = hash_of(tensor);
  }
  base::require(metadata.size() <= most_metadata, "papilio::{}: there are {} settings and hashes, expected at most {}",
                caller, metadata.size(), most_metadata);
  const std::string header = header_text(metadata, tensors, caller);
  const std::uint64_t length = header.size();
  remove_abandoned(path);
  AtomicFile file(path, fmt::format("papilio::{}", caller));
  file.write(&length, sizeof length);
  file.write(header.data(), header.size());
  for (const TensorView& tensor : tensors) {
    tensor.passed([&](std::span<const std::byte> bytes) { file.write(bytes.data(), bytes.size()); });
  }
  file.commit(ending_of_the_old);
}

}  // namespace papilio::lda
