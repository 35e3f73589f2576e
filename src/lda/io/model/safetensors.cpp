#include "lda/io/model/safetensors.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <bit>
#include <cerrno>
#include <charconv>
#include <cstring>
#include <limits>
#include <string_view>
#include <utility>

#include "base/check.h"
#include "lda/io/bytes/hash.h"
#include "lda/io/bytes/origin.h"
#include "lda/io/model/safetensors_header.h"
#include "lda/io/model/safetensors_parts.h"
#include "papilio/error.h"

namespace papilio::lda {

static_assert(std::endian::native == std::endian::little, "tensors are stored little-endian, as they are in memory");

SafetensorsFile::SafetensorsFile(const std::string& path, const char* caller) : path_(path), caller_(caller) {
  const std::uint64_t file_size = open();
  read_header(file_size);
  take_hashes();
}

void SafetensorsFile::fail(const std::string& message) const {
  throw FormatError(fmt::format("papilio::{}: {}: {}", caller_, path_, message));
}

// Returns the size of the file.
std::uint64_t SafetensorsFile::open() {
  // O_NONBLOCK: otherwise opening a pipe of that name would wait until some process writes to it.
  const int opened = ::openat(AT_FDCWD, path_.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  if (opened >= 0) file_.reset(::fdopen(opened, "rb"));
  struct stat status = {};
  if (file_ == nullptr || fstat(opened, &status) != 0) {
    const int error = errno;
    if (opened >= 0 && file_ == nullptr) ::close(opened);
    throw IoError(fmt::format("papilio::{}: cannot open {}: {}", caller_, path_, std::strerror(error)), error);
  }
  if (S_ISDIR(status.st_mode)) {
    throw IoError(fmt::format("papilio::{}: cannot read {}: {}", caller_, path_, std::strerror(EISDIR)), EISDIR);
  }
  if (!S_ISREG(status.st_mode)) {
    fail("expected a regular file");
  }
  return static_cast<std::uint64_t>(status.st_size);
}

void SafetensorsFile::read_exactly(std::span<std::byte> bytes) {
  const std::size_t count = std::fread(bytes.data(), 1, bytes.size(), file_.get());
  if (count == bytes.size()) {
    return;
  }
  if (std::ferror(file_.get()) != 0) {
    const int error = errno;
    throw IoError(fmt::format("papilio::{}: cannot read {}: {}", caller_, path_, std::strerror(error)), error);
  }
  fail("the file became shorter while it was read");
}

namespace {

// Whether these can be the first bytes of a text in UTF-8. The length of a header has zeros among them.
bool is_text(std::string_view bytes) {
  return std::all_of(bytes.begin(), bytes.end(), [](char c) {
    const auto byte = static_cast<unsigned char>(c);
    return c == '\t' || c == '\n' || c == '\r' || (byte >= 0x20 && byte < 0xff);
  });
}

}  // namespace

void SafetensorsFile::read_header(std::uint64_t file_size) {
  std::uint64_t length = 0;
  if (file_size < sizeof length) {
    fail(fmt::format("the file is {} bytes long, expected at least 8; not a safetensors file", file_size));
  }
  read_exactly(std::as_writable_bytes(std::span(&length, 1)));
  if (length > file_size - sizeof length || length > longest_header) {
    const std::string_view beginning(reinterpret_cast<const char*>(&length), sizeof length);
    if (is_text(beginning)) {
      fail(fmt::format("not a safetensors file, as models and checkpoints are; it begins with {}",
                       lda::quoted(beginning)));
    }
    fail(fmt::format("the header should be {} bytes long, expected at most {}; cut short, or not a safetensors file",
                     length, std::min(file_size - sizeof length, longest_header)));
  }
  std::string text(length, '\0');
  read_exactly(std::as_writable_bytes(std::span(text)));
  data_begin_ = sizeof length + length;
  const std::uint64_t data_size = file_size - data_begin_;
  try {
    SafetensorsHeader header = parse_safetensors_header(text, data_size);
    metadata_ = std::move(header.metadata);
    places_ = std::move(header.places);
  } catch (const FormatError& error) {
    fail(error.what());
  }
  check_places(data_size);
}

void SafetensorsFile::check_places(std::uint64_t data_size) const {
  std::vector<std::pair<std::uint64_t, std::uint64_t>> places;
  for (const auto& [name, tensor] : places_) {
    places.emplace_back(tensor.begin, tensor.begin + tensor.size);
  }
  std::sort(places.begin(), places.end());
  std::uint64_t expected = 0;
  for (const auto& [begin, end] : places) {
    if (begin != expected) {
      fail(fmt::format("a tensor starts at byte {}, expected {}: tensors overlap or leave a gap", begin, expected));
    }
    expected = end;
  }
  if (expected != data_size) {
    fail(fmt::format("the tensors are {} bytes long, expected {}", data_size, expected));
  }
}

void SafetensorsFile::take_hashes() {
  std::string of_metadata;
  for (auto entry = metadata_.begin(); entry != metadata_.end();) {
    if (entry->first == hash_of_metadata) {
      of_metadata = entry->second;
    } else if (entry->first.starts_with(hash_prefix)) {
      hashes_[entry->first.substr(hash_prefix.size())] = entry->second;
    } else {
      ++entry;
      continue;
    }
    entry = metadata_.erase(entry);
  }
  if (of_metadata != hash_metadata(metadata_)) {
    fail("the hash of the metadata does not match: the file is damaged, or papilio did not write it");
  }
}

const std::string& SafetensorsFile::metadata(const std::string& key) const {
  const auto found = metadata_.find(key);
  if (found == metadata_.end()) {
    fail(fmt::format("the metadata has no \"{}\"", key));
  }
  return found->second;
}

std::int64_t SafetensorsFile::metadata_int(const std::string& key) const {
  const std::string& text = metadata(key);
  std::int64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size()) {
    fail(fmt::format("{} is {}, expected an integer", key, lda::quoted(text)));
  }
  return value;
}

double SafetensorsFile::metadata_double(const std::string& key) const {
  const std::string& text = metadata(key);
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size()) {
    fail(fmt::format("{} is {}, expected a number", key, lda::quoted(text)));
  }
  return value;
}

void SafetensorsFile::require_tensors(const std::vector<std::string>& names) const {
  for (const std::string& name : names) {
    place(name);
  }
  if (places_.size() != names.size()) {
    fail(fmt::format("the file holds {} tensors, expected {}: {}", places_.size(), names.size(),
                     fmt::join(names, ", ")));
  }
}

const TensorPlace& SafetensorsFile::place(const std::string& name) const {
  const auto found = places_.find(name);
  if (found == places_.end()) {
    fail(fmt::format("tensor {} is missing", lda::quoted(name)));
  }
  return found->second;
}

const TensorPlace& SafetensorsFile::place_to_read(const std::string& name, const char* type, const Shape& shape) const {
  const TensorPlace& tensor = place(name);
  if (tensor.type != type || tensor.shape != shape) {
    fail(fmt::format("tensor {} is {} [{}], expected {} [{}]", lda::quoted(name), lda::quoted(tensor.type),
                     fmt::join(tensor.shape, ", "), type, fmt::join(shape, ", ")));
  }
  return tensor;
}

void SafetensorsFile::go_to(const TensorPlace& tensor) {
  if (fseeko(file_.get(), static_cast<off_t>(data_begin_ + tensor.begin), SEEK_SET) != 0) {
    const int error = errno;
    throw IoError(fmt::format("papilio::{}: cannot read {}: {}", caller_, path_, std::strerror(error)), error);
  }
}

void SafetensorsFile::require_hash(const std::string& name, const std::string& found) const {
  const auto hash = hashes_.find(name);
  if (hash == hashes_.end() || hash->second != found) {
    fail(fmt::format("the hash of tensor {} does not match: the file is damaged", lda::quoted(name)));
  }
}

void SafetensorsFile::read_bytes(const std::string& name, const TensorPlace& tensor, std::span<std::byte> bytes) {
  go_to(tensor);
  read_exactly(bytes);
  require_hash(name, xxh3_128(bytes));
}

template <class T>
std::vector<std::int32_t> SafetensorsFile::read_as_int32(const std::string& name, std::int64_t size) {
  go_to(place_to_read(name, dtype<T>, {size}));
  std::vector<std::int32_t> numbers(static_cast<std::size_t>(size));
  std::vector<T> part;
  RunningHash hash;
  for (std::size_t first = 0; first < numbers.size(); first += part.size()) {
    part.resize(std::min(numbers_per_part, numbers.size() - first));
    read_exactly(std::as_writable_bytes(std::span(part)));
    hash.update(std::as_bytes(std::span(part)));
    std::copy(part.begin(), part.end(), numbers.begin() + static_cast<std::ptrdiff_t>(first));
  }
  require_hash(name, hash.digits());
  return numbers;
}

std::vector<std::int32_t> SafetensorsFile::read_small_numbers(const std::string& name, std::int64_t size,
                                                              std::int64_t count) {
  const std::string_view type = smallest_dtype(count);
  if (type == dtype<std::uint8_t>) return read_as_int32<std::uint8_t>(name, size);
  if (type == dtype<std::uint16_t>) return read_as_int32<std::uint16_t>(name, size);
  return read<std::int32_t>(name, {size});
}

}  // namespace papilio::lda
