#include "support/text.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <cmath>
#include <iterator>
#include <optional>
#include <utility>

std::string grouped(std::int64_t number) {
  std::string digits = fmt::format("{}", number);
  for (std::ptrdiff_t place = std::ssize(digits) - 3; place > (number < 0 ? 1 : 0); place -= 3) {
    digits.insert(static_cast<std::size_t>(place), 1, ',');
  }
  return digits;
}

namespace {

// The first character of a text, or its first byte if that is not UTF-8.
struct Character {
  std::optional<std::uint32_t> code;
  std::size_t bytes = 1;
};

Character first_character(std::string_view text) {
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
  const std::uint32_t lead = byte(0);
  if (lead < 0x80) return {lead, 1};
  const std::size_t bytes = lead >= 0xf0 ? 4 : lead >= 0xe0 ? 3 : 2;
  constexpr std::uint32_t least[] = {0, 0, 0x80, 0x800, 0x10000};
  if (lead < 0xc2 || lead > 0xf4 || text.size() < bytes) return {};
  std::uint32_t code = lead & (0xffU >> (bytes + 1));
  for (std::size_t i = 1; i < bytes; ++i) {
    if ((byte(i) & 0xc0) != 0x80) return {};
    code = code << 6 | (byte(i) & 0x3f);
  }
  const bool is_surrogate = code >= 0xd800 && code < 0xe000;
  if (code < least[bytes] || code > 0x10ffff || is_surrogate) return {};
  return {code, bytes};
}

// False for control characters, for characters that change the direction
// of text, break lines or tag text, and for blanks without width.
bool is_visible(std::uint32_t code) {
  struct Range {
    std::uint32_t first, last;
  };
  constexpr Range hidden[] = {{0, 0x1f},        {0x7f, 0x9f},      {0x61c, 0x61c},   {0x200b, 0x200b},
                              {0x200e, 0x200f}, {0x2028, 0x202e},  {0x2060, 0x206f}, {0xfeff, 0xfeff},
                              {0xfff9, 0xfffb}, {0xe0000, 0xe007f}};
  return std::none_of(std::begin(hidden), std::end(hidden),
                      [code](const Range& range) { return range.first <= code && code <= range.last; });
}

std::string escaped(const Character& character, std::string_view bytes) {
  if (bytes == "\n") return "\\n";
  if (bytes == "\r") return "\\r";
  if (bytes == "\t") return "\\t";
  if (!character.code || *character.code < 0x80) {
    return fmt::format("\\x{:02x}", static_cast<unsigned char>(bytes.front()));
  }
  return *character.code < 0x10000 ? fmt::format("\\u{:04x}", *character.code)
                                   : fmt::format("\\U{:08x}", *character.code);
}

}  // namespace

std::string shell_word(std::string_view word) {
  constexpr std::string_view safe = "-_./=:,+@%";
  const bool is_plain = !word.empty() && std::all_of(word.begin(), word.end(), [safe](char c) {
    return (static_cast<unsigned char>(c) < 0x80 && std::isalnum(static_cast<unsigned char>(c)) != 0) ||
           safe.find(c) != safe.npos;
  });
  if (is_plain) return std::string(word);
  // What a terminal would act on is written like $'\x1b'.
  const bool is_visible_text = printable(word) == word;
  std::string quoted = is_visible_text ? "'" : "$'";
  for (const char c : word) {
    const auto byte = static_cast<unsigned char>(c);
    if (is_visible_text) {
      quoted += c == '\'' ? "'\\'" : "";  // ends the quotes, adds the apostrophe, and begins them again
      quoted += c;
    } else if (byte >= 0x20 && byte < 0x7f && c != '\'' && c != '\\') {
      quoted += c;
    } else {
      quoted += fmt::format("\\x{:02x}", byte);
    }
  }
  return quoted + '\'';
}

std::string shell_command(int argc, char** argv) {
  std::string command;
  for (int i = 0; i < argc; ++i) {
    command += i == 0 ? "" : " ";
    command += shell_word(argv[i]);
  }
  return command;
}

std::string without_options(std::string_view command, const std::vector<std::string>& names) {
  std::string kept;
  bool is_value = false;  // the word is the value of an option that is left out
  while (!command.empty()) {
    bool in_quotes = false;
    std::size_t end = 0;
    for (; end < command.size() && (in_quotes || command[end] != ' '); ++end) {
      if (command[end] == '\'') in_quotes = !in_quotes;
      if (command[end] == '\\' && !in_quotes) ++end;
    }
    const std::string_view word = command.substr(0, end);
    command.remove_prefix(std::min(end + 1, command.size()));
    if (std::exchange(is_value, false)) continue;
    const std::string_view text = word.substr(word.starts_with("$'") ? 2 : word.starts_with('\'') ? 1 : 0);
    const auto begins = [&](const std::string& name) { return text == name || text.starts_with(name + '='); };
    const auto found = std::find_if(names.begin(), names.end(), begins);
    is_value = found != names.end() && text == *found;
    if (found != names.end()) continue;
    kept += kept.empty() ? "" : " ";
    kept += word;
  }
  return kept;
}

std::string_view without_caller(std::string_view message) {
  if (message.starts_with("papilio::")) {
    const std::size_t end = message.find(": ");
    return end == message.npos ? message : message.substr(end + 2);
  }
  return message;
}

std::string printable(std::string_view text, std::string_view kept) {
  std::string safe;
  while (!text.empty()) {
    const Character next = first_character(text);
    const std::string_view bytes = text.substr(0, next.bytes);
    if (next.code && (is_visible(*next.code) || (next.bytes == 1 && kept.find(bytes.front()) != kept.npos))) {
      safe += bytes;
    } else {
      safe += escaped(next, bytes);
    }
    text.remove_prefix(next.bytes);
  }
  return safe;
}

std::string shown(std::string_view text) {
  constexpr std::size_t most = 120;
  constexpr std::size_t at_each_end = 40;
  if (text.size() <= most) {
    return fmt::format("\"{}\"", printable(text));
  }
  return fmt::format("\"{}...{}\" ({} bytes)", printable(text.substr(0, at_each_end)),
                     printable(text.substr(text.size() - at_each_end)), grouped(std::ssize(text)));
}

namespace {

// The library's messages name its own arguments and functions, but people typed options.
void name_as_on_the_command_line(std::string& message) {
  constexpr std::array names = {
      std::pair{"another run: options.optimize is", "another run: --optimize-interval is"},
      std::pair{"another run: options.method is", "another run: --partial-sums is"},
      std::pair{"another run: options.seed_words is", "another run: --seed-words is"},
      std::pair{"another run: options.mh_steps is", "another run: --mh-steps is"},
      std::pair{"another run: options.", "another run: --"},
      std::pair{"another run: settings.optimize is", "another run: --optimize-interval is"},
      std::pair{"another run: settings.method is", "another run: --partial-sums is"},
      std::pair{"another run: settings.mh_steps is", "another run: --mh-steps is"},
      std::pair{"another run: settings.seed_words is", "another run: --seed-words is"},
      std::pair{"another run: settings.held_out_every is", "another run: --every is"},
      std::pair{"another run: settings.", "another run: --"},
      std::pair{"read with other options (stop_words, min_df, ...)",
                "read with other options (--stopwords, --min-df, ...)"},
      std::pair{"first_id was given", "--first-id was given"},
      std::pair{"transposed was given", "--transposed was given"},
      std::pair{"max_df is 0, expected 0 < max_df <= 1", "--max-df is 0, expected a number above 0 and at most 1"},
      std::pair{"use Device::cpu()", "use --device cpu"},
      std::pair{"max_memory (--max-memory; ", "--max-memory ("},
      std::pair{"max_memory (--max-memory)", "--max-memory"}};
  for (const auto& [library, command] : names) {
    const std::size_t place = message.find(library);
    if (place == message.npos) continue;
    message.replace(place, std::string_view(library).size(), command);
    return;
  }
}

}  // namespace

std::string complaint(std::string_view subcommand, std::string_view message) {
  constexpr std::size_t most = 4096;
  std::string text(without_caller(message));
  name_as_on_the_command_line(text);
  if (text.size() > most) {
    text.replace(most / 2, text.size() - most, " [...] ");
  }
  std::string lines = fmt::format("papilio{}{}: ", subcommand.empty() ? "" : " ", subcommand);
  for (const char c : printable(text, "\n")) {
    lines += c;
    if (c == '\n') lines += "  ";
  }
  return lines + '\n';
}

std::string json_string(std::string_view text) {
  constexpr std::string_view replacement = "\xef\xbf\xbd";  // U+FFFD
  std::string json = "\"";
  while (!text.empty()) {
    const Character next = first_character(text);
    const std::string_view bytes = text.substr(0, next.bytes);
    if (!next.code) {
      json += replacement;
    } else if (bytes == "\"" || bytes == "\\") {
      json.append("\\").append(bytes);
    } else if (is_visible(*next.code)) {
      json += bytes;
    } else if (*next.code < 0x10000) {
      fmt::format_to(std::back_inserter(json), "\\u{:04x}", *next.code);
    } else {
      const std::uint32_t rest = *next.code - 0x10000;
      fmt::format_to(std::back_inserter(json), "\\u{:04x}\\u{:04x}", 0xd800 + (rest >> 10), 0xdc00 + (rest & 0x3ff));
    }
    text.remove_prefix(next.bytes);
  }
  return json + '"';
}

std::string clock_time(double seconds) {
  const auto whole = static_cast<std::int64_t>(std::ceil(seconds));
  return whole < 3600 ? fmt::format("{}:{:02}", whole / 60, whole % 60)
                      : fmt::format("{}:{:02}:{:02}", whole / 3600, whole / 60 % 60, whole % 60);
}
