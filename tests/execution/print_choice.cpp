// Prints what the environment made the library choose: "device NAME", "target
// NAME" or "error MESSAGE". The tests run it as a child process, since a target is
// chosen once a process.

#include <cstdio>
#include <string_view>

#include "papilio/device.h"
#include "papilio/error.h"

int main(int count, char** arguments) {
  const std::string_view what = count == 2 ? arguments[1] : "";
  try {
    if (what == "device") {
      std::printf("device %s\n", papilio::Device::best().name().c_str());
    } else if (what == "target") {
      std::printf("target %s\n", papilio::cpu_target().c_str());
    } else if (what == "threads") {
      std::printf("threads %d\n", papilio::default_threads());
    } else {
      std::fputs("usage: print_choice device|target|threads\n", stderr);
      return 2;
    }
  } catch (const papilio::DeviceUnavailable& error) {
    std::printf("error %s\n", error.what());
  }
  return 0;
}
