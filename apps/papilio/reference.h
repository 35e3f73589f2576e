#pragma once

#include "commands.h"

// The manual page and the completions of shells, both made from the command line's own
// description, so that they cannot differ from it.

// `papilio man`: the manual page, in roff, on standard output.
RunCommand add_man(CLI::App& app);

// `papilio completion bash|zsh|fish`: a script for that shell, on standard output.
RunCommand add_completion(CLI::App& app);
