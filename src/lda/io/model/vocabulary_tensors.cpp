#include "lda/io/model/vocabulary_tensors.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>
#include <utility>

#include "lda/corpus/vocabulary.h"
#include "lda/io/model/safetensors_parts.h"
#include "papilio/error.h"

namespace papilio::lda {
namespace {

using nlohmann::json;

std::uint64_t bytes_of(std::span<const std::string> words) {
  std::uint64_t bytes = 0;
  for (const std::string& word : words) bytes += word.size();
  return bytes;
}

// Reads a list of texts without the tree that json::parse would make: the
// tree's destructor needs memory, and ends the process if there is none.
class WordsReader final : public nlohmann::json_sax<json> {
 public:
  std::vector<std::string> take() && { return std::move(words_); }

  bool start_array(std::size_t) override { return std::exchange(begun_, true) ? fail() : true; }
  bool end_array() override { return true; }
  bool string(string_t& value) override {
    if (!begun_) return fail();
    words_.push_back(std::move(value));
    return true;
  }

  bool null() override { return fail(); }
  bool boolean(bool) override { return fail(); }
  bool number_integer(number_integer_t) override { return fail(); }
  bool number_unsigned(number_unsigned_t) override { return fail(); }
  bool number_float(number_float_t, const string_t&) override { return fail(); }
  bool binary(binary_t&) override { return fail(); }
  bool start_object(std::size_t) override { return fail(); }
  bool key(string_t&) override { return fail(); }
  bool end_object() override { return fail(); }
  bool parse_error(std::size_t, const std::string&, const json::exception&) override { return fail(); }

 private:
  static bool fail() { throw FormatError("\"vocabulary\" is not a JSON list of words"); }

  std::vector<std::string> words_;
  bool begun_ = false;
};

}  // namespace

TensorView words_view(const char* tensor, std::span<const std::string> words) {
  const auto pass = [words](const TakeBytes& take) {
    constexpr std::size_t enough = std::size_t{1} << 16;
    std::string part;
    for (const std::string& word : words) {
      part += word;
      if (part.size() < enough) continue;
      take(std::as_bytes(std::span(part)));
      part.clear();
    }
    take(std::as_bytes(std::span(part)));
  };
  const std::uint64_t bytes = bytes_of(words);
  return {tensor, dtype<std::uint8_t>, {static_cast<std::int64_t>(bytes)}, bytes, pass};
}

TensorView offsets_view(const char* tensor, std::span<const std::string> words) {
  const auto pass = [words](const TakeBytes& take) {
    std::vector<std::int64_t> part = {0};
    std::int64_t end = 0;
    for (const std::string& word : words) {
      end += std::ssize(word);
      part.push_back(end);
      if (part.size() < numbers_per_part) continue;
      take(std::as_bytes(std::span(part)));
      part.clear();
    }
    take(std::as_bytes(std::span(part)));
  };
  const std::size_t offsets = words.size() + 1;
  return {tensor, dtype<std::int64_t>, {static_cast<std::int64_t>(offsets)}, offsets * sizeof(std::int64_t), pass};
}

std::vector<std::string> read_texts(SafetensorsFile& file, const char* tensor, const char* offsets_tensor,
                                    std::int64_t count) {
  const auto offsets = file.read<std::int64_t>(offsets_tensor, {count + 1});
  const auto bytes = file.read<std::uint8_t>(tensor, file.shape(tensor));
  const auto fail = [&](std::size_t at, std::int64_t least, std::int64_t most) {
    file.fail(
        fmt::format("tensor \"{}\": entry {} is {}, expected {} to {}: the words lie one after the other in {} bytes",
                    offsets_tensor, at, offsets[at], least, most, bytes.size()));
  };
  if (offsets.front() != 0) fail(0, 0, 0);
  if (offsets.back() != std::ssize(bytes)) fail(offsets.size() - 1, std::ssize(bytes), std::ssize(bytes));
  std::vector<std::string> texts;
  texts.reserve(static_cast<std::size_t>(count));
  for (std::size_t i = 1; i < offsets.size(); ++i) {
    if (offsets[i] < offsets[i - 1] || offsets[i] > std::ssize(bytes)) fail(i, offsets[i - 1], std::ssize(bytes));
    texts.emplace_back(bytes.begin() + offsets[i - 1], bytes.begin() + offsets[i]);
  }
  return texts;
}

std::vector<std::string> read_vocabulary_tensors(SafetensorsFile& file, std::int64_t words) {
  std::vector<std::string> vocabulary = read_texts(file, vocabulary_tensor, vocabulary_offsets_tensor, words);
  const std::string fault = vocabulary_fault(vocabulary);
  if (!fault.empty()) file.fail(fault);
  return vocabulary;
}

std::vector<std::string> vocabulary_of_json(const std::string& text) {
  WordsReader reader;
  json::sax_parse(text, &reader);
  return std::move(reader).take();
}

}  // namespace papilio::lda
