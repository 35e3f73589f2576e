#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <string>

#include "commands/subcommands.h"
#include "papilio/device.h"
#include "support/output.h"

namespace {

ExitCode run_devices() {
  const std::string chosen = papilio::cpu_target();
  print("device      {}\n", papilio::Device::best().name());
  print("cpu target  {} (of", chosen);
  for (const std::string& target : papilio::cpu_targets()) {
    print(" {}", target);
  }
  print(")\nthreads     {}\n", papilio::default_threads());
  for (const std::string& device : papilio::describe_cuda_devices()) {
    print("cuda        {}\n", device);
  }
  return ExitCode::ok;
}

}  // namespace

Subcommand add_devices(CLI::App& app) {
  CLI::App* devices = app.add_subcommand("devices", "Print the device, CPU target and number of threads in use");
  return {devices, [](const std::string&) { return run_devices(); }};
}
