#include <CLI/CLI.hpp>
#include <cstdio>
#include <fstream>
#include <string>
#include <vector>

#include "apps/papilio/command_line.h"
#include "apps/papilio/support/arguments.h"

// Writes the command's options and some values of theirs as a dictionary of libFuzzer, and a command line of each
// subcommand: command_line_seed DICTIONARY FOLDER.

namespace {

constexpr char separator[] = "\\x00";

const std::vector<std::string> values = {"-",
                                         "--",
                                         "0",
                                         "1",
                                         "-1",
                                         "-0",
                                         "2",
                                         "0.5",
                                         "1e999",
                                         "nan",
                                         "inf",
                                         "0x10",
                                         "010",
                                         "1e6",
                                         "1e-9",
                                         "auto",
                                         "text",
                                         "english",
                                         "m",
                                         "c.txt",
                                         "x.npy",
                                         "x.mtx",
                                         "x.gz",
                                         "a/",
                                         "cpu",
                                         "json",
                                         "bash",
                                         "TRUE",
                                         "18446744073709551615",
                                         "4294967296",
                                         "2147483648",
                                         "9223372036854775808",
                                         "\\xff",
                                         "\\x1b[31m",
                                         "\\xe2\\x80\\xae",
                                         "=",
                                         "[a,b]",
                                         "{}",
                                         "%s"};

std::string words_of(const CLI::Option* option) { return option->get_positional() ? "m" : spellings(option).back(); }

}  // namespace

int main(int argc, char** argv) {
  if (argc != 3) return 64;
  const CommandLine command_line;
  std::ofstream dictionary(argv[1]);
  for (const std::string& value : values) dictionary << '"' << value << separator << "\"\n";
  for (const CLI::App* app : command_line.app().get_subcommands([](const CLI::App*) { return true; })) {
    dictionary << '"' << app->get_name() << separator << "\"\n";
    std::string line = app->get_name() + '\0';
    std::string every = line;
    for (const CLI::Option* option : app->get_options([](const CLI::Option*) { return true; })) {
      for (const std::string& name : spellings(option)) dictionary << '"' << name << separator << "\"\n";
      const std::string typed = words_of(option) + '\0';
      const std::string value = option->get_items_expected_max() == 0 || option->get_positional()
                                    ? std::string()
                                    : (option->get_default_str().empty() ? "1" : option->get_default_str()) + '\0';
      if (option->get_required()) line += typed + value;
      every += typed + value;
    }
    std::ofstream(std::string(argv[2]) + "/" + app->get_name(), std::ios::binary) << line;
    std::ofstream(std::string(argv[2]) + "/" + app->get_name() + "_all", std::ios::binary) << every;
  }
  return 0;
}
