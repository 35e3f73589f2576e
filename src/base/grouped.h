#pragma once

#include <algorithm>
#include <cstddef>
#include <string>

namespace papilio::base {

// A number in decimal digits with a comma after each thousand: "-1234567.25" becomes "-1,234,567.25".
inline std::string grouped(std::string number) {
  const std::size_t begin = number.starts_with('-') ? 1 : 0;
  for (std::size_t end = std::min(number.find('.'), number.size()); end > begin + 3;) {
    end -= 3;
    number.insert(end, 1, ',');
  }
  return number;
}

}  // namespace papilio::base
