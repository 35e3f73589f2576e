#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "lda/io/model/safetensors.h"

namespace papilio::lda {

// A vocabulary as two tensors, as in a corpus file: the words' bytes one
// after the other, and where each word begins and the last one ends.
inline constexpr const char* vocabulary_tensor = "vocabulary";                  // U8
inline constexpr const char* vocabulary_offsets_tensor = "vocabulary_offsets";  // I64, V + 1

// The labels of topics, in the same way.
inline constexpr const char* labels_tensor = "labels";                // U8
inline constexpr const char* label_offsets_tensor = "label_offsets";  // I64, K + 1

// They borrow the words.
TensorView words_view(const char* tensor, std::span<const std::string> words);
TensorView offsets_view(const char* tensor, std::span<const std::string> words);

// Reads `words` words from both tensors. Throws FormatError for offsets that are not those of that many distinct words.
std::vector<std::string> read_vocabulary_tensors(SafetensorsFile& file, std::int64_t words);

// Reads the texts of two such tensors, whatever the texts are. Throws
// FormatError for offsets that are not those of that many texts.
std::vector<std::string> read_texts(SafetensorsFile& file, const char* tensor, const char* offsets_tensor,
                                    std::int64_t count);

// The words of a JSON list, as in the metadata of version 1 of the
// models' format. Throws FormatError, without a path, for anything else.
std::vector<std::string> vocabulary_of_json(const std::string& text);

}  // namespace papilio::lda
