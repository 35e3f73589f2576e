#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "papilio/model.h"

namespace papilio::lda {

// What is wrong with the labels of K topics, as in "the label of topic 3 ...". Empty if nothing is. There are K labels
// or none, and "" means no label. Others are distinct UTF-8 of at most 200 bytes, without control characters, without a
// blank at either end, and not numbers, which would be taken for topics.
std::string labels_fault(std::span<const std::string> labels, std::int32_t topics);

// Whether the edit fits on one line of a file: words without control characters, and a hash.
bool is_edit(const ModelEdit& edit);

}  // namespace papilio::lda
