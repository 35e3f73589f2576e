#include <algorithm>
#include <chrono>
#include <exception>
#include <future>
#include <new>
#include <span>
#include <system_error>
#include <utility>

#include "base/function_ref.h"
#include "lda/io/model/agreed.h"
#include "lda/io/model/checkpoint_files.h"
#include "lda/io/model/corpus_identity.h"
#include "papilio/distributed.h"

namespace papilio {
namespace {

using namespace std::chrono_literals;

// What a rank adds to a sum over ranks: whether it has ended, and whether it has failed.
constexpr std::int64_t ended = 1;
constexpr std::int64_t failed = std::int64_t{1} << 32;

}  // namespace

// A checkpoint over ranks has two steps: the parts, then the file that names them. One process has only the last step.
class CheckpointWriter::Work {
 public:
  Work(const CorpusView& corpus, const TrainOptions& options, std::string path, CheckpointWriterOptions own)
      : files_(corpus, options, std::move(path), own.note), own_(std::move(own)) {
    lda::require_note(own_.note, "CheckpointWriter");
    if (!own_.identity && options.corpus_identity != nullptr) own_.identity = *options.corpus_identity;
    if (own_.identity) lda::require_sizes(*own_.identity, corpus, "CheckpointWriter");
  }

  void begin(const ChainState& state) {
    finish();
    files_.require(state);
    state_ = {.sweep = state.sweep, .z = {}, .alpha = state.alpha, .beta = state.beta, .start = state.start};
    step_ = ranks() != nullptr ? Step::parts : Step::last;
    const TrainOptions& options = files_.options();
    try {
      topics_.emplace(state.z, options.topics, options.threads);
    } catch (const std::bad_alloc&) {  // no room for a copy: writes the topics from where they are
      return do_now([&] { write(lda::small_numbers_view("z", state.z, options.topics)); });
    }
    start([this] { write(topics_->view("z")); });
  }

  void finish() {
    while (step_ != Step::none) {
      if (work_.valid()) wait();
      std::int64_t sum = progress();
      if (ranks() != nullptr) ranks()->add_up(std::span(&sum, 1));
      advance(sum);
    }
  }

  std::int64_t progress() {
    if (!takes_part()) return 0;
    if (work_.valid() && work_.wait_for(0s) == std::future_status::ready) note_end();
    if (work_.valid()) return 0;
    return thrown_ ? ended + failed : ended;
  }

  void advance(std::int64_t sum) {
    const std::int64_t awaited = step_ == Step::parts ? ranks()->ranks() : 1;
    if (step_ == Step::none || sum % failed < awaited) return;
    topics_.reset();
    if (sum >= failed) return give_up();
    if (step_ == Step::parts) {
      step_ = Step::last;
      if (takes_part()) start([this] { files_.write_names_of_parts(state_); });
      return;
    }
    step_ = Step::none;
    if (own_.saved) own_.saved(state_.sweep);
  }

  bool is_under_way() const { return step_ != Step::none; }
  bool is_over_ranks() const { return ranks() != nullptr; }
  const std::optional<CorpusIdentity>& identity() const {
    static const std::optional<CorpusIdentity> unknown;
    return step_ == Step::none ? own_.identity : unknown;
  }

 private:
  enum class Step : std::uint8_t { none, parts, last };

  Communicator* ranks() const { return files_.ranks(); }

  bool takes_part() const {
    return step_ == Step::parts || (step_ == Step::last && (ranks() == nullptr || ranks()->rank() == 0));
  }

  // Runs on the writing thread; others look at the identity only when it has ended.
  void write(const lda::TensorView& z) {
    if (!own_.identity) own_.identity = identity_of(files_.corpus());
    if (!files_.has_identity()) files_.set_identity(*own_.identity);
    files_.write_topics(state_, z);
  }

  template <class F>
  void start(F work) {
    try {
      work_ = std::async(std::launch::async, work);
    } catch (const std::system_error&) {  // no thread available
      do_now(work);
    } catch (const std::bad_alloc&) {
      do_now(work);
    }
  }

  void do_now(base::FunctionRef<void()> work) noexcept {
    try {
      work();
    } catch (...) {
      thrown_ = std::current_exception();
    }
  }

  void note_end() {
    do_now([this] { work_.get(); });
  }

  // Over ranks, waits no longer than the other ranks wait for this one.
  void wait() const {
    if (ranks() == nullptr) return work_.wait();
    const std::chrono::duration<double> patience(std::min(1.0, ranks()->deadline_seconds() / 4));
    work_.wait_for(patience);
  }

  void give_up() {
    step_ = Step::none;
    const std::exception_ptr thrown = std::exchange(thrown_, nullptr);
    try {
      lda::agreed(ranks(), [&] {
        if (thrown) std::rethrow_exception(thrown);
      });
    } catch (const IoError& error) {
      if (!own_.failed) throw;
      own_.failed(error);
    }
  }

  lda::CheckpointFiles files_;
  CheckpointWriterOptions own_;
  Step step_ = Step::none;
  ChainState state_;  // all but z
  std::optional<lda::SmallNumbers> topics_;
  std::exception_ptr thrown_;
  std::future<void> work_;  // last, so that it is destroyed first
};

CheckpointWriter::CheckpointWriter(const CorpusView& corpus, const TrainOptions& options, std::string path,
                                   CheckpointWriterOptions writer_options)
    : work_(std::make_unique<Work>(corpus, options, std::move(path), std::move(writer_options))) {}

CheckpointWriter::~CheckpointWriter() = default;

void CheckpointWriter::begin(const ChainState& state) { work_->begin(state); }
void CheckpointWriter::finish() { work_->finish(); }
bool CheckpointWriter::is_under_way() const { return work_->is_under_way(); }
bool CheckpointWriter::is_over_ranks() const { return work_->is_over_ranks(); }
std::int64_t CheckpointWriter::progress() { return work_->progress(); }
void CheckpointWriter::advance(std::int64_t sum) { work_->advance(sum); }
const std::optional<CorpusIdentity>& CheckpointWriter::identity() const { return work_->identity(); }

}  // namespace papilio
