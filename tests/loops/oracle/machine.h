#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <random>
#include <set>
#include <stdexcept>
#include <string>
#include <vector>

#include "nest.h"
#include "papilio/loops.h"

// Runs nests: in the order of the text, with every access logged; or with the iterations of one loop in another order,
// as its clauses say that they may be.

namespace papilio::loops::oracle {

// The program left C or the machine: an overflow, a subscript out of range, too many steps.
struct Discard : std::runtime_error {
  using std::runtime_error::runtime_error;
};

constexpr std::int64_t middle = 256, width = 2 * middle;  // subscripts of a, b, x, o: -middle to middle - 1
constexpr std::int64_t rows = 32, columns = 64;           // of m: likewise, each by half
constexpr std::array<std::int64_t, arrays> sizes = {width, width, rows* columns, width, width, 64};

struct State {
  std::array<std::int64_t, scalars> scalar{};
  std::array<std::vector<std::int64_t>, arrays> array;
  friend bool operator==(const State&, const State&) = default;
};

// The state before a run: data from the seed.
State state_of(std::int64_t size, std::int64_t other, std::uint64_t seed);

// What a run showed of a loop. Variables are numbered: arrays, then scalars.
struct Facts {
  std::uint32_t conflicts = 0;        // variables that two iterations touched, of which one wrote
  std::uint32_t under_condition = 0;  // likewise, in runs of the loop in which its conditions hold
  std::int64_t most = 0;              // iterations
};

inline int variable_of(const std::string& text) {
  for (int v = 0; v < arrays; ++v) {
    if (text == name(static_cast<Array>(v))) return v;
  }
  for (int v = 0; v < scalars; ++v) {
    if (text == name(static_cast<Scalar>(v))) return arrays + v;
  }
  return -1;
}

class Machine {
 public:
  Machine(const Nest& nest, const std::vector<const LoopReport*>& reports) : nest_(nest), reports_(reports) {}

  // In the order of the text; facts of every loop.
  std::vector<Facts> log(State& state);

  // With the iterations of one loop in an order from the seed. Nothing where a clause of it is not played.
  bool permute(State& state, int loop, std::uint64_t seed);

 private:
  struct Cell {
    std::int64_t instance = 0, turn = 0;
    bool has_many = false, is_written = false;
  };
  struct Open {
    int loop;
    std::int64_t turn, instance;
    bool holds;
  };
  enum class Flow { on, leave, next };

  std::int64_t value(const Node& e);
  std::int64_t& cell(int array, const std::array<std::int64_t, 2>& at);
  std::array<std::int64_t, 2> place(const Node& e);
  std::int64_t load(int array, const std::array<std::int64_t, 2>& at, const Node* e);
  void store(int array, const std::array<std::int64_t, 2>& at, std::int64_t v);
  void note(int variable, std::int64_t offset, bool is_write);
  Flow run(const std::vector<Step>& list);
  Flow run(const Step& step);
  Flow loop(const Step& step);
  void call(const Step& step);
  void assign(const Step& step);
  bool holds(const LoopReport& report);
  void in_any_order(const Step& step, const std::vector<std::int64_t>& turns);
  void start_iteration(const LoopReport& report, const State& before, std::size_t number,
                       const std::vector<State>& starts);
  void check_function(const Step& step, const Clause& scan, std::int64_t turn, const State& before, const State& start);
  void finish(const LoopReport& report, const State& before, const State& last, const State& total, std::size_t count);

  const Nest& nest_;
  const std::vector<const LoopReport*>& reports_;  // by the number of the loop; null: none
  State* state_ = nullptr;
  std::vector<Facts>* facts_ = nullptr;
  std::vector<Open> open_;
  std::vector<std::vector<Cell>> cells_;  // of each depth
  std::int64_t instances_ = 0, steps_ = 0;
  int permuted_ = -1;
  std::mt19937_64 random_;
  const State* copy_ = nullptr;  // that marked reads see
  std::set<std::pair<int, int>> marked_;
};

// The value of a condition as a report has it; nothing if it is not read.
std::optional<std::int64_t> evaluate(const std::string& text, const State& state);

}  // namespace papilio::loops::oracle
