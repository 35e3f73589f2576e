#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

// Which loops of a C file may run their iterations in parallel, and why. Dependence analysis over integer polyhedra:
// K. Kennedy, J. R. Allen, Optimizing Compilers for Modern Architectures, chapters 2, 3 and 5; P. Feautrier, Dataflow
// analysis of array and scalar references, IJPP 20(1), 1991.
//
// "parallel" is a theorem about the text: no two iterations touch the same memory of which one writes it. It supposes
// that the program has no undefined behaviour, that 64-bit subscripts do not wrap around, and that functions of
// <math.h> do what the standard says. What the analysis does not understand makes a loop not_proven, never parallel.
//
// Built with the option PAPILIO_LOOPDEP (where libisl is), in the CMake target papilio::loops, not in papilio::papilio.

namespace papilio::loops {

struct Position {
  int line = 0;    // from 1; 0: none
  int column = 0;  // from 1
};

enum class Verdict {
  parallel,               // as it stands
  parallel_with_clauses,  // with what `clauses` say
  parallel_if,            // where `condition` holds, with what `clauses` say
  scan,                   // a prefix sum or product of the variable in `clauses`
  sequential,             // `witness` shows two iterations that depend on each other
  not_proven              // `reason` says what was not understood, or what could not be excluded
};

// "parallel", "parallel_with_clauses", ...; "unknown" for a number that is no enumerator.
std::string_view name(Verdict verdict) noexcept;

// One step that makes a loop parallel: private, firstprivate, lastprivate, reduction, induction, scan.
struct Clause {
  std::string kind;
  std::string variable;
  std::string detail;  // the operator of a reduction or scan, the closed form of an induction; else empty
};

// Two accesses to one element in two iterations; the source happens first.
struct Witness {
  std::string variable;  // with the element: "a[3]"
  std::string kind;      // flow, anti or output
  Position source, sink;
  std::vector<std::string> source_iteration, sink_iteration;  // "i = 2", outermost loop first
  std::vector<std::string> values;                            // of what the loops do not change: "n = 4"
};

// A dependence between two accesses of a nest: for each of their common loops from the outermost, the direction: '<' to
// a later iteration, '=' within one, '>' to an earlier one.
struct Dependence {
  std::string variable;
  std::string kind;  // flow, anti or output
  Position source, sink;
  std::string directions;
  std::vector<std::optional<std::int64_t>> distances;  // in values of the variables, where they are all the same
  bool is_exact = false;                               // it exists; else it could not be excluded
};

// What may be done with a loop: interchange (with the loop directly in it), distribute, strip_mine.
struct Transformation {
  std::string kind;
  std::string detail;
};

struct LoopReport {
  std::string function;
  Position position;
  std::string variable;  // empty: not a counted loop
  int depth = 0;         // 0: outermost
  int parent = -1;       // index in Report::loops
  Verdict verdict = Verdict::not_proven;
  std::string reason;  // one sentence
  std::vector<Clause> clauses;
  std::vector<std::string> condition;  // all must hold
  std::optional<Witness> witness;
  std::vector<Dependence> matrix;  // of the whole nest, with its outermost loop; empty for the others
  std::vector<Transformation> transformations;
};

struct Report {
  std::vector<LoopReport> loops;  // in the order of the text
};

struct Options {
  std::string clang = "clang";              // a name that is looked for in PATH, or a path
  std::vector<std::string> arguments = {};  // more arguments for clang, such as "-DN=10" or "-Iinclude"
  double seconds = 10;                      // that clang may take, more than 0
  std::int64_t operations = 200'000;        // of isl for one question, more than 0; then "not proven"
  std::string function = {};                // judge the loops of this function only; empty: all
  bool matrix = true;                       // find direction matrices and transformations too
};

// Analyses C text; `file` is its name in messages, and where quoted includes are looked for. Runs clang, without a
// shell. Throws FormatError, with the place, for text that is no C; InvalidArgument for options out of range, a text
// with a zero byte, or a function that is not there; IoError where clang cannot be started; Error where it takes too
// long. The result is the same in every run. Takes milliseconds for a hundred lines, on the calling thread.
//
//   const auto report = papilio::loops::analyze_text("void f(int n, double a[]) {\n"
//                                                    "  for (int i = 0; i < n; i++) a[i] += 1;\n}\n", "f.c");
//   report.loops[0].verdict;  // parallel
Report analyze_text(std::string_view text, const std::string& file, const Options& options = {});

// The same of a file. Throws IoError too where it cannot be read, or is larger than 64 MiB.
Report analyze_file(const std::string& path, const Options& options = {});

// The report as JSON: {"loops": [...]}, an object for each loop with the fields of LoopReport.
std::string to_json(const Report& report);

// The report for people: a page of plain text for each nest. With `explain`, the direction matrix, the witness and the
// transformations too.
std::string to_text(const Report& report, bool explain = false);

}  // namespace papilio::loops
