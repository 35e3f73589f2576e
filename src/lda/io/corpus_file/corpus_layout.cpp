#include "lda/io/corpus_file/corpus_layout.h"

#include <fmt/format.h>

#include <bit>
#include <charconv>
#include <cstring>

#include "base/math.h"

namespace papilio::lda {
namespace {

static_assert(std::endian::native == std::endian::little, "corpus files hold numbers as they are in memory");

constexpr std::string_view metadata = R"({"__metadata__":{"format":"papilio-corpus","version":"1"})";

struct Tensor {
  const char* name;
  const char* type;
  std::int64_t element_bytes;
};
constexpr std::array<Tensor, corpus_parts> tensors = {{{"document_offsets", "I64", 8},
                                                       {"vocabulary_offsets", "I64", 8},
                                                       {"name_offsets", "I64", 8},
                                                       {"words", "I32", 4},
                                                       {"vocabulary", "U8", 1},
                                                       {"names", "U8", 1},
                                                       {"hashes", "U8", 1}}};

// No number in a file is larger, so sums of them cannot overflow.
constexpr std::int64_t largest = std::int64_t{1} << 56;

// Takes the extent in the next tensor's shape from the text; -1 if there is none.
std::int64_t take_extent(std::string_view& text) {
  constexpr std::string_view before = "\"shape\":[";
  const std::size_t place = text.find(before);
  if (place == std::string_view::npos) return -1;
  text.remove_prefix(place + before.size());
  std::int64_t extent = -1;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), extent);
  return error == std::errc() && extent >= 0 && extent <= largest ? extent : -1;
}

}  // namespace

CorpusLayout layout_of(const CorpusSizes& sizes) {
  CorpusLayout layout;
  layout.sizes = sizes;
  const std::array<std::int64_t, corpus_parts> extents = {sizes.documents + 1,
                                                          sizes.words + 1,
                                                          sizes.named_documents > 0 ? sizes.named_documents + 1 : 0,
                                                          sizes.tokens,
                                                          sizes.vocabulary_bytes,
                                                          sizes.name_bytes,
                                                          static_cast<std::int64_t>(corpus_parts)};
  std::string json(metadata);
  std::int64_t begin = 0;
  for (std::size_t i = 0; i < corpus_parts; ++i) {
    const bool is_hashes = i + 1 == corpus_parts;
    const std::int64_t bytes = extents[i] * (is_hashes ? 16 : tensors[i].element_bytes);
    layout.begin[i] = begin;
    layout.bytes[i] = bytes;
    json += fmt::format(R"(,"{}":{{"dtype":"{}","shape":[{}{}],"data_offsets":[{},{}]}})", tensors[i].name,
                        tensors[i].type, extents[i], is_hashes ? ",16" : "", begin, begin + bytes);
    begin += bytes;
  }
  json += '}';
  json.resize(base::round_up<std::size_t>(json.size(), 8), ' ');
  const std::uint64_t length = json.size();
  layout.header.resize(sizeof length);
  std::memcpy(layout.header.data(), &length, sizeof length);
  layout.header += json;
  for (std::int64_t& offset : layout.begin) offset += std::ssize(layout.header);
  layout.file_bytes = std::ssize(layout.header) + begin;
  return layout;
}

bool begins_as_corpus_file(std::string_view bytes) {
  constexpr std::string_view format = R"({"__metadata__":{"format":"papilio-corpus")";
  return bytes.size() > 8 && bytes.substr(8).starts_with(format);
}

// Reads only the tensors' extents, and compares all bytes with the
// header that follows from them, so that any other damage is noticed.
std::optional<CorpusLayout> parse_corpus_header(std::string_view bytes) {
  if (!begins_as_corpus_file(bytes)) return std::nullopt;
  std::string_view text = bytes.substr(0, longest_corpus_header);
  std::array<std::int64_t, corpus_parts> extents{};
  for (std::int64_t& extent : extents) {
    extent = take_extent(text);
    if (extent < 0) return std::nullopt;
  }
  CorpusSizes sizes;
  sizes.documents = extents[0] - 1;
  sizes.words = extents[1] - 1;
  sizes.named_documents = extents[2] > 0 ? extents[2] - 1 : 0;
  sizes.tokens = extents[3];
  sizes.vocabulary_bytes = extents[4];
  sizes.name_bytes = extents[5];
  if (sizes.documents < 0 || sizes.words < 0) return std::nullopt;
  CorpusLayout layout = layout_of(sizes);
  if (!bytes.starts_with(layout.header)) return std::nullopt;
  return layout;
}

}  // namespace papilio::lda
