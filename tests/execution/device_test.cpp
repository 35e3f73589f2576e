#include "papilio/device.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <gtest/gtest.h>
#include <sched.h>

#include <algorithm>
#include <cstdio>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "execution/cpu/target.h"
#include "papilio/error.h"

namespace papilio {
namespace {

// What print_choice prints, run by the shell under `setting` ("NAME=value", or "-u NAME").
std::string choice(const std::string& setting, const std::string& what) {
  const std::string command = fmt::format("env {} '{}' {}", setting, PAPILIO_PRINT_CHOICE, what);
  const std::unique_ptr<FILE, int (*)(FILE*)> pipe(popen(command.c_str(), "r"), pclose);
  std::string text;
  char buffer[512];
  while (pipe && std::fgets(buffer, sizeof buffer, pipe.get()) != nullptr) text += buffer;
  return text;
}

// What print_choice prints where the machine's CUDA devices, if it has any, are hidden.
std::string choice_without_device(const std::string& setting) {
  return choice("-u PAPILIO_DEVICE CUDA_VISIBLE_DEVICES=-1 " + setting, "device");
}

// Whether `printed` says that device `ordinal` is not there, for a reason that this build can have.
bool names_the_absence(const std::string& printed, int ordinal) {
  const std::string start = fmt::format("error papilio::Device::cuda: CUDA device {} was asked for, but ", ordinal);
  const std::string without_cuda =
      "this build has no CUDA support; use Device::cpu(), or configure with -DPAPILIO_CUDA=ON\n";
  const std::string without_driver =
      "this machine has no NVIDIA driver, or one older than this build needs; use Device::cpu()\n";
  const std::string without_device = "the driver finds no device; use Device::cpu()\n";
  return PAPILIO_BUILT_WITH_CUDA ? printed == start + without_driver || printed == start + without_device
                                 : printed == start + without_cuda;
}

TEST(Device, Names) {
  EXPECT_EQ(Device::cpu().name(), "cpu");
  EXPECT_TRUE(Device::cpu().is_cpu());
  EXPECT_EQ(Device::cpu().ordinal(), -1);
}

TEST(Device, BestIsTheCpuWhereThereIsNoCudaDevice) {
  EXPECT_EQ(choice_without_device(""), "device cpu\n");
  EXPECT_EQ(choice_without_device("PAPILIO_DEVICE="), "device cpu\n");
  EXPECT_EQ(choice_without_device("PAPILIO_DEVICE=auto"), "device cpu\n");
  EXPECT_EQ(choice_without_device("PAPILIO_DEVICE=cpu"), "device cpu\n");
}

TEST(Device, ADeviceNamedAndAbsentIsAnError) {
  for (const auto& [wanted, ordinal] :
       std::vector<std::pair<std::string, int>>{{"cuda", 0}, {"cuda:3", 3}, {"cuda:11", 11}}) {
    const std::string printed = choice_without_device("PAPILIO_DEVICE=" + wanted);
    EXPECT_TRUE(names_the_absence(printed, ordinal)) << printed;
  }
}

// In this process, and so on a machine with devices too: there is always a number beyond them.
TEST(Device, ADeviceBeyondTheLastIsUnavailable) {
  EXPECT_THROW(Device::cuda(1'000'000), DeviceUnavailable);
  EXPECT_THROW(Device::cuda(-1), DeviceUnavailable);
}

TEST(Device, EveryDeviceIsDescribed) {
  const std::vector<std::string> lines = describe_cuda_devices();
  ASSERT_FALSE(lines.empty());
  if (!PAPILIO_BUILT_WITH_CUDA) {
    EXPECT_EQ(lines, std::vector<std::string>{"none: this build has no CUDA support"});
  } else if (lines[0].rfind("none: ", 0) != 0) {
    for (std::size_t i = 0; i < lines.size(); ++i) {
      EXPECT_EQ(lines[i].rfind(fmt::format("cuda:{}  ", i), 0), 0u) << lines[i];
      EXPECT_EQ(Device::cuda(static_cast<int>(i)).name(), fmt::format("cuda:{}", i));
    }
  }
}

TEST(Device, AnUnknownDeviceIsAnError) {
  for (const std::string wanted :
       {"gpu", "CPU", "cpu ", "cuda:", "cuda:-1", "cuda:1x", "cuda:+1", "cuda: 1", "cuda:99999999999", "cuda1"}) {
    EXPECT_EQ(choice(fmt::format("'PAPILIO_DEVICE={}'", wanted), "device"),
              fmt::format("error papilio::Device::best: PAPILIO_DEVICE is \"{}\", expected auto, cpu, cuda or cuda:N, "
                          "such as cuda:1\n",
                          wanted));
  }
}

// The message that Device::parse throws for `name`.
std::string refusal(std::string_view name) {
  try {
    return "gave " + Device::parse(name).name();
  } catch (const InvalidArgument& error) {
    return error.what();
  }
}

TEST(Device, ParseReadsNames) {
  EXPECT_EQ(Device::parse("cpu"), Device::cpu());
  EXPECT_EQ(Device::parse(Device::cpu().name()), Device::cpu());
  EXPECT_EQ(Device::parse(""), Device::best());
  EXPECT_EQ(Device::parse("auto"), Device::best());
}

TEST(Device, ParseRefusesWhatIsNoName) {
  using std::string_view_literals::operator""sv;
  const std::string expected = ", expected auto, cpu, cuda or cuda:N, such as cuda:1";
  for (const std::string_view name : {"gpu",
                                      "CPU",
                                      "Cuda",
                                      "AUTO",
                                      " ",
                                      " cpu",
                                      "cpu ",
                                      "cpu,cuda",
                                      "cpu:0",
                                      "auto:0",
                                      "cuda:",
                                      "cuda::1",
                                      "cuda:-1",
                                      "cuda:-0",
                                      "cuda:+1",
                                      "cuda: 1",
                                      "cuda:1 ",
                                      "cuda:1x",
                                      "cuda:0x1",
                                      "cuda:1.0",
                                      "cuda:1e1",
                                      "cuda:1:2",
                                      "cuda1",
                                      "cuda:2147483648",
                                      "cuda:99999999999999999999",
                                      "cuda:%d",
                                      "../cpu"}) {
    EXPECT_EQ(refusal(name), fmt::format("papilio::Device::parse: unknown device \"{}\"{}", name, expected));
  }
  EXPECT_EQ(refusal("cpu\0"sv), "papilio::Device::parse: unknown device \"cpu\\x00\"" + expected);
  EXPECT_EQ(refusal("cuda:1\n"), "papilio::Device::parse: unknown device \"cuda:1\\x0a\"" + expected);
  EXPECT_EQ(refusal("\x1b[2J"), "papilio::Device::parse: unknown device \"\\x1b[2J\"" + expected);
  // A long name is cut, also where only the number is long.
  EXPECT_EQ(refusal(std::string(1'000'000, 'g')),
            "papilio::Device::parse: unknown device \"" + std::string(60, 'g') + "...\"" + expected);
  EXPECT_EQ(refusal("cuda:" + std::string(1'000'000, '9')),
            "papilio::Device::parse: unknown device \"cuda:" + std::string(55, '9') + "...\"" + expected);
}

TEST(Device, ParseOfAnAbsentDeviceIsUnavailable) {
  EXPECT_THROW(Device::parse("cuda:1000000"), DeviceUnavailable);
  EXPECT_THROW(Device::parse("cuda:2147483647"), DeviceUnavailable);
  if (!PAPILIO_BUILT_WITH_CUDA) {
    EXPECT_THROW(Device::parse("cuda"), DeviceUnavailable);
  }
}

TEST(CpuTarget, TheFastestIsTheDefault) {
  ASSERT_FALSE(cpu_targets().empty());
  const std::string expected = "target " + cpu_targets().back() + "\n";
  EXPECT_EQ(choice("-u PAPILIO_CPU_TARGET", "target"), expected);
  EXPECT_EQ(choice("PAPILIO_CPU_TARGET=", "target"), expected);
}

TEST(CpuTarget, EachOneCanBeChosenByName) {
  for (const std::string& target : cpu_targets()) {
    EXPECT_EQ(choice("PAPILIO_CPU_TARGET=" + target, "target"), "target " + target + "\n");
  }
}

TEST(CpuTarget, AnyOtherNameIsAnError) {
  const std::vector<std::string> targets = cpu_targets();
  for (const std::string wanted : {"baseline", "neon", "avx2", "avx512", "avx9", "AVX2", "avx2 ", "avx"}) {
    if (std::find(targets.begin(), targets.end(), wanted) != targets.end()) continue;
    const std::string expected = fmt::format(
        "error papilio::cpu_target: PAPILIO_CPU_TARGET is \"{}\"; the targets of this build on this machine are: "
        "{}\n",
        wanted, fmt::join(targets, ", "));
    EXPECT_EQ(choice(fmt::format("'PAPILIO_CPU_TARGET={}'", wanted), "target"), expected);
  }
}

// A processor may lack some of the build's targets; the order stays.
TEST(CpuTarget, ListsThoseOfTheBuildInItsOrder) {
  const std::vector<std::string> targets = cpu_targets();
#define PAPILIO_NAME(target, runs) #target,
  const std::vector<std::string> of_build = {PAPILIO_SIMD_TARGETS(PAPILIO_NAME)};
#undef PAPILIO_NAME
  ASSERT_FALSE(targets.empty());
  EXPECT_EQ(targets.front(), of_build.front());  // every machine runs it
  std::vector<std::string> in_order;
  for (const std::string& target : of_build)
    if (std::find(targets.begin(), targets.end(), target) != targets.end()) in_order.push_back(target);
  EXPECT_EQ(targets, in_order);
  EXPECT_EQ(cpu_target(), execution::name(execution::cpu_target()));
}

TEST(DefaultThreads, IsTheNumberOfProcessorsOfThisProcess) {
  cpu_set_t allowed;
  CPU_ZERO(&allowed);
  ASSERT_EQ(sched_getaffinity(0, sizeof allowed, &allowed), 0);
  EXPECT_GE(default_threads(), 1);
  EXPECT_LE(default_threads(), CPU_COUNT(&allowed));
}

// A child bound to one processor of those that this process has.
TEST(DefaultThreads, RespectsTheAffinityMask) {
  cpu_set_t allowed;
  CPU_ZERO(&allowed);
  ASSERT_EQ(sched_getaffinity(0, sizeof allowed, &allowed), 0);
  std::size_t processor = 0;
  while (!CPU_ISSET(processor, &allowed)) ++processor;
  EXPECT_EQ(choice(fmt::format("taskset -c {}", processor), "threads"), "threads 1\n");
}

}  // namespace
}  // namespace papilio
