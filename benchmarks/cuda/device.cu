#include "device.h"

#include <algorithm>
#include <stdexcept>

#include "check.cuh"

namespace {

// Gives the host time to queue launches.
__global__ void wait_a_while(long long cycles) {
  const long long end = clock64() + cycles;
  while (clock64() < end) {
  }
}

class Event {
 public:
  Event() { check(cudaEventCreate(&event_)); }
  ~Event() { cudaEventDestroy(event_); }
  Event(const Event&) = delete;
  Event& operator=(const Event&) = delete;
  void record() { check(cudaEventRecord(event_, cuda_stream())); }
  double ms_since(const Event& earlier) const {
    float ms = 0;
    check(cudaEventElapsedTime(&ms, earlier.event_, event_));
    return static_cast<double>(ms);
  }

 private:
  cudaEvent_t event_ = nullptr;
};

double one_launch(const std::function<void(int)>& launch, int i) {
  Event begin, end;
  begin.record();
  launch(i);
  end.record();
  check(cudaStreamSynchronize(cuda_stream()));
  return end.ms_since(begin);
}

}  // namespace

cudaStream_t cuda_stream() {
  static const cudaStream_t made = [] {
    cudaStream_t s = nullptr;
    check(cudaStreamCreateWithFlags(&s, cudaStreamNonBlocking));
    return s;
  }();
  return made;
}

void* stream() { return cuda_stream(); }

papilio::Device device() {
  static const papilio::Device first = papilio::Device::cuda(0);
  return first;
}

std::string describe_device() {
  cudaDeviceProp properties;
  check(cudaGetDeviceProperties(&properties, 0));
  int driver = 0, runtime = 0;
  check(cudaDriverGetVersion(&driver));
  check(cudaRuntimeGetVersion(&runtime));
  const auto version = [](int v) { return std::to_string(v / 1000) + "." + std::to_string(v % 1000 / 10); };
  return "\"device\": \"" + std::string(properties.name) +
         "\", \"multiprocessors\": " + std::to_string(properties.multiProcessorCount) +
         ", \"l2_bytes\": " + std::to_string(properties.l2CacheSize) + ", \"cuda_driver\": \"" + version(driver) +
         "\", \"cuda_runtime\": \"" + version(runtime) + "\"";
}

void* allocate(std::int64_t bytes) {
  void* memory = nullptr;
  if (bytes > 0) check(cudaMalloc(&memory, static_cast<std::size_t>(bytes)));
  return memory;
}

void release(void* memory) noexcept { cudaFree(memory); }

void upload(void* to, const void* from, std::int64_t bytes) {
  check(cudaMemcpyAsync(to, from, static_cast<std::size_t>(bytes), cudaMemcpyHostToDevice, cuda_stream()));
  check(cudaStreamSynchronize(cuda_stream()));
}

void download(void* to, const void* from, std::int64_t bytes) {
  check(cudaMemcpyAsync(to, from, static_cast<std::size_t>(bytes), cudaMemcpyDeviceToHost, cuda_stream()));
  check(cudaStreamSynchronize(cuda_stream()));
}

void copy_rows(void* to, std::int64_t to_bytes, const void* from, std::int64_t from_bytes, std::int64_t rows) {
  const auto size = [](std::int64_t n) { return static_cast<std::size_t>(n); };
  check(cudaMemsetAsync(to, 0, size(to_bytes * rows), cuda_stream()));
  check(cudaMemcpy2DAsync(to, size(to_bytes), from, size(from_bytes), size(from_bytes), size(rows),
                          cudaMemcpyDeviceToDevice, cuda_stream()));
}

Timing time_launches(const std::function<void(int)>& launch, const Effort& effort) {
  one_launch(launch, 0);
  const double guess = std::max(one_launch(launch, 1), 1e-3);
  Timing timing;
  timing.launches = std::clamp(static_cast<int>(effort.seconds * 1e3 / guess), effort.at_least, effort.at_most);

  std::vector<Event> events(static_cast<std::size_t>(timing.launches) + 1);
  wait_a_while<<<1, 1, 0, cuda_stream()>>>(4'000'000);
  check(cudaGetLastError());
  events[0].record();
  for (int i = 0; i < timing.launches; ++i) {
    launch(i);
    events[static_cast<std::size_t>(i) + 1].record();
  }
  check(cudaStreamSynchronize(cuda_stream()));

  std::vector<double> ms;
  for (std::size_t i = 1; i < events.size(); ++i) ms.push_back(events[i].ms_since(events[i - 1]));
  std::sort(ms.begin(), ms.end());
  timing.median_ms = ms[ms.size() / 2];
  timing.best_ms = ms.front();
  return timing;
}

Graph::Graph(const std::function<void()>& call) {
  cudaGraph_t graph = nullptr;
  cudaGraphExec_t ready = nullptr;
  check(cudaStreamBeginCapture(cuda_stream(), cudaStreamCaptureModeGlobal));
  call();
  check(cudaStreamEndCapture(cuda_stream(), &graph));
  const cudaError_t error = cudaGraphInstantiate(&ready, graph, 0);
  cudaGraphDestroy(graph);
  check(error);
  ready_ = ready;
}

Graph::~Graph() { cudaGraphExecDestroy(static_cast<cudaGraphExec_t>(ready_)); }

void Graph::replay() const { check(cudaGraphLaunch(static_cast<cudaGraphExec_t>(ready_), cuda_stream())); }
