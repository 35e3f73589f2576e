#include "execution/cpu/parallel_for.h"

#include <oneapi/tbb/blocked_range.h>
#include <oneapi/tbb/global_control.h>
#include <oneapi/tbb/info.h>
#include <oneapi/tbb/parallel_for.h>
#include <oneapi/tbb/task_arena.h>
#include <oneapi/tbb/task_group.h>
#include <pthread.h>

#include <algorithm>
#include <atomic>
#include <cassert>
#include <memory>

#include "base/check.h"
#include "execution/cpu/interruption.h"

#if defined(PAPILIO_SANITIZE_THREADS)
#include <sanitizer/tsan_interface.h>

// ThreadSanitizer would report memory that oneTBB's library compares on one thread and frees on
// another as a race, in about one run in a hundred. Bodies that oneTBB calls are still watched.
extern "C" const char* __tsan_default_suppressions() { return "called_from_lib:libtbb.so"; }
#endif

namespace papilio::execution {
namespace {

// Far above any machine of today: it stops a nonsensical number from reserving memory for its threads.
constexpr int most_threads = 4096;

// A forked child has none of its parent's threads, so whatever these held when the process forked, such as a lock of
// oneTBB, is never released. Therefore the child of a process that has used oneTBB never enters it: its loops run on
// one thread.
std::atomic<bool> has_used_tbb = false;  // this process, or one that it was forked from
std::atomic<int> counters = 0;           // threads in processors(), of this process or the parents
std::atomic<bool> runs_alone = false;    // this process is such a child
[[maybe_unused]] const int registered =
    pthread_atfork(nullptr, nullptr, [] { runs_alone = has_used_tbb || counters > 0; });

// In such a child, the arena of the thread that forked: its destructor would enter oneTBB, and could wait for ever.
oneapi::tbb::task_arena* abandoned = nullptr;

// The number of processors that this process may use. oneTBB counts them when it is first asked, and makes other
// threads wait: a child that is forked meanwhile would wait forever, hence `counters`.
int processors() {
  static std::atomic<int> known = 0;
  if (known == 0) {
    ++counters;
    known = oneapi::tbb::info::default_concurrency();
    --counters;
  }
  return known;
}

// The order that oneTBB guarantees: everything before the call happens before every body, and every body before the end
// of the call. Bodies are not ordered among themselves. ThreadSanitizer, which sees nothing of oneTBB, learns it here.
class Order {
 public:
#if defined(PAPILIO_SANITIZE_THREADS)
  Order() { __tsan_release(&begun_); }
  ~Order() { __tsan_acquire(&ended_); }
  void begin_body() { __tsan_acquire(&begun_); }
  void end_body() { __tsan_release(&ended_); }
#else
  void begin_body() {}
  void end_body() {}
#endif

 private:
  [[maybe_unused]] char begun_ = 0;
  [[maybe_unused]] char ended_ = 0;  // their addresses represent the two moments
};

// Ends a body whether or not it throws.
class InBody {
 public:
  explicit InBody(Order& order) : order_(order), is_inner_(is_here_) {
    is_here_ = true;
    order_.begin_body();
  }
  ~InBody() {
    order_.end_body();
    is_here_ = is_inner_;
  }
  InBody(const InBody&) = delete;
  InBody& operator=(const InBody&) = delete;

  // Whether the calling thread is in a body.
  static bool is_here() { return is_here_; }

 private:
  static inline thread_local bool is_here_ = false;
  Order& order_;
  const bool is_inner_;
};

// Runs a function in an arena of this many threads. The calling thread keeps its arena for the next call: threads that
// are still looking for work in it start at once, whereas those of a new arena have to be woken. A call in a body has
// an arena of its own, so that no body of an outer call starts inside it; and oneTBB's own threads keep none.
template <class F>
void run_in_arena(int threads, const F& run) {
  struct Kept {
    ~Kept() {
      if (runs_alone) abandoned = arena.release();
    }
    int threads = 0;
    std::unique_ptr<oneapi::tbb::task_arena> arena;
  };
  static thread_local Kept kept;
  if (InBody::is_here()) {
    oneapi::tbb::task_arena(threads).execute(run);
    return;
  }
  if (kept.threads != threads) {
    kept.threads = 0;
    kept.arena = std::make_unique<oneapi::tbb::task_arena>(threads);
    kept.threads = threads;
  }
  kept.arena->execute(run);
}

// The most threads that the machine and the process's settings of TBB give; asking for more gives no more.
std::int64_t available_threads() {
  using Control = oneapi::tbb::global_control;
  return static_cast<std::int64_t>(Control::active_value(Control::max_allowed_parallelism));
}

}  // namespace

int thread_count(int threads) {
  base::require(threads >= 0 && threads <= most_threads,
                "papilio: threads must be 0 (all) or a number up to {}; got {}", most_threads, threads);
  if (runs_alone) return 1;
  return threads == 0 ? processors() : threads;
}

// Isolated: while a thread waits for the ranges of one call, it takes no
// range of an enclosing call, so a body never starts inside another one.
void parallel_for(std::int64_t count, std::int64_t grain, int threads,
                  base::FunctionRef<void(std::int64_t begin, std::int64_t end)> body) {
  assert(count >= 0 && grain > 0);
  const int limit = thread_count(threads);
  if (count == 0) return;
  const std::int64_t grains = count / grain + (count % grain != 0 ? 1 : 0);
  if (limit == 1 || grains == 1) {
    body(0, count);
    return;
  }
  if (!has_used_tbb) has_used_tbb = true;  // written once: many threads read it
  Order order;
  const std::atomic<bool>* const stop = stop_flag();
  // Bodies round as the caller does; without this, as the first caller did when oneTBB's arena was made.
  using Context = oneapi::tbb::task_group_context;
  Context context(Context::bound, Context::default_traits | Context::fp_settings);
  const auto run = [&] {
    oneapi::tbb::parallel_for(
        oneapi::tbb::blocked_range<std::int64_t>(0, grains),
        [&](const auto& range) {
          const InBody in_body(order);
          const StopFlagScope scope(stop);
          body(range.begin() * grain, range.end() == grains ? count : range.end() * grain);
        },
        context);
  };
  if (threads == 0) {
    oneapi::tbb::this_task_arena::isolate(run);
  } else {
    run_in_arena(static_cast<int>(std::min({std::int64_t{limit}, grains, available_threads()})), run);
  }
}

}  // namespace papilio::execution
