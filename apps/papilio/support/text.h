#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

// 1234567 as "1,234,567".
std::string grouped(std::int64_t number);

// A word quoted so that a shell reads it back unchanged: any shell, or bash, zsh or ksh if a terminal would act on it.
std::string shell_word(std::string_view word);

// The command line, quoted so that a shell reads it back unchanged.
std::string shell_command(int argc, char** argv);

// A command line of such words, without these options ("--name") and their values (the next word, or after '=').
std::string without_options(std::string_view command, const std::vector<std::string>& names);

// A library's message without its beginning, the function's name: "papilio::train: ".
std::string_view without_caller(std::string_view message);

// The text with everything escaped that a terminal would act on or not show: control
// characters, characters that change the direction of text or are invisible, and bytes
// that are not UTF-8: "\x1b", "\n", "\u202e". The control characters in `kept` stay.
std::string printable(std::string_view text, std::string_view kept = "");

// What somebody typed, for a message: printable, in quotation marks, and shortened in the middle if it is long.
std::string shown(std::string_view text);

// "papilio train: MESSAGE" for standard error, printable and with a line end. Further lines of a message are indented,
// so that no name in it can pass for a message; a very long message is cut in the middle.
std::string complaint(std::string_view subcommand, std::string_view message);

// The text as a JSON string, with quotation marks. Characters that `printable` would escape are escaped as JSON does; a
// byte that is not UTF-8 becomes U+FFFD, because JSON cannot represent it.
std::string json_string(std::string_view text);

// Seconds as "0:07", "12:34" or "1:02:03".
std::string clock_time(double seconds);
