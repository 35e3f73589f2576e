#include "papilio/device.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <gtest/gtest.h>
#include <sched.h>

#include <algorithm>
#include <cstdio>
#include <memory>
#include <string>
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

TEST(Device, Names) {
  EXPECT_EQ(Device::cpu().name(), "cpu");
  EXPECT_TRUE(Device::cpu().is_cpu());
  EXPECT_EQ(Device::best(), Device::cpu());
}

TEST(Device, CudaIsRefusedInABuildWithoutIt) {
  try {
    Device::cuda(3);
    FAIL() << "accepted";
  } catch (const DeviceUnavailable& error) {
    EXPECT_STREQ(error.what(),
                 "papilio::Device::cuda: CUDA device 3 was asked for, but this build has no CUDA support; "
                 "use Device::cpu(), or configure with -DPAPILIO_CUDA=ON");
  }
}

TEST(Device, BestIsTheCpuInABuildWithoutCuda) {
  EXPECT_EQ(choice("-u PAPILIO_DEVICE", "device"), "device cpu\n");
  EXPECT_EQ(choice("PAPILIO_DEVICE=", "device"), "device cpu\n");
  EXPECT_EQ(choice("PAPILIO_DEVICE=cpu", "device"), "device cpu\n");
}

TEST(Device, ADeviceNamedAndAbsentIsAnError) {
  EXPECT_EQ(choice("PAPILIO_DEVICE=cuda", "device")
                .find("error papilio::Device::cuda: CUDA device 0 was asked for, but this build has no CUDA support"),
            0u);
  EXPECT_EQ(choice("PAPILIO_DEVICE=cuda:11", "device").find("error papilio::Device::cuda: CUDA device 11 was"), 0u);
}

TEST(Device, AnUnknownDeviceIsAnError) {
  for (const std::string wanted :
       {"gpu", "CPU", "cpu ", "cuda:", "cuda:-1", "cuda:1x", "cuda:+1", "cuda: 1", "cuda:99999999999", "cuda1"}) {
    EXPECT_EQ(choice(fmt::format("'PAPILIO_DEVICE={}'", wanted), "device"),
              fmt::format("error papilio::Device::best: PAPILIO_DEVICE is \"{}\", expected cpu, cuda or a numbered "
                          "one such as cuda:1\n",
                          wanted));
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

// A build may leave targets out (PAPILIO_CPU_TARGETS), and a processor may lack some of them; the order stays.
TEST(CpuTarget, ListsTheTargetsOfThisProcessorFamilySlowestFirst) {
  const std::vector<std::string> targets = cpu_targets();
#if defined(__x86_64__)
  const std::vector<std::string> all = {"baseline", "avx2", "avx512"};
#elif defined(__aarch64__)
  const std::vector<std::string> all = {"neon"};
#else
  const std::vector<std::string> all = {"baseline"};
#endif
  EXPECT_FALSE(targets.empty());
  std::vector<std::string> in_order;
  for (const std::string& target : all)
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
