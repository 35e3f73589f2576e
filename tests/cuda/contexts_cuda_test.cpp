// Work on cuda:1 alone: device 0 gets no context, and stays the thread's device.

#include <cuda.h>
#include <dlfcn.h>

#include <cstdlib>

#include "cuda/support.h"
#include "cuda/training.h"
#include "papilio/dynamic.h"
#include "papilio/evaluation.h"
#include "papilio/lda.h"

namespace papilio {
namespace {

using execution::check;
using execution::DeviceArray;

bool has_context(int ordinal) {
  using GetState = CUresult (*)(CUdevice device, unsigned* flags, int* is_active);
  static const auto get_state =
      reinterpret_cast<GetState>(dlsym(dlopen("libcuda.so.1", RTLD_NOW), "cuDevicePrimaryCtxGetState"));
  unsigned flags = 0;
  int is_active = 0;
  EXPECT_EQ(get_state(ordinal, &flags, &is_active), CUDA_SUCCESS);
  return is_active != 0;
}

int current_device() {
  int ordinal = -1;
  check(cudaGetDevice(&ordinal), "a test");
  return ordinal;
}

// The tests run in the order of this file: the last of them makes a context on device 0.
class SeveralGpus : public ::testing::Test {
 protected:
  void SetUp() override {
    const char* const wanted = std::getenv("PAPILIO_TEST_DEVICES");
    if (wanted == nullptr || std::atoi(wanted) < 2) GTEST_SKIP() << "needs several GPUs: ./run test-gpu --devices 2";
    ASSERT_GE(execution::cuda_device_count(), 2);
    there_ = Device::cuda(1);
    expect_nothing_on_device_0();
  }

  static void expect_nothing_on_device_0() {
    EXPECT_FALSE(has_context(0));
    EXPECT_EQ(current_device(), 0);
    EXPECT_FALSE(has_context(0)) << "made by the question";
  }

  Device there_ = Device::cpu();
};

template <class T>
DeviceArray<T> copy_to(Device device, const std::vector<T>& host) {
  const execution::OnDevice here(device);
  DeviceArray<T> array(std::ssize(host), "an array of a test");
  array.upload(host.data(), array.size(), nullptr);
  check(cudaStreamSynchronize(nullptr), "a test");
  return array;
}

template <class T>
std::vector<T> copy_from(Device device, const DeviceArray<T>& array) {
  const execution::OnDevice here(device);
  std::vector<T> host(static_cast<std::size_t>(array.size()));
  array.download(host.data(), array.size(), nullptr);
  check(cudaStreamSynchronize(nullptr), "a test");
  return host;
}

TEST_F(SeveralGpus, DrawsOnASecondDevice) {
  const std::vector<float> weights(100 * 300, 1.0f);
  std::vector<std::int32_t> expected(100);
  sample_categorical(MatrixWeights<float>{{weights.data(), 100, 300}}, {expected.data(), 100}, {.seed = 3});
  {
    const auto weights_there = copy_to(there_, weights);
    auto drawn = copy_to(there_, std::vector<std::int32_t>(100, -7));
    sample_categorical(MatrixWeights<float>{{weights_there.data(), 100, 300, 300, 1, there_}},
                       {drawn.data(), 100, there_}, {.seed = 3});
    EXPECT_EQ(copy_from(there_, drawn), expected);
  }
  EXPECT_TRUE(has_context(1));
  expect_nothing_on_device_0();
}

TEST_F(SeveralGpus, TablesAndForestsOnASecondDevice) {
  const std::vector<double> weights = {1, 2, 0, 3, 4, 5};
  const AliasTable table{VectorView<const double>(weights)};
  std::vector<std::int64_t> expected(50);
  table.sample(VectorView<std::int64_t>(expected), {.seed = 3});
  {
    const AliasTable table_there = table.on(there_);
    auto drawn = copy_to(there_, std::vector<std::int64_t>(50, -7));
    table_there.sample(VectorView<std::int64_t>(drawn.data(), 50, there_), {.seed = 3});
    EXPECT_EQ(copy_from(there_, drawn), expected);
    const auto weights_there = copy_to(there_, weights);
    const DynamicForest forest(MatrixView<const double>(weights_there.data(), 2, 3, 3, 1, there_));
    const DynamicForest copy = forest;
    EXPECT_EQ(copy.total(1), 12);
  }
  EXPECT_TRUE(has_context(1));
  expect_nothing_on_device_0();
}

TEST_F(SeveralGpus, TrainingAndInferenceOnASecondDevice) {
  const Corpus corpus = testing::uneven_corpus();
  for (const Draws draws : {Draws::dense, Draws::sparse}) {
    TrainOptions options = {.topics = 40, .sweeps = 2, .seed = 5, .draws = draws};
    const TrainResult expected = train(corpus, options);
    options.device = there_;
    const TrainResult found = train(corpus, options);
    EXPECT_EQ(found.topics.z, expected.topics.z);
    const InferOptions few = {.sweeps = 4, .burn_in = 1, .device = there_};
    EXPECT_EQ(infer(found.model, corpus, few).theta, infer(found.model, corpus, {.sweeps = 4, .burn_in = 1}).theta);
    EXPECT_EQ(complete_documents(found.model, corpus, {.device = there_}).nats_per_token(),
              complete_documents(found.model, corpus, {}).nats_per_token());
    expect_nothing_on_device_0();
  }
  prepare_device(there_);
  expect_nothing_on_device_0();
  EXPECT_TRUE(has_context(1));
}

// Each of the two devices is the inner one once.
TEST_F(SeveralGpus, AThreadGoesBackToItsDevice) {
  const execution::OnDevice outer(there_);
  EXPECT_EQ(current_device(), 1);
  {
    const execution::OnDevice again(there_);
    EXPECT_EQ(current_device(), 1);
    const execution::OnDevice inner(Device::cuda(0));
    EXPECT_EQ(current_device(), 0);
  }
  EXPECT_EQ(current_device(), 1);
  EXPECT_TRUE(has_context(0));
  check(cudaSetDevice(0), "a test");
  {
    const execution::OnDevice inner(there_);
    EXPECT_EQ(current_device(), 1);
  }
  EXPECT_EQ(current_device(), 0);
}

}  // namespace
}  // namespace papilio
