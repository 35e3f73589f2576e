#include "lda/model/labels.h"

#include <fmt/format.h>

#include <algorithm>
#include <unordered_map>

#include "lda/corpus/utf8.h"

namespace papilio::lda {
namespace {

constexpr std::size_t longest_label = 200;

bool is_digit(char c) { return c >= '0' && c <= '9'; }

// Control characters of ASCII, and those of Latin-1, whose UTF-8 begins with 0xc2.
bool has_control(std::string_view text) {
  for (std::size_t i = 0; i < text.size(); ++i) {
    const auto byte = static_cast<unsigned char>(text[i]);
    if (byte < 0x20 || byte == 0x7f) return true;
    if (byte == 0xc2 && i + 1 < text.size() && static_cast<unsigned char>(text[i + 1]) < 0xa0) return true;
  }
  return false;
}

std::string label_fault(std::string_view label) {
  if (find_ill_formed(label) != label.npos) return "is not well-formed UTF-8";
  if (label.size() > longest_label) {
    return fmt::format("is {} bytes long, expected at most {}", label.size(), longest_label);
  }
  if (has_control(label)) return "has a control character, such as a tab or the end of a line";
  if (label.front() == ' ' || label.back() == ' ') return "begins or ends with a blank";
  if (std::all_of(label.begin(), label.end(), is_digit)) return "is a number, which would be taken for a topic's";
  return "";
}

}  // namespace

std::string labels_fault(std::span<const std::string> labels, std::int32_t topics) {
  if (!labels.empty() && std::ssize(labels) != topics) {
    return fmt::format("there are {} labels, expected none or one per topic, {}", labels.size(), topics);
  }
  std::unordered_map<std::string_view, std::size_t> topic_of;
  for (std::size_t k = 0; k < labels.size(); ++k) {
    if (labels[k].empty()) continue;
    const std::string fault = label_fault(labels[k]);
    if (!fault.empty()) return fmt::format("the label of topic {} {}", k, fault);
    const auto [found, is_new] = topic_of.emplace(labels[k], k);
    if (!is_new) return fmt::format("topics {} and {} have the same label, {}", found->second, k, labels[k]);
  }
  return "";
}

bool is_edit(const ModelEdit& edit) {
  const auto is_hex = [](char c) { return is_digit(c) || (c >= 'a' && c <= 'f'); };
  constexpr std::size_t hash_digits = 32;
  return !edit.change.empty() && edit.parent.size() == hash_digits &&
         std::all_of(edit.parent.begin(), edit.parent.end(), is_hex) &&
         std::none_of(edit.change.begin(), edit.change.end(), [](const std::string& word) {
           return word.empty() || has_control(word) || find_ill_formed(word) != word.npos;
         });
}

}  // namespace papilio::lda
