#include "lda/io/text/json_record.h"

#include <fmt/format.h>

#include <utility>

#include "lda/corpus/utf8.h"

namespace papilio::lda {

JsonRecord::JsonRecord(const std::string& text, std::string id, MemoryLimit& memory_limit)
    : text_field_(text.empty() ? "text" : text), id_field_(std::move(id)), memory_(memory_limit) {}

void JsonRecord::take(JsonText& json) {
  keys_.clear();
  bytes_of_keys_ = 0;
  count_memory(json);
  has_text_ = false;
  has_id_ = id_field_.empty();
  json.take('{', "a JSON object");
  json.skip_blanks();
  if (!json.take_if('}')) {
    do {
      json.skip_blanks();
      take_key(json);
      json.take_colon();
      take_field(json);
      json.skip_blanks();
    } while (json.take_if(','));
    json.take('}', "\",\" or \"}\"");
  }
  if (!has_text_) {
    fail_without(json, text_field_, " (--text-field NAME, in Python text_column=, names the field of the text)");
  }
  if (!has_id_) fail_without(json, id_field_, "");
}

void JsonRecord::take_key(JsonText& json) {
  constexpr std::int64_t bytes_per_key =
      sizeof(std::string) + 6 * sizeof(void*);  // in a tree, each allocated separately
  const std::size_t begin = json.at();
  key_.clear();
  json.take_key(&key_);
  if (!keys_.insert(key_).second) json.fail_at(begin, "a key that has not occurred yet");
  bytes_of_keys_ += bytes_per_key + (key_.size() >= sizeof(std::string) / 2 ? std::ssize(key_) : 0);
  if (keys_.size() % 256 == 0) count_memory(json);
}

void JsonRecord::count_memory(const JsonText& json) {
  if (!memory_.set(bytes_of_keys_)) {
    memory_.limit().refuse(json.source().origin(), json.source().place_of(json.at()).line,
                           fmt::format("an object of {} keys so far", keys_.size()));
  }
}

void JsonRecord::take_field(JsonText& json) {
  const bool is_text = key_ == text_field_;
  const bool is_id = !id_field_.empty() && key_ == id_field_;
  const std::size_t begin = json.at();
  const char first = json.peek();
  if (is_text) {
    if (first != '"') json.fail(fmt::format("a string as {}", lda::quoted(key_)));
    text_.clear();
    json.take_string(&text_);
    has_text_ = true;
  }
  if (is_id) {
    id_.clear();
    if (is_text) {
      id_ = text_;
    } else if (first == '"') {
      json.take_string(&id_);
    } else if (first == '-' || (first >= '0' && first <= '9')) {
      id_ = json.take_number();
    } else {
      json.fail(fmt::format("a string or a number as {}", lda::quoted(key_)));
    }
    if (find_ill_formed(id_) != std::string::npos) json.fail_at(begin, "UTF-8 as the id");
    has_id_ = true;
  }
  if (!is_text && !is_id) json.skip_value(1);
}

void JsonRecord::fail_without(const JsonText& json, const std::string& field, const char* hint) const {
  constexpr std::size_t most = 20;
  std::string names;
  std::size_t shown = 0;
  for (const std::string& key : keys_) {
    if (shown++ == most) {
      names += ", ...";
      break;
    }
    names += (names.empty() ? "" : ", ") + lda::quoted(key);
  }
  if (names.empty()) names = "an object without fields";
  json.format_error(0, fmt::format("expected a field {}, got {}{}", lda::quoted(field), names, hint));
}

}  // namespace papilio::lda
