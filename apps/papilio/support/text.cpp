#include "support/text.h"

#include <fmt/format.h>

#include <cctype>
#include <cmath>
#include <cstdio>

std::string grouped(std::int64_t number) {
  std::string digits = fmt::format("{}", number);
  for (std::ptrdiff_t place = std::ssize(digits) - 3; place > (number < 0 ? 1 : 0); place -= 3) {
    digits.insert(static_cast<std::size_t>(place), 1, ',');
  }
  return digits;
}

std::string shell_command(int argc, char** argv) {
  constexpr std::string_view safe = "-_./=:,+@%";
  std::string command;
  for (int i = 0; i < argc; ++i) {
    const std::string_view word = argv[i];
    bool plain = !word.empty();
    std::string quoted = "'";
    for (const char c : word) {
      plain = plain && (std::isalnum(static_cast<unsigned char>(c)) != 0 || safe.find(c) != safe.npos);
      if (c == '\'') {
        quoted += "'\\'";  // out of the quotes, the mark itself, and in again
      }
      quoted += c;
    }
    command += i == 0 ? "" : " ";
    quoted += '\'';
    command += plain ? std::string(word) : quoted;
  }
  return command;
}

std::string_view without_caller(std::string_view message) {
  if (message.starts_with("papilio::")) {
    const std::size_t end = message.find(": ");
    return end == message.npos ? message : message.substr(end + 2);
  }
  return message;
}

std::string json_string(std::string_view text) {
  std::string json = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') {
      json += '\\';
      json += c;
    } else if (static_cast<unsigned char>(c) < 0x20) {
      json += fmt::format("\\u{:04x}", static_cast<unsigned>(c));
    } else {
      json += c;
    }
  }
  json += '"';
  return json;
}

std::string clock_time(double seconds) {
  const auto whole = static_cast<std::int64_t>(std::ceil(seconds));
  return whole < 3600 ? fmt::format("{}:{:02}", whole / 60, whole % 60)
                      : fmt::format("{}:{:02}:{:02}", whole / 3600, whole / 60 % 60, whole % 60);
}

void tell(const std::string& text) noexcept { std::fputs(text.c_str(), stderr); }
