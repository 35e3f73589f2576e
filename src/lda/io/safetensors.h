#pragma once

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <vector>

namespace papilio::lda {

// The safetensors format: the header's length (8 bytes, little-endian), a JSON
// header that names each tensor's type, shape and place, then the tensors.
// Papilio's files also hold an XXH3-128 of each tensor and of the metadata.

using Metadata = std::map<std::string, std::string>;
using Shape = std::vector<std::int64_t>;

// Types of elements that papilio stores.
template <class T>
inline constexpr const char* dtype = nullptr;
template <>
inline constexpr const char* dtype<std::int32_t> = "I32";
template <>
inline constexpr const char* dtype<std::int64_t> = "I64";
template <>
inline constexpr const char* dtype<double> = "F64";

// A tensor to write, row-major; borrows its elements.
struct TensorView {
  std::string name;
  const char* type;
  Shape shape;
  std::span<const std::byte> bytes;
};

template <class T>
TensorView tensor_view(std::string name, Shape shape, const std::vector<T>& elements) {
  return {std::move(name), dtype<T>, std::move(shape), std::as_bytes(std::span(elements))};
}

// Writes the tensors in the order given, larger element types first, in place of
// the old file only when whole. The same contents give the same bytes. `caller`
// begins the messages of errors. Throws IoError, and InvalidArgument where
// metadata are not UTF-8 or the header would be too long.
void write_safetensors(const std::string& path, Metadata metadata, const std::vector<TensorView>& tensors,
                       const char* caller);

// Where a tensor lies in a file.
struct TensorPlace {
  std::string type;
  Shape shape;
  std::uint64_t begin = 0;  // from the first tensor's first byte
  std::uint64_t size = 0;   // bytes
};

// A file that `write_safetensors` wrote, header read and checked: every tensor
// lies inside the file, right behind the one before, and nothing lies between or
// after. Throws IoError and FormatError.
class SafetensorsFile {
 public:
  SafetensorsFile(const std::string& path, const char* caller);

  // Without the hashes. The value of `key`; FormatError where there is none.
  const Metadata& metadata() const { return metadata_; }
  const std::string& metadata(const std::string& key) const;
  std::int64_t metadata_int(const std::string& key) const;
  double metadata_double(const std::string& key) const;

  // Throws FormatError unless the file holds exactly these tensors.
  void require_tensors(const std::vector<std::string>& names) const;

  const Shape& shape(const std::string& name) const { return place(name).shape; }

  // Reads one tensor and checks type, shape and hash.
  template <class T>
  std::vector<T> read(const std::string& name, const Shape& shape) {
    const TensorPlace& tensor = place_to_read(name, dtype<T>, shape);
    std::vector<T> elements(tensor.size / sizeof(T));
    read_bytes(name, tensor, std::as_writable_bytes(std::span(elements)));
    return elements;
  }

  // Throws FormatError: "caller: path: message".
  [[noreturn]] void fail(const std::string& message) const;

 private:
  struct Close {
    void operator()(std::FILE* file) const { std::fclose(file); }
  };

  std::uint64_t open();
  void read_header(std::uint64_t file_size);
  void check_places(std::uint64_t data_size) const;
  void take_hashes();
  void read_exactly(std::span<std::byte> bytes);
  const TensorPlace& place(const std::string& name) const;
  const TensorPlace& place_to_read(const std::string& name, const char* type, const Shape& shape) const;
  void read_bytes(const std::string& name, const TensorPlace& tensor, std::span<std::byte> bytes);

  std::string path_;
  const char* caller_;
  std::unique_ptr<std::FILE, Close> file_;
  Metadata metadata_;
  Metadata hashes_;               // by tensor
  std::uint64_t data_begin_ = 0;  // the first tensor's first byte
  std::map<std::string, TensorPlace> places_;
};

}  // namespace papilio::lda
