#pragma once

#include <span>
#include <string>
#include <vector>

namespace CLI {
class App;
class Option;
}

// The arguments of a subcommand, by rules that are the same for all subcommands:
//
//   --name VALUE, --name=VALUE, -n VALUE, -nVALUE; flags may be joined: -qf
//   --     no options follow
//   -      alone: standard input, or output
//
// An option is given once; a flag may be repeated. No argument is empty. A value that begins with "--" is written as
// --name=VALUE. Options and their values are those of CLI11, which converts and explains them.
class Arguments {
 public:
  // Throws CommandError (usage).
  Arguments(CLI::App& subcommand, std::span<const std::string> arguments);

  // Whether --help or --help-all was found; then nothing else matters.
  enum class Help { no, usual, all };
  Help asks_for_help() const { return asks_for_help_; }

  // Puts the values where the subcommand's options want them. Call it once per CLI::App. Throws CommandError (usage).
  void apply() const;

  // The same arguments in a standard form: options as --name=VALUE in the order of the help, then "--", then the rest.
  std::vector<std::string> canonical() const;

 private:
  struct Given {
    CLI::Option* option;
    std::vector<std::string> spelled;  // as it was typed each time
    std::vector<std::string> values;
  };

  Given& given(CLI::Option& option);
  const Given* find(const CLI::Option* option) const;
  void take_option(std::span<const std::string>& rest);
  void take_long(std::span<const std::string>& rest);
  void take_short(std::span<const std::string>& rest);
  void take_values(CLI::Option& option, const std::string& spelled, std::span<const std::string>& rest);
  void take_positional(const std::string& value);
  std::string required_arguments() const;
  void require_all() const;
  void require_company(const Given& given) const;

  CLI::App& app_;
  const std::vector<std::string> known_;  // every option's spellings
  std::vector<Given> given_;              // in the order of the help
  Help asks_for_help_ = Help::no;
};

// "train, topics or infer".
std::string listed(std::span<const std::string> words);

// "-k", "--topics", "--num-topics".
std::vector<std::string> spellings(const CLI::Option* option);
