// Memory runs out at the n-th allocation, for all n, in what reads and writes models, checkpoints, corpus files and
// states: each call succeeds or throws, nothing crashes or leaks, and a file is the old one or the new one.

#include <gtest/gtest.h>

#include <atomic>
#include <cstdlib>
#include <functional>
#include <iostream>
#include <limits>
#include <new>
#include <set>

#include "lda/corpora.h"
#include "lda/io/files.h"
#include "papilio/corpus_file.h"
#include "papilio/distributed.h"
#include "papilio/lda.h"
#include "papilio/mallet.h"

namespace {

constexpr std::int64_t never = std::numeric_limits<std::int64_t>::max();

// Allocations until one fails, and how many fail from there on.
std::atomic<std::int64_t> until_failure = never;
std::atomic<std::int64_t> failures = 0;

bool fails() { return until_failure.load() != never && --until_failure < 0 && --failures >= 0; }

void* allocate(std::size_t bytes, std::size_t alignment) {
  if (fails()) throw std::bad_alloc();
  const std::size_t rounded = (bytes + alignment - 1) / alignment * alignment;
  void* const memory = alignment <= alignof(std::max_align_t) ? std::malloc(bytes == 0 ? 1 : bytes)
                                                              : std::aligned_alloc(alignment, rounded);
  if (memory == nullptr) throw std::bad_alloc();
  return memory;
}

}  // namespace

void* operator new(std::size_t bytes) { return allocate(bytes, 1); }
void* operator new[](std::size_t bytes) { return allocate(bytes, 1); }
void* operator new(std::size_t bytes, std::align_val_t alignment) {
  return allocate(bytes, static_cast<std::size_t>(alignment));
}
void* operator new[](std::size_t bytes, std::align_val_t alignment) {
  return allocate(bytes, static_cast<std::size_t>(alignment));
}
void* operator new(std::size_t bytes, const std::nothrow_t&) noexcept { return fails() ? nullptr : std::malloc(bytes); }
void* operator new[](std::size_t bytes, const std::nothrow_t&) noexcept {
  return fails() ? nullptr : std::malloc(bytes);
}
void operator delete(void* memory, const std::nothrow_t&) noexcept { std::free(memory); }
void operator delete[](void* memory, const std::nothrow_t&) noexcept { std::free(memory); }
void operator delete(void* memory) noexcept { std::free(memory); }
void operator delete[](void* memory) noexcept { std::free(memory); }
void operator delete(void* memory, std::size_t) noexcept { std::free(memory); }
void operator delete[](void* memory, std::size_t) noexcept { std::free(memory); }
void operator delete(void* memory, std::align_val_t) noexcept { std::free(memory); }
void operator delete[](void* memory, std::align_val_t) noexcept { std::free(memory); }
void operator delete(void* memory, std::size_t, std::align_val_t) noexcept { std::free(memory); }
void operator delete[](void* memory, std::size_t, std::align_val_t) noexcept { std::free(memory); }

namespace papilio::lda {
namespace {

const TrainOptions options = {.topics = 2, .optimize_every = 2};

// Two of everything: what is on disk, and what takes its place.
struct Things {
  Corpus corpus = testing::make_corpus({{0, 1, 2}, {1}, {}, {2, 2, 0}}, 3);
  ChainState chain = {.sweep = 1, .z = {0, 1, 0, 1, 1, 0, 0}, .alpha = {0.5, 0.25}, .beta = 0.125};
  Model model;

  explicit Things(std::int64_t sweep) {
    corpus.document_names = {"a", "a name that does not fit into a short string", "", "d"};
    corpus.vocabulary[1] = "a-word-that-does-not-fit-into-a-short-string" + std::to_string(sweep);
    chain.sweep = sweep;
    model.topics = 2;
    model.vocabulary = corpus.vocabulary;
    model.alpha = chain.alpha;
    model.beta = chain.beta;
    model.n_wk = {1, 1, 2, 0, 2, 1};
    model.n_k = {5, 2};
    model.settings = {{"seed", "7"}, {"sweeps", std::to_string(sweep)}};
  }
};

class Allocation : public ::testing::Test {
 protected:
  // How a call ends.
  enum class End { done, refused, without_memory };
  static End end_of(const std::function<void()>& work) {
    try {
      work();
      return End::done;
    } catch (const Error&) {
      return End::refused;
    } catch (const std::bad_alloc&) {
      return End::without_memory;
    }
  }

  // Lets allocation 1, 2, ... fail until all of `work` gets through; once alone, once with all that follow it.
  void fail_each(const std::string& name, const std::string& output, const std::function<void()>& work) {
    const End expected = end_of(work);
    const std::vector<std::string> names = folder_.names();
    const std::string written = output.empty() ? "" : folder_.read(output);
    std::int64_t tried = 0;
    for (const std::int64_t consecutive : {std::int64_t{1}, never - 1}) {
      bool reached = true;
      for (std::int64_t n = 0; reached; ++n, ++tried) {
        if (!output.empty()) folder_.write(output, before_);
        failures = consecutive;
        until_failure = n;
        const End end = end_of(work);
        reached = until_failure.load() < 0;
        until_failure = never;
        EXPECT_TRUE(end == expected || (reached && end != End::done)) << name << ", allocation " << n;
        if (output.empty()) continue;
        const std::string now = folder_.read(output);
        ASSERT_TRUE(now == written || (now == before_ && end != End::done)) << name << ", allocation " << n;
      }
    }
    std::vector<std::string> left = folder_.names();
    EXPECT_EQ(std::set<std::string>(left.begin(), left.end()), std::set<std::string>(names.begin(), names.end()));
    EXPECT_GT(tried, 2) << name;
    std::cout << name << ": " << tried << " failing allocations\n";
  }

  std::string path(const std::string& name) const { return folder_.path(name); }

  const Folder folder_;
  const Things old_{1};
  const Things next_{2};
  std::string before_;  // the bytes of the file that is written, before
};

TEST_F(Allocation, OfModels) {
  save_model(old_.model, path("a"));
  before_ = folder_.read("a");
  fail_each("save_model", "a", [&] { save_model(next_.model, path("a")); });
  fail_each("load_model", "", [&] { load_model(path("a")); });
}

TEST_F(Allocation, OfModelsOfVersion1) {
  fail_each("load_model, version 1", "", [&] { load_model(PAPILIO_RELEASED "/0.1.0-alpha/optimized.model"); });
}

TEST_F(Allocation, OfRefusals) {
  folder_.write("bad", "not a model at all, but long enough to be one");
  fail_each("load_model of another file", "", [&] { load_model(path("bad")); });
  Model model = next_.model;
  model.vocabulary[2] = model.vocabulary[0];
  fail_each("save_model of double words", "", [&] { save_model(model, path("a")); });
}

TEST_F(Allocation, OfCheckpoints) {
  save_checkpoint(old_.chain, next_.corpus, options, path("a"));
  before_ = folder_.read("a");
  fail_each("save_checkpoint", "a", [&] { save_checkpoint(next_.chain, next_.corpus, options, path("a")); });
  fail_each("CheckpointWriter", "a", [&] {
    CheckpointWriter writer(next_.corpus, options, path("a"));
    writer.begin(next_.chain);
    writer.finish();
  });
  fail_each("load_checkpoint", "", [&] { load_checkpoint(next_.corpus, options, path("a")); });
  folder_.write("a", before_.substr(0, before_.size() - 1));
  fail_each("load_checkpoint of a damaged one", "", [&] { load_checkpoint(next_.corpus, options, path("a")); });
}

TEST_F(Allocation, OfCorpusFiles) {
  write_corpus_file(old_.corpus, path("a"));
  before_ = folder_.read("a");
  fail_each("write_corpus_file", "a", [&] { write_corpus_file(next_.corpus, path("a")); });
  fail_each("read_corpus_file", "", [&] { read_corpus_file(path("a"), {.threads = 1}); });
  fail_each("MappedCorpus", "", [&] { MappedCorpus(path("a")).verify(); });
}

TEST_F(Allocation, OfStates) {
  const auto write = [&](const Things& things) {
    write_mallet_state(things.corpus, things.chain.z, things.model.alpha, things.model.beta, path("a"));
  };
  write(old_);
  before_ = folder_.read("a");
  fail_each("write_mallet_state", "a", [&] { write(next_); });
  fail_each("read_mallet_state", "", [&] { read_mallet_state(path("a")); });
}

}  // namespace
}  // namespace papilio::lda
