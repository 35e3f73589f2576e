#include "lda/io/counts/npy_array.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <limits>
#include <utility>

namespace papilio::lda {
namespace {

static_assert(std::endian::native == std::endian::little);

constexpr std::string_view magic = "\x93NUMPY";

template <class T>
T load(const char* at) {
  T value;
  std::memcpy(&value, at, sizeof value);
  return value;
}

// As parse_whole: numbers beyond any range become the largest or smallest int64.
NumberForm whole_of(double value, std::int64_t& number) {
  using Limits = std::numeric_limits<std::int64_t>;
  if (std::isnan(value)) return NumberForm::none;
  if (value != std::floor(value)) return NumberForm::fraction;
  const bool within = std::abs(value) <= static_cast<double>(largest_whole);
  number = within ? static_cast<std::int64_t>(value) : value > 0 ? Limits::max() : Limits::min();
  return NumberForm::whole;
}

// What follows `key` in the dictionary of a header; empty if the key is not there.
std::string_view value_of(std::string_view header, std::string_view key) {
  const std::size_t at = header.find(key);
  if (at == std::string_view::npos) return {};
  std::string_view rest = header.substr(at + key.size());
  rest.remove_prefix(std::min(rest.find_first_not_of(" :"), rest.size()));
  return rest;
}

}  // namespace

NpyArray::NpyArray(const Origin& origin, std::string name, std::string_view bytes)
    : origin_(origin), name_(std::move(name)) {
  const bool long_length = bytes.size() > magic.size() && bytes[magic.size()] > 1;  // versions 2 and 3: 4 bytes
  const std::size_t begin = magic.size() + 2 + (long_length ? 4 : 2);
  if (!bytes.starts_with(magic) || bytes.size() < begin) refuse("expected an array of numpy's format .npy");
  const int version = bytes[magic.size()];
  if (version < 1 || version > 3) refuse(fmt::format("expected version 1 to 3 of .npy, got {}", version));
  const char* const length = bytes.data() + magic.size() + 2;
  const std::uint64_t header_bytes = long_length ? load<std::uint32_t>(length) : load<std::uint16_t>(length);
  if (header_bytes > bytes.size() - begin) refuse("the header is longer than the member");
  read_header(bytes.substr(begin, header_bytes));
  data_ = bytes.substr(begin + header_bytes);
  for (const std::int64_t dimension : shape_) {
    // Never more elements than bytes, plus 1, so that the product stays in range.
    size_ = dimension == 0 ? 0 : size_ > std::ssize(data_) / dimension ? std::ssize(data_) + 1 : size_ * dimension;
  }
  if (size_ > std::ssize(data_) || size_ * element_bytes_ != std::ssize(data_)) {
    refuse(fmt::format("the shape ({}) does not match the {} bytes of data", fmt::join(shape_, ", "), data_.size()));
  }
}

void NpyArray::read_header(std::string_view header) {
  const std::string_view type = value_of(header, "'descr'");
  const char quote = type.empty() ? '\0' : type.front();
  const std::size_t type_end = quote == '\'' || quote == '"' ? type.find(quote, 1) : std::string_view::npos;
  if (type_end == std::string_view::npos) refuse("expected the type of a simple array, got " + lda::quoted(header));
  read_type(type.substr(1, type_end - 1));

  std::string_view rest = value_of(header, "'shape'");
  const std::size_t shape_end = rest.find(')');
  if (!rest.starts_with('(') || shape_end == std::string_view::npos)
    refuse("expected a shape, got " + lda::quoted(header));
  rest = rest.substr(1, shape_end - 1);
  while (rest.find_first_not_of(" ,") != std::string_view::npos) {
    rest.remove_prefix(rest.find_first_not_of(" "));
    const std::string_view dimension = rest.substr(0, rest.find_first_of(" ,"));
    std::int64_t number = 0;
    if (parse_whole(dimension, number) != NumberForm::whole || number < 0 || shape_.size() == 2) {
      refuse("expected at most 2 dimensions, got " + lda::quoted(header));
    }
    shape_.push_back(number);
    rest.remove_prefix(dimension.size());
    if (rest.starts_with(',')) rest.remove_prefix(1);
  }
}

void NpyArray::read_type(std::string_view type) {
  if (type == "|O") refuse("objects (pickles) are not read, because they could run anything");
  const auto is = [&](std::initializer_list<std::string_view> types) {
    return std::find(types.begin(), types.end(), type) != types.end();
  };
  std::int64_t digits = 0;
  const bool has_size = type.size() > 2 && parse_whole(type.substr(2), digits) == NumberForm::whole;
  const bool is_number =
      is({"|i1", "<i2", "<i4", "<i8", "|u1", "<u2", "<u4", "<u8", "|b1", "<f4", "<f8", "=i4", "=i8", "=f4", "=f8"});
  const bool is_text = has_size && digits >= 0 && digits < 64 && (type.starts_with("|S") || type.starts_with("<U"));
  if (!is_number && !is_text) {
    refuse(fmt::format("expected little-endian integers, float32 or float64, got type {}", lda::quoted(type)));
  }
  kind_ = type[1];
  element_bytes_ = kind_ == 'U' ? 4 * digits : digits;
}

NumberForm NpyArray::whole(const char* at, std::int64_t& value) const {
  const bool is_signed = kind_ == 'i';
  switch (kind_ == 'f' ? -element_bytes_ : element_bytes_) {
    case 1:
      value = is_signed ? load<std::int8_t>(at) : load<std::uint8_t>(at);
      return NumberForm::whole;
    case 2:
      value = is_signed ? load<std::int16_t>(at) : load<std::uint16_t>(at);
      return NumberForm::whole;
    case 4:
      value = is_signed ? load<std::int32_t>(at) : std::int64_t{load<std::uint32_t>(at)};
      return NumberForm::whole;
    case 8:
      value = load<std::int64_t>(at);
      if (!is_signed && value < 0) value = std::numeric_limits<std::int64_t>::max();
      return NumberForm::whole;
    case -4:
      return whole_of(load<float>(at), value);
    case -8:
      return whole_of(load<double>(at), value);
    default:
      return NumberForm::none;
  }
}

std::string NpyArray::shown(const char* at) const {
  std::int64_t value = 0;
  if (kind_ == 'f') return fmt::format("{}", element_bytes_ == 4 ? load<float>(at) : load<double>(at));
  if (kind_ == 'u' && element_bytes_ == 8) return fmt::format("{}", load<std::uint64_t>(at));
  return whole(at, value) == NumberForm::whole ? fmt::format("{}", value) : "text";
}

std::int64_t NpyArray::number(std::int64_t element, std::int64_t least, std::int64_t most) const {
  const char* const at = data_.data() + element * element_bytes_;
  std::int64_t value = 0;
  if (kind_ != 'S' && kind_ != 'U' && whole(at, value) == NumberForm::whole && value >= least && value <= most)
      [[likely]] {
    return value;
  }
  refuse(fmt::format("element {} is {}, expected a whole number from {} to {}", element,
                     kind_ == 'S' || kind_ == 'U' ? "text" : shown(at), least, most));
}

std::string NpyArray::text() const {
  if ((kind_ != 'S' && kind_ != 'U') || size_ != 1) refuse("expected a word");
  std::string word;
  const std::int64_t step = kind_ == 'U' ? 4 : 1;
  for (std::int64_t at = 0; at < element_bytes_ && data_[static_cast<std::size_t>(at)] != '\0'; at += step) {
    word += data_[static_cast<std::size_t>(at)];
  }
  return word;
}

void NpyArray::refuse(std::string_view message) const {
  origin_.format_error(0, 0, fmt::format("{}: {}", name_, message));
}

}  // namespace papilio::lda
