#include "support/device_choice.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <optional>
#include <string>

#include "papilio/device.h"
#include "papilio/error.h"

namespace {

TEST(DeviceName, IsWhatTheLibraryTakes) {
  for (const char* name :
       {"", "auto", "cpu", "cuda", "cuda:0", "cuda:17", "cuda:2147483647", "cuda:", "cuda:-1", "cuda:+1",
        "cuda:2147483648", "cuda:1x", "cuda: 1", "cuda:0,2", "cuda:all", "gpu", "CPU", "cuda0", "cpu "}) {
    bool is_taken = true;
    try {
      papilio::Device::parse(name);
    } catch (const papilio::DeviceUnavailable&) {  // a name, of a device that is not here
    } catch (const papilio::InvalidArgument&) {
      is_taken = false;
    }
    EXPECT_EQ(is_device_name(name), is_taken) << name;
  }
}

TEST(OnlyGpu, IsTheOneOfTheNumber) {
  EXPECT_EQ(only_gpu(0, nullptr, 4), "0");
  EXPECT_EQ(only_gpu(3, nullptr, 4), "3");
  EXPECT_EQ(only_gpu(0, "2,5", 8), "2");
  EXPECT_EQ(only_gpu(1, "2,5", 8), "5");
  EXPECT_EQ(only_gpu(1, "2,5", 0), "5") << "where /dev does not tell how many there are";
  EXPECT_EQ(only_gpu(1, "GPU-6ff3,MIG-12ab", 1), "MIG-12ab");
}

TEST(OnlyGpu, IsNoneWhereThatIsNotThere) {
  EXPECT_EQ(only_gpu(4, nullptr, 4), std::nullopt);
  EXPECT_EQ(only_gpu(0, nullptr, 0), std::nullopt);
  EXPECT_EQ(only_gpu(2, "2,5", 8), std::nullopt);
  EXPECT_EQ(only_gpu(1, "0", 8), std::nullopt) << "the launcher shows each process its own: --device cuda:0";
  EXPECT_EQ(only_gpu(0, "", 8), std::nullopt);
  EXPECT_EQ(only_gpu(0, "-1", 8), std::nullopt);
  EXPECT_EQ(only_gpu(1, "0,-1", 8), std::nullopt);
  EXPECT_EQ(only_gpu(1, "-1,2", 8), std::nullopt);
  EXPECT_EQ(only_gpu(1, "0,,2", 8), std::nullopt);
}

TEST(GpusIn, CountsTheFilesOfGpus) {
  namespace fs = std::filesystem;
  const fs::path folder = fs::path(testing::TempDir()) / ("papilio_gpus." + std::to_string(getpid()));
  EXPECT_EQ(gpus_in(folder), 0) << "there is no such folder";
  fs::create_directory(folder);
  for (const char* name : {"nvidia0", "nvidia12", "nvidiactl", "nvidia-uvm", "nvidia", "nvidia1x", "xnvidia1"}) {
    std::ofstream(folder / name).put('x');
  }
  fs::create_directory(folder / "nvidia-caps");
  EXPECT_EQ(gpus_in(folder), 2);
  fs::remove_all(folder);
}

// A variable of the environment, as it was before in the end.
class Variable {
 public:
  explicit Variable(const char* name) : name_(name) {
    if (const char* value = std::getenv(name)) before_ = value;
  }
  ~Variable() {
    if (before_) setenv(name_, before_->c_str(), 1);
    if (!before_) unsetenv(name_);
  }
  Variable(const Variable&) = delete;
  Variable& operator=(const Variable&) = delete;
  std::string value() const { return std::getenv(name_); }

 private:
  const char* name_;
  std::optional<std::string> before_;
};

TEST(FewQueues, AreAskedForUnlessTheUserSaysHowMany) {
  const Variable queues("CUDA_DEVICE_MAX_CONNECTIONS");
  unsetenv("CUDA_DEVICE_MAX_CONNECTIONS");
  ask_for_few_queues();
  EXPECT_EQ(queues.value(), "1");
  setenv("CUDA_DEVICE_MAX_CONNECTIONS", "12", 1);
  ask_for_few_queues();
  EXPECT_EQ(queues.value(), "12");
}

TEST(DeviceChoice, IsTheDeviceNamedOrSaysWhyNot) {
  EXPECT_EQ(DeviceChoice("cpu").get(), papilio::Device::cpu());
  EXPECT_THROW(DeviceChoice("cuda:4000"), papilio::DeviceUnavailable);
  const Variable device("PAPILIO_DEVICE");
  setenv("PAPILIO_DEVICE", "cpu", 1);
  EXPECT_EQ(DeviceChoice("").get(), papilio::Device::cpu());
  const DeviceChoice not_asked("auto");  // ends without
}

}  // namespace
