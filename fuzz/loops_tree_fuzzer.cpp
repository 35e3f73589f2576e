#include <cstddef>
#include <cstdint>
#include <string>

#include "input_file.h"
#include "loops/clang/translate.h"
#include "loops/clang/tree.h"
#include "loops/dependence/solver.h"
#include "loops/program/calls.h"
#include "loops/verdict/judge.h"
#include "papilio/error.h"

// The input is a syntax tree as clang writes it. Whatever is read is judged, and twice the same; a verdict has what it
// promises.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace papilio::loops;
  constexpr std::size_t most_loops = 12;
  try {
    Program program = translate(read_tree(as_text(data, size), "<stdin>"));
    expand_calls(program);
    std::string pages[2];
    for (std::string& page : pages) {
      Solver solver(2000);
      Report report;
      for (const Function& function : program.functions) {
        const Accesses accesses = find_accesses(program, function);
        if (accesses.loops.size() > most_loops) continue;
        for (LoopReport& loop : judge(program, function, accesses, solver, {true, Fault::none})) {
          require(loop.verdict != Verdict::sequential || loop.witness.has_value());
          require(loop.verdict != Verdict::parallel_if || !loop.condition.empty());
          require(loop.verdict != Verdict::parallel || loop.condition.empty());
          require(loop.parent < static_cast<int>(report.loops.size()));
          report.loops.push_back(std::move(loop));
        }
      }
      page = to_json(report) + to_text(report, true);
    }
    require(pages[0] == pages[1]);
  } catch (const papilio::FormatError&) {
  }
  return 0;
}
