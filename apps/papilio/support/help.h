#pragma once

#include <memory>

namespace CLI {
class App;
class FormatterBase;
}

// The form of a subcommand's help: "-k,--topics N", then the description with range and default.
std::shared_ptr<CLI::FormatterBase> help_format();

// Keeps only the common options in the help of a subcommand that has many, and says so at its end.
void keep_usual_options(CLI::App& subcommand);
