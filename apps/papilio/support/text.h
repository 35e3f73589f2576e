#pragma once

#include <cstdint>
#include <string>
#include <string_view>

// 1234567 as "1,234,567".
std::string grouped(std::int64_t number);

// The command line, quoted so that a shell reads it back as it was.
std::string shell_command(int argc, char** argv);

// A library's message without the function that it begins with, "papilio::train: ".
std::string_view without_caller(std::string_view message);

// The text as a JSON string, quotation marks included.
std::string json_string(std::string_view text);

// Seconds as "0:07", "12:34" or "1:02:03".
std::string clock_time(double seconds);

// Writes a message to standard error; never throws, as nobody may be reading.
void tell(const std::string& text) noexcept;
