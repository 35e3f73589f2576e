// oracle NESTS [SEED [FIRST [CLANG]]]: no loop is called parallel that is not.
//
// A nest is a function of the seed and its number, so a large run can be cut into shards: FIRST is the number of the
// first nest, a multiple of 400. Faults are planted where FIRST is 0.
//
// Random nests are judged, and run for small sizes with every access logged. A loop that is called parallel must have
// no two iterations that touch the same element of which one writes it, but for what its clauses name; and its
// iterations must give the same result in another order, with the clauses played: private variables hold nonsense when
// an iteration begins, reductions their neutral element, scans and inductions their values, marked reads see a copy.
// Conditions are evaluated when the loop begins. Loops called sequential must have the conflict of their witness. An
// analysis with a planted fault must fail.

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <stdexcept>
#include <string>
#include <vector>

#include "loops/analyze.h"
#include "machine.h"
#include "nest.h"

namespace papilio::loops::oracle {
namespace {

struct Tally {
  std::int64_t nests = 0, loops = 0, claimed = 0, conditional = 0, permuted = 0, witnesses = 0;
  std::int64_t parallel = 0, proven = 0;  // affine loops that are parallel in every run
  std::int64_t wrong = 0;
  std::vector<std::string> found;
  std::map<std::string, std::int64_t> kinds;  // of clauses and predicates that were played
};

class Check {
 public:
  Check(const Nest& nest, const std::vector<const LoopReport*>& reports, std::mt19937_64& random, Tally& tally,
        bool has_fault)
      : nest_(nest), reports_(reports), random_(random), tally_(tally), has_fault_(has_fault) {}

  void run() {
    std::vector<std::vector<Facts>> runs;
    for (const auto& [size, other] : {std::pair{3, 2}, {5, 4}, {4, 7}, {9, 3}}) {
      const std::uint64_t seed = random_();
      State state = state_of(size, other, seed);
      const State start = state;
      Machine machine(nest_, reports_);
      try {
        runs.push_back(machine.log(state));
      } catch (const Discard&) {
        continue;
      }
      where_ = "n = " + std::to_string(size) + ", p = " + std::to_string(other) + ", seed " + std::to_string(seed);
      for (std::size_t loop = 0; loop < reports_.size(); ++loop) {
        if (reports_[loop] == nullptr) continue;
        compare(loop, runs.back()[loop]);
        if (runs.back()[loop].most > 1) permute(loop, machine, start, state);
      }
    }
    for (std::size_t loop = 0; loop < reports_.size() && !runs.empty(); ++loop) {
      if (reports_[loop] != nullptr) count(loop, runs);
    }
  }

 private:
  void wrong(std::size_t loop, const std::string& what) {
    ++tally_.wrong;
    if (tally_.found.size() >= 3) return;
    Report report;
    report.loops = {*reports_[loop]};
    report.loops[0].parent = -1;
    tally_.found.push_back(nest_.name + ", loop " + std::to_string(loop) + ", " + where_ + ": " +
                           std::string(name(reports_[loop]->verdict)) + ", but " + what + "\n" + to_text(report) +
                           nest_.text);
  }

  // Two iterations that touch the same, though no clause says so.
  void compare(std::size_t loop, const Facts& facts) {
    std::uint32_t excused = 0;
    for (const Clause& c : reports_[loop]->clauses) {
      const int v = variable_of(c.variable);
      if (v >= 0) excused |= 1u << v;
    }
    for (int v = 0; v < arrays + scalars; ++v) {
      if ((facts.under_condition & ~excused) >> v & 1u)
        wrong(loop, "iterations conflict on variable " + std::to_string(v));
    }
  }

  void permute(std::size_t loop, Machine& machine, const State& start, const State& end) {
    const LoopReport& report = *reports_[loop];
    const bool claims = report.verdict == Verdict::parallel_with_clauses || report.verdict == Verdict::parallel_if ||
                        report.verdict == Verdict::scan || report.verdict == Verdict::parallel;
    if (!claims || (report.clauses.empty() && random_() % 4 != 0)) return;  // a log shows as much
    State state = start;
    try {
      if (!machine.permute(state, static_cast<int>(loop), random_())) return;
    } catch (const Discard& discard) {
      if (std::string(discard.what()) != "too many steps")
        wrong(loop, std::string("in another order: ") + discard.what());
      return;
    }
    ++tally_.permuted;
    for (const Clause& c : report.clauses) ++tally_.kinds[c.kind];
    for (const Predicate& predicate : report.predicates) ++tally_.kinds[predicate.kind];
    for (const int v : {a, b, m}) {
      const auto array = static_cast<std::size_t>(v);
      if (state.array[array] != end.array[array]) return wrong(loop, "another order gives another result");
    }
  }

  void count(std::size_t loop, const std::vector<std::vector<Facts>>& runs) {
    const LoopReport& report = *reports_[loop];
    int enough = 0;
    std::uint32_t conflicts = 0;
    for (const auto& facts : runs) {
      enough += facts[loop].most >= 3;
      conflicts |= facts[loop].conflicts;
    }
    ++tally_.loops;
    tally_.claimed += report.verdict == Verdict::parallel || report.verdict == Verdict::parallel_with_clauses;
    tally_.conditional += report.verdict == Verdict::parallel_if;
    if (report.verdict == Verdict::sequential && !has_fault_) refute(loop);
    if (report.verdict == Verdict::sequential || report.verdict == Verdict::parallel_if) return;
    if (!nest_.loops[loop].is_affine || enough < 2 || conflicts != 0) return;
    ++tally_.parallel;
    tally_.proven += report.verdict == Verdict::parallel;
  }

  // Runs the values of a witness, where they are small.
  void refute(std::size_t loop) {
    const Witness& witness = *reports_[loop]->witness;
    State state = state_of(4, 4, random_());
    for (const std::string& text : witness.values) {
      const std::size_t at = text.find(" = ");
      const int v = variable_of(text.substr(0, at));
      const std::int64_t value = std::atoll(text.c_str() + at + 3);
      if (v < arrays || v > arrays + k || value < 0 || value > 9) return;
      state.scalar[static_cast<std::size_t>(v - arrays)] = value;
    }
    if (witness.values.empty()) return;
    try {
      const auto facts = Machine(nest_, reports_).log(state);
      ++tally_.witnesses;
      const int v = variable_of(witness.variable.substr(0, witness.variable.find('[')));
      where_ = "values of the witness";
      if (v >= 0 && (facts[loop].conflicts >> v & 1u) == 0) wrong(loop, "there is no conflict on " + witness.variable);
    } catch (const Discard&) {
    }
  }

  const Nest& nest_;
  const std::vector<const LoopReport*>& reports_;
  std::mt19937_64& random_;
  Tally& tally_;
  const bool has_fault_;
  std::string where_;
};

constexpr std::int64_t batch = 400;  // nests of one text

struct Shard {
  std::int64_t first = 0, count = 0;
  std::uint64_t seed = 0;
  std::string clang = "clang";
};

std::mt19937_64 random_of(const Shard& shard, std::int64_t number) {
  std::seed_seq words{static_cast<std::uint32_t>(shard.seed), static_cast<std::uint32_t>(shard.seed >> 32),
                      static_cast<std::uint32_t>(number), static_cast<std::uint32_t>(number >> 32)};
  return std::mt19937_64(words);
}

Tally examine(const Shard& shard, Fault fault, bool stops) {
  const std::int64_t at_once = stops ? batch / 4 : batch, count = shard.count;
  Tally tally;
  Options options;
  options.matrix = false;
  options.seconds = 120;
  options.deadline = 3600;  // a busy processor is no reason to stop
  options.clang = shard.clang;
  while (tally.nests < count && !(stops && tally.wrong > 0)) {
    std::string text = helpers;
    std::vector<Nest> nests;
    std::mt19937_64 random = random_of(shard, shard.first + tally.nests);
    int line = 6;
    for (std::int64_t i = 0; i < std::min(at_once, count - tally.nests); ++i) {
      nests.push_back(make_nest("f" + std::to_string(shard.first + tally.nests + i), line, random));
      line += static_cast<int>(std::count(nests.back().text.begin(), nests.back().text.end(), '\n'));
      text += nests.back().text;
    }
    const Report report = analyze_with(text, "nests.c", options, fault);
    std::map<int, const LoopReport*> by_line;
    for (const LoopReport& loop : report.loops) by_line[loop.position.line] = &loop;
    for (const Nest& nest : nests) {
      std::vector<const LoopReport*> reports;
      for (const LoopOfNest& loop : nest.loops)
        reports.push_back(by_line.contains(loop.line) ? by_line[loop.line] : nullptr);
      if (std::find(reports.begin(), reports.end(), static_cast<const LoopReport*>(nullptr)) != reports.end())
        throw std::logic_error("a loop without a report");
      Check(nest, reports, random, tally, fault != Fault::none).run();
    }
    tally.nests += static_cast<std::int64_t>(nests.size());
  }
  return tally;
}

// Whether the share of the affine parallel loops that are proven is below 95 %.
bool proves_too_few(const Tally& tally) {
  return tally.parallel < tally.nests / 20 || 100 * tally.proven < 95 * tally.parallel;
}

int run(const Shard& shard) {
  const Tally tally = examine(shard, Fault::none, false);
  std::printf(
      "%lld nests, %lld loops: %lld called parallel, %lld under conditions; %lld orders tried, %lld witnesses run\n",
      static_cast<long long>(tally.nests), static_cast<long long>(tally.loops), static_cast<long long>(tally.claimed),
      static_cast<long long>(tally.conditional), static_cast<long long>(tally.permuted),
      static_cast<long long>(tally.witnesses));
  for (const auto& [kind, times] : tally.kinds)
    std::printf("  %s: %lld\n", kind.c_str(), static_cast<long long>(times));
  std::printf(
      "%lld wrong; %lld of %lld affine loops that were parallel in every run are proven (%.1f %%)\n",
      static_cast<long long>(tally.wrong), static_cast<long long>(tally.proven), static_cast<long long>(tally.parallel),
      100.0 * static_cast<double>(tally.proven) / static_cast<double>(std::max<std::int64_t>(1, tally.parallel)));
  for (const std::string& text : tally.found) std::printf("\n%s", text.c_str());
  bool fails = tally.wrong > 0 || proves_too_few(tally);
#ifndef PAPILIO_ORACLE_WITHOUT_FAULTS
  for (int f = 1; f < faults && shard.first == 0; ++f) {
    const Tally faulty = examine({0, 8000, shard.seed, shard.clang}, static_cast<Fault>(f), true);
    std::printf("fault %d: %s after %lld nests\n", f, faulty.wrong > 0 ? "found" : "NOT FOUND",
                static_cast<long long>(faulty.nests));
    fails = fails || faulty.wrong == 0;
  }
#endif
  return fails ? 1 : 0;
}

}  // namespace
}  // namespace papilio::loops::oracle

// print NESTS SEED: their text, for those who compile it.
namespace papilio::loops::oracle {
namespace {

int print_nests(std::int64_t count, std::uint64_t seed) {
  std::mt19937_64 random(seed);
  std::printf("%s", helpers);
  for (std::int64_t i = 0; i < count; ++i)
    std::printf("%s", make_nest("f" + std::to_string(i), 1, random).text.c_str());
  return 0;
}

}  // namespace
}  // namespace papilio::loops::oracle

int main(int argc, char** argv) {
  if (argc > 3 && std::string(argv[1]) == "print")
    return papilio::loops::oracle::print_nests(std::atoll(argv[2]), std::strtoull(argv[3], nullptr, 10));
  papilio::loops::oracle::Shard shard;
  shard.count = argc > 1 ? std::atoll(argv[1]) : 2000;
  shard.seed = argc > 2 ? std::strtoull(argv[2], nullptr, 10) : 20261123;
  shard.first = argc > 3 ? std::atoll(argv[3]) : 0;
  if (argc > 4) shard.clang = argv[4];
  if (shard.count < 1 || shard.first < 0 || shard.first % papilio::loops::oracle::batch != 0) {
    std::fprintf(stderr, "usage: %s NESTS [SEED [FIRST [CLANG]]], FIRST a multiple of %lld\n", argv[0],
                 static_cast<long long>(papilio::loops::oracle::batch));
    return 64;
  }
  return papilio::loops::oracle::run(shard);
}
