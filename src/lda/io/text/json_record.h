#pragma once

#include <cstdint>
#include <set>
#include <string>
#include <string_view>

#include "lda/io/bytes/memory_limit.h"
#include "lda/io/text/json_text.h"

namespace papilio::lda {

// Takes JSON objects and keeps two of their fields. Throws FormatError for keys that occur twice and for fields that
// are missing or of another kind.
class JsonRecord {
 public:
  // An empty `text` stands for "text", an empty `id` for none. The memory of a JSON object's keys counts towards the
  // limit, which must outlive this record.
  JsonRecord(const std::string& text, std::string id, MemoryLimit& memory_limit);

  // Takes the object that comes next. The text field must be a string; the id must be a string or a number, and UTF-8.
  void take(JsonText& json);

  const std::string& text() const { return text_; }
  const std::string& id() const { return id_; }

 private:
  void take_key(JsonText& json);
  void take_field(JsonText& json);
  void count_memory(const JsonText& json);
  [[noreturn]] void fail_without(const JsonText& json, const std::string& field, const char* hint) const;

  std::string text_field_;
  std::string id_field_;
  std::string text_;
  std::string id_;
  std::string key_;
  std::set<std::string> keys_;
  bool has_text_ = false;
  bool has_id_ = false;
  std::int64_t bytes_of_keys_ = 0;
  MemoryShare memory_;
};

}  // namespace papilio::lda
