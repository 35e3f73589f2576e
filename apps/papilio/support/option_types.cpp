#include "support/option_types.h"

#include <charconv>
#include <cstdint>
#include <optional>
#include <string_view>

namespace {

// The number of a CUDA device in "cuda" or "cuda:N"; -1 for "cpu", none for anything else.
std::optional<int> device_ordinal(const std::string& name) {
  if (name == "cpu") return -1;
  if (name == "cuda") return 0;
  constexpr std::string_view prefix = "cuda:";
  if (!name.starts_with(prefix)) return std::nullopt;
  int ordinal = 0;
  const char* last = name.data() + name.size();
  const auto [end, error] = std::from_chars(name.data() + prefix.size(), last, ordinal);
  return error == std::errc() && end == last && ordinal >= 0 ? std::optional(ordinal) : std::nullopt;
}

}  // namespace

CLI::Validator prior() {
  return CLI::Validator(
      [](const std::string& text) {
        double value = 0;
        const bool fits = CLI::detail::lexical_cast(text, value) && value > 0 && value <= 1e6;
        return fits ? std::string() : fmt::format("is {}, expected 0 < value <= 1e6", text);
      },
      "0 < value <= 1e6");
}

CLI::Validator device_name() {
  return CLI::Validator(
      [](const std::string& text) {
        return device_ordinal(text) ? std::string() : fmt::format("is {}, expected cpu, cuda or cuda:N", text);
      },
      "cpu|cuda|cuda:N");
}

papilio::Device device_called(const std::string& name) {
  if (name.empty()) return papilio::Device::best();
  const int ordinal = device_ordinal(name).value();
  return ordinal < 0 ? papilio::Device::cpu() : papilio::Device::cuda(ordinal);
}

// CLI11 would read -1 as the largest seed.
CLI::Validator seed() {
  return CLI::Validator(
      [](const std::string& text) {
        std::uint64_t value = 0;
        const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
        const bool fits = error == std::errc() && end == text.data() + text.size();
        return fits ? std::string() : fmt::format("is {}, expected an integer from 0 to 2^64 - 1", text);
      },
      "0 <= value < 2^64");
}
