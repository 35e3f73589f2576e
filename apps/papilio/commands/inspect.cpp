#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "commands.h"
#include "papilio/model.h"
#include "support/files.h"
#include "support/text.h"

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
