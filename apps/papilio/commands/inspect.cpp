#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <memory>
#include <numeric>
#include <string>

#include "commands/subcommands.h"
#include "papilio/model.h"
#include "support/files.h"
#include "support/text.h"

namespace {

// Loading has already compared hashes and counts.
ExitCode run_inspect(const std::string& path) {
  const papilio::Model model = reading([&] { return papilio::load_model(path); });
  const auto [least, most] = std::minmax_element(model.alpha.begin(), model.alpha.end());
  fmt::print("model       {}\n", path);
  fmt::print("topics      {}\n", grouped(model.topics));
  fmt::print("words       {}\n", grouped(model.vocabulary_size()));
  fmt::print("counted     {} tokens\n", grouped(std::accumulate(model.n_k.begin(), model.n_k.end(), std::int64_t{0})));
  fmt::print("alpha       {}\n", *least == *most ? fmt::format("{}", *least) : fmt::format("{} to {}", *least, *most));
  fmt::print("beta        {}\n", model.beta);
  for (const auto& [key, value] : model.settings) {
    fmt::print("{:<11} {}\n", key, value);
  }
  fmt::print("verified    hashes and counts\n");
  return ExitCode::ok;
}

}  // namespace

Subcommand add_inspect(CLI::App& app) {
  const auto model = std::make_shared<std::string>();
  CLI::App* inspect = app.add_subcommand("inspect", "Check a model and print its sizes and settings");
  inspect->add_option("model", *model, "A model that train wrote")->required();
  return {inspect, [model](const std::string&) { return run_inspect(*model); }};
}
