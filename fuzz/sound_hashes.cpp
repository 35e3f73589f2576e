#include "sound_hashes.h"

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <nlohmann/json.hpp>
#include <span>

#include "lda/io/bytes/hash.h"
#include "lda/io/corpus_file/corpus_layout.h"
#include "lda/io/model/safetensors_parts.h"

namespace {

namespace lda = papilio::lda;
using nlohmann::json;

constexpr std::ptrdiff_t most_brackets = 64;  // a soundly nested header; deeper ones the readers get as they are

std::string hash_of_tensor(const json& tensor, std::string_view tensors) {
  const auto begin = tensor.at("data_offsets").at(0).get<std::uint64_t>();
  const auto end = tensor.at("data_offsets").at(1).get<std::uint64_t>();
  if (begin > end || end > tensors.size()) return "";
  return lda::xxh3_128(std::as_bytes(std::span(tensors.substr(begin, end - begin))));
}

void mend(json& header, std::string_view tensors) {
  lda::Metadata metadata;
  for (const auto& [key, value] : header.at("__metadata__").items()) {
    if (!key.starts_with(lda::hash_of_metadata)) metadata[key] = value.get<std::string>();
  }
  json mended = metadata;
  mended[std::string(lda::hash_of_metadata)] = lda::hash_metadata(metadata);
  for (const auto& [name, tensor] : header.items()) {
    if (name != "__metadata__") mended[std::string(lda::hash_prefix) + name] = hash_of_tensor(tensor, tensors);
  }
  header["__metadata__"] = std::move(mended);
}

}  // namespace

std::string with_sound_hashes(std::string_view file) {
  std::uint64_t length = 0;
  if (file.size() < sizeof length) return "";
  std::memcpy(&length, file.data(), sizeof length);
  file.remove_prefix(sizeof length);
  if (length > file.size()) return "";
  const std::string_view text = file.substr(0, length);
  const std::string_view tensors = file.substr(length);
  const auto opens = [](char c) { return c == '{' || c == '['; };
  if (std::count_if(text.begin(), text.end(), opens) > most_brackets) return "";
  try {
    json header = json::parse(text);
    mend(header, tensors);
    const std::string mended = header.dump();
    const std::uint64_t new_length = mended.size();
    std::string all(sizeof new_length, '\0');
    std::memcpy(all.data(), &new_length, sizeof new_length);
    return all.append(mended).append(tensors);
  } catch (const json::exception&) {
    return "";
  }
}

std::string with_sound_corpus_hashes(std::string_view file) {
  const auto layout = lda::parse_corpus_header(file);
  if (!layout || layout->file_bytes != static_cast<std::int64_t>(file.size())) return "";
  std::string all(file);
  const std::span<const std::byte> bytes = std::as_bytes(std::span(file));
  const auto hashes = static_cast<std::size_t>(layout->begin.back());
  for (std::size_t i = 0; i < lda::corpus_parts; ++i) {  // the header, then every tensor but the hashes
    const auto begin = i == 0 ? 0 : static_cast<std::size_t>(layout->begin[i - 1]);
    const auto size = i == 0 ? layout->header.size() : static_cast<std::size_t>(layout->bytes[i - 1]);
    const lda::Digest digest = lda::hash_of(bytes.subspan(begin, size));
    std::memcpy(all.data() + hashes + i * digest.size(), digest.data(), digest.size());
  }
  return all;
}
