#include "command_line.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <vector>

#include "commands/subcommands.h"
#include "papilio/version.h"
#include "support/text.h"

ExitCode run_command_line(int argc, char** argv, std::string& subcommand) {
  CLI::App app("papilio: topic models; the same seed gives the same bits on every machine", "papilio");
  app.set_version_flag("--version", fmt::format("papilio {}", papilio::version()));
  app.require_subcommand(1);
#define PAPILIO_ADD(name) add_##name(app),
  const std::vector<Subcommand> subcommands = {PAPILIO_SUBCOMMANDS(PAPILIO_ADD)};
#undef PAPILIO_ADD
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    return app.exit(error) == 0 ? ExitCode::ok : ExitCode::usage;
  }
  const auto chosen =
      std::find_if(subcommands.begin(), subcommands.end(), [](const Subcommand& s) { return s.app->parsed(); });
  subcommand = chosen->app->get_name();
  return chosen->run(shell_command(argc, argv));
}
