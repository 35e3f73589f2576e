#include "lda/io/model/safetensors_header.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <array>
#include <limits>
#include <nlohmann/json.hpp>
#include <optional>
#include <utility>

#include "lda/io/bytes/origin.h"
#include "papilio/error.h"

namespace papilio::lda {
namespace {

using nlohmann::json;

constexpr std::int64_t largest_extent = std::int64_t{1} << 60;
constexpr std::size_t most_extents = 8;

// The bytes of an element; 0 for a type that papilio does not store.
std::size_t element_size(std::string_view type) {
  constexpr std::array<std::pair<std::string_view, std::size_t>, 5> sizes = {
      {{"U8", 1}, {"U16", 2}, {"I32", 4}, {"I64", 8}, {"F64", 8}}};
  for (const auto& [name, size] : sizes) {
    if (type == name) return size;
  }
  return 0;
}

// The number of elements of a shape; nothing if there are more than a file can hold.
std::optional<std::uint64_t> elements_of(const Shape& shape) {
  std::uint64_t elements = 1;
  for (const std::int64_t extent : shape) {
    const auto size = static_cast<std::uint64_t>(extent);
    if (size != 0 && elements > (std::uint64_t{1} << 60) / size) return std::nullopt;
    elements *= size;
  }
  return elements;
}

// Handles the parser's events one by one, and throws at the first one that the format does not allow.
class HeaderReader final : public nlohmann::json_sax<json> {
 public:
  explicit HeaderReader(std::uint64_t data_size) : data_size_(data_size) {}

  SafetensorsHeader take() && { return std::move(header_); }

  bool start_object(std::size_t) override {
    if (place_ == Place::file) return enter(Place::header);
    if (place_ == Place::header && has_key_) return enter(key_ == "__metadata__" ? Place::metadata : Place::tensor);
    unexpected("an object");
  }

  bool key(string_t& key) override {
    switch (place_) {
      case Place::header:
        if (key == "__metadata__" ? std::exchange(has_metadata_, true) : header_.places.count(key) != 0) {
          throw FormatError(fmt::format("key {} occurs twice in the header", lda::quoted(key)));
        }
        if (key != "__metadata__" && header_.places.size() == most_tensors) {
          throw FormatError(fmt::format("the header names more than {} tensors", most_tensors));
        }
        tensor_ = {};
        seen_ = {};
        break;
      case Place::metadata:
        if (header_.metadata.count(key) != 0) {
          throw FormatError(fmt::format("key {} occurs twice in the metadata", lda::quoted(key)));
        }
        if (header_.metadata.size() == most_metadata) {
          throw FormatError(fmt::format("the metadata have more than {} entries", most_metadata));
        }
        break;
      default:
        take_field(key);
    }
    (place_ == Place::header ? key_ : field_) = std::move(key);
    has_key_ = true;
    return true;
  }

  bool string(string_t& value) override {
    if (place_ == Place::metadata) {
      header_.metadata.emplace(std::move(field_), std::move(value));
    } else if (place_ == Place::tensor && field_ == "dtype") {
      tensor_.type = std::move(value);
    } else {
      unexpected("text");
    }
    return true;
  }

  bool start_array(std::size_t) override {
    if (place_ != Place::tensor || field_ == "dtype") unexpected("an array");
    return enter(field_ == "shape" ? Place::shape : Place::offsets);
  }

  bool number_unsigned(number_unsigned_t value) override {
    if (place_ == Place::shape) {
      if (value > static_cast<std::uint64_t>(largest_extent)) {
        throw FormatError(fmt::format("tensor {} has an extent of {}", lda::quoted(key_), value));
      }
      if (tensor_.shape.size() == most_extents) {
        throw FormatError(fmt::format("tensor {} has more than {} dimensions", lda::quoted(key_), most_extents));
      }
      tensor_.shape.push_back(static_cast<std::int64_t>(value));
    } else if (place_ == Place::offsets && offsets_ < 2) {
      (offsets_++ == 0 ? begin_ : end_) = value;
    } else {
      unexpected("a number");
    }
    return true;
  }

  bool end_array() override {
    if (place_ == Place::offsets && offsets_ != 2) {
      throw FormatError(fmt::format("tensor {} has {} data_offsets, expected 2", lda::quoted(key_), offsets_));
    }
    return enter(Place::tensor);
  }

  bool end_object() override {
    if (place_ == Place::tensor) add_tensor();
    return enter(place_ == Place::header ? Place::end : Place::header);
  }

  bool null() override { unexpected("null"); }
  bool boolean(bool) override { unexpected("a truth value"); }
  bool number_integer(number_integer_t) override { unexpected("a negative number"); }
  bool number_float(number_float_t, const string_t&) override { unexpected("a fraction"); }
  bool binary(binary_t&) override { unexpected("binary data"); }
  bool parse_error(std::size_t position, const std::string&, const json::exception& error) override {
    throw FormatError(
        fmt::format("byte {} of the header: expected JSON, got an error of the parser: {}", position, error.what()));
  }

 private:
  enum class Place { file, header, metadata, tensor, shape, offsets, end };
  struct Seen {
    bool dtype = false;
    bool shape = false;
    bool data_offsets = false;
  };

  bool enter(Place place) {
    place_ = place;
    if (place == Place::offsets) offsets_ = 0;
    return true;
  }

  [[noreturn]] void unexpected(const char* what) const {
    if (place_ == Place::file) throw FormatError(fmt::format("the header is {}, expected an object", what));
    if (place_ == Place::metadata) {
      throw FormatError(fmt::format("{} of the metadata is {}, expected text", lda::quoted(field_), what));
    }
    throw FormatError(
        fmt::format("tensor {} has {} where dtype, shape and two data_offsets are expected", lda::quoted(key_), what));
  }

  void take_field(const std::string& field) {
    bool* const seen = field == "dtype"          ? &seen_.dtype
                       : field == "shape"        ? &seen_.shape
                       : field == "data_offsets" ? &seen_.data_offsets
                                                 : nullptr;
    if (seen == nullptr) {
      throw FormatError(fmt::format("tensor {} has the entry {}, expected dtype, shape and data_offsets alone",
                                    lda::quoted(key_), lda::quoted(field)));
    }
    if (std::exchange(*seen, true)) {
      throw FormatError(fmt::format("key {} occurs twice in the header", lda::quoted(field)));
    }
  }

  void add_tensor() {
    if (!seen_.dtype || !seen_.shape || !seen_.data_offsets) {
      throw FormatError(fmt::format("tensor {} lacks dtype, shape or data_offsets", lda::quoted(key_)));
    }
    if (begin_ > end_ || end_ > data_size_) {
      throw FormatError(fmt::format("tensor {} lies at {} to {}, expected a place within {} bytes", lda::quoted(key_),
                                    begin_, end_, data_size_));
    }
    tensor_.begin = begin_;
    tensor_.size = end_ - begin_;
    const std::size_t element = element_size(tensor_.type);
    const std::optional<std::uint64_t> elements = elements_of(tensor_.shape);
    if (element == 0 || !elements || tensor_.size % element != 0 || tensor_.size / element != *elements) {
      throw FormatError(fmt::format("tensor {} of type {} and shape [{}] cannot be {} bytes long", lda::quoted(key_),
                                    lda::quoted(tensor_.type), fmt::join(tensor_.shape, ", "), tensor_.size));
    }
    header_.places.emplace(key_, std::move(tensor_));
  }

  const std::uint64_t data_size_;
  SafetensorsHeader header_;
  Place place_ = Place::file;
  bool has_metadata_ = false;
  bool has_key_ = false;
  std::string key_;    // of the header: the tensor
  std::string field_;  // of the tensor or the metadata
  TensorPlace tensor_;
  Seen seen_;
  int offsets_ = 0;
  std::uint64_t begin_ = 0;
  std::uint64_t end_ = 0;
};

}  // namespace

SafetensorsHeader parse_safetensors_header(std::string_view text, std::uint64_t data_size) {
  if (!text.starts_with('{')) throw FormatError("the header does not start with '{'; not a safetensors file");
  if (text.find('\0') != text.npos) {
    throw FormatError("the header has a zero byte, expected JSON and blanks");  // where a parser would stop reading
  }
  HeaderReader reader(data_size);
  json::sax_parse(text, &reader);
  return std::move(reader).take();
}

}  // namespace papilio::lda
