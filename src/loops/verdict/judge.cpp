#include "loops/verdict/judge.h"

#include "loops/verdict/case.h"
#include "loops/verdict/distribute.h"
#include "loops/verdict/matrix.h"

namespace papilio::loops {
namespace {

// The reports without those of loops in called functions; indices refer to the reports that are left.
std::vector<LoopReport> of_the_text(const Accesses& accesses, std::vector<LoopReport> all) {
  std::vector<int> place(all.size(), -1);
  std::vector<LoopReport> kept;
  for (std::size_t i = 0; i < all.size(); ++i) {
    if (accesses.loops[i].is_inlined) continue;
    place[i] = static_cast<int>(kept.size());
    kept.push_back(std::move(all[i]));
  }
  for (LoopReport& report : kept) {
    if (report.parent >= 0) report.parent = place[static_cast<std::size_t>(report.parent)];
    for (Transformation& t : report.transformations) {
      for (int& loop : t.loops) loop = place[static_cast<std::size_t>(loop)];
    }
  }
  return kept;
}

}  // namespace

std::vector<LoopReport> judge(const Program& program, const Function& function, const Accesses& accesses,
                              Solver& solver, const JudgeOptions& options) {
  std::vector<LoopReport> reports;
  for (std::size_t i = 0; i < accesses.loops.size(); ++i) {
    const Loop& loop = accesses.loops[i];
    LoopReport& report = reports.emplace_back();
    report.function = function.name;
    report.position = {loop.place.line, loop.place.column};
    report.variable = loop.name;
    report.depth = loop.depth;
    report.parent = loop.parent;
    if (!loop.is_inlined) decide(program, accesses, static_cast<int>(i), solver, options, {}, report);
  }
  if (options.matrix) {
    for (std::size_t i = 0; i < accesses.loops.size(); ++i) {
      if (accesses.loops[i].parent < 0) add_matrix(program, accesses, static_cast<int>(i), solver, reports);
      if (!accesses.loops[i].is_inlined) distribute(program, accesses, static_cast<int>(i), solver, options, reports);
    }
  }
  return of_the_text(accesses, std::move(reports));
}

}  // namespace papilio::loops
