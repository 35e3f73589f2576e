// What devices, targets, views, versions and errors do with what callers can get wrong.

#include "support/contracts.h"

#include <gtest/gtest.h>

#include <atomic>
#include <cstdint>
#include <cstdlib>
#include <limits>
#include <new>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "execution/cpu/interruption.h"
#include "execution/cpu/parallel_for.h"
#include "execution/ranks/single_rank.h"
#include "execution/ranks/thread_ranks.h"
#include "papilio/array_view.h"
#include "papilio/choice.h"
#include "papilio/communicator.h"
#include "papilio/device.h"
#include "papilio/interruption.h"
#include "papilio/version.h"

namespace papilio {
namespace {

using testing::refused;

TEST(ExecutionContract, Device) {
  for (const std::string_view name :
       {"gpu", "cuda:", "cuda:-1", "cuda:+1", "cuda:1x", "cuda:99999999999999999999", "CPU", " cpu", "cpu:0", "cpu "}) {
    EXPECT_TRUE(refused("Device::parse: unknown device \"", [&] { Device::parse(name); })) << name;
  }
  EXPECT_TRUE(refused("unknown device \"cpu\\x00\"", [] { Device::parse(std::string_view("cpu\0", 4)); }));
  EXPECT_EQ(Device::parse("cpu"), Device::cpu());
  EXPECT_NO_THROW(prepare_device(Device::cpu()));
  EXPECT_NO_THROW(prepare_device(Device::best()));
  for (const int ordinal : {-1, -2147483647 - 1, 2147483647}) {
    EXPECT_THROW(Device::cuda(ordinal), DeviceUnavailable) << ordinal;
  }
  EXPECT_THROW(Device::parse("cuda:2147483647"), DeviceUnavailable);
  EXPECT_FALSE(describe_cuda_devices().empty());
  const Device best = Device::best();
  EXPECT_EQ(best.is_cpu(), best.ordinal() == -1);
  EXPECT_EQ(Device::parse(best.name()), best);
}

TEST(ExecutionContract, Devices) {
  for (const std::string_view names : {"cuda:,", "cuda:0,", "cuda:,0", "cuda:0,,1", "cuda:0;1", "cuda:0,x", "cuda:0,-1",
                                       "0,1", "cpu,cpu", "cuda:0,cuda:1", "cuda:ALL", "cuda:all,0"}) {
    EXPECT_TRUE(refused("unknown device", [&] { parse_devices(names); })) << names;
  }
  EXPECT_TRUE(refused("papilio::parse_devices: \"cuda:0,0\" names cuda:0 twice", [] { parse_devices("cuda:0,0"); }));
  EXPECT_EQ(parse_devices("cpu"), std::vector{Device::cpu()});
  EXPECT_EQ(parse_devices(""), std::vector{Device::best()});
  EXPECT_THROW(parse_devices("cuda:2147483646,2147483647"), DeviceUnavailable);
  if (Device::best().is_cpu()) {
    EXPECT_THROW(parse_devices("cuda:all"), DeviceUnavailable);
  } else {
    EXPECT_EQ(parse_devices("cuda:all").front(), Device::cuda(0));
  }
}

// The one call of this program that looks for NCCL.
TEST(ExecutionContract, DeviceSums) {
  ::setenv("PAPILIO_NCCL", "/nowhere/libnccl.so.2", 1);
  const std::string sums = describe_device_sums();
  EXPECT_TRUE(sums.starts_with("host memory: /nowhere/libnccl.so.2: ") || sums.starts_with("none: this build")) << sums;
  ::unsetenv("PAPILIO_NCCL");
  EXPECT_EQ(describe_device_sums(), sums);
}

TEST(ExecutionContract, Interruption) {
  static_assert(!std::is_constructible_v<InterruptionScope, std::atomic<bool>>);
  static_assert(!std::is_copy_constructible_v<InterruptionScope>);
  std::atomic<bool> outer = true, inner = false;
  EXPECT_NO_THROW(execution::stop_point());
  {
    const InterruptionScope outside(outer);
    EXPECT_THROW(execution::stop_point(), Interrupted);
    {
      const InterruptionScope inside(inner);  // the innermost counts
      EXPECT_NO_THROW(execution::stop_point());
      inner = true;
      EXPECT_THROW(execution::stop_point(), Interrupted);
    }
    // Threads of a call look at the flag of who called.
    EXPECT_THROW(execution::parallel_for(100, 1, 2, [](std::int64_t, std::int64_t) { execution::stop_point(); }),
                 Interrupted);
    outer = false;
    EXPECT_NO_THROW(execution::stop_point());
  }
  outer = true;
  EXPECT_NO_THROW(execution::stop_point());  // no scope is left
  try {
    throw Interrupted();
  } catch (const Error& error) {
    EXPECT_STREQ(error.what(), "papilio: the call was interrupted");
  }
}

TEST(ExecutionContract, Targets) {
  EXPECT_FALSE(cpu_targets().empty());
  EXPECT_FALSE(cpu_target().empty());
  EXPECT_GE(default_threads(), 1);
  EXPECT_STREQ(version(), "0.1.0");
}

// Views are plain: they hold what they were given, and `empty` asks for the size alone.
TEST(ExecutionContract, MatrixViewAndVectorView) {
  const MatrixView<float> nothing;
  EXPECT_EQ(nothing.data, nullptr);
  EXPECT_EQ(nothing.rows, 0);
  EXPECT_EQ(nothing.columns, 0);
  EXPECT_TRUE(VectorView<int>().empty());
  EXPECT_FALSE(VectorView<int>(nullptr, -1).empty());
  const MatrixView<float> hostile(nullptr, -1, testing::huge, testing::lowest, 0);
  const MatrixView<const float> read_only = hostile;
  EXPECT_EQ(read_only.rows, -1);
  EXPECT_EQ(read_only.row_stride, testing::lowest);
  std::vector<int> values = {1, 2};
  const VectorView<const int> view = VectorView<int>(values);
  EXPECT_EQ(view.size, 2);
  const std::vector<int> moved_to = std::move(values);
  EXPECT_TRUE(VectorView<int>(values).empty());  // NOLINT(bugprone-use-after-move)
  EXPECT_EQ(view.data, moved_to.data());
}

// Calls of a rank that does not exist; deadlines that are no times. tests/execution/ranks_test.cpp has what works.
TEST(ExecutionContract, Communicator) {
  const auto ranks = execution::thread_ranks({.ranks = 1});
  execution::SingleRank single;
  for (Communicator* rank : {ranks[0].get(), static_cast<Communicator*>(&single)}) {
    EXPECT_EQ(rank->rank(), 0);
    EXPECT_EQ(rank->ranks(), 1);
    EXPECT_FALSE(rank->engine().empty());
    rank->add_up(std::span<std::int32_t>());
    rank->barrier();
    EXPECT_GT(rank->deadline_seconds(), 0);
    EXPECT_NO_THROW(rank->listen());
    for (const int nobody : {-1, 1, 2147483647}) {
      EXPECT_TRUE(refused("Communicator::broadcast: from is", [&] { rank->broadcast({}, nobody); }));
      EXPECT_TRUE(refused("Communicator::gather: to is", [&] { rank->gather({}, nobody); }));
    }
  }
  EXPECT_TRUE(refused("thread_ranks: ranks is 0, expected at least 1", [] { execution::thread_ranks({.ranks = 0}); }));
  ranks[0]->fail("no reason");
  EXPECT_THROW(ranks[0]->listen(), RankError);
  try {
    ranks[0]->barrier();
    FAIL() << "a rank that has failed goes on";
  } catch (const RankError& error) {
    EXPECT_STREQ(error.what(), "papilio::Communicator: rank 0 of 1 has failed: no reason");
    EXPECT_EQ(error.rank, 0);
  }
  EXPECT_EQ(reason_of(std::bad_alloc()), "out of memory");
  EXPECT_EQ(reason_of(InvalidArgument("a reason")), "a reason");
  for (const double seconds : {0.0, -1.0, std::numeric_limits<double>::quiet_NaN()}) {
    EXPECT_TRUE(refused("mpi_ranks: deadline_seconds is", [&] { mpi_ranks(seconds); }));
  }
  EXPECT_EQ(launched_mpi_ranks(), 1);
  for (const char* hostile : {"", "x", "0", "-3", "2x", "99999999999"}) {
    ::setenv("PMI_SIZE", hostile, 1);
    EXPECT_EQ(launched_mpi_ranks(), 1) << hostile;
  }
  ::setenv("PMI_SIZE", "3", 1);
  EXPECT_EQ(launched_mpi_ranks(), 3);
  ::unsetenv("PMI_SIZE");
  EXPECT_EQ(launched_local_rank(), 0);
  for (const char* hostile : {"", "x", "-3", "2x", "99999999999"}) {
    ::setenv("LOCAL_RANK", hostile, 1);
    EXPECT_EQ(launched_local_rank(), 0) << hostile;
  }
  ::setenv("LOCAL_RANK", "3", 1);
  EXPECT_EQ(launched_local_rank(), 3);
  ::unsetenv("LOCAL_RANK");
}

// Every exception of papilio is an Error, and keeps its text and numbers.
TEST(ExecutionContract, Errors) {
  EXPECT_STREQ(Error("x").what(), "x");
  EXPECT_STREQ(InvalidArgument("x").what(), "x");
  EXPECT_STREQ(DeviceUnavailable("x").what(), "x");
  EXPECT_STREQ(DeviceError("x").what(), "x");
  EXPECT_EQ(IoError("x", 5).code, 5);
  const FormatError unknown_place("x"), place("x", 3, 4);
  EXPECT_EQ(unknown_place.line, 0);
  EXPECT_EQ(place.column, 4);
  static_assert(std::is_base_of_v<Error, IoError> && std::is_base_of_v<Error, FormatError>);
  static_assert(std::is_base_of_v<Error, DeviceError> && std::is_base_of_v<Error, InvalidArgument>);
  static_assert(std::is_base_of_v<Error, DeviceUnavailable> && std::is_base_of_v<Error, RankError>);
  const Choice<int> row = {1, "one", "help"};
  EXPECT_EQ(row.name, "one");
}

}  // namespace
}  // namespace papilio
