// Where the time of a whole `papilio train` on a GPU goes, by stages as the command has them: sparse draws of
// `collapsed` from a corpus file, with the corpus in the device's memory.
//
//   papilio_whole_run_bench CORPUS.papilio-corpus TOPICS SWEEPS
//
// The context is started beside the reading, as the command does. The exit is not among the stages: it begins when the
// program ends.

#include <fmt/format.h>

#include <chrono>
#include <cstdint>
#include <cstdlib>
#include <exception>
#include <filesystem>
#include <future>
#include <memory>
#include <string>
#include <utility>

#include "lda/training/chain/chain_cuda.h"
#include "papilio/corpus_file.h"
#include "papilio/lda.h"

namespace {

namespace lda = papilio::lda;
using Entry = lda::sparse::NarrowEntry;  // documents and topics below 65,536

class Stages {
 public:
  // The time since the stage before.
  void tell(const char* stage) {
    const auto now = Clock::now();
    fmt::print("{:>9.2f} ms  {}\n", milliseconds(now - before_), stage);
    before_ = now;
  }
  ~Stages() { fmt::print("{:>9.2f} ms  all\n", milliseconds(before_ - start_)); }

 private:
  using Clock = std::chrono::steady_clock;
  static double milliseconds(Clock::duration time) { return std::chrono::duration<double, std::milli>(time).count(); }
  const Clock::time_point start_ = Clock::now();
  Clock::time_point before_ = start_;
};

// As the trainer makes it, which does not tell the time of each step.
std::unique_ptr<lda::CudaSweep> started(const lda::CudaStart& start, Stages& stages) {
  lda::SparseLayoutMade<Entry> made = lda::sparse_layout<Entry>(start, {}, lda::memory_to_use(start.options));
  stages.tell("layout: documents on the host, words to the device, and there in order by word");
  std::unique_ptr<lda::CudaSweep> sweep = lda::make_sweep_in_one_piece<Entry>(start, {}, std::move(made));
  papilio::execution::check(cudaStreamSynchronize(start.stream), "the start of a chain");
  stages.tell("first topics, and upload of the rest");
  return sweep;
}

void run(const std::string& path, papilio::TrainOptions options) {
  Stages stages;
  std::future<papilio::Device> context = std::async(std::launch::async, [] {
    const papilio::Device device = papilio::Device::cuda();
    papilio::prepare_device(device);
    return device;
  });
  const papilio::MappedCorpus mapped(path);
  mapped.verify();
  const papilio::CorpusView corpus = mapped.view();
  stages.tell("reading");
  corpus.verify();
  stages.tell("checks");
  options.device = context.get();
  stages.tell("the device's context, the part after reading and checks");

  const papilio::execution::OnDevice here(options.device);
  const papilio::execution::Stream stream;
  const lda::Plan plan(corpus, options);
  const lda::Priors priors = lda::priors_of(options, nullptr);
  const lda::Seeds seeds = lda::seeds_of_options(corpus, options, "train");
  const std::unique_ptr<lda::CudaSweep> sweep = started({.corpus = corpus,
                                                         .options = options,
                                                         .plan = plan,
                                                         .priors = priors,
                                                         .seeds = seeds,
                                                         .z = nullptr,
                                                         .stream = stream.get()},
                                                        stages);
  for (std::int64_t s = 1; s <= options.sweeps; ++s) {
    sweep->run(s);
    stream.wait();  // for the command reports each
  }
  stages.tell("sweeps");
  lda::State state;
  state.topics = options.topics;
  sweep->take(state);
  stages.tell("topics and counts back");
  papilio::Model model;
  model.topics = options.topics;
  model.vocabulary.assign(corpus.vocabulary.begin(), corpus.vocabulary.end());
  model.alpha = priors.alpha;
  model.beta = priors.beta;
  model.n_wk = std::move(state.n_wk);
  model.n_k = std::move(state.n_k);
  papilio::save_model(model, path + ".model");
  stages.tell("writing the model");
  std::filesystem::remove(path + ".model");
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 4) {
    fmt::print(stderr, "usage: papilio_whole_run_bench CORPUS.papilio-corpus TOPICS SWEEPS\n");
    return 2;
  }
  try {
    setenv("CUDA_VISIBLE_DEVICES", "0", 0);
    setenv("CUDA_DEVICE_MAX_CONNECTIONS", "1", 0);
    const std::int32_t topics = std::stoi(argv[2]);
    run(argv[1], {.topics = topics,
                  .sweeps = std::stoi(argv[3]),
                  .alpha = 50.0 / topics,
                  .seed = 1,
                  .draws = papilio::Draws::sparse});
    return 0;
  } catch (const std::exception& error) {
    fmt::print(stderr, "papilio_whole_run_bench: {}\n", error.what());
    return 1;
  }
}
