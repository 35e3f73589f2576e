#pragma once

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <functional>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <vector>

namespace papilio::lda {

// The safetensors format: the header's length (8 bytes, little-endian), a JSON
// header that names each tensor's type, shape and place, and then the tensors.
// Papilio's files also contain an XXH3-128 of each tensor and of the metadata.

using Metadata = std::map<std::string, std::string>;
using Shape = std::vector<std::int64_t>;

// The names of the element types that papilio stores.
template <class T>
inline constexpr const char* dtype = nullptr;
template <>
inline constexpr const char* dtype<std::uint8_t> = "U8";
template <>
inline constexpr const char* dtype<std::uint16_t> = "U16";
template <>
inline constexpr const char* dtype<std::int32_t> = "I32";
template <>
inline constexpr const char* dtype<std::int64_t> = "I64";
template <>
inline constexpr const char* dtype<double> = "F64";

using TakeBytes = std::function<void(std::span<const std::byte>)>;

// A tensor to be written, row-major; borrows its elements.
struct TensorView {
  std::string name;
  const char* type;
  Shape shape;
  std::uint64_t size;                            // bytes
  std::function<void(const TakeBytes&)> passed;  // passes the bytes on in order, part by part, as often as asked
};

template <class T>
TensorView tensor_view(std::string name, Shape shape, const std::vector<T>& elements) {
  const std::span<const std::byte> bytes = std::as_bytes(std::span(elements));
  return {std::move(name), dtype<T>, std::move(shape), bytes.size(), [bytes](const TakeBytes& take) { take(bytes); }};
}

// Numbers in 0 ... count - 1, stored in the smallest type that holds them, without a copy of them all.
TensorView small_numbers_view(std::string name, const std::vector<std::int32_t>& numbers, std::int64_t count);

// A copy of such numbers in that type. Its view has the same bytes as small_numbers_view.
class SmallNumbers {
 public:
  SmallNumbers(const std::vector<std::int32_t>& numbers, std::int64_t count, int threads);

  // Borrows the numbers.
  TensorView view(std::string name) const;

 private:
  const char* type_;
  std::int64_t size_;
  std::uint64_t bytes_;
  std::unique_ptr<std::byte[]> packed_;
};

// Sorts so that each tensor is aligned; tensors with elements of one size keep their order.
void put_larger_types_first(std::vector<TensorView>& tensors);

// Writes the tensors in the order given, in which larger element types come
// first. The new file replaces the old one only when it is complete; the old one
// is kept with an ending after its name, unless that ending is empty. The same
// contents give the same bytes. `caller` begins error messages. Throws IoError,
// and InvalidArgument if metadata are not UTF-8 or the header would be too long.
void write_safetensors(const std::string& path, Metadata metadata, const std::vector<TensorView>& tensors,
                       const char* caller, const std::string& ending_of_the_old = {});

// The XXH3-128 of the bytes that write_safetensors would write. Throws InvalidArgument likewise.
std::string hash_safetensors(Metadata metadata, const std::vector<TensorView>& tensors, const char* caller);

// Where a tensor is in a file.
struct TensorPlace {
  std::string type;
  Shape shape;
  std::uint64_t begin = 0;  // from the first byte of the first tensor
  std::uint64_t size = 0;   // bytes
};

// A file written by `write_safetensors`, whose header has been read and
// checked: every tensor lies inside the file, right after the one before,
// and nothing else is between or after them. Throws IoError and FormatError.
class SafetensorsFile {
 public:
  SafetensorsFile(const std::string& path, const char* caller);

  // metadata() lacks the hashes. metadata(key) throws FormatError if there is no such key.
  const Metadata& metadata() const { return metadata_; }
  const std::string& metadata(const std::string& key) const;
  std::int64_t metadata_int(const std::string& key) const;
  double metadata_double(const std::string& key) const;

  // Throws FormatError unless the file has exactly these tensors.
  void require_tensors(const std::vector<std::string>& names) const;

  bool has_tensor(const std::string& name) const { return places_.count(name) != 0; }
  const Shape& shape(const std::string& name) const { return place(name).shape; }
  const std::string& type(const std::string& name) const { return place(name).type; }

  // Reads a tensor and checks its type, shape and hash.
  template <class T>
  std::vector<T> read(const std::string& name, const Shape& shape) {
    const TensorPlace& tensor = place_to_read(name, dtype<T>, shape);
    std::vector<T> elements(tensor.size / sizeof(T));
    read_bytes(name, tensor, std::as_writable_bytes(std::span(elements)));
    return elements;
  }

  // Reads `size` numbers that small_numbers_view wrote with the same
  // `count`. The caller has to check which of them are in range.
  std::vector<std::int32_t> read_small_numbers(const std::string& name, std::int64_t size, std::int64_t count);

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
  void go_to(const TensorPlace& tensor);
  void require_hash(const std::string& name, const std::string& found) const;
  template <class T>
  std::vector<std::int32_t> read_as_int32(const std::string& name, std::int64_t size);

  std::string path_;
  const char* caller_;
  std::unique_ptr<std::FILE, Close> file_;
  Metadata metadata_;
  Metadata hashes_;               // of each tensor
  std::uint64_t data_begin_ = 0;  // the first byte of the first tensor
  std::map<std::string, TensorPlace> places_;
};

}  // namespace papilio::lda
