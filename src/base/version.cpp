#include <fmt/format.h>

#include "papilio/version.h"

namespace papilio {

const char* version() noexcept {
  static const std::string text =
      fmt::format("{}.{}.{}", PAPILIO_VERSION_MAJOR, PAPILIO_VERSION_MINOR, PAPILIO_VERSION_PATCH);
  return text.c_str();
}

}  // namespace papilio
