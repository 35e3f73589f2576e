#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <functional>
#include <iterator>
#include <map>
#include <string_view>
#include <utility>

#include "base/check.h"
#include "base/math.h"
#include "lda/corpus/utf8.h"
#include "lda/io/bytes/atomic_file.h"
#include "lda/io/bytes/hash.h"
#include "lda/io/bytes/origin.h"
#include "lda/io/model/safetensors.h"
#include "lda/io/model/safetensors_header.h"
#include "lda/io/model/safetensors_parts.h"

namespace papilio::lda {
namespace {

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

// Writes JSON by hand rather than from a tree of nlohmann::json, whose
// destructor needs memory and ends the process if there is none.
void append_json_string(std::string& to, std::string_view text) {
  constexpr std::string_view escaped = "\"\\\b\f\n\r\t";
  constexpr std::string_view letters = "\"\\bfnrt";
  to += '"';
  for (const char c : text) {
    const std::size_t place = escaped.find(c);
    if (place != std::string_view::npos) {
      to.append({'\\', letters[place]});
    } else if (static_cast<unsigned char>(c) < 0x20) {
      fmt::format_to(std::back_inserter(to), "\\u{:04x}", static_cast<unsigned char>(c));
    } else {
      to += c;
    }
  }
  to += '"';
}

std::string json_of(const Metadata& metadata) {
  std::string text = "{";
  for (const auto& [key, value] : metadata) {
    if (text.size() > 1) text += ',';
    append_json_string(text, key);
    text += ':';
    append_json_string(text, value);
  }
  return text + '}';
}

// Keys are sorted, with nothing between them: the same metadata and tensors give the same text.
std::string header_text(const Metadata& metadata, const std::vector<TensorView>& tensors, const char* caller) {
  for (const auto& [key, value] : metadata) {
    base::require(find_ill_formed(key) == std::string::npos && find_ill_formed(value) == std::string::npos,
                  "papilio::{}: setting {} is {}, expected UTF-8", caller, lda::quoted(key), lda::quoted(value));
  }
  std::map<std::string, std::string> entries = {{"__metadata__", json_of(metadata)}};
  std::size_t begin = 0;
  for (const TensorView& tensor : tensors) {
    const std::size_t end = begin + tensor.size;
    entries[tensor.name] = fmt::format(R"({{"data_offsets":[{},{}],"dtype":"{}","shape":[{}]}})", begin, end,
                                       tensor.type, fmt::join(tensor.shape, ","));
    begin = end;
  }
  std::string text = "{";
  for (const auto& [name, entry] : entries) {
    if (text.size() > 1) text += ',';
    append_json_string(text, name);
    text += ':';
    text += entry;
  }
  text += '}';
  text.resize(base::round_up<std::size_t>(text.size(), 8), ' ');  // tensors start aligned
  base::require(text.size() <= longest_header, "papilio::{}: the settings take {} bytes, expected at most {}", caller,
                text.size(), longest_header);
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

void put_larger_types_first(std::vector<TensorView>& tensors) {
  const auto bytes = [](const TensorView& tensor) {
    const std::string_view type = tensor.type;
    return type.ends_with("64") ? 8 : type.ends_with("32") ? 4 : type.ends_with("16") ? 2 : 1;
  };
  std::ranges::stable_sort(tensors, std::greater<>(), bytes);
}

namespace {

// The header with the hashes of the metadata and of each tensor.
std::string whole_header(Metadata metadata, const std::vector<TensorView>& tensors, const char* caller) {
  metadata[std::string(hash_of_metadata)] = hash_metadata(metadata);
  for (const TensorView& tensor : tensors) {
    metadata[std::string(hash_prefix) + tensor.name] = hash_of(tensor);
  }
  base::require(metadata.size() <= most_metadata, "papilio::{}: there are {} settings and hashes, expected at most {}",
                caller, metadata.size(), most_metadata);
  return header_text(metadata, tensors, caller);
}

// Passes on the bytes of the file, in order.
void pass_file(const std::string& header, const std::vector<TensorView>& tensors, const TakeBytes& take) {
  const std::uint64_t length = header.size();
  take(std::as_bytes(std::span(&length, 1)));
  take(std::as_bytes(std::span(header)));
  for (const TensorView& tensor : tensors) tensor.passed(take);
}

}  // namespace

void write_safetensors(const std::string& path, Metadata metadata, const std::vector<TensorView>& tensors,
                       const char* caller, const std::string& ending_of_the_old) {
  const std::string header = whole_header(std::move(metadata), tensors, caller);
  remove_abandoned(path);
  AtomicFile file(path, fmt::format("papilio::{}", caller));
  pass_file(header, tensors, [&](std::span<const std::byte> bytes) { file.write(bytes.data(), bytes.size()); });
  file.commit(ending_of_the_old);
}

std::string hash_safetensors(Metadata metadata, const std::vector<TensorView>& tensors, const char* caller) {
  RunningHash hash;
  pass_file(whole_header(std::move(metadata), tensors, caller), tensors,
            [&](std::span<const std::byte> bytes) { hash.update(bytes); });
  return hash.digits();
}

}  // namespace papilio::lda
