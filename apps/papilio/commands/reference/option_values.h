#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace CLI {
class App;
class Option;
}

// What the help shows about subcommands, for the manual page and the completions.

// The subcommands and options that the help lists, in its order.
std::vector<const CLI::App*> subcommands_of(const CLI::App& app);
std::vector<const CLI::Option*> options_of(const CLI::App& app);

bool is_positional(const CLI::Option* option);
bool is_flag(const CLI::Option* option);

// What a shell can offer for an option or a positional argument.
enum class OptionValue : std::uint8_t { none, word, number, text, file };

OptionValue value_of(const CLI::Option* option);

// The fixed words that an option takes. If value_of says `file`, it takes files as well.
std::vector<std::string> words_of(const CLI::Option* option);

// "collapsed|uncollapsed", "N" or "FILE".
std::string value_name(const CLI::Option* option);
