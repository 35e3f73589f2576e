#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace papilio::loops {

// Changes of a text; they must not overlap.
class Edits {
 public:
  void insert(std::size_t at, std::string text) { list_.push_back({at, at, std::move(text)}); }
  void replace(std::size_t begin, std::size_t end, std::string text) { list_.push_back({begin, end, std::move(text)}); }
  std::string apply(std::string_view text) const { return apply(text, 0, text.size()); }
  // Applies the edits that lie within bytes [begin, end) of the text to these bytes.
  std::string apply(std::string_view text, std::size_t begin, std::size_t end) const;
  void add(const Edits& others) { list_.insert(list_.end(), others.list_.begin(), others.list_.end()); }

 private:
  struct Edit {
    std::size_t begin, end;
    std::string text;
  };
  std::vector<Edit> list_;
};

}  // namespace papilio::loops
